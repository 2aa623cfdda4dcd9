-- +goose Up

-- A device that gets notifications is a subscriber of its own. owner is the person, as in person of a row for mail, and empty
-- in those; device is the browser's subscription, in JSON.
ALTER TABLE subscriber ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE subscriber ADD COLUMN device TEXT NOT NULL DEFAULT '';

-- When somebody got the last letter of a name.
CREATE INDEX letter_last ON letter (person, name, state, done);
