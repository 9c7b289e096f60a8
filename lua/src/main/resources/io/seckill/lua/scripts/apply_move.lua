-- Purpose: applies a ledger move in: units come into a shard (preheat, restock, grant, or from another shard).
--
-- Guarantee: only number = last + 1 is applied, so each move counts once and in order, whoever sends it however often. Units in stock go
-- to those who wait for them, by entries that follow. A loss freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 item hash, 4 stock, 5 receipts, 6 waitlist, then, with a group, 7 holdings of the group
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 group ('' without one), 6 number, 7 units, 8 kind of the move
-- Returns: { OK, entry, waiters let in, waiters who left at their limit }, { ALREADY }, { GAP, last number }, { NOT_READY } (no such item here), { GROUP } (it has
--          another group), { LOST } (a key is gone or spoilt), { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands; with waiters five for each that is let in, at most MAX_WAITERS

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua
-- @include groups.lua
-- @include sale.lua
-- @include waitlist.lua

local HEAD, LOG, ITEM, STOCK, RECEIPTS, WAITLIST = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local refusal, now, seq, sales = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local item = redis.call('HMGET', ITEM, 'gen', 'move', 'sent', 'group', 'waiters')
if not item[1] then
  return { 'NOT_READY' }
end
local last, number = tonumber(item[2]), tonumber(ARGV[6])
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
if (item[4] or '') ~= ARGV[5] then
  return { 'GROUP' }
end
local waiters = count_waiters(WAITLIST, item[5])
local receipts_type = redis.call('TYPE', RECEIPTS).ok
if not waiters or (receipts_type ~= 'hash' and receipts_type ~= 'none') then
  return freeze_lost(HEAD)
end
local place, refused = log_change(HEAD, LOG, seq, now, 'in', 'i', ARGV[4], 'm', ARGV[6], 'n', ARGV[7])
if refused then
  return refused
end
redis.call('HSET', ITEM, 'move', ARGV[6])
redis.call('HINCRBY', ITEM, 'adds', 1)
-- What moves between shards was granted where it came from.
redis.call('HINCRBY', ITEM, ARGV[8] == 'TRANSFER' and 'recv' or 'granted', ARGV[7])
redis.call('INCRBY', STOCK, ARGV[7])
local shard = { head = HEAD, log = LOG, seq = seq + 1, now = now, sales = sales }
local waited = {
  id = ARGV[4], key = ITEM, stock_key = STOCK, receipts_key = RECEIPTS, waitlist_key = WAITLIST, waiters = waiters,
  group = name_groups(4, 1, 2, 6)[ARGV[5]],
}
local promoted, left = let_waiters_in(shard, waited, MAX_WAITERS)
return { 'OK', place, promoted, left }
