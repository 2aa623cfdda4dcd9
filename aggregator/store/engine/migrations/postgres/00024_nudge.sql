-- +goose Up

-- How often the service has said that a list has news: the process that polls looks then, and not only at its pace.
-- A list without a name stands for all.
CREATE TABLE nudge (
    service BIGINT NOT NULL,
    list    TEXT COLLATE "C" NOT NULL,
    count   BIGINT NOT NULL,
    PRIMARY KEY (service, list)
);
