-- Purpose: decides a batch of purchases of one shard, in order, each seeing the effects of those before it.
--
-- Guarantee: a purchase takes all its units and leaves exactly one log entry, or takes nothing and leaves no trace. All checks of
-- a purchase come before its own first write, which is the XADD; a refused XADD (memory, wrong type, exhausted id) refuses the
-- purchase and all wins after it. Stock, receipts and seq are written once for the whole batch after the last XADD; none of these
-- writes can fail, because their keys were read and found to be of the right type.
--
-- KEYS: 1 head, 2 log, then for each item: item hash, stock, receipts; then, where a window is asked for, one window key for
--       each purchase
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 most log entries, 5 wins in a user's window (0: no window), 6 window in ms,
--       7 number of items, then the item ids; then for each purchase: user, key digest, body digest, lines as
--       "<index of the item, from 1>:<quantity>,…" without repeating an item
-- Returns: { FENCED | FROZEN | EXPIRED }, the error READONLY, or { OK, then for each purchase: status, entry, number }:
--   WIN entry stock-left | REPLAY entry 0 | CONFLICT '' 0 | LIMIT held-entry 0 | DRY '' stock-left | WINDOW '' ms-to-wait
--   NOT_READY | NOT_STARTED (number: ms to opening) | ENDED | PAUSED | LOST | LOG_FULL | NOT_WRITTEN | INVALID
-- Cost: one HMGET of receipts for each item, one MGET of windows, one XADD for each win; a handful of commands for the batch.
--       A purchase makes no table of its own: lines are parsed once for each different text, receipts are read and extended as
--       texts. The caller bounds a batch, so that unpack has room.

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua

local HEAD, LOG = KEYS[1], KEYS[2]
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end

local match, gmatch, format = string.match, string.gmatch, string.format
local place_prefix = ARGV[1] .. '-'
local max_log = tonumber(ARGV[4])
local window_wins = tonumber(ARGV[5])
local window_ms = tonumber(ARGV[6])
local item_count = tonumber(ARGV[7])
local at_ms = format('%.0f', now)

local function is_error(reply)
  return type(reply) == 'table' and reply.err ~= nil
end

-- Why an item sells nothing now, and the number that goes with it; nil when it sells.
local function closed_reason(item)
  if item.lost then
    return 'LOST', 0
  end
  if item.state == nil or item.state == 'PREPARED' then
    return 'NOT_READY', 0
  end
  if item.state == 'ENDED' or now >= item.ends then
    return 'ENDED', 0
  end
  if now < item.starts then
    return 'NOT_STARTED', item.starts - now
  end
  if item.state == 'PAUSED' then
    return 'PAUSED', 0
  end
  return nil
end

-- Items, each with what the checks need. A key of the wrong type makes the item unusable, not the batch.
local items = {}
for i = 1, item_count do
  local base = 2 + (i - 1) * 3
  local item = { id = ARGV[7 + i], stock_key = KEYS[base + 2], receipts_key = KEYS[base + 3] }
  item.users, item.user_count, item.receipts = {}, 0, {}
  item.winners, item.winner_count, item.has_won = {}, 0, {}
  local fields = redis.pcall('HMGET', KEYS[base + 1], 'state', 'start', 'end', 'limit', 'price', 'cur', 'gen', 'pay')
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
    -- A preheated item keeps its stock key at 0; a missing one is a loss, never "sold out".
    item.lost = item.stock == nil and item.state ~= 'PREPARED'
  else
    -- Stock without its item: the item was here.
    item.lost = item.stock ~= nil
  end
  item.first_stock = item.stock
  items[i] = item
end

-- Reads "<index>:<quantity>,…"; false when it is not what a gateway lets through.
local function parse_lines(text)
  local lines, told, seen = { items = {}, quantities = {}, size = 0 }, {}, {}
  for part in gmatch(text .. ',', '([^,]*),') do
    local index, quantity = match(part, '^(%d+):(%d+)$')
    local item = index and items[tonumber(index)]
    quantity = tonumber(quantity)
    if not item or seen[item] or quantity < 1 then
      return false
    end
    seen[item] = true
    lines.size = lines.size + 1
    lines.items[lines.size] = item
    lines.quantities[lines.size] = quantity
    told[lines.size] = item.id .. ':' .. format('%.0f', quantity) .. (item.tail or '')
  end
  lines.told = table.concat(told, ',')
  return lines
end

local lines_of = {}
local first = 8 + item_count
for at = first, #ARGV, 4 do
  local user, text = ARGV[at], ARGV[at + 3]
  local lines = lines_of[text]
  if lines == nil then
    lines = parse_lines(text)
    lines_of[text] = lines
  end
  if lines then
    for i = 1, lines.size do
      local item = lines.items[i]
      if item.receipts[user] == nil then
        item.receipts[user] = false
        item.user_count = item.user_count + 1
        item.users[item.user_count] = user
      end
    end
  end
end

for _, item in ipairs(items) do
  if item.user_count > 0 then
    local found = redis.pcall('HMGET', item.receipts_key, unpack(item.users))
    if is_error(found) then
      item.lost = true
    else
      for i = 1, item.user_count do
        local text = found[i]
        if text then
          item.receipts[item.users[i]] = text
          item.lost = item.lost or not is_receipt(text)
        end
      end
    end
  end
  item.closed, item.closed_number = closed_reason(item)
