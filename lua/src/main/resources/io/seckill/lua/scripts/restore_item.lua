-- Purpose: step 5 of opening a shard: writes an item as the ledger knows it into a shard that has lost it.
--
-- Guarantee: acts only while the shard is being repaired under the caller's epoch; writes the item whole, so a repetition ends the
-- same. Marks the shard damaged until it is open, so a repair that stops half way is begun again. Leaves no log entry: what it writes is already stored.
--
-- KEYS: 1 head, 2 items, 3 item hash, 4 stock, 5 receipts, 6 waitlist
-- ARGV: 1 epoch, 2 run id, 3 not-after (Redis ms), 4 item id, 5 generation, 6 state, 7 start, 8 end, 9 limit, 10 name, 11 price,
--       12 currency, 13 picture, 14 time to pay in ms, 15 group ('' without one), 16 the group's limit, 17 last move number, 18 adds,
--       19 units sent, 20 units received, 21 granted, 22 stock
-- Returns: { OK } or { FENCED | FROZEN | EXPIRED }
-- Cost: a few commands; UNLINK frees in the background

-- @include fence.lua

local refusal = pass_fence(KEYS[1], 'REPAIRING')
if refusal then
  return { refusal }
end
-- From here until the shard is open it is not whole, whoever opens it.
redis.call('HSET', KEYS[1], 'damaged', '1')
redis.call('HINCRBY', KEYS[1], 'progress', 1)
redis.call('UNLINK', KEYS[3], KEYS[4], KEYS[5], KEYS[6])
redis.call('SADD', KEYS[2], ARGV[4])
redis.call('HSET', KEYS[3], 'gen', ARGV[5], 'state', ARGV[6], 'start', ARGV[7], 'end', ARGV[8], 'limit', ARGV[9], 'name',
  ARGV[10], 'price', ARGV[11], 'cur', ARGV[12], 'pic', ARGV[13], 'pay', ARGV[14], 'group', ARGV[15], 'glimit', ARGV[16],
  'move', ARGV[17], 'adds', ARGV[18], 'sent', ARGV[19], 'recv', ARGV[20], 'granted', ARGV[21])
redis.call('SET', KEYS[4], ARGV[22])
return { 'OK' }
