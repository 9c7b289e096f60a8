-- Include: a user's window, which bounds how many wins he has in any span of so many ms.
--
-- The times of his latest wins are in two hashes of the shard, user → "<ms>,<ms>…"; the field '' has the number of the period that
-- a hash is for, one period being as long as the window. Even and odd periods take turns, so the present and the last period are
-- there, which is all that counts; a hash of an older one is thrown away whole before its first use. Two keys, where one for each
-- user would cost more than the rest of a win.

-- Reads what counts of these users. A key of another type or of another time counts as empty.
local function read_windows(even, odd, users, now, window_ms)
  local period = math.floor(now / window_ms)
  local is_even = period % 2 == 0
  local windows = {
    key = is_even and even or odd, period = string.format('%.0f', period), now = now, span = window_ms,
    times = {}, winners = {}, count = 0,
  }
  local function read(key, its_period)
    local found = redis.pcall('HMGET', key, '', unpack(users))
    if found.err or found[1] ~= its_period then
      return false
    end
    for i = 1, #users do
      local times = found[i + 1]
      if times then
        windows.times[users[i]] = times
      end
    end
    return true
  end
  read(is_even and odd or even, string.format('%.0f', period - 1))
  -- What a hash tells of a user has his earlier times that still count, so the later hash tells all.
  windows.is_there = read(windows.key, windows.period)
  return windows
end

-- How many ms until one more win fits in; nil when it fits now. Forgets times that do not count any more.
local function window_wait(windows, user, most)
  local times = windows.times[user]
  if not times then
    return nil
  end
  local kept, size = {}, 0
  for time in string.gmatch(times, '%d+') do
    if tonumber(time) > windows.now - windows.span then
      size = size + 1
      kept[size] = time
    end
  end
  if size >= most then
    return tonumber(kept[size - most + 1]) + windows.span - windows.now
  end
  windows.times[user] = size > 0 and table.concat(kept, ',') or nil
  return nil
end

local function add_to_window(windows, user, at_ms)
  local times = windows.times[user]
  windows.times[user] = times and times .. ',' .. at_ms or at_ms
  windows.count = windows.count + 1
  windows.winners[windows.count] = user
end

-- Writes the times of those who have won. The hash lives for some periods more, so that a sale that goes on throws it away by
-- UNLINK before it ends by itself.
local function write_windows(windows)
  if windows.count == 0 then
    return
  end
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
