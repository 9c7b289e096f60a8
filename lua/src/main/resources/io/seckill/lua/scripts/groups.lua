-- Include: what users hold of a group of items.
--
-- The holdings of a group are a hash: user → units of all the group's items that he holds, 1 or more. An absent field is 0.

-- The groups that ARGV names, by id: from this place on, for each item its id and the id of its group ('' without one), and what more
-- makes up the width. Their keys follow in KEYS in the order in which they are named first.
local function name_groups(first, item_count, width, keys_before)
  local groups, count = {}, 0
  for at = first + 1, first + width * item_count, width do
    local id = ARGV[at]
    if id ~= '' and not groups[id] then
      count = count + 1
      groups[id] = { key = KEYS[keys_before + count] }
    end
  end
  return groups, count
end

-- Puts what these users hold into group.held; false when the key is spoilt.
local function read_holdings(group, users)
  group.held = {}
  local found = redis.pcall('HMGET', group.key, unpack(users))
  if found.err then
    return false
  end
  for i = 1, #users do
    local units = tonumber(found[i] or '0')
    if not units then
      return false
    end
    group.held[users[i]] = units
  end
  return true
end
