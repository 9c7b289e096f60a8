SELECT limit_per_user FROM item_groups WHERE group_id = ?
