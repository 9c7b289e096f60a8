-- Purpose: step 6 of opening a shard: sells from now on, bound to this server's run id.
--
-- Guarantee: the shard knows the stop switch of all sales before it is open; a switch that is as late or later here stays.
--
-- KEYS: 1 head
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 generation of the stop switch, 5 its word: STOPPED or OPEN
-- Returns: { OK } or { FENCED | FROZEN | EXPIRED }; FROZEN here means that it is not being repaired
-- Cost: a few commands

-- @include fence.lua

local refusal, _, _, _, sales_generation = pass_fence(KEYS[1], 'REPAIRING')
if refusal then
  return { refusal }
end
if tonumber(ARGV[4]) > sales_generation then
  redis.call('HSET', KEYS[1], 'salesGen', ARGV[4], 'sales', ARGV[5])
end
redis.call('HSET', KEYS[1], 'state', 'OPEN', 'seq', '0')
redis.call('HDEL', KEYS[1], 'lastEpoch', 'lastSeq', 'damaged', 'progress')
return { 'OK' }
