-- +goose Up
-- +goose StatementBegin

-- A contact that was forgotten because nothing was heard of it: it is kept out of what is dated
-- before this, in Unix microseconds. NULL keeps it out of everything.
ALTER TABLE forgotten ADD COLUMN unheard INTEGER;

-- What a performance came to at the end of a minute in which that changed, as far as it was known
-- then. It follows from the versions, as long as all of them are stored.
CREATE TABLE reading (
    service   INTEGER NOT NULL,
    event     TEXT NOT NULL,
    minute    INTEGER NOT NULL, -- Unix time / 60
    available INTEGER,          -- places, as the service reports them; NULL where it does not
    sold      INTEGER NOT NULL, -- places
    present   INTEGER NOT NULL, -- places
    net       TEXT,             -- JSON, received less refunded and charged back; NULL for none
    PRIMARY KEY (service, event, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX reading_minute ON reading (service, minute);

-- Readings have been made of all versions up to this revision.
ALTER TABLE service ADD COLUMN readings INTEGER NOT NULL DEFAULT 0;
-- +goose StatementEnd
