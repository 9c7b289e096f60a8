-- Purpose: step 5 of opening a shard: takes an item away that the ledger has never seen in this shard.
--
-- Guarantee: acts only while the shard is being repaired under the caller's epoch; a repetition ends the same. Whoever brings the
-- item again starts from nothing.
--
-- KEYS: 1 head, 2 items, 3 item hash, 4 stock, 5 receipts, 6 waitlist
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id
-- Returns: { OK } or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands; UNLINK frees in the background

-- @include fence.lua

local refusal = pass_fence(KEYS[1], 'REPAIRING')
if refusal then
  return { refusal }
end
redis.call('HSET', KEYS[1], 'damaged', '1')
redis.call('HINCRBY', KEYS[1], 'progress', 1)
redis.call('SREM', KEYS[2], ARGV[4])
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5], KEYS[6])
return { 'OK' }
