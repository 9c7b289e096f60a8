SELECT i.held_units, i.units_in,
  (SELECT COALESCE(SUM(m.units), 0) FROM moves m
    WHERE m.item_id = i.item_id AND m.kind IN ('PREHEAT', 'RESTOCK', 'GRANT')),
  i.reserve,
  (SELECT COALESCE(SUM(a.reserved), 0) FROM audit_log a WHERE a.item_id = i.item_id)
  + (SELECT COALESCE(SUM(m.units_done), 0) FROM moves m
    WHERE m.item_id = i.item_id AND m.kind = 'HOLD_BACK')
FROM items i
WHERE i.item_id = ?
