-- +goose Up
-- +goose StatementBegin

-- The contacts of a service that were forgotten, so that they stay so when it reports them again.
CREATE TABLE forgotten (
    service BIGINT NOT NULL,
    contact BYTEA NOT NULL, -- SHA-256 of the id
    PRIMARY KEY (service, contact)
);
-- +goose StatementEnd
