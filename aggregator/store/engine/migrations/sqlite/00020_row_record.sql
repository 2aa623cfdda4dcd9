-- +goose Up

-- The records that the newest version of each row of the service's lists gives, of rows that are not records
-- themselves. What no row gives any more is deleted.
CREATE TABLE row_record (
    service INTEGER NOT NULL,
    stream  TEXT NOT NULL,
    "row"   TEXT NOT NULL,
    kind    INTEGER NOT NULL,
    id      TEXT NOT NULL,
    PRIMARY KEY (service, stream, "row", kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX row_record_of ON row_record (service, kind, id);
