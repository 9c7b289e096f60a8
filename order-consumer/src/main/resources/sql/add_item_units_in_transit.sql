-- As add_item_units, for an item of which units were sent by entries that are not stored in their
-- turn with effect: what the sending shard did before, such as taking those units back, is then not
-- stored yet either, or was lost with its entry, also when a late consumer brings that entry. So
-- that many units more may seem to be held, and waiting for the sender instead could make two logs
-- wait for each other for ever.
UPDATE items
SET held_units = held_units + ?, units_out = units_out + ?, reserve = reserve + ?
WHERE item_id = ? AND held_units + ? >= 0
  AND held_units + ? <= units_in - units_out - ? + (
    SELECT COALESCE(SUM(t.units), 0)
    FROM transfers t
    LEFT JOIN shard_log l ON l.region = t.region AND l.shard = t.from_shard AND l.epoch = t.epoch
      AND l.seq = t.seq AND l.effective = 1
    WHERE t.item_id = items.item_id AND t.region = ? AND l.seq IS NULL)
