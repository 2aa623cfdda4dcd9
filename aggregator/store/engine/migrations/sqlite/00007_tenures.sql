-- +goose Up
-- +goose StatementBegin

-- The terms in which a service was polled, each by a random id, with the newest revision when
-- it began: whoever was further in the term before knows that the database was restored.
CREATE TABLE tenure (
    service  INTEGER NOT NULL REFERENCES service,
    term     INTEGER NOT NULL,
    id       TEXT NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (service, term)
) STRICT, WITHOUT ROWID;

-- The id of the term that is, or was last.
ALTER TABLE lease ADD COLUMN tenure TEXT NOT NULL DEFAULT '';
-- +goose StatementEnd
