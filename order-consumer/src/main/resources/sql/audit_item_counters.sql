SELECT i.held_units,
  (SELECT COALESCE(SUM(l.quantity), 0)
    FROM order_lines l
    JOIN orders o ON o.region = l.region AND o.shard = l.shard AND o.epoch = l.epoch
      AND o.seq = l.seq
    WHERE l.item_id = i.item_id AND o.held_units > 0),
  i.units_in,
  (SELECT COALESCE(SUM(m.units), 0) FROM moves m WHERE m.item_id = i.item_id),
  i.units_out
FROM items i
WHERE i.item_id = ?
