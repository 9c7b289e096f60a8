-- Purpose: applies a ledger move in: units come into a shard (preheat, restock, grant, or from another shard).
--
-- Guarantee: only number = last + 1 is applied, so each move counts once and in order, whoever sends it however often. A loss
-- freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 item hash, 4 stock
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 number, 6 units, 7 kind of the move
-- Returns: { OK, entry, stock }, { ALREADY }, { GAP, last number }, { NOT_READY } (no such item here), { LOST } (its stock key is
--          gone or spoilt), { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands

-- @include fence.lua
-- @include log.lua

local HEAD, LOG, ITEM, STOCK = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local item = redis.call('HMGET', ITEM, 'gen', 'move', 'sent')
if not item[1] then
  return { 'NOT_READY' }
end
local last, number = tonumber(item[2]), tonumber(ARGV[5])
-- Only the first move may make the stock key: later, a missing one is a loss; and so it is when the shard has sent units that came by
-- moves which it then lost: the key held that debt.
local first_of_all = last == 0 and tonumber(item[3]) == 0 and redis.call('EXISTS', STOCK) == 0
if not first_of_all and not exact_units(STOCK) then
  return freeze_lost(HEAD)
end
if number <= last then
  return { 'ALREADY' }
end
if number ~= last + 1 then
  return { 'GAP', item[2] }
end
local place, refused = log_change(HEAD, LOG, seq, now, 'in', 'i', ARGV[4], 'm', ARGV[5], 'n', ARGV[6])
if refused then
  return refused
end
redis.call('HSET', ITEM, 'move', ARGV[5])
redis.call('HINCRBY', ITEM, 'adds', 1)
-- What moves between shards was granted where it came from.
redis.call('HINCRBY', ITEM, ARGV[7] == 'TRANSFER' and 'recv' or 'granted', ARGV[6])
return { 'OK', place, redis.call('INCRBY', STOCK, ARGV[6]) }
