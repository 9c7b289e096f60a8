-- Include: a user's window, which bounds how many wins he has in any span of so many ms.
--
-- The times of a user's wins stand in two places. One item of the shard is its lead: a win that takes units of it has its time in
-- the receipt, which is written anyway. All other wins have theirs in two hashes of the shard, user → "<ms>,<ms>…"; the field ''
-- has the number of the period that a hash is for, one period being as long as the window. Even and odd periods take turns, so the
-- present and the last period are there, which is all that counts; a hash of an older one is thrown away whole before its first use.
--
-- The head names the lead, since when it is the lead, when it was won last (leadAt) and when something else was (otherAt). Another
-- item becomes the lead only when no win of the lead counts any more, and what it sold until then stays in the hashes; so each win
-- that counts is found in one place. A shard that sells one item writes nothing for windows.

local function counts(windows, at_ms)
  return at_ms and tonumber(at_ms) > windows.now - windows.span
end

-- The windows as the head tells them: lead, leadSince, leadAt, otherAt. The first item of a batch becomes the lead when the lead has
-- no win that counts, or when the clock went back behind it. Returns nil when the caller does not name the lead that there is.
local function open_windows(head, now, span, named_lead, first_item)
  local windows = { now = now, span = span, times = {}, winners = {}, count = 0 }
  windows.has_others = counts(windows, head[4])
  if counts(windows, head[3]) and tonumber(head[2]) <= now then
    if head[1] ~= named_lead then
      return nil
    end
    windows.lead, windows.since = head[1], tonumber(head[2])
  elseif not head[4] or tonumber(head[4]) < now then
    windows.lead, windows.since, windows.is_new_lead = first_item, now, true
  end
  return windows
end

-- Reads what counts of these users. A key of another type or of another time counts as empty.
--
-- receipts: user → receipt of the lead; those that are not there yet are read from the key, when there is a key.
local function read_windows(windows, users, receipts, receipts_key, even, odd)
  windows.receipts = receipts
  if receipts_key then
    local found = redis.pcall('HMGET', receipts_key, unpack(users))
    for i = 1, found.err and 0 or #users do
      receipts[users[i]] = receipts[users[i]] or found[i] or nil
    end
  end
  local period = math.floor(windows.now / windows.span)
  local is_even = period % 2 == 0
  windows.key, windows.period = is_even and even or odd, string.format('%.0f', period)
  local function read(key, its_period)
    local found = redis.pcall('HMGET', key, '', unpack(users))
    if found.err or found[1] ~= its_period then
      return false
    end
    for i = 1, #users do
      windows.times[users[i]] = found[i + 1] or windows.times[users[i]]
    end
    return true
  end
  -- What a hash tells of a user has his earlier times that still count, so the later hash tells all.
  if windows.has_others then
    read(is_even and odd or even, string.format('%.0f', period - 1))
    windows.is_there = read(windows.key, windows.period)
  end
end

-- How many ms until one more win fits in; nil when it fits now. Forgets times that do not count any more.
local function window_wait(windows, user, most)
  local times, receipt = windows.times[user], windows.receipts[user]
  if not times and not receipt then
    return nil
  end
  local kept, all = {}, {}
  for time in string.gmatch(times or '', '%d+') do
    if counts(windows, time) then
      kept[#kept + 1] = time
      all[#all + 1] = tonumber(time)
    end
  end
  for _, time in ipairs(win_times(receipt or '')) do
    if counts(windows, time) and time >= windows.since then
      all[#all + 1] = time
    end
  end
  if #all >= most then
    table.sort(all)
    return all[#all - most + 1] + windows.span - windows.now
  end
  windows.times[user] = kept[1] and table.concat(kept, ',')
  return nil
end

-- Notes a win of something else than the lead.
local function add_to_window(windows, user, at_ms)
  local times = windows.times[user]
  windows.times[user] = times and times .. ',' .. at_ms or at_ms
  windows.count = windows.count + 1
  windows.winners[windows.count] = user
end

-- Writes the times of those who have won. The hash lives for some periods more, so that a sale that goes on throws it away by
-- UNLINK before it ends by itself.
local function write_windows(windows)
  if not windows.is_there then
    redis.call('UNLINK', windows.key)
  end
  local changed = { '', windows.period }
  for i = 1, windows.count do
    local user = windows.winners[i]
    changed[2 * i + 1], changed[2 * i + 2] = user, windows.times[user]
  end
  redis.call('HSET', windows.key, unpack(changed))
  if not windows.is_there then
    redis.call('PEXPIRE', windows.key, string.format('%.0f', 4 * windows.span))
  end
end
