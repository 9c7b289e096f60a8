-- Some of them: all at once may be more than one transaction should delete.
DELETE FROM waitlist WHERE region = ? AND shard = ? AND item_id = ? LIMIT 10000
