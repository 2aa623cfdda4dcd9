-- +goose Up

-- Which e-mail addresses and domains give a role to who signs in with them.
CREATE TABLE role_grant (
    address  text COLLATE "C" NOT NULL PRIMARY KEY, -- mia@house.example, or @house.example for everybody there
    role     text NOT NULL,
    given    bigint NOT NULL, -- Unix milliseconds
    given_by text NOT NULL
);
