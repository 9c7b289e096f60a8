-- Purpose: acknowledges stored entries of a shard's log and trims what nobody needs any more.
--
-- Guarantee: never trims an entry that is not acknowledged or not delivered yet. Acknowledging is right under any epoch and state,
-- because it says only "MySQL has this entry"; so of the fence only the run id counts: the ids must have come from this server.
--
-- KEYS: 1 head, 2 log
-- ARGV: 1 epoch (not looked at), 2 run id, 3 not-after (Redis ms), 4 group, then the entry ids
-- Returns: { FENCED | EXPIRED | NOGROUP } or { OK, acknowledged, trimmed, entries left }
-- Cost: proportional to the ids and to what is trimmed

local head = redis.call('HMGET', KEYS[1], 'runId', 'epoch', 'stored')
if head[1] ~= ARGV[2] then
  return { 'FENCED' }
end
local time = redis.call('TIME')
if tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) > tonumber(ARGV[3]) then
  return { 'EXPIRED' }
end
local groups = redis.pcall('XINFO', 'GROUPS', KEYS[2])
local delivered
if not groups.err then
  for _, group in ipairs(groups) do
    local fields = {}
    for i = 1, #group, 2 do
      fields[group[i]] = group[i + 1]
    end
    if fields['name'] == ARGV[4] then
      delivered = fields['last-delivered-id']
    end
  end
end
if not delivered then
  return { 'NOGROUP' }
end
local acknowledged = redis.call('XACK', KEYS[2], ARGV[4], unpack(ARGV, 5))

-- The first entry to keep: the oldest that is not acknowledged, else the one after the last delivered. A seq that no script of
-- ours gave out has no exact next one here: then the last delivered entry stays.
local keep_from = redis.call('XPENDING', KEYS[2], ARGV[4])[2]
if not keep_from then
  local epoch, seq = string.match(delivered, '^(%d+)-(%d+)$')
  keep_from = #seq < 16 and epoch .. '-' .. string.format('%.0f', tonumber(seq) + 1) or delivered
end
local trimmed = redis.call('XTRIM', KEYS[2], 'MINID', '=', keep_from)
-- Where what is stored and trimmed ends, exact to the length of one entry: bounds on the log need no more.
-- It never goes back: a group that was made again tells less than is known.
local epoch, seq = string.match(keep_from, '^(%d+)-(%d+)$')
local stored_epoch, stored_seq = string.match(head[3] or '0-0', '^(%d+)-(%d+)$')
local is_later = tonumber(epoch) > tonumber(stored_epoch) or (epoch == stored_epoch and tonumber(seq) - 1 > tonumber(stored_seq))
if #seq < 16 and is_later then
  redis.call('HSET', KEYS[1], 'stored', epoch .. '-' .. string.format('%.0f', tonumber(seq) - 1))
end
if epoch == head[2] then
  redis.call('HDEL', KEYS[1], 'backlog')
end
return { 'OK', acknowledged, trimmed, redis.call('XLEN', KEYS[2]) }
