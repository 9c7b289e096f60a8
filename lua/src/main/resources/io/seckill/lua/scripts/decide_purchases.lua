-- Purpose: decides a batch of purchases of one shard, in order, each seeing the effects of those before it.
--
-- Guarantee: a purchase takes all its units and has exactly one number in the log, or takes nothing and leaves no trace. The wins of a
-- batch are one entry, whose number is that of the last one. Everything is decided before anything is written, and the first write is
-- the XADD; when it is refused (memory, wrong type, exhausted id) nothing was written, and everything is decided again without wins.
-- None of the writes behind it can fail, because their keys were read and found to be of the right type. A shard whose data went back
-- behind what the caller has seen is frozen.
--
-- KEYS: 1 head, 2 log, then for each item: item hash, stock, receipts; then the holdings of each group, in the order in which ARGV
--       names them first; then, where a window is asked for, the two windows of the shard, and the receipts of the lead if ARGV names one
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 highest seq of the epoch that the caller has seen (0: none), 5 most numbers in
--       the log, 6 wins in a user's window (0: no window), 7 window in ms, 8 the lead of the windows as the caller knows it ('': not),
--       9 number of items, then for each item: id, group ('' without one), whether somebody waits for it in any shard as the caller
--       knows it ('1' or ''); then for each purchase: user, key digest, lines as "<index
--       of the item, from 1>:<quantity>,…" without repeating an item, with several lines followed by "|<body digest>"
-- Returns: { FENCED | FROZEN | EXPIRED }, { LEAD, the lead } (nothing is decided without its receipts: ask again), the error READONLY, or
--          { OK, seq before the batch, the lead ('' unknown), for each item its count of entries of units ('' unknown), then for each
--          purchase its status and what belongs to it }; wins have the numbers that follow, in their order:
--   WIN stock-left | REPLAY entry | LIMIT entry-held ('' when there is none) | DRY stock-left | WINDOW ms-to-wait
--   NOT_STARTED ms-to-opening | LINE | CONFLICT | NOT_READY | ENDED | PAUSED | GROUP | LOST | LOG_FULL | NOT_WRITTEN | INVALID
-- Cost: two HMGETs of the head; for each item one HMGET, one GET and one HMGET of receipts, for each group one HMGET of holdings; with
--       wins one XRANGE, one XADD, and one HSET for the head, each item and each group. Windows cost nothing while one item is won, else
--       up to three HMGETs and one HSET. A purchase makes no table of its own: lines are parsed once for each different text, what does
--       not depend on the user is decided once for each, receipts are read and extended as texts. The caller bounds a batch, so that
--       unpack has room.

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua
-- @include groups.lua
-- @include windows.lua
-- @include sale.lua

local HEAD, LOG = KEYS[1], KEYS[2]
local refusal, now, head_seq, sales = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
if head_seq < tonumber(ARGV[4]) then
  freeze_lost(HEAD)
  return { 'FENCED' }
end

