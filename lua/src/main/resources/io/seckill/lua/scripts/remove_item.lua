-- Purpose: takes an item that the ledger has archived out of a shard.
--
-- Guarantee: a lower generation removes nothing, so late messages are harmless. One log entry of kind "state", with the first call.
-- What users hold of an item of a group no longer counts against the group's limit: receipts are taken off the holdings and away
-- together, a bounded number a call, so it does not matter where a caller stops; he calls again until nothing is left. The place
-- that the scan has reached is kept in the item hash. Traces of the item without its hash are a loss, and a loss freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 items, 4 item hash, 5 stock, 6 receipts, 7 waitlist, then, with a group, 8 holdings of the
--       group
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 generation, 6 group ('' without one), 7 receipts to look at
-- Returns: { OK, entry ('' unless this call wrote it) }, { MORE }, { ALREADY } (not known here), { STALE, generation }, { GROUP } (it
--          has another group), { LOST }, { NOT_WRITTEN }, the error READONLY or { FENCED | FROZEN | EXPIRED }
-- Cost: without a group a few commands, UNLINK frees in the background; with one, two commands for each receipt looked at

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua

local HEAD, LOG, ITEMS, ITEM, STOCK, RECEIPTS, WAITLIST, HELD = unpack(KEYS)
local refusal, now, seq = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local item = redis.call('HMGET', ITEM, 'gen', 'group', 'scan')
if not item[1] then
  if redis.call('SISMEMBER', ITEMS, ARGV[4]) == 1 or redis.call('EXISTS', STOCK, RECEIPTS, WAITLIST) > 0 then
    return freeze_lost(HEAD)
  end
  return { 'ALREADY' }
end
local known, generation = tonumber(item[1]), tonumber(ARGV[5])
if known > generation then
  return { 'STALE', item[1] }
end
if (item[2] or '') ~= ARGV[6] then
  return { 'GROUP' }
end

-- Keys of a wrong type show before the first write.
local page
if HELD then
  page = redis.pcall('HSCAN', RECEIPTS, item[3] or '0', 'COUNT', ARGV[7])
  local held_type = redis.call('TYPE', HELD).ok
  if page.err or (held_type ~= 'hash' and held_type ~= 'none') then
    return freeze_lost(HEAD)
  end
end

local place = ''
if known < generation then
  local refused
  place, refused = log_change(HEAD, LOG, seq, now, 'state', 'i', ARGV[4], 'g', ARGV[5], 's', 'ARCHIVED')
  if refused then
    return refused
  end
  redis.call('HSET', ITEM, 'gen', ARGV[5], 'state', 'ARCHIVED')
end

if page then
  local found = page[2]
  for i = 1, #found, 2 do
    local user, held = found[i], held_units(found[i + 1])
    redis.call('HDEL', RECEIPTS, user)
    local left = tonumber(redis.call('HGET', HELD, user) or '0')
    if left and left > held then
      redis.call('HSET', HELD, user, string.format('%.0f', left - held))
    else
      redis.call('HDEL', HELD, user)
    end
  end
  -- At the end of a scan that began on another server receipts may be left: then it begins anew.
  if redis.call('EXISTS', RECEIPTS) == 1 then
    redis.call('HSET', ITEM, 'scan', page[1])
    return { 'MORE' }
  end
end
redis.call('UNLINK', ITEM, STOCK, RECEIPTS, WAITLIST)
redis.call('SREM', ITEMS, ARGV[4])
return { 'OK', place }
