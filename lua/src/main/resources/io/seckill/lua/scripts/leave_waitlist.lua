-- Purpose: takes a user out of the line for an item.
--
-- Guarantee: one log entry for who was in line, none for who was not; in any state of the item. A waitlist that is not what the item
-- counts is a loss, and a loss freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 item hash, 4 waitlist
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 user
-- Returns: { OK, entry }, { ALREADY } (he does not wait), { LOST }, { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands

-- @include fence.lua
-- @include log.lua
-- @include waitlist.lua

local HEAD, LOG, ITEM, WAITLIST = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local waiters = count_waiters(WAITLIST, redis.call('HGET', ITEM, 'waiters'))
if not waiters then
  return freeze_lost(HEAD)
end
if not redis.call('ZSCORE', WAITLIST, ARGV[5]) then
  return { 'ALREADY' }
end
local place, refused = log_change(HEAD, LOG, seq, now, 'leave', 'i', ARGV[4], 'u', ARGV[5])
if refused then
  return refused
end
redis.call('ZREM', WAITLIST, ARGV[5])
redis.call('HSET', ITEM, 'waiters', waiters - 1)
return { 'OK', place }
