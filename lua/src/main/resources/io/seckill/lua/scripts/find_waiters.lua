-- Purpose: tells the scores of users in the line for an item, and how many of this shard come before given scores. Writes nothing.
--
-- KEYS: 1 head, 2 item hash, 3 waitlist
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 number of users, then the users, then scores
-- Returns: { OK, waiters, for each user his score ('' when he does not wait), for each score how many have a lower one }, { NOT_READY } (no
--          such item here, or a key is spoilt) or { FENCED | FROZEN | EXPIRED }
-- Cost: one command for each user and for each score; the caller bounds both

-- @include fence.lua
-- @include waitlist.lua

local refusal = pass_fence(KEYS[1], 'OPEN')
if refusal then
  return { refusal }
end
local WAITLIST = KEYS[3]
local item = redis.pcall('HMGET', KEYS[2], 'gen', 'waiters')
local waiters = not item.err and item[1] and count_waiters(WAITLIST, item[2])
if not waiters then
  return { 'NOT_READY' }
end
local reply = { 'OK', waiters }
local user_count = tonumber(ARGV[4])
for i = 5, 4 + user_count do
  reply[#reply + 1] = score_text(redis.call('ZSCORE', WAITLIST, ARGV[i]))
end
for i = 5 + user_count, #ARGV do
  reply[#reply + 1] = redis.call('ZCOUNT', WAITLIST, '-inf', '(' .. ARGV[i])
end
return reply
