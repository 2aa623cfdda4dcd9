-- +goose Up

-- Who wants which letters by mail. letters are their names, separated by spaces; who is what the sign-in service said of the
-- person when they last asked for letters or signed in, at seen. token is in the address that stops the letters.
CREATE TABLE subscriber (
    person   TEXT COLLATE "C" PRIMARY KEY,
    address  TEXT COLLATE "C" NOT NULL,
    language TEXT NOT NULL,
    letters  TEXT NOT NULL,
    who      BYTEA NOT NULL,
    token    TEXT NOT NULL UNIQUE,
    seen     BIGINT NOT NULL
);

-- Each letter that was due, once whichever process made it. It waits until next, and is given up at until.
CREATE TABLE letter (
    id      TEXT COLLATE "C" PRIMARY KEY,
    person  TEXT NOT NULL,
    name    TEXT NOT NULL,
    day     TEXT NOT NULL,
    made    BIGINT NOT NULL,
    next    BIGINT NOT NULL,
    until   BIGINT NOT NULL,
    tries   BIGINT NOT NULL,
    state   TEXT NOT NULL,
    failure TEXT NOT NULL,
    done    BIGINT NOT NULL
);
CREATE INDEX letter_next ON letter (state, next);
