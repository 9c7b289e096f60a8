-- Purpose: gives the units and the quota of one held win back.
--
-- Guarantee: a release acts only on a record that is held, gives back what the record says, and turns it to released: once, whoever
-- asks however often. All lines of a win go back together. Into an ended sale nothing returns to stock: the grant is lowered. A
-- loss freezes the shard.
--
-- KEYS: 1 head, 2 log, then for each line: item hash, stock, receipts
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 user, 5 entry of the win, 6 reason, then the item id of each line
-- Returns: { OK, entry, units in all }, { ALREADY }, { NOT_FOUND }, { LOST }, { NOT_WRITTEN }, the error READONLY or
--          { FENCED | FROZEN | EXPIRED }
-- Cost: bounded by 8 lines and by the records of one receipt

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua

local HEAD, LOG = KEYS[1], KEYS[2]
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local user, win = ARGV[4], ARGV[5]

local lines, told, units = {}, {}, 0
for i = 1, (#KEYS - 2) / 3 do
  local base = 2 + (i - 1) * 3
  local line = { id = ARGV[6 + i], item_key = KEYS[base + 1], stock_key = KEYS[base + 2], receipts_key = KEYS[base + 3] }
  local item = redis.call('HMGET', line.item_key, 'state', 'end')
  local text = redis.call('HGET', line.receipts_key, user)
  local stock = exact_units(line.stock_key)
  if not item[1] and not text and not stock then
    return { 'NOT_FOUND' }
  end
  if not item[1] or not stock then
    return freeze_lost(HEAD)
  end
  local quantity, receipt = release_record(text or '', win)
  if not quantity then
    return { receipt }
  end
  line.quantity, line.receipt = quantity, receipt
  line.to_stock = item[1] ~= 'ENDED' and now < tonumber(item[2])
  told[i] = line.id .. ':' .. string.format('%d', quantity) .. ':' .. (line.to_stock and 'stock' or 'grant')
  units = units + quantity
  lines[i] = line
end

local place = ARGV[1] .. '-' .. string.format('%.0f', seq + 1)
local refused = append_entry(LOG, place, 'k', 'rel', 't', string.format('%.0f', now), 'u', user, 'w', win, 'r', ARGV[6], 'l',
  table.concat(told, ','))
if refused then
  return refused_entry(refused)
end
redis.call('HSET', HEAD, 'seq', string.format('%.0f', seq + 1))
for _, line in ipairs(lines) do
  redis.call('HSET', line.receipts_key, user, line.receipt)
  if line.to_stock then
    redis.call('INCRBY', line.stock_key, line.quantity)
    redis.call('HINCRBY', line.item_key, 'adds', 1)
  else
    redis.call('HINCRBY', line.item_key, 'granted', -line.quantity)
  end
end
return { 'OK', place, units }
