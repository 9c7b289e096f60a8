-- Purpose: says that the opener of a shard is alive while it waits for the consumer.
--
-- Guarantee: a later claim fences it. Other openers leave a shard alone whose progress moves.
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
redis.call('HINCRBY', KEYS[1], 'progress', 1)
return { 'OK' }
