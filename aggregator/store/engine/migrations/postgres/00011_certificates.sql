-- +goose Up
-- +goose StatementBegin

-- What replicas share of the certificates that an authority gives: account, certificates, answers
-- to challenges.
CREATE TABLE certificate (
    name     TEXT NOT NULL,
    seal_key TEXT NOT NULL, -- which key it is sealed with
    value    BYTEA NOT NULL, -- sealed
    PRIMARY KEY (name, seal_key)
);
-- +goose StatementEnd
