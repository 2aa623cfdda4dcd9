-- +goose Up

-- What was done, by whom: rows are only added, and go when they are old.
CREATE TABLE audit (
    id          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at          INTEGER NOT NULL, -- Unix milliseconds
    actor       TEXT NOT NULL,    -- a person's subject with its issuer, or one word for what is no person
    name        TEXT NOT NULL,    -- the person's
    action      TEXT NOT NULL,
    object      TEXT NOT NULL,    -- what it was done to: a session, a person
    object_name TEXT NOT NULL,
    before      TEXT NOT NULL,    -- what it was, and what it became
    after       TEXT NOT NULL,
    reason      TEXT NOT NULL,
    count       INTEGER NOT NULL, -- how often, where it was too often for a row each
    address     TEXT NOT NULL
) STRICT;
CREATE INDEX audit_at ON audit (at);
-- +goose StatementBegin
CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'what was done is never changed');
END;
-- +goose StatementEnd

-- Who is watching what, as each process sees it. A holder is a session, or whatever else has a
-- credential, by the SHA-256 of its token in hexadecimal.
CREATE TABLE presence (
    holder  TEXT NOT NULL,
    replica TEXT NOT NULL,
    seen    INTEGER NOT NULL, -- Unix milliseconds
    sockets INTEGER NOT NULL,
    topics  TEXT NOT NULL,    -- a JSON array of what they watch
    address TEXT NOT NULL,
    agent   TEXT NOT NULL,
    PRIMARY KEY (holder, replica)
) STRICT, WITHOUT ROWID;
CREATE INDEX presence_seen ON presence (seen);

-- With what somebody signed in.
ALTER TABLE session ADD COLUMN agent TEXT NOT NULL DEFAULT '';
