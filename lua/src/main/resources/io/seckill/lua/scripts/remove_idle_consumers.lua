-- Purpose: removes names of nodes that are gone from the group of a shard's log.
--
-- Guarantee: never removes a consumer that holds an entry, nor a caller that stays: looked at and deleted in one step. A consumer that
-- comes back is made again by its next read.
--
-- KEYS: 1 head, 2 log
-- ARGV: 1 epoch (not looked at), 2 run id, 3 not-after (Redis ms), 4 group, 5 the caller's name, 6 idle ms, 7 '1' when the caller leaves:
--       then its own name goes, too, however short its silence; else ''
-- Returns: { FENCED | EXPIRED } or { OK, removed }
-- Cost: proportional to the consumers of the group

if redis.call('HGET', KEYS[1], 'runId') ~= ARGV[2] then
  return { 'FENCED' }
end
local time = redis.call('TIME')
if tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) > tonumber(ARGV[3]) then
  return { 'EXPIRED' }
end
local removed = 0
local consumers = redis.pcall('XINFO', 'CONSUMERS', KEYS[2], ARGV[4])
if consumers.err then
  return { 'OK', removed }
end
for _, consumer in ipairs(consumers) do
  local fields = {}
  for i = 1, #consumer, 2 do
    fields[consumer[i]] = consumer[i + 1]
  end
  local is_gone
  if fields['name'] == ARGV[5] then
    is_gone = ARGV[7] == '1'
  else
    is_gone = fields['idle'] >= tonumber(ARGV[6])
  end
  if is_gone and fields['pending'] == 0 then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[2], ARGV[4], fields['name'])
    removed = removed + 1
  end
end
return { 'OK', removed }
