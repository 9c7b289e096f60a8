-- Purpose: gives the units and the quota of one held win back.
--
-- Guarantee: a release acts only on a record that is held, gives back what the record says, and turns it to released: once, whoever
-- asks however often. All lines of a win go back together. Into an ended sale nothing returns to stock, the grant is lowered; but a
-- stock below zero is a debt that releases pay first. Units in stock go to those who wait for them, by entries that follow. A loss
-- freezes the shard.
--
-- KEYS: 1 head, 2 log, then for each line: item hash, stock, receipts, waitlist; then the holdings of each group, in the order in which
--       ARGV names them first
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 user, 5 entry of the win, 6 reason, 7 number of lines, then for each line: item
--       id, group ('' without one)
-- Returns: { OK, entry, waiters let in, waiters who left at their limit }, { ALREADY }, { NOT_FOUND }, { GROUP } (an item has another group), { LOST },
--          { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: bounded by 8 lines and by the records of one receipt; with waiters five commands for each that is let in, MAX_WAITERS in all

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua
-- @include groups.lua
-- @include sale.lua
-- @include waitlist.lua

local HEAD, LOG = KEYS[1], KEYS[2]
local refusal, now, seq, sales = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local user, win = ARGV[4], ARGV[5]

local line_count = tonumber(ARGV[7])
local groups = name_groups(8, line_count, 2, 2 + line_count * 4)
local lines, told = {}, {}
for i = 1, line_count do
  local base = 2 + (i - 1) * 4
  local line = {
    id = ARGV[6 + 2 * i], group = groups[ARGV[7 + 2 * i]],
    key = KEYS[base + 1], stock_key = KEYS[base + 2], receipts_key = KEYS[base + 3], waitlist_key = KEYS[base + 4],
  }
  local item = redis.call('HMGET', line.key, 'state', 'end', 'group', 'waiters')
  local text = redis.call('HGET', line.receipts_key, user)
  local stock = exact_units(line.stock_key)
  if not item[1] and not text and not stock then
    return { 'NOT_FOUND' }
  end
  line.waiters = count_waiters(line.waitlist_key, item[4])
  if not item[1] or not stock or not line.waiters then
    return freeze_lost(HEAD)
  end
  if (item[3] or '') ~= ARGV[7 + 2 * i] then
    return { 'GROUP' }
  end
  local quantity, receipt = release_record(text or '', win)
  if not quantity then
    return { receipt }
  end
  line.quantity, line.receipt = quantity, receipt
  local is_over = item[1] == 'ENDED' or item[1] == 'ARCHIVED' or now >= tonumber(item[2])
  line.to_stock = stock < 0 or not is_over
  told[i] = line.id .. ':' .. string.format('%d', quantity) .. ':' .. (line.to_stock and 'stock' or 'grant')
  if line.group then
    line.group.units = (line.group.units or 0) + quantity
  end
  lines[i] = line
end
for _, group in pairs(groups) do
  if not read_holdings(group, { user }) then
    return freeze_lost(HEAD)
  end
end

local place, refused =
  log_change(HEAD, LOG, seq, now, 'rel', 'u', user, 'w', win, 'r', ARGV[6], 'l', table.concat(told, ','))
if refused then
  return refused
end
for _, line in ipairs(lines) do
  redis.call('HSET', line.receipts_key, user, line.receipt)
  if line.to_stock then
    redis.call('INCRBY', line.stock_key, line.quantity)
    redis.call('HINCRBY', line.key, 'adds', 1)
  else
    redis.call('HINCRBY', line.key, 'granted', -line.quantity)
  end
end
for _, group in pairs(groups) do
  local left = group.held[user] - group.units
  if left > 0 then
    redis.call('HSET', group.key, user, string.format('%.0f', left))
  else
    redis.call('HDEL', group.key, user)
  end
end

local shard = { head = HEAD, log = LOG, seq = seq + 1, now = now, sales = sales }
local promoted, left = 0, 0
for _, line in ipairs(lines) do
  if line.to_stock then
    local let_in, out = let_waiters_in(shard, line, MAX_WAITERS - promoted - left)
    promoted, left = promoted + let_in, left + out
  end
end
return { 'OK', place, promoted, left }
