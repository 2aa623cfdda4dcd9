-- +goose Up

-- Keys with which programs read figures. The key itself is not stored, only its SHA-256; id names it in public.
CREATE TABLE api_key (
    id      TEXT COLLATE "C" PRIMARY KEY,
    hash    BYTEA NOT NULL UNIQUE,
    name    TEXT NOT NULL,
    role    TEXT NOT NULL,
    made    BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    used    BIGINT NOT NULL
);
