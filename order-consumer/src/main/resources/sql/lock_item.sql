SELECT item_id FROM items WHERE item_id = ? FOR UPDATE
