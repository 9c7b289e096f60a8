-- Purpose: decides a batch of purchases of one shard, in order, each seeing the effects of those before it.
--
-- Guarantee: a purchase takes all its units and leaves exactly one log entry, or takes nothing and leaves no trace. All checks of
-- a purchase come before its own first write, which is the XADD; a refused XADD (memory, wrong type, exhausted id) refuses the
-- purchase and all wins after it. Stock, receipts, holdings and seq are written once for the whole batch after the last XADD; none
-- of these writes can fail, because their keys were read and found to be of the right type. A shard whose data went back behind
-- what the caller has seen is frozen.
--
-- KEYS: 1 head, 2 log, then for each item: item hash, stock, receipts; then the holdings of each group, in the order in which ARGV
--       names them first; then, where a window is asked for, the two windows of the shard
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 highest seq of the epoch that the caller has seen (0: none), 5 most log
--       entries, 6 wins in a user's window (0: no window), 7 window in ms, 8 number of items, then for each item: id, group (''
--       without one); then for each purchase: user, key digest, lines as "<index of the item, from 1>:<quantity>,…" without
--       repeating an item, with several lines followed by "|<body digest>"
-- Returns: { FENCED | FROZEN | EXPIRED }, the error READONLY, or { OK, seq before the batch, then for each purchase its status and
--          what belongs to it }; the entries of wins have the numbers that follow, in the order of the wins:
--   WIN stock-left | REPLAY entry | LIMIT entry-held ('' when there is none) | DRY stock-left | WINDOW ms-to-wait
--   NOT_STARTED ms-to-opening | CONFLICT | NOT_READY | ENDED | PAUSED | GROUP | LOST | LOG_FULL | NOT_WRITTEN | INVALID
-- Cost: one HMGET of receipts for each item and of holdings for each group, two HMGETs of windows once a purchase could win, one
--       XADD for each win; a handful of commands for the batch. A purchase makes no table of its own: lines are parsed once for
--       each different text, what does not depend on the user is decided once for each, receipts are read and extended as texts.
--       The caller bounds a batch, so that unpack has room.

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua
-- @include groups.lua
-- @include windows.lua

local HEAD, LOG = KEYS[1], KEYS[2]
local refusal, now, seq, sales = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
if seq < tonumber(ARGV[4]) then
  freeze_lost(HEAD)
  return { 'FENCED' }
end

local match, gmatch, format = string.match, string.gmatch, string.format
local max_log = tonumber(ARGV[5])
local window_wins = tonumber(ARGV[6])
local window_ms = tonumber(ARGV[7])
local item_count = tonumber(ARGV[8])
local at_ms = format('%.0f', now)

local function is_error(reply)
  return type(reply) == 'table' and reply.err ~= nil
end

-- Why an item sells nothing now, and the number that goes with it; nil when it sells.
local function closed_reason(item)
  if item.lost or (item.group and item.group.lost) then
    return 'LOST'
  end
  if item.state == nil or item.state == 'PREPARED' then
    return 'NOT_READY'
  end
  if item.state == 'ENDED' or item.state == 'ARCHIVED' or now >= item.ends then
    return 'ENDED'
  end
  if now < item.starts then
    return 'NOT_STARTED', item.starts - now
  end
  if item.state == 'PAUSED' or sales == 'STOPPED' then
    return 'PAUSED'
  end
  return nil
end

-- Items, each with what the checks need. A key of the wrong type makes the item unusable, not the batch.
local groups, group_count = name_groups(9, item_count, 2 + item_count * 3)
local items = {}
for i = 1, item_count do
  local base = 2 + (i - 1) * 3
  local group_id = ARGV[8 + 2 * i]
  local item = { id = ARGV[7 + 2 * i], stock_key = KEYS[base + 2], receipts_key = KEYS[base + 3], group = groups[group_id] }
  item.users, item.user_count, item.receipts = {}, 0, {}
  item.winners, item.winner_count = {}, 0
  local fields =
    redis.pcall('HMGET', KEYS[base + 1], 'state', 'start', 'end', 'limit', 'price', 'cur', 'gen', 'pay', 'group', 'glimit')
  item.stock = exact_units(item.stock_key)
  if is_error(fields) then
    item.lost = true
  elseif fields[1] then
    item.state = fields[1]
    item.starts = tonumber(fields[2])
    item.ends = tonumber(fields[3])
    item.limit = tonumber(fields[4])
    item.currency = fields[6]
    item.tail = ':' .. fields[5] .. ':' .. fields[6] .. ':' .. fields[7] .. ':' .. fields[4] .. ':' .. fields[8]
    item.other_group = (fields[9] or '') ~= group_id
    item.group_limit = tonumber(fields[10] or '0')
    -- A preheated item keeps its stock key at 0; a missing one is a loss, never "sold out".
    item.lost = item.stock == nil and item.state ~= 'PREPARED'
  else
    -- Stock without its item: the item was here.
    item.lost = item.stock ~= nil
  end
  item.first_stock = item.stock
  items[i] = item
