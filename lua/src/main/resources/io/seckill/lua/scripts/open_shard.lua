-- Purpose: step 6 of opening a shard: sells from now on, bound to this server's run id.
--
-- KEYS: 1 head
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms)
-- Returns: { OK } or { FENCED | FROZEN | EXPIRED }; FROZEN here means that it is not being repaired
-- Cost: a few commands

-- @include fence.lua

local refusal = pass_fence(KEYS[1], 'REPAIRING')
if refusal then
  return { refusal }
end
redis.call('HSET', KEYS[1], 'state', 'OPEN', 'seq', '0')
redis.call('HDEL', KEYS[1], 'lastEpoch', 'lastSeq', 'damaged', 'progress')
return { 'OK' }
