-- The hot row, so it comes last before COMMIT. The last guard of I1.
UPDATE items
SET held_units = held_units + ?, units_out = units_out + ?, reserve = reserve + ?
WHERE item_id = ? AND held_units + ? >= 0 AND held_units + ? <= units_in - units_out - ?
