-- Include: a user's receipt of an item.
--
-- A receipt is "<units held>;<record>;<record>..."; a record is "<key digest>|<body digest>|<epoch>-<seq>|<quantity>|<h or r>|<ms>",
-- h for held, r for released, the last is when it was won; oldest first. At most KEEP_RELEASED released records are kept: as many
-- as a user's window may count. Work is bounded by the limit per user (100 held records) and by KEEP_RELEASED. Receipts stay texts,
-- because most are read once or extended once.

local KEEP_RELEASED = 32

local function is_receipt(text)
  return string.find(text, '^%d+;') ~= nil or string.find(text, '^%d+$') ~= nil
end

-- Units held; 0 without a receipt.
local function held_units(text)
  return text and tonumber(string.match(text, '^%d+')) or 0
end

-- The latest win that is held, or ''.
local function latest_held(text)
  return text and string.match(text, '.*|([^|;]*)|%d+|h') or ''
end

-- The win under a key that a repetition must get again: the latest entry, or CONFLICT as second value when each was another body or
-- quantity. Without a key ('-') only held wins count; there are several when one of them came by the waitlist. A key has no '|' and no
-- ';', so the mark finds whole keys only.
local function find_win(text, key, body, quantity)
  local mark = ';' .. key .. '|'
  local entry_found, conflict
  local _, stop = string.find(text, mark, 1, true)
  while stop do
    local its_body, entry, its_quantity, state = string.match(text, '^([^|;]*)|([^|;]*)|(%d+)|([hr])', stop + 1)
    if state == 'h' or key ~= '-' then
      if its_body ~= body or tonumber(its_quantity) ~= quantity then
        conflict = 'CONFLICT'
      else
        entry_found = entry
      end
    end
    _, stop = string.find(text, mark, stop, true)
  end
  return entry_found, not entry_found and conflict
end

-- When the wins of a receipt were won, in ms, oldest first.
local function win_times(text)
  local times = {}
  for time in string.gmatch(text, '|[hr]|(%d+)') do
    times[#times + 1] = tonumber(time)
  end
  return times
end

-- The receipt, or none, with one more win.
local function add_win(text, key, body, entry, quantity, at_ms)
  local held, records = 0, ''
  if text then
    held, records = string.match(text, '^(%d+)(.*)$')
  end
  return string.format('%d%s;%s|%s|%s|%d|h|%s', tonumber(held) + quantity, records, key, body, entry, quantity, at_ms)
end

-- Turns a held win to released: its quantity and the new receipt; or nil and ALREADY or NOT_FOUND.
local function release_record(text, win)
  local records, released, quantity = {}, 0, nil
  local why_not = 'NOT_FOUND'
  for head, entry, units, state, at_ms in string.gmatch(text, ';([^|;]*|[^|;]*)|([^|;]*)|(%d+)|([hr])|?(%d*)') do
    if entry == win then
      if state == 'h' then
        quantity, state = tonumber(units), 'r'
      else
        why_not = 'ALREADY'
      end
    end
    if state == 'r' then
      released = released + 1
    end
    -- Earlier versions wrote no time.
    local record = table.concat({ head, entry, units, state, at_ms ~= '' and at_ms or '0' }, '|')
    records[#records + 1] = { text = record, released = state == 'r' }
  end
  if not quantity then
    return nil, why_not
  end
  local parts = { string.format('%d', held_units(text) - quantity) }
  for _, record in ipairs(records) do
    if record.released and released > KEEP_RELEASED then
      released = released - 1
    else
      parts[#parts + 1] = record.text
    end
  end
  return quantity, table.concat(parts, ';')
end
