-- Include: whether an item is on sale.

-- Whether an item has lost its stock, or stock its item: a preheated item keeps its stock key at 0, so a missing one is a loss, never
-- "sold out"; and stock without its item says that the item was here.
--
-- state: of the item, nil when it is not known here; stock: nil when the key is missing or spoilt
local function is_stock_lost(state, stock)
  if state == nil then
    return stock ~= nil
  end
  return stock == nil and state ~= 'PREPARED'
end

-- Why an item sells nothing now, and the number that goes with it; nil when it sells.
--
-- item: its state (nil when it is not known here), starts and ends; sales: the word of the stop switch
local function closed_reason(item, now, sales)
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
