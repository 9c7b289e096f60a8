-- Include: those who wait for a unit of an item, and the one routine that lets its units in.
--
-- A waitlist is a sorted set: user → score, the time of joining in ms times 4096, or the last score + 1 where that is higher. So scores
-- of a shard are unique and in the order of joining, they compare between shards, and the ledger's join entries give the same order
-- again. They are exact until the year 2039. The item hash counts the waiters, so that a purchase learns of them at no cost and a
-- waitlist that was lost is noticed.
--
-- Needs fence.lua, log.lua, receipts.lua, groups.lua and sale.lua before it where units are let in.

-- Waiters that one change of units lets in or out at most; whoever calls promote_waiters does the rest.
local MAX_WAITERS = 64

-- The number of waiters, or nil when the waitlist is not what the item hash counts.
local function count_waiters(waitlist_key, counted)
  local waiters = redis.pcall('ZCARD', waitlist_key)
  return waiters == tonumber(counted or '0') and waiters or nil
end

-- A score as scripts tell it: Redis may write large ones with an exponent. '' for none.
local function score_text(score)
  return score and string.format('%.0f', tonumber(score)) or ''
end

-- The lowest score (index 0) or the highest (-1), as text; '' when nobody waits.
local function score_at(waitlist_key, index)
  return score_text(redis.call('ZRANGE', waitlist_key, index, index, 'WITHSCORES')[2])
end

-- The score of who joins at this time, behind the last score.
local function next_score(at_ms, last)
  return math.max(at_ms * 4096, (tonumber(last) or 0) + 1)
end

-- Gives units in stock to the oldest waiters: each gets one, as a win without a key that a click without a key replays. Who is at his
-- limit leaves the line instead: he has what he may have. Nothing happens while the item is not on sale. Every change is an entry of
-- its own; when Redis refuses one, or a receipt is spoilt, the rest stays in stock.
--
-- shard: head, log, now, sales, and seq, which it raises; item: id, key, stock_key, receipts_key, waitlist_key, group (nil without
-- one), waiters; most: waiters to look at
-- Returns how many were let in, how many left, and the reply of a script whose first entry was refused
local function let_waiters_in(shard, item, most)
  if item.waiters == 0 then
    return 0, 0
  end
  local fields = redis.call('HMGET', item.key, 'state', 'start', 'end', 'limit', 'price', 'cur', 'gen', 'pay', 'glimit')
  local sale = { state = fields[1], starts = tonumber(fields[2]), ends = tonumber(fields[3]) }
  local stock = tonumber(redis.call('GET', item.stock_key))
  if stock <= 0 or closed_reason(sale, shard.now, shard.sales) then
    return 0, 0
  end
  local limit, group_limit = tonumber(fields[4]), tonumber(fields[9] or '0')
  local line = item.id .. ':1:' .. fields[5] .. ':' .. fields[6] .. ':' .. fields[7] .. ':' .. fields[4] .. ':' .. fields[8]
  local at_ms = string.format('%.0f', shard.now)
  local group = item.group
  local promoted, left, refused = 0, 0, nil

  local function let_in(user, text)
    if text and not is_receipt(text) then
      refused = freeze_lost(shard.head)
      return
    end
    local is_at_limit = held_units(text) >= limit or (group and group.held[user] >= group_limit)
    local place
    if is_at_limit then
      place, refused = log_change(shard.head, shard.log, shard.seq, shard.now, 'leave', 'i', item.id, 'u', user)
    else
      place, refused =
        log_change(shard.head, shard.log, shard.seq, shard.now, 'promo', 'u', user, 'kd', '-', 'bd', '', 'l', line)
    end
    if refused then
      return
    end
    shard.seq = shard.seq + 1
    redis.call('ZREM', item.waitlist_key, user)
    if is_at_limit then
      left = left + 1
      return
    end
    promoted = promoted + 1
    redis.call('HSET', item.receipts_key, user, add_win(text, '-', '', place, 1, at_ms))
    if group then
      redis.call('HSET', group.key, user, string.format('%.0f', group.held[user] + 1))
    end
  end

  while stock > promoted and item.waiters > promoted + left and most > promoted + left and not refused do
    local users = redis.call('ZRANGE', item.waitlist_key, 0, math.min(stock - promoted, most - promoted - left) - 1)
    local texts = redis.call('HMGET', item.receipts_key, unpack(users))
    if group and not read_holdings(group, users) then
      refused = freeze_lost(shard.head)
    end
    for i = 1, #users do
      if not refused then
        let_in(users[i], texts[i])
      end
    end
  end
  if promoted + left > 0 then
    redis.call('HSET', item.key, 'waiters', redis.call('ZCARD', item.waitlist_key))
  end
  if promoted > 0 then
    redis.call('DECRBY', item.stock_key, promoted)
    redis.call('HINCRBY', item.key, 'adds', promoted)
  end
  return promoted, left, refused
end
