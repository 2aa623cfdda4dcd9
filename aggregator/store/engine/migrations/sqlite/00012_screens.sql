-- +goose Up
-- +goose StatementBegin

-- What screens show when.
CREATE TABLE programme (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    document   TEXT NOT NULL,
    version    INTEGER NOT NULL, -- how often it was saved
    changed    INTEGER NOT NULL, -- Unix milliseconds
    changed_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The screens that hang. A revoked one stays, without its credentials.
CREATE TABLE screen (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    place      TEXT NOT NULL,
    programme  TEXT NOT NULL, -- an id; empty for the automatic one
    language   TEXT NOT NULL,
    access     TEXT NOT NULL,
    margin     INTEGER NOT NULL, -- thousandths of the picture's short side
    dark       TEXT NOT NULL,    -- hours, as 23:30-08:00; empty for none
    kind       TEXT NOT NULL,    -- of device
    size       TEXT NOT NULL,
    address    TEXT NOT NULL,
    credential_hash BLOB UNIQUE, -- SHA-256 of what the device holds
    link_hash  BLOB UNIQUE,      -- SHA-256 of what an address holds that makes any device this screen
    created    INTEGER NOT NULL, -- Unix milliseconds
    created_by TEXT NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;

-- Devices that show a code and wait for somebody to make a screen of them.
CREATE TABLE pairing (
    credential_hash BLOB NOT NULL PRIMARY KEY, -- SHA-256 of what the device holds
    code_hash  BLOB NOT NULL UNIQUE,           -- SHA-256
    expiry     INTEGER NOT NULL,               -- Unix milliseconds, as asked
    asked      INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    size       TEXT NOT NULL,
    address    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pairing_expiry ON pairing (expiry);
CREATE INDEX pairing_address ON pairing (address);
-- +goose StatementEnd
