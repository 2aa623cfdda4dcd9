-- +goose Up
-- +goose StatementBegin

-- A contact that was forgotten because nothing was heard of it: it is kept out of what is dated
-- before this, in Unix microseconds. NULL keeps it out of everything.
ALTER TABLE forgotten ADD COLUMN unheard BIGINT;

-- What a performance came to at the end of a minute in which that changed, as far as it was known
-- then. It follows from the versions, as long as all of them are stored.
CREATE TABLE reading (
    service   BIGINT NOT NULL,
    event     TEXT COLLATE "C" NOT NULL,
    minute    BIGINT NOT NULL, -- Unix time / 60
    available BIGINT,          -- places, as the service reports them; NULL where it does not
    sold      BIGINT NOT NULL, -- places
    present   BIGINT NOT NULL, -- places
    net       TEXT,            -- JSON, received less refunded and charged back; NULL for none
    PRIMARY KEY (service, event, minute)
);
CREATE INDEX reading_minute ON reading (service, minute);

-- Readings have been made of all versions up to this revision.
ALTER TABLE service ADD COLUMN readings BIGINT NOT NULL DEFAULT 0;
-- +goose StatementEnd
