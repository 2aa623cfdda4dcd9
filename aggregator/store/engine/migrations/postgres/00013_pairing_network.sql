-- +goose Up
-- +goose StatementBegin

-- Codes are counted by network: an IPv4 address, or the half of an IPv6 address that names it.
ALTER TABLE pairing ADD COLUMN network TEXT NOT NULL DEFAULT '';
DROP INDEX pairing_address;
CREATE INDEX pairing_network ON pairing (network);
-- +goose StatementEnd
