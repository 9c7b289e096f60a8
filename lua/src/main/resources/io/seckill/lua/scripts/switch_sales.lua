-- Purpose: brings the stop switch of all sales to a shard.
--
-- Guarantee: a lower or equal generation changes nothing, so retries and late messages are harmless. One log entry for each change.
--
-- KEYS: 1 head, 2 log
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 generation, 5 STOPPED or OPEN
-- Returns: { OK, entry }, { ALREADY }, { STALE, generation }, { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands

-- @include fence.lua
-- @include log.lua

local HEAD, LOG = KEYS[1], KEYS[2]
local refusal, now, seq, _, known = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local generation = tonumber(ARGV[4])
if generation == known then
  return { 'ALREADY' }
end
if generation < known then
  return { 'STALE', string.format('%.0f', known) }
end
local place, refused = log_change(HEAD, LOG, seq, now, 'sales', 'g', ARGV[4], 's', ARGV[5])
if refused then
  return refused
end
redis.call('HSET', HEAD, 'salesGen', ARGV[4], 'sales', ARGV[5])
return { 'OK', place }
