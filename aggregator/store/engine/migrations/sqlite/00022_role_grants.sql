-- +goose Up

-- Which e-mail addresses and domains give a role to who signs in with them.
CREATE TABLE role_grant (
    address  TEXT NOT NULL PRIMARY KEY, -- mia@house.example, or @house.example for everybody there
    role     TEXT NOT NULL,
    given    INTEGER NOT NULL, -- Unix milliseconds
    given_by TEXT NOT NULL
) STRICT, WITHOUT ROWID;
