-- Purpose: tells where a shard stands. Writes nothing.
--
-- KEYS: 1 head
-- ARGV: 1 epoch, 2 run id, 3 not-after; not looked at, because this is how a caller learns them
-- Returns: { MISSING } or { OK, epoch, seq, run id, state, S, progress of a repair, the stop switch's generation and word,
--          numbers of this epoch that are in the log still }
-- Cost: one HMGET

local head = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'runId', 'state', 'shards', 'progress', 'salesGen', 'sales', 'stored')
if not head[1] then
  return { 'MISSING' }
end
local stored_epoch, stored_seq = string.match(head[9] or '', '^(%d+)-(%d+)$')
local stored = stored_epoch == head[1] and tonumber(stored_seq) or 0
for i = 1, 8 do
  head[i] = head[i] or '0'
end
head[9] = string.format('%.0f', tonumber(head[2]) - stored)
return { 'OK', unpack(head) }
