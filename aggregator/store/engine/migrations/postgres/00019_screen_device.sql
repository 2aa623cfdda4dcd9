-- +goose Up

-- The name that the device which uses a screen's credential gives itself; empty until one does.
ALTER TABLE screen ADD COLUMN device TEXT NOT NULL DEFAULT '';
