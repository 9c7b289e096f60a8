-- Units sent to other shards: every row is in effect, also beyond the end of its epoch.
SELECT item_id, SUM(units) FROM transfers WHERE region = ? AND from_shard = ? GROUP BY item_id
