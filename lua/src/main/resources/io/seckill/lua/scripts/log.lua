-- Include: the log entry with which every change of a shard begins, and the end of a shard that has lost keys.
--
-- Guarantee: the XADD is a script's first write. When Redis refuses it, nothing was written; when it is written, Redis lets the
-- script finish, also at its memory bound.

-- Why an XADD that failed wrote nothing: NOT_WRITTEN, or READONLY on a server that is no master any more.
local function refusal_of(error_reply)
  -- Redis 6 puts the line of the script before the word.
  return string.find(error_reply.err, 'READONLY', 1, true) and 'READONLY' or 'NOT_WRITTEN'
end

-- The reply of a script whose entry was refused. READONLY stays an error, so that the caller looks for the master.
local function refused_entry(why)
  if why == 'READONLY' then
    return redis.error_reply('READONLY this server is not a master, nothing was written')
  end
  return { why }
end

-- Writes the shard's next entry, of a kind and with the fields that belong to it, and counts it in the head. Returns its place, or nil
-- and the script's reply.
local function log_change(head_key, log_key, seq, now, kind, ...)
  local next_seq = string.format('%.0f', seq + 1)
  local place = ARGV[1] .. '-' .. next_seq
  local added = redis.pcall('XADD', log_key, place, 'k', kind, 't', string.format('%.0f', now), ...)
  if type(added) == 'table' and added.err then
    return nil, refused_entry(refusal_of(added))
  end
  redis.call('HSET', head_key, 'seq', next_seq)
  return place
end

-- The numbers that the log holds still, as the head tells it: of its epoch those behind the stored place, and the backlog of earlier
-- epochs. As text.
local function numbers_in_log(epoch, seq, stored, backlog)
  local stored_epoch, stored_seq = string.match(stored or '', '^(%d+)-(%d+)$')
  local behind = stored_epoch == epoch and tonumber(stored_seq) or 0
  return string.format('%.0f', tonumber(backlog or '0') + tonumber(seq or '0') - behind)
end

-- How many numbers more the log may hold. An empty log holds nothing, whatever the head tells of one that was deleted; it is looked at
-- only when less than what is wanted fits in.
local function room_in_log(log_key, seq, stored, backlog, most, wanted)
  local room = most - tonumber(numbers_in_log(ARGV[1], seq, stored, backlog))
  if room < wanted and redis.pcall('XLEN', log_key) == 0 then
    return most
  end
  return room
end

-- Whether an entry that no script wrote has a number of this epoch behind the head's. XADD refuses a next number that is taken, but
-- the entry of several wins has the last of their numbers and could step over it.
local function is_log_ahead(log_key, seq)
  local next_place = ARGV[1] .. '-' .. string.format('%.0f', seq + 1)
  local taken = redis.pcall('XRANGE', log_key, next_place, ARGV[1], 'COUNT', 1)
  return not taken.err and #taken > 0
end

-- Stops a shard that has lost keys until it is opened again. A server that refuses even this changes nothing of the answer.
local function freeze_lost(head_key)
  redis.pcall('HSET', head_key, 'state', 'FROZEN')
  return { 'LOST' }
end

-- Units as the exact number that Redis can count with, or nil: a missing key, another type, or a text that is no integer.
local function exact_units(stock_key)
  local text = redis.pcall('GET', stock_key)
  local units = type(text) == 'string' and tonumber(text)
  return units and string.format('%.0f', units) == text and units or nil
end
