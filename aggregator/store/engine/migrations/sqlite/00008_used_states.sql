-- +goose Up
-- +goose StatementBegin

-- A sign-in under way is in the browser's cookie; here is what was used of them, so that each
-- is used once.
DROP TABLE attempt;
CREATE TABLE used_state (
    state_hash BLOB NOT NULL PRIMARY KEY, -- SHA-256
    expiry     INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;
CREATE INDEX used_state_expiry ON used_state (expiry);
-- +goose StatementEnd
