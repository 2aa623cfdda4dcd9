-- +goose Up
-- +goose StatementBegin

-- A mark belongs to a list of the service by its name; before, it belonged to a kind of
-- record, of which there were three. Times are RFC 3339, NULL where there is none.
ALTER TABLE mark RENAME TO kind_mark;

CREATE TABLE mark (
    stream TEXT NOT NULL PRIMARY KEY,
    since  TEXT, -- NULL until the first sync has ended
    began  TEXT, -- of a first sync under way, as is resume
    resume TEXT, -- where it goes on
    whole  TEXT  -- when the list was last read whole
) STRICT, WITHOUT ROWID;

INSERT INTO mark (stream, since) SELECT kind || 's', since FROM kind_mark;

-- There was one profile.
INSERT INTO meta (key, value) SELECT 'source', 'default' WHERE EXISTS (SELECT * FROM kind_mark);

DROP TABLE kind_mark;
-- +goose StatementEnd
