-- +goose Up

-- A device that gets notifications is a subscriber of its own. owner is the person, as in person of a row for mail, and empty
-- in those; device is the browser's subscription, in JSON.
ALTER TABLE subscriber ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE subscriber ADD COLUMN device TEXT NOT NULL DEFAULT '';
