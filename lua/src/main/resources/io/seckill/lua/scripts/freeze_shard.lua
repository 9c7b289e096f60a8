-- Purpose: step 2 of opening a shard: stops it under a newly claimed epoch.
--
-- Guarantee: only a higher epoch than the head's can freeze, so a slow opener never stops a later one. The (epoch, seq) up to
-- which the shard had really decided is kept in lastEpoch and lastSeq until the shard is open, also when openers die; and so is the
-- mark that it was FROZEN, because keys that are lost do not come back by opening it. What the log still holds of closed epochs is
-- counted in backlog, so that it stays bounded over many openings.
--
-- KEYS: 1 head
-- ARGV: 1 new epoch, 2 run id of this server, 3 not-after (Redis ms), 4 S
-- Returns: { EXPIRED }, { STALE, head's epoch }, { OTHER_S, head's S } or
--          { OK, last epoch, last seq, was the head there (1 or 0), was it FROZEN (1 or 0) }
-- Cost: two commands

-- @include log.lua

local time = redis.call('TIME')
if tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) > tonumber(ARGV[3]) then
  return { 'EXPIRED' }
end
local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'state', 'lastEpoch', 'lastSeq', 'shards', 'damaged',
  'stored', 'backlog')
local known = head[1]
if known and tonumber(known) >= tonumber(ARGV[1]) then
  return { 'STALE', known }
end
if head[6] and head[6] ~= ARGV[4] then
  return { 'OTHER_S', head[6] }
end
local last_epoch, last_seq = head[1] or '0', head[2] or '0'
local backlog = numbers_in_log(head[1], head[2], head[8], head[9])
if head[3] == 'REPAIRING' then
  last_epoch, last_seq = head[4] or '0', head[5] or '0'
end
local damaged = (head[3] == 'FROZEN' or head[7] == '1') and '1' or '0'
redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'seq', '0', 'runId', ARGV[2], 'state', 'REPAIRING', 'shards', ARGV[4],
  'lastEpoch', last_epoch, 'lastSeq', last_seq, 'damaged', damaged, 'backlog', backlog)
return { 'OK', last_epoch, last_seq, known and 1 or 0, tonumber(damaged) }
