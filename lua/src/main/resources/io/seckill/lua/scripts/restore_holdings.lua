-- Purpose: step 5 of opening a shard: writes what users hold of a group of items as the ledger knows it.
--
-- Guarantee: acts only while the shard is being repaired under the caller's epoch. The first page clears what was there, so what the
-- ledger does not know is gone, and a repetition of all pages ends the same. Marks the shard damaged until it is open, so a repair
-- that stops between pages is begun again.
--
-- KEYS: 1 head, 2 holdings of the group
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 is it the first page (1 or 0), then for each user: user, units held
-- Returns: { OK } or { FENCED | FROZEN | EXPIRED }
-- Cost: one HSET, the caller bounds the users of one call; UNLINK frees in the background

-- @include fence.lua

local refusal = pass_fence(KEYS[1], 'REPAIRING')
if refusal then
  return { refusal }
end
redis.call('HSET', KEYS[1], 'damaged', '1')
redis.call('HINCRBY', KEYS[1], 'progress', 1)
if ARGV[4] == '1' then
  redis.call('UNLINK', KEYS[2])
end
if #ARGV > 4 then
  redis.call('HSET', KEYS[2], unpack(ARGV, 5))
end
return { 'OK' }