end

local windows = {}
local window_at = 2 + item_count * 3
if window_wins > 0 then
  local found = redis.call('MGET', unpack(KEYS, window_at + 1))
  for i = 1, #KEYS - window_at do
    windows[KEYS[window_at + i]] = found[i] or ''
  end
end
local windows_used = {}

local log_length = redis.pcall('XLEN', LOG)
local log_broken = is_error(log_length)

-- An earlier win under the same key: the same order again, or a contradiction.
local function find_replay(lines, user, key, body)
  local replayed
  for i = 1, lines.size do
    local text = lines.items[i].receipts[user]
    if text then
      local entry, conflict = find_win(text, key, body, lines.quantities[i])
      if conflict then
        return conflict, ''
      end
      replayed = entry or replayed
    end
  end
  if replayed then
    return 'REPLAY', replayed
  end
  return nil
end

-- Times of the user's wins that still count; nil when they fill the window, and how long until one more fits.
local function window_room(window_key)
  local kept, size = {}, 0
  for time in gmatch(windows[window_key], '%d+') do
    if tonumber(time) > now - window_ms then
      size = size + 1
      kept[size] = time
    end
  end
  if size < window_wins then
    return kept
  end
  return nil, tonumber(kept[size - window_wins + 1]) + window_ms - now
end

local function decide(user, key, body, lines, window_key)
  local replay, entry = find_replay(lines, user, key, body)
  if replay then
    return replay, entry, 0
  end
  for i = 1, lines.size do
    local item = lines.items[i]
    if item.closed then
      return item.closed, '', item.closed_number
    end
  end
  for i = 2, lines.size do
    -- An order has one sum of money, so it has one currency.
    if lines.items[i].currency ~= lines.items[1].currency then
      return 'INVALID', '', 0
    end
  end
  for i = 1, lines.size do
    local item = lines.items[i]
    local text = item.receipts[user]
    if held_units(text) + lines.quantities[i] > item.limit then
      return 'LIMIT', latest_held(text), 0
    end
  end
  for i = 1, lines.size do
    local item = lines.items[i]
    if item.stock < lines.quantities[i] then
      return 'DRY', '', item.stock
    end
  end
  if log_broken then
    return 'NOT_WRITTEN', '', 0
  end
  if log_length >= max_log then
    return 'LOG_FULL', '', 0
  end
  local kept
  if window_key then
    local wait_ms
    kept, wait_ms = window_room(window_key)
    if not kept then
      return 'WINDOW', '', wait_ms
    end
  end

  local place = format('%s%.0f', place_prefix, seq + 1)
  local refused =
    append_entry(LOG, place, 'k', 'win', 't', at_ms, 'u', user, 'kd', key, 'bd', body, 'l', lines.told)
  if refused then
    log_broken = true
    return refused, '', 0
  end
  seq = seq + 1
  log_length = log_length + 1

  local left
  for i = 1, lines.size do
    local item, quantity = lines.items[i], lines.quantities[i]
    left = item.stock - quantity
    item.stock = left
    item.receipts[user] = add_win(item.receipts[user], key, body, place, quantity)
    if not item.has_won[user] then
      item.has_won[user] = true
      item.winner_count = item.winner_count + 1
      item.winners[item.winner_count] = user
    end
  end
  if kept then
    kept[#kept + 1] = at_ms
    windows[window_key] = table.concat(kept, ',')
    windows_used[window_key] = true
  end
  return 'WIN', place, left
end

local first_seq = seq
local any_lost = false
local reply, last = { 'OK' }, 1
for at = first, #ARGV, 4 do
  local lines = lines_of[ARGV[at + 3]]
  local window_key
  if window_wins > 0 then
    window_at = window_at + 1
    window_key = KEYS[window_at]
  end
  local status, entry, number = 'INVALID', '', 0
  if lines then
    status, entry, number = decide(ARGV[at], ARGV[at + 1], ARGV[at + 2], lines, window_key)
  end
  if status == 'LOST' then
    any_lost = true
  elseif status == 'READONLY' then
    -- Refused at the first XADD, because a server does not change its role within a script.
    return refused_entry(status)
  end
  reply[last + 1], reply[last + 2], reply[last + 3] = status, entry, number
  last = last + 3
end

if seq > first_seq then
  redis.call('HSET', HEAD, 'seq', format('%.0f', seq))
  for _, item in ipairs(items) do
    if item.winner_count > 0 then
      redis.call('DECRBY', item.stock_key, format('%.0f', item.first_stock - item.stock))
      local changed = {}
      for i = 1, item.winner_count do
        local user = item.winners[i]
        changed[2 * i - 1], changed[2 * i] = user, item.receipts[user]
      end
      redis.call('HSET', item.receipts_key, unpack(changed))
    end
  end
  for window_key in pairs(windows_used) do
    redis.call('SET', window_key, windows[window_key], 'PX', format('%.0f', window_ms))
  end
end
if any_lost then
  freeze_lost(HEAD)
end
return reply
