-- Purpose: gives units that are in stock to those who wait for them, oldest first.
--
-- Guarantee: whatever brings units in lets waiters in by itself; this does what it had to leave: a bound, a pause, a restart, a limit that
-- was raised. A loss freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 item hash, 4 stock, 5 receipts, 6 waitlist, then, with a group, 7 holdings of the group
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 group ('' without one), 6 waiters to look at, 7 most numbers in the log
-- Returns: { OK, let in, left at their limit, stock left, waiters left }, { IDLE } (no unit, nobody waits, or not on sale), { GROUP } (it
--          has another group), { LOG_FULL }, { LOST }, { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: five commands for each waiter

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
local fields = redis.call('HMGET', ITEM, 'state', 'group', 'waiters')
local stock, waiters = exact_units(STOCK), count_waiters(WAITLIST, fields[3])
local receipts_type = redis.call('TYPE', RECEIPTS).ok
local is_spoilt = receipts_type ~= 'hash' and receipts_type ~= 'none'
if is_spoilt or not waiters or is_stock_lost(fields[1] or nil, stock) then
  return freeze_lost(HEAD)
end
if not stock or stock <= 0 or waiters == 0 then
  return { 'IDLE' }
end
if (fields[2] or '') ~= ARGV[5] then
  return { 'GROUP' }
end
local most = tonumber(ARGV[6])
local log = redis.call('HMGET', HEAD, 'stored', 'backlog')
local room = room_in_log(LOG, seq, log[1], log[2], tonumber(ARGV[7]), most)
if room < 1 then
  return { 'LOG_FULL' }
end
local shard = { head = HEAD, log = LOG, seq = seq, now = now, sales = sales }
local item = {
  id = ARGV[4], key = ITEM, stock_key = STOCK, receipts_key = RECEIPTS, waitlist_key = WAITLIST, waiters = waiters,
  group = name_groups(4, 1, 2, 6)[ARGV[5]],
}
local promoted, left, refused = let_waiters_in(shard, item, math.min(most, room))
if promoted + left == 0 then
  return refused or { 'IDLE' }
end
return { 'OK', promoted, left, stock - promoted, waiters - promoted - left }
