-- +goose Up

-- Hours at which a screen is dimmed, as 22:30-08:00; empty for none.
ALTER TABLE screen ADD COLUMN dim TEXT NOT NULL DEFAULT '';

-- Of the pages that a holder has open.
ALTER TABLE presence ADD COLUMN version TEXT NOT NULL DEFAULT '';
