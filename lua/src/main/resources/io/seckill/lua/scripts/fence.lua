-- Include: the fence that every changing script passes first.
--
-- Guarantee: nothing is written unless the caller talks to the server that the shard was opened on, under the epoch that it was
-- opened under, in the state that it expects, and before the caller's own deadline by this server's clock.

-- Returns a refusal (FENCED, FROZEN or EXPIRED) or nil, then Redis time in ms, the head's seq, and the stop switch of all sales:
-- its word (false before the first change) and its generation.
local function pass_fence(head_key, expected_state)
  local head = redis.call('HMGET', head_key, 'epoch', 'runId', 'state', 'seq', 'sales', 'salesGen')
  if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] then
    return 'FENCED'
  end
  if head[3] ~= expected_state then
    return 'FROZEN'
  end
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  if now > tonumber(ARGV[3]) then
    return 'EXPIRED'
  end
  return nil, now, tonumber(head[4]), head[5], tonumber(head[6] or '0')
end
