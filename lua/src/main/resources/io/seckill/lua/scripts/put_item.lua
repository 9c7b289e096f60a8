-- Purpose: brings an item's definition and state to a shard.
--
-- Guarantee: a lower or equal generation changes nothing, so retries and late messages are harmless. One log entry of kind
-- "state" for each change. An item comes to a shard once, as PREPARED: traces of it without its hash, or any other state without
-- its stock, are a loss, and a loss freezes the shard; so its counters never start again beside units that were already let in.
-- An item's group is the one that it came with.
--
-- KEYS: 1 head, 2 log, 3 items, 4 item hash, 5 stock
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 generation, 6 state, 7 start, 8 end, 9 limit, 10 name, 11 price,
--       12 currency, 13 picture, 14 time to pay in ms, 15 group ('' without one), 16 the group's limit
-- Returns: { OK, entry }, { ALREADY }, { STALE, generation }, { NOT_READY } (unknown here and not PREPARED), { LOST },
--          { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands

-- @include fence.lua
-- @include log.lua

local HEAD, LOG, ITEMS, ITEM, STOCK = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local item = redis.call('HMGET', ITEM, 'gen', 'move')
local generation = tonumber(ARGV[5])
if item[1] then
  if tonumber(item[1]) == generation then
    return { 'ALREADY' }
  end
  if tonumber(item[1]) > generation then
    return { 'STALE', item[1] }
  end
  local has_moved = tonumber(item[2]) > 0
  if has_moved and not exact_units(STOCK) then
    return freeze_lost(HEAD)
  end
  if not has_moved and ARGV[6] ~= 'PREPARED' then
    return { 'NOT_READY' }
  end
else
  if redis.call('SISMEMBER', ITEMS, ARGV[4]) == 1 or redis.call('EXISTS', STOCK) == 1 then
    return freeze_lost(HEAD)
  end
  if ARGV[6] ~= 'PREPARED' then
    return { 'NOT_READY' }
  end
end
local place, refused = log_change(HEAD, LOG, seq, now, 'state', 'i', ARGV[4], 'g', ARGV[5], 's', ARGV[6])
if refused then
  return refused
end
redis.call('SADD', ITEMS, ARGV[4])
redis.call('HSET', ITEM, 'gen', ARGV[5], 'state', ARGV[6], 'start', ARGV[7], 'end', ARGV[8], 'limit', ARGV[9], 'name', ARGV[10],
  'price', ARGV[11], 'cur', ARGV[12], 'pic', ARGV[13], 'pay', ARGV[14])
if not item[1] then
  redis.call('HSET', ITEM, 'group', ARGV[15], 'glimit', ARGV[16], 'move', '0', 'adds', '0', 'sent', '0', 'recv', '0', 'granted', '0')
end
return { 'OK', place }
