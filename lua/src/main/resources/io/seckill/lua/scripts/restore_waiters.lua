-- Purpose: step 5 of opening a shard: writes the line for an item as the ledger knows it.
--
-- Guarantee: acts only while the shard is being repaired under the caller's epoch. Users keep the order in which they are named, and get
-- the scores that they had, as far as their times tell. The first page clears what was there, whoever is in line already keeps his
-- place; so a repetition of a page, or of all, ends the same. Marks the shard damaged until it is open.
--
-- KEYS: 1 head, 2 item hash, 3 waitlist
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 is it the first page (1 or 0), then for each user: user, when he joined (Redis ms)
-- Returns: { OK }, { NOT_READY } (no such item here) or { FENCED | FROZEN | EXPIRED }
-- Cost: two commands for each user, the caller bounds the users of one call; UNLINK frees in the background

-- @include fence.lua
-- @include waitlist.lua

local HEAD, ITEM, WAITLIST = KEYS[1], KEYS[2], KEYS[3]
local refusal = pass_fence(HEAD, 'REPAIRING')
if refusal then
  return { refusal }
end
if not redis.call('HGET', ITEM, 'gen') then
  return { 'NOT_READY' }
end
redis.call('HSET', HEAD, 'damaged', '1')
redis.call('HINCRBY', HEAD, 'progress', 1)
if ARGV[4] == '1' then
  redis.call('UNLINK', WAITLIST)
end
local last = score_at(WAITLIST, -1)
for i = 5, #ARGV, 2 do
  if not redis.call('ZSCORE', WAITLIST, ARGV[i]) then
    last = next_score(tonumber(ARGV[i + 1]), last)
    redis.call('ZADD', WAITLIST, string.format('%.0f', last), ARGV[i])
  end
end
redis.call('HSET', ITEM, 'waiters', redis.call('ZCARD', WAITLIST))
return { 'OK' }
