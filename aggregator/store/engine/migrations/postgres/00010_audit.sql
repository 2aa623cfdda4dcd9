-- +goose Up

-- What was done, by whom: rows are only added, and go when they are old.
CREATE TABLE audit (
    id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          BIGINT NOT NULL, -- Unix milliseconds
    actor       TEXT NOT NULL,   -- a person's subject with its issuer, or one word for what is no person
    name        TEXT NOT NULL,   -- the person's
    action      TEXT NOT NULL,
    object      TEXT NOT NULL,   -- what it was done to: a session, a person
    object_name TEXT NOT NULL,
    before      TEXT NOT NULL,   -- what it was, and what it became
    after       TEXT NOT NULL,
    reason      TEXT NOT NULL,
    count       BIGINT NOT NULL, -- how often, where it was too often for a row each
    address     TEXT NOT NULL
);
CREATE INDEX audit_at ON audit (at);
-- +goose StatementBegin
CREATE FUNCTION audit_never_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was done is never changed';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_never_changes();

-- Who is watching what, as each process sees it. A holder is a session, or whatever else has a
-- credential, by the SHA-256 of its token in hexadecimal.
CREATE TABLE presence (
    holder  TEXT NOT NULL,
    replica TEXT NOT NULL,
    seen    BIGINT NOT NULL, -- Unix milliseconds
    sockets BIGINT NOT NULL,
    topics  TEXT NOT NULL,   -- a JSON array of what they watch
    address TEXT NOT NULL,
    agent   TEXT NOT NULL,
    PRIMARY KEY (holder, replica)
);
CREATE INDEX presence_seen ON presence (seen);

-- With what somebody signed in.
ALTER TABLE session ADD COLUMN agent TEXT NOT NULL DEFAULT '';