local match, gmatch, format = string.match, string.gmatch, string.format
local window_wins = tonumber(ARGV[6])
local item_count = tonumber(ARGV[9])
local first = 10 + 3 * item_count
local purchase_count = (#ARGV - first + 1) / 3
local at_ms = format('%.0f', now)

local lead, lead_since, lead_at, other_at, stored, backlog =
  unpack(redis.call('HMGET', HEAD, 'lead', 'leadSince', 'leadAt', 'otherAt', 'stored', 'backlog'))
local function windows_of_head()
  return open_windows({ lead, lead_since, lead_at, other_at }, now, tonumber(ARGV[7]), ARGV[8], ARGV[10])
end
if window_wins > 0 and not windows_of_head() then
  return { 'LEAD', lead }
end
local room = room_in_log(LOG, head_seq, stored, backlog, tonumber(ARGV[5]), purchase_count)

local function is_error(reply)
  return type(reply) == 'table' and reply.err ~= nil
end

-- Why nobody wins an item now, and the number that goes with it; nil when it sells.
local function refusal_for_all(item)
  if item.lost or (item.group and item.group.lost) then
    return 'LOST'
  end
  return closed_reason(item, now, sales)
end

-- Items, each with what the checks need. A key of the wrong type makes the item unusable, not the batch.
local groups, group_count = name_groups(10, item_count, 3, 2 + item_count * 3)
local items = {}
for i = 1, item_count do
  local base = 2 + (i - 1) * 3
  local group_id = ARGV[8 + 3 * i]
  local item = { id = ARGV[7 + 3 * i], stock_key = KEYS[base + 2], receipts_key = KEYS[base + 3], group = groups[group_id] }
  item.users, item.user_count = {}, 0
  local fields =
    redis.pcall('HMGET', KEYS[base + 1], 'state', 'start', 'end', 'limit', 'price', 'cur', 'gen', 'pay', 'group', 'glimit',
      'adds', 'waiters')
  item.first_stock = exact_units(item.stock_key)
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
    item.adds = fields[11]
    item.has_line = ARGV[9 + 3 * i] == '1' or tonumber(fields[12] or '0') > 0
  end
  item.lost = item.lost or is_stock_lost(item.state, item.first_stock)
  items[i] = item
end
for _, group in pairs(groups) do
  group.users, group.user_count = {}, 0
end

-- Reads "<index>:<quantity>,…" and what may follow; false when it is not what a gateway lets through. A line has the parts of its
-- receipt that do not depend on the user; the parts of lines are the units of all lines in a group.
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
      item = item, quantity = quantity, first = units .. ';', middle = '|' .. body .. '|', last = '|' .. units .. '|h|' .. at_ms,
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
  lines.told = '|' .. body .. '|' .. table.concat(told, ',')
  return lines
end

local lines_of = {}
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

-- What wins change, as Redis has it before them.
local seq, log_refusal, windows, told_wins, told_count
local function read_state()
  seq, windows, told_wins, told_count = head_seq, nil, {}, 0
  for _, item in ipairs(items) do
    item.stock, item.changed, item.changed_count = item.first_stock, {}, 0
    local users, receipts = item.users, {}
    item.receipts = receipts
    local found = item.user_count > 0 and redis.pcall('HMGET', item.receipts_key, unpack(users)) or {}
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
  for _, group in pairs(groups) do
    group.changed, group.changed_count = {}, 0
    group.lost = group.user_count > 0 and not read_holdings(group, group.users)
  end
end

-- What does not depend on the user is decided once for each different text of lines.
local function check_lines(lines)
  for i = 1, lines.size do
    if not lines.refusal then
      lines.refusal, lines.refusal_number = refusal_for_all(lines[i].item)
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
    lines.has_line = lines.has_line or line.item.has_line
    line.limit = line.item.limit
    lines.over_limit = lines.over_limit or (line.limit and line.quantity > line.limit)
  end
end

-- Windows are read when the first purchase could win.
local function load_windows()
  windows = windows_of_head()
  local its_item
  for _, item in ipairs(items) do
    its_item = item.id == windows.lead and item or its_item
  end
  for _, lines in pairs(lines_of) do
    for i = 1, lines and lines.size or 0 do
      lines.is_lead = lines.is_lead or lines[i].item == its_item
    end
  end
  local at = 2 + item_count * 3 + group_count
  local is_all_read = windows.is_new_lead or not windows.lead or (its_item and item_count == 1)
  local users = {}
  if windows.has_others or not is_all_read then
    for user_at = first, #ARGV, 3 do
      users[#users + 1] = ARGV[user_at]
    end
  end
  read_windows(windows, users, its_item and its_item.receipts or {}, not is_all_read and KEYS[at + 3], KEYS[at + 1], KEYS[at + 2])
end

-- Numbers become exact texts ten at a time, because each win needs a new one: what comes before the last digit, then the digit.
local DIGITS = { [0] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' }
local tens, tens_text
local function last_digit()
  local digit = seq % 10
  if seq - digit ~= tens then
    tens = seq - digit
    tens_text = ARGV[1] .. '-' .. (tens > 0 and format('%.0f', tens / 10) or '')
  end
  return DIGITS[digit]
end

-- The latest held win of the purchase's items, or ''.
local function any_held(lines, user)
  for i = 1, lines.size do
    local entry = latest_held(lines[i].item.receipts[user])
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
    local text = line.item.receipts[user]
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
      local text = line.item.receipts[user]
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
  if lines.has_line then
    -- Units are for those who wait already.
    return 'LINE'
  end
  for i = 1, size do
    local line = lines[i]
    local stock = line.item.stock
    if stock < line.quantity then
      -- Below zero is a debt that units which come in pay first.
      return 'DRY', stock > 0 and stock or 0
    end
  end
  if log_refusal then
    return log_refusal
  end
  if seq - head_seq >= room then
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

  seq = seq + 1
  local digit = last_digit()
  local told = told_count
  told_wins[told + 1], told_wins[told + 2], told_wins[told + 3], told_wins[told + 4], told_wins[told + 5] =
    ';', user, '|', key, lines.told
  told_count = told + 5

  local left
  for i = 1, size do
    local line = lines[i]
    local item = line.item
    left = item.stock - line.quantity
    item.stock = left
    local text = item.receipts[user]
    if text then
      text = add_win(text, key, lines.body, tens_text .. digit, line.quantity, at_ms)
    else
      text = line.first .. key .. line.middle .. tens_text .. digit .. line.last
    end
    item.receipts[user] = text
    -- Who wins twice is written twice, the last time counts.
    local changed, count = item.changed, item.changed_count
    changed[count + 1], changed[count + 2] = user, text
    item.changed_count = count + 2
  end
  for i = 1, lines.part_count do
    local part = lines.parts[i]
    local group = part.group
    local held = group.held[user] + part.quantity
    group.held[user] = held
    local changed, count = group.changed, group.changed_count
    changed[count + 1], changed[count + 2] = user, format('%.0f', held)
    group.changed_count = count + 2
  end
  if windows then
    if lines.is_lead then
      windows.lead_won = true
    else
      add_to_window(windows, user, at_ms)
    end
  end
  return 'WIN', left
end

-- Decides all: the reply, and whether a key was lost and whether a win was replayed.
local function decide_all()
  read_state()
  for _, lines in pairs(lines_of) do
    if lines then
      check_lines(lines)
    end
  end
  local reply, last = { 'OK', format('%.0f', seq), ARGV[8] }, 3
  for i = 1, item_count do
    last = last + 1
    reply[last] = items[i].adds or ''
  end
  local any_lost, any_replay = false, false
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
    end
  end
  return reply, any_lost, any_replay
end

local reply, any_lost, any_replay = decide_all()
if seq > head_seq then
  told_wins[1] = ''
  if is_log_ahead(LOG, head_seq) then
    log_refusal = 'NOT_WRITTEN'
  else
    local added = redis.pcall('XADD', LOG, ARGV[1] .. '-' .. format('%.0f', seq), 't', at_ms, 'wins', table.concat(told_wins))
    log_refusal = is_error(added) and refusal_of(added)
  end
  if log_refusal then
    if log_refusal == 'READONLY' then
      return refused_entry(log_refusal)
    end
    reply, any_lost, any_replay = decide_all()
  end
end

if seq > head_seq then
  local head = { 'seq', format('%.0f', seq) }
  local is_window_won = windows and windows.count > 0
  if is_window_won then
    head[3], head[4] = 'otherAt', at_ms
  end
  if windows and windows.lead_won then
    local count = #head
    head[count + 1], head[count + 2], head[count + 3], head[count + 4] = 'lead', windows.lead, 'leadAt', at_ms
    head[count + 5], head[count + 6] = 'leadSince', format('%.0f', windows.since)
    reply[3] = windows.lead
  end
  redis.call('HSET', HEAD, unpack(head))
  for _, item in ipairs(items) do
    if item.changed_count > 0 then
      redis.call('DECRBY', item.stock_key, format('%.0f', item.first_stock - item.stock))
      redis.call('HSET', item.receipts_key, unpack(item.changed))
    end
  end
  for _, group in pairs(groups) do
    if group.changed_count > 0 then
      redis.call('HSET', group.key, unpack(group.changed))
    end
  end
  if is_window_won then
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
