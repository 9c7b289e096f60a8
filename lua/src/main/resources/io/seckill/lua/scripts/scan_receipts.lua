-- Purpose: one page of the users who have a receipt of an item. Writes nothing.
--
-- Guarantee: passes the fence, so a page says under which epoch it is true. While every page of a scan tells the same count of entries
-- of units, and the first one a stock of 0 or less, nobody can have won between them: then all pages together name everybody who has
-- a receipt, and who will have one until that count changes or the shard gets another epoch.
--
-- KEYS: 1 head, 2 item hash, 3 stock, 4 receipts
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 cursor ('0' begins), 5 receipts to look at
-- Returns: { OK, adds, stock, receipts in all, next cursor ('0' at the end), users … }, a user may come twice; { NOT_READY } (no such
--          item here, or no units yet, or a key is spoilt) or { FENCED | FROZEN | EXPIRED }
-- Cost: one HSCAN, whose replies hold the receipts too

-- @include fence.lua
-- @include log.lua

local refusal = pass_fence(KEYS[1], 'OPEN')
if refusal then
  return { refusal }
end
local item = redis.pcall('HMGET', KEYS[2], 'adds')
local stock = exact_units(KEYS[3])
local page = redis.pcall('HSCAN', KEYS[4], ARGV[4], 'COUNT', ARGV[5])
if item.err or not item[1] or not stock or page.err then
  return { 'NOT_READY' }
end
local reply = { 'OK', item[1], string.format('%.0f', stock), redis.call('HLEN', KEYS[4]), page[1] }
local found = page[2]
for i = 1, #found, 2 do
  reply[#reply + 1] = found[i]
end
return reply
