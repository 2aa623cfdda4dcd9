-- +goose Up
-- +goose StatementBegin

-- What the database knows of itself: its epoch, and the source of its records.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest version of every record. A change gives the record the next revision, so
-- that reading by revision is reading the changes in order. Nothing is ever deleted: the
-- highest revision is the newest change.
CREATE TABLE record (
    revision INTEGER PRIMARY KEY,
    kind     TEXT NOT NULL,
    id       TEXT NOT NULL,
    body     TEXT NOT NULL, -- JSON, as apiclient writes it
    UNIQUE (kind, id)
) STRICT;

-- How far each stream has been read.
CREATE TABLE mark (
    kind     TEXT NOT NULL PRIMARY KEY,
    since    TEXT NOT NULL, -- RFC 3339
    complete INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- +goose StatementEnd
