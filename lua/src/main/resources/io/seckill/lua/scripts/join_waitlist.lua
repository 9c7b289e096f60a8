-- Purpose: puts a user into the line for one unit of an item.
--
-- Guarantee: a user is in line once, behind everybody who joined this shard before; a repetition changes nothing. Nobody waits who could
-- buy: not while units are left here and nobody waits for them, and not who holds what he may hold. A waitlist that is not what the
-- item counts is a loss, and a loss freezes the shard.
--
-- KEYS: 1 head, 2 log, 3 item hash, 4 stock, 5 receipts, 6 waitlist, then, with a group, 7 holdings of the group
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 group ('' without one), 6 user, 7 most waiters, 8 most numbers in the
--       log
-- Returns: { OK, score, waiters }, { ALREADY, score, waiters }, { NOT_READY }, { NOT_STARTED }, { ENDED }, { PAUSED }, { GROUP } (it has
--          another group), { LIMIT }, { STOCK } (units are left here), { FULL }, { LOG_FULL }, { LOST }, { NOT_WRITTEN }, the error READONLY
--          or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands

-- @include fence.lua
-- @include log.lua
-- @include receipts.lua
-- @include groups.lua
-- @include sale.lua
-- @include waitlist.lua

local HEAD, LOG, ITEM, STOCK, RECEIPTS, WAITLIST = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local refusal, now, seq, sales = pass_fence(HEAD, 'OPEN')
if refusal then
  return { refusal }
end
local id, user = ARGV[4], ARGV[6]
local fields = redis.call('HMGET', ITEM, 'state', 'start', 'end', 'limit', 'group', 'glimit', 'waiters')
local item = { state = fields[1] or nil, starts = tonumber(fields[2] or '0'), ends = tonumber(fields[3] or '0') }
local stock = exact_units(STOCK)
local waiters = count_waiters(WAITLIST, fields[7])
local receipt = redis.pcall('HGET', RECEIPTS, user)
local is_spoilt = type(receipt) == 'table' or (receipt and not is_receipt(receipt))
if is_spoilt or not waiters or is_stock_lost(item.state, stock) then
  return freeze_lost(HEAD)
end

local reason = closed_reason(item, now, sales)
if reason == 'NOT_READY' or reason == 'ENDED' then
  return { reason }
end
local known = redis.call('ZSCORE', WAITLIST, user)
if known then
  return { 'ALREADY', score_text(known), waiters }
end
if reason then
  return { reason }
end
if (fields[5] or '') ~= ARGV[5] then
  return { 'GROUP' }
end
local group = name_groups(4, 1, 2, 6)[ARGV[5]]
if group and not read_holdings(group, { user }) then
  return freeze_lost(HEAD)
end
if held_units(receipt) >= tonumber(fields[4]) or (group and group.held[user] >= tonumber(fields[6])) then
  return { 'LIMIT' }
end
if stock > 0 and waiters == 0 then
  return { 'STOCK' }
end
if waiters >= tonumber(ARGV[7]) then
  return { 'FULL' }
end
local log = redis.call('HMGET', HEAD, 'stored', 'backlog')
if room_in_log(LOG, seq, log[1], log[2], tonumber(ARGV[8]), 1) < 1 then
  return { 'LOG_FULL' }
end

local _, refused = log_change(HEAD, LOG, seq, now, 'join', 'i', id, 'u', user)
if refused then
  return refused
end
local score = string.format('%.0f', next_score(now, score_at(WAITLIST, -1)))
redis.call('ZADD', WAITLIST, score, user)
redis.call('HSET', ITEM, 'waiters', waiters + 1)
return { 'OK', score, waiters + 1 }
