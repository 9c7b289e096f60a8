-- Purpose: step 5 of opening a shard: writes users' receipts of an item as the ledger knows them.
--
-- Guarantee: acts only while the shard is being repaired under the caller's epoch; a repetition ends the same.
--
-- KEYS: 1 head, 2 receipts
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), then for each user: user, receipt
-- Returns: { OK } or { FENCED | FROZEN | EXPIRED }
-- Cost: one HSET; the caller bounds the users of one call

-- @include fence.lua

local refusal = pass_fence(KEYS[1], 'REPAIRING')
if refusal then
  return { refusal }
end
redis.call('HINCRBY', KEYS[1], 'progress', 1)
redis.call('HSET', KEYS[2], unpack(ARGV, 4))
return { 'OK' }