end
for _, group in pairs(groups) do
  group.users, group.user_count, group.winners, group.winner_count = {}, 0, {}, 0
end

-- Reads "<index>:<quantity>,…" and what may follow; false when it is not what a gateway lets through. A line has what its receipt
-- begins and ends with; the parts are the units of all lines in a group.
local function parse_lines(text)
  local wanted, body = match(text, '^([^|]*)|?(.*)$')
  local lines, told, seen = { size = 0, body = body, parts = {}, part_count = 0 }, {}, {}
  local part_of = {}
  for line in gmatch(wanted .. ',', '([^,]*),') do
    local index, quantity = match(line, '^(%d+):(%d+)$')
    local item = index and items[tonumber(index)]
    quantity = tonumber(quantity)
    if not item or seen[item] or quantity < 1 then
      return false
    end
    seen[item] = true
    local units = format('%.0f', quantity)
    lines.size = lines.size + 1
    lines[lines.size] = {
      item = item, receipts = item.receipts, quantity = quantity, first = units .. ';', last = '|' .. units .. '|h',
    }
    told[lines.size] = item.id .. ':' .. units .. (item.tail or '')
    if item.group then
      local part = part_of[item.group]
      if not part then
        part = { group = item.group, quantity = 0, limit = item.group_limit }
        part_of[item.group] = part
        lines.part_count = lines.part_count + 1
        lines.parts[lines.part_count] = part
      end
      part.quantity = part.quantity + quantity
    end
  end
  lines.told = '|' .. at_ms .. '|' .. body .. '|' .. table.concat(told, ',')
  return lines
end

local lines_of = {}
local first = 9 + 2 * item_count
for at = first, #ARGV, 3 do
  local user, text = ARGV[at], ARGV[at + 2]
  local lines = lines_of[text]
  if lines == nil then
    lines = parse_lines(text)
    lines_of[text] = lines
  end
  if lines then
    for i = 1, lines.size do
      local item = lines[i].item
      local count = item.user_count + 1
      item.user_count, item.users[count] = count, user
    end
    for i = 1, lines.part_count do
      local group = lines.parts[i].group
      local count = group.user_count + 1
      group.user_count, group.users[count] = count, user
    end
  end
end

for _, item in ipairs(items) do
  if item.user_count > 0 then
    local users, receipts = item.users, item.receipts
    local found = redis.pcall('HMGET', item.receipts_key, unpack(users))
    if found.err then
      item.lost = true
    else
      for i = 1, item.user_count do
        local text = found[i]
        if text then
          receipts[users[i]] = text
          item.lost = item.lost or not is_receipt(text)
        end
      end
    end
  end
end
for _, group in pairs(groups) do
  group.lost = group.user_count > 0 and not read_holdings(group, group.users)
end

-- What does not depend on the user is decided once for each different text of lines.
for _, lines in pairs(lines_of) do
  if lines then
    for i = 1, lines.size do
      if not lines.refusal then
        lines.refusal, lines.refusal_number = closed_reason(lines[i].item)
      end
    end
    for i = 1, lines.size do
      local line = lines[i]
      -- An order has one sum of money, so it has one currency.
      if not lines.refusal and line.item.currency ~= lines[1].item.currency then
        lines.refusal = 'INVALID'
      end
    end
    for i = 1, lines.size do
      local line = lines[i]
      if not lines.refusal and line.item.other_group then
        lines.refusal = 'GROUP'
      end
      line.limit = line.item.limit
      lines.over_limit = lines.over_limit or (line.limit and line.quantity > line.limit)
    end
  end
end

