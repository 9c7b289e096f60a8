-- Purpose: takes units out of a shard for another one that has too few.
--
-- Guarantee: what leaves is in one log entry, and counts as sent from then on; the ledger turns the entry into a move by which the
-- other shard lets the units in. Two planners who saw the same shard do not both send: the second finds another count of units sent.
-- Never takes what is not there. A loss freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 item hash, 4 stock
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 units wanted (1 or more), 6 the shard where they go, 7 units sent as
--       the caller has seen it, or '' for any
-- Returns: { OK, entry, units, stock left, Redis ms }, { NOT_READY } (no such item here, or not on sale yet), { ENDED }, { MOVED_ON },
--          { EMPTY }, { LOST } (its stock key is gone or spoilt), { NOT_WRITTEN }, the error READONLY or
--          { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands

-- @include fence.lua
-- @include log.lua

local HEAD, LOG, ITEM, STOCK = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local item = redis.call('HMGET', ITEM, 'state', 'end', 'sent')
if not item[1] or item[1] == 'PREPARED' then
  return { 'NOT_READY' }
end
local stock = exact_units(STOCK)
if not stock then
  return freeze_lost(HEAD)
end
if item[1] == 'ENDED' or item[1] == 'ARCHIVED' or now >= tonumber(item[2]) then
  return { 'ENDED' }
end
if ARGV[7] ~= '' and ARGV[7] ~= item[3] then
  return { 'MOVED_ON' }
end
if stock <= 0 then
  return { 'EMPTY' }
end
local units = string.format('%.0f', math.min(tonumber(ARGV[5]), stock))
local place, refused = log_change(HEAD, LOG, seq, now, 'send', 'i', ARGV[4], 'n', units, 'd', ARGV[6])
if refused then
  return refused
end
redis.call('HINCRBY', ITEM, 'sent', units)
return { 'OK', place, units, redis.call('DECRBY', STOCK, units), string.format('%.0f', now) }
