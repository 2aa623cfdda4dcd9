-- +goose Up

-- When somebody last had a screen say which it is, and load its page anew; Unix milliseconds.
ALTER TABLE screen ADD COLUMN identified BIGINT;
ALTER TABLE screen ADD COLUMN reloaded BIGINT;
