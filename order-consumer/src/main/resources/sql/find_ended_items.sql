-- Items that ended long ago and of which nothing is outstanding: no move, no release, no order that
-- may yet be paid or released; one, or for 0 the longest over. Of an ended item updated_at_ms is
-- when it was ended: nothing changes it afterwards.
SELECT i.item_id
FROM items i
WHERE (? = 0 OR i.item_id = ?) AND i.archived = 0 AND i.state <> 'ARCHIVED'
  AND (i.ends_at_ms <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 - ?
    OR (i.state = 'ENDED' AND i.updated_at_ms <= TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000 - ?))
  AND NOT EXISTS (SELECT 1 FROM moves m WHERE m.state = 'PENDING' AND m.item_id = i.item_id)
  AND NOT EXISTS (SELECT 1 FROM outbox o JOIN order_lines l ON l.region = o.region
    AND l.shard = o.shard AND l.epoch = o.epoch AND l.seq = o.seq
    WHERE o.state = 'PENDING' AND l.item_id = i.item_id)
  AND NOT EXISTS (SELECT 1 FROM orders o FORCE INDEX (orders_due)
    STRAIGHT_JOIN order_lines l ON l.region = o.region AND l.shard = o.shard
      AND l.epoch = o.epoch AND l.seq = o.seq
    WHERE o.status = 'PENDING_PAYMENT' AND l.item_id = i.item_id)
ORDER BY i.ends_at_ms, i.item_id
LIMIT 100
