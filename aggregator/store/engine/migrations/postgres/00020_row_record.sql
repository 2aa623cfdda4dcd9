-- +goose Up

-- The records that the newest version of each row of the service's lists gives, of rows that are not records
-- themselves. What no row gives any more is deleted.
CREATE TABLE row_record (
    service BIGINT NOT NULL,
    stream  TEXT COLLATE "C" NOT NULL,
    "row"   TEXT COLLATE "C" NOT NULL,
    kind    SMALLINT NOT NULL,
    id      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (service, stream, "row", kind, id)
);
CREATE INDEX row_record_of ON row_record (service, kind, id);
