-- +goose Up
-- +goose StatementBegin

-- The terms in which a service was polled, each by a random id, with the newest revision when
-- it began: whoever was further in the term before knows that the database was restored.
CREATE TABLE tenure (
    service  BIGINT NOT NULL REFERENCES service,
    term     BIGINT NOT NULL,
    id       TEXT NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (service, term)
);

-- The id of the term that is, or was last.
ALTER TABLE lease ADD COLUMN tenure TEXT NOT NULL DEFAULT '';
-- +goose StatementEnd
