-- Moves that were applied before units_done was kept came in whole; a move out may take nothing.
UPDATE moves SET units_done = units
WHERE state = 'APPLIED' AND units_done = 0 AND kind IN ('PREHEAT', 'RESTOCK')
