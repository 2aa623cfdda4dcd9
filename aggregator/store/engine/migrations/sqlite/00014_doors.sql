-- +goose Up
-- +goose StatementBegin

-- Who has to give the password again at the sign-in service: somebody ended a session of theirs.
CREATE TABLE sign_in_anew (
    subject TEXT NOT NULL PRIMARY KEY,
    since   INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;

-- Whoever lost a session is told by whom.
CREATE INDEX audit_object ON audit (object);

-- Since when a holder is seen without a break.
ALTER TABLE presence ADD COLUMN since INTEGER NOT NULL DEFAULT 0;

-- Since when a screen is meant to be off, in Unix milliseconds; NULL where it should be on.
ALTER TABLE screen ADD COLUMN off INTEGER;
-- A screen that is on and shows nothing.
ALTER TABLE screen ADD COLUMN blank INTEGER NOT NULL DEFAULT 0;
-- When the screen was asked last to say which it is, and to load its page anew.
ALTER TABLE screen ADD COLUMN identify INTEGER NOT NULL DEFAULT 0;
ALTER TABLE screen ADD COLUMN reload INTEGER NOT NULL DEFAULT 0;
-- What went wrong on the screen last, as it reports itself, and when it said so.
ALTER TABLE screen ADD COLUMN fault TEXT NOT NULL DEFAULT '';
ALTER TABLE screen ADD COLUMN fault_at INTEGER NOT NULL DEFAULT 0;
-- +goose StatementEnd
