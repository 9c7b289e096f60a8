-- Purpose: tells where a shard stands. Writes nothing.
--
-- KEYS: 1 head
-- ARGV: 1 epoch, 2 run id, 3 not-after; not looked at, because this is how a caller learns them
-- Returns: { MISSING } or { OK, epoch, seq, run id, state, S, progress of a repair, the stop switch's generation and word,
--          numbers that are in the log still }
-- Cost: one HMGET

-- @include log.lua

local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'runId', 'state', 'shards', 'progress', 'salesGen', 'sales', 'stored', 'backlog')
if not head[1] then
  return { 'MISSING' }
end
local in_log = numbers_in_log(head[1], head[2], head[9], head[10])
for i = 1, 8 do
  head[i] = head[i] or '0'
end
head[9], head[10] = in_log, nil
return { 'OK', unpack(head) }
