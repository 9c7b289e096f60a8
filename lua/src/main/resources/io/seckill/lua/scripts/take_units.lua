-- Purpose: applies a ledger move out: units leave a shard for good (withdrawal), or for the item's reserve.
--
-- Guarantee: only number = last + 1 is applied, so each move counts once and in order, whoever sends it however often. Takes at most
-- what is in stock, so held units stay; the entry says how many really went, also when that is none. A loss freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 item hash, 4 stock
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 number, 6 units
-- Returns: { OK, entry, units that went }, { ALREADY }, { GAP, last number }, { NOT_READY } (no such item here), { LOST } (its stock
--          key is gone or spoilt), { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands

-- @include fence.lua
-- @include log.lua

local HEAD, LOG, ITEM, STOCK = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local item = redis.call('HMGET', ITEM, 'gen', 'move')
if not item[1] then
  return { 'NOT_READY' }
end
local last, number = tonumber(item[2]), tonumber(ARGV[5])
if last == 0 then
  -- The first move of an item lets units in; until then there is no stock key to take from.
  return { 'GAP', item[2] }
end
local stock = exact_units(STOCK)
if not stock then
  return freeze_lost(HEAD)
end
if number <= last then
  return { 'ALREADY' }
end
if number ~= last + 1 then
  return { 'GAP', item[2] }
end
-- Stock below zero is a debt that releases pay first.
local units = string.format('%.0f', math.min(tonumber(ARGV[6]), math.max(stock, 0)))
local place, refused = log_change(HEAD, LOG, seq, now, 'out', 'i', ARGV[4], 'm', ARGV[5], 'n', units)
if refused then
  return refused
end
redis.call('HSET', ITEM, 'move', ARGV[5])
if units ~= '0' then
  redis.call('HINCRBY', ITEM, 'granted', '-' .. units)
  redis.call('DECRBY', STOCK, units)
end
return { 'OK', place, units }
