-- +goose Up

-- How many messages the service sent by the name of it in the address, in each quarter of an hour from slot on: those that were taken,
-- and those that were refused because of their signature. last is when the last of them came.
CREATE TABLE hook (
    service BIGINT NOT NULL,
    name    TEXT COLLATE "C" NOT NULL,
    slot    BIGINT NOT NULL,
    taken   BIGINT NOT NULL,
    refused BIGINT NOT NULL,
    last    BIGINT NOT NULL,
    PRIMARY KEY (service, name, slot)
);
