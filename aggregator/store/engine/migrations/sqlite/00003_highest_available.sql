-- +goose Up
-- +goose StatementBegin

-- The most places that any kept version of an event said were available: the least that
-- its capacity can be. NULL where none told it, and with other records.
ALTER TABLE record ADD COLUMN highest_available INTEGER;

UPDATE record SET highest_available = body ->> '$.available'
WHERE kind = 'event' AND NOT coalesce(body ->> '$.unlimited', 0) AND abs(body ->> '$.available') <= 1000000000;

-- A mark is only there when the first sync of its stream has ended.
DELETE FROM mark WHERE NOT complete;
ALTER TABLE mark DROP COLUMN complete;
-- +goose StatementEnd
