-- +goose Up
-- +goose StatementBegin

-- Logins. A revoked row is a tombstone that keeps a late write from bringing the session
-- back; it goes when the session would have expired.
CREATE TABLE session (
    token_hash BLOB NOT NULL PRIMARY KEY, -- SHA-256
    data       BLOB NOT NULL,
    expiry     INTEGER NOT NULL, -- Unix milliseconds
    revoked_at INTEGER           -- Unix milliseconds
) STRICT, WITHOUT ROWID;

CREATE INDEX session_expiry ON session (expiry);
-- +goose StatementEnd
