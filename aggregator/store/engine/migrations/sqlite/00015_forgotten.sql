-- +goose Up
-- +goose StatementBegin

-- The contacts of a service that were forgotten, so that they stay so when it reports them again.
CREATE TABLE forgotten (
    service INTEGER NOT NULL,
    contact BLOB NOT NULL, -- SHA-256 of the id
    PRIMARY KEY (service, contact)
) STRICT, WITHOUT ROWID;
-- +goose StatementEnd