-- Windows are read when the first purchase could win.
local windows
local function load_windows()
  local users = {}
  for at = first, #ARGV, 3 do
    users[#users + 1] = ARGV[at]
  end
  local at = 2 + item_count * 3 + group_count
  windows = read_windows(KEYS[at + 1], KEYS[at + 2], users, now, window_ms)
end

local log_length = redis.pcall('XLEN', LOG)
local log_broken = is_error(log_length)

-- The text of "<epoch>-<seq + 1>". Numbers become exact texts ten at a time, because a win needs a new one.
local DIGITS = { [0] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' }
local tens, tens_text
local function next_place()
  local next_seq = seq + 1
  local digit = next_seq % 10
  local its_tens = next_seq - digit
  if its_tens ~= tens then
    tens = its_tens
    tens_text = ARGV[1] .. '-' .. (tens > 0 and format('%.0f', tens / 10) or '')
  end
  return tens_text .. DIGITS[digit]
end

-- The latest held win of the purchase's items, or ''.
local function any_held(lines, user)
  for i = 1, lines.size do
    local entry = latest_held(lines[i].receipts[user])
    if entry ~= '' then
      return entry
    end
  end
  return ''
end

-- Decides one purchase: its status and what belongs to it.
local function decide(user, key, lines)
  local size = lines.size
  local known = false
  local replayed
  for i = 1, size do
    local line = lines[i]
    local text = line.receipts[user]
    if text then
      known = true
      -- An earlier win under the same key: the same order again, or a contradiction.
      local entry, conflict = find_win(text, key, lines.body, line.quantity)
      if conflict then
        return conflict
      end
      replayed = entry or replayed
    end
  end
  if replayed then
    return 'REPLAY', replayed
  end
  if lines.refusal then
    return lines.refusal, lines.refusal_number
  end
  if known then
    for i = 1, size do
      local line = lines[i]
      local text = line.receipts[user]
      if held_units(text) + line.quantity > line.limit then
        return 'LIMIT', latest_held(text)
      end
    end
  elseif lines.over_limit then
    return 'LIMIT', ''
  end
  for i = 1, lines.part_count do
    local part = lines.parts[i]
    if part.group.held[user] + part.quantity > part.limit then
      return 'LIMIT', any_held(lines, user)
    end
  end
  for i = 1, size do
    local line = lines[i]
    local stock = line.item.stock
    if stock < line.quantity then
      -- Below zero is a debt that units which come in pay first.
      return 'DRY', stock > 0 and stock or 0
    end
  end
  if log_broken then
    return 'NOT_WRITTEN'
  end
  if log_length >= max_log then
    return 'LOG_FULL'
  end
  if window_wins > 0 then
    if not windows then
      load_windows()
    end
    local wait_ms = window_wait(windows, user, window_wins)
    if wait_ms then
      return 'WINDOW', wait_ms
    end
  end

  local place = next_place()
  local added = redis.pcall('XADD', LOG, place, 'win', user .. '|' .. key .. lines.told)
  if added ~= place then
    log_broken = true
    return refusal_of(added)
  end
  seq = seq + 1
  log_length = log_length + 1

  local left
  for i = 1, size do
    local line = lines[i]
    local item, receipts = line.item, line.receipts
    left = item.stock - line.quantity
    item.stock = left
    local text = receipts[user]
    if text then
      receipts[user] = add_win(text, key, lines.body, place, line.quantity)
    else
      receipts[user] = line.first .. key .. '|' .. lines.body .. '|' .. place .. line.last
    end
    local count = item.winner_count + 1
    item.winner_count, item.winners[count] = count, user
  end
  for i = 1, lines.part_count do
    local part = lines.parts[i]
    local group = part.group
    group.held[user] = group.held[user] + part.quantity
    local count = group.winner_count + 1
    group.winner_count, group.winners[count] = count, user
  end
  if windows then
    add_to_window(windows, user, at_ms)
  end
  return 'WIN', left
end

local first_seq = seq
local any_lost, any_replay = false, false
local reply, last = { 'OK', format('%.0f', seq) }, 2
for at = first, #ARGV, 3 do
  local lines = lines_of[ARGV[at + 2]]
  local status, detail = 'INVALID', nil
  if lines then
    status, detail = decide(ARGV[at], ARGV[at + 1], lines)
  end
  last = last + 1
  reply[last] = status
  any_replay = any_replay or status == 'REPLAY'
  if detail then
    last = last + 1
    reply[last] = detail
  elseif status == 'LOST' then
    any_lost = true
  elseif status == 'READONLY' then
    -- Refused at the first XADD, because a server does not change its role within a script.
    return refused_entry(status)
  end
end

if seq > first_seq then
  redis.call('HSET', HEAD, 'seq', format('%.0f', seq))
  for _, item in ipairs(items) do
    if item.winner_count > 0 then
      redis.call('DECRBY', item.stock_key, format('%.0f', item.first_stock - item.stock))
      -- Who won twice is written twice, the same.
      local changed, winners, receipts = {}, item.winners, item.receipts
      for i = 1, item.winner_count do
        local user = winners[i]
        changed[2 * i - 1], changed[2 * i] = user, receipts[user]
      end
      redis.call('HSET', item.receipts_key, unpack(changed))
    end
  end
  for _, group in pairs(groups) do
    if group.winner_count > 0 then
      local changed = {}
      for i = 1, group.winner_count do
        local user = group.winners[i]
        changed[2 * i - 1], changed[2 * i] = user, format('%.0f', group.held[user])
      end
      redis.call('HSET', group.key, unpack(changed))
    end
  end
  if windows then
    write_windows(windows)
  end
elseif any_replay then
  -- WAIT counts from the connection's latest write, and these wins were written over another one. Protected: at the memory bound a
  -- replay is still told.
  redis.pcall('HSET', HEAD, 'seq', reply[2])
end
if any_lost then
  freeze_lost(HEAD)
end
return reply
