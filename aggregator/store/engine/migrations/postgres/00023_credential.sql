-- +goose Up
-- +goose StatementBegin

-- What a service gave to be asked with, where it changes with each use: refresh tokens. claim is
-- whose turn it is to use one, until claimed_until.
CREATE TABLE credential (
    name          TEXT NOT NULL PRIMARY KEY,
    value         BYTEA NOT NULL, -- sealed
    claim         TEXT NOT NULL DEFAULT '',
    claimed_until BIGINT NOT NULL DEFAULT 0 -- milliseconds since 1970
);
-- +goose StatementEnd
