-- Purpose: reads items of a shard together with (epoch, seq), as of one instant. Writes nothing.
--
-- KEYS: 1 head, then for each item: item hash, stock, waitlist
-- ARGV: 1 epoch, 2 run id, 3 not-after; not looked at: the answer says under which head it was read
-- Returns: { MISSING } or { OK, epoch, seq, run id, head's state, Redis ms, the stop switch's generation and word, then for each
--          item: generation ('' when unknown), state, start, end, limit, name, price, currency, picture, time to pay, group (''
--          without one), the group's limit, last move, adds, sent, received, granted, stock ('' when missing or spoilt), waiters, the
--          lowest score of the waitlist ('' when nobody waits, or when it is missing or spoilt) }
-- Cost: two commands for each item, one more while somebody waits for it

local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'runId', 'state', 'salesGen', 'sales')
if not head[1] then
  return { 'MISSING' }
end
local time = redis.call('TIME')
local reply = {
  'OK', head[1], head[2] or '0', head[3] or '', head[4] or '',
  string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)), head[5] or '0', head[6] or '',
}
for i = 2, #KEYS, 3 do
  -- A spoilt item is shown as a missing one: reading the others goes on, and opening writes it anew.
  local item = redis.pcall('HMGET', KEYS[i], 'gen', 'state', 'start', 'end', 'limit', 'name', 'price', 'cur', 'pic', 'pay', 'group',
    'glimit', 'move', 'adds', 'sent', 'recv', 'granted', 'waiters')
  for field = 1, 17 do
    reply[#reply + 1] = not item.err and item[field] or (field == 12 and '0' or '')
  end
  local stock = redis.pcall('GET', KEYS[i + 1])
  reply[#reply + 1] = type(stock) == 'string' and string.match(stock, '^%-?%d+$') or ''
  local waiters = not item.err and tonumber(item[18] or '0') or 0
  local oldest = waiters > 0 and redis.pcall('ZRANGE', KEYS[i + 2], 0, 0, 'WITHSCORES') or {}
  reply[#reply + 1] = waiters
  reply[#reply + 1] = oldest[2] and string.format('%.0f', tonumber(oldest[2])) or ''
end
return reply
