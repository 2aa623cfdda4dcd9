-- +goose Up
-- +goose StatementBegin

-- The services whose records the database holds. revision is that of the newest version
-- of the service's log.
CREATE TABLE service (
    id       INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL DEFAULT 0
) STRICT;

-- How often a service's poller has changed. The one that polls holds a lock file.
CREATE TABLE lease (
    service INTEGER PRIMARY KEY REFERENCES service,
    term    INTEGER NOT NULL
) STRICT;

-- One row: the revision of the newest version of all. Who appends locks it first, so that
-- the order of commits is the order of revisions.
CREATE TABLE counter (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL
) STRICT;

-- Every version of every record that a service reported. A row never changes, but for what
-- the head remembers of versions that were folded into it. kind: 1 event, 2 ticket,
-- 3 payment, 4 contact, 5 planning, 6 scan. Times are Unix microseconds.
CREATE TABLE version (
    revision INTEGER PRIMARY KEY,
    previous INTEGER,          -- the version of the same record stored before this one
    service  INTEGER NOT NULL,
    kind     INTEGER NOT NULL,
    head     INTEGER NOT NULL, -- 1 when it replaced what was known of the record, 0 when it came late
    updated  INTEGER,          -- by the service, NULL where it gives none
    seen     INTEGER,          -- by our clock, NULL for versions older than this table
    hash     INTEGER NOT NULL, -- of body
    id       TEXT NOT NULL,
    body     TEXT NOT NULL,    -- JSON
    memory   TEXT              -- JSON, of folded versions of the record; NULL without
) STRICT;

-- The newest version of each record, so that what did not change is recognised by its hash.
CREATE TABLE head (
    service  INTEGER NOT NULL,
    kind     INTEGER NOT NULL,
    id       TEXT NOT NULL,
    revision INTEGER NOT NULL, -- of the newest version
    latest   INTEGER NOT NULL, -- of the version stored last, which may have come late
    hash     INTEGER NOT NULL,
    updated  INTEGER,
    deleted  INTEGER NOT NULL,
    PRIMARY KEY (service, kind, id)
) STRICT, WITHOUT ROWID;

-- What was last learned of each list of a service. counter counts the writes of the row.
CREATE TABLE stream (
    service INTEGER NOT NULL,
    name    TEXT NOT NULL,
    counter INTEGER NOT NULL,
    state   TEXT NOT NULL, -- JSON
    PRIMARY KEY (service, name)
) STRICT, WITHOUT ROWID;

-- What was found out about how a service behaves.
CREATE TABLE answer (
    service INTEGER NOT NULL,
    key     TEXT NOT NULL,
    answer  BLOB NOT NULL,
    PRIMARY KEY (service, key)
) STRICT, WITHOUT ROWID;

-- Sign-ins under way; each is used once.
CREATE TABLE attempt (
    state_hash BLOB NOT NULL PRIMARY KEY, -- SHA-256
    data       BLOB NOT NULL,
    expiry     INTEGER NOT NULL -- Unix milliseconds
) STRICT, WITHOUT ROWID;

ALTER TABLE session ADD COLUMN subject TEXT;
ALTER TABLE session ADD COLUMN sid TEXT;
CREATE INDEX session_subject ON session (subject) WHERE subject IS NOT NULL;
CREATE INDEX session_sid ON session (sid) WHERE sid IS NOT NULL;

-- What was there: the newest version of each record of one source.
INSERT INTO service (name, revision)
SELECT coalesce((SELECT value FROM meta WHERE key = 'source'), 'default'), coalesce(max(revision), 0) FROM record
HAVING max(revision) IS NOT NULL OR EXISTS (SELECT * FROM mark) OR EXISTS (SELECT * FROM meta WHERE key = 'source');

INSERT INTO counter SELECT 1, coalesce(max(revision), 0) FROM record;

-- The next migration, a program, fills in hashes and times and makes the heads.
INSERT INTO version (revision, service, kind, head, updated, hash, id, body, memory)
SELECT revision, 1,
    CASE kind WHEN 'event' THEN 1 WHEN 'ticket' THEN 2 WHEN 'payment' THEN 3 WHEN 'contact' THEN 4 WHEN 'planning' THEN 5 ELSE 6 END,
    1, NULL, 0, id, body,
    CASE WHEN highest_available IS NOT NULL THEN json_object('highest_available', highest_available) END
FROM record ORDER BY revision;

INSERT INTO stream (service, name, counter, state)
SELECT 1, stream, 1, json_object('Name', stream,
    'Since', coalesce(since, '0001-01-01T00:00:00Z'), 'Began', coalesce(began, '0001-01-01T00:00:00Z'),
    'Resume', coalesce(resume, ''), 'Whole', coalesce(whole, '0001-01-01T00:00:00Z'), 'Total', -1)
FROM mark;

DROP TABLE record;
DROP TABLE mark;
DELETE FROM meta WHERE key = 'source';

-- For analysts: the records as they are now, without the deleted. Times are RFC 3339 in UTC,
-- amounts in minor units of their currency. README.md describes them.
CREATE VIEW event AS
SELECT s.name AS service, h.id, v.revision,
    v.body ->> '$.title' AS title, v.body ->> '$.date' AS date,
    v.body ->> '$.doors_at' AS doors_at, v.body ->> '$.starts_at' AS starts_at, v.body ->> '$.ends_at' AS ends_at,
    v.body ->> '$.hall' AS hall, v.body ->> '$.series_id' AS series_id, v.body ->> '$.status' AS status,
    v.body ->> '$.capacity' AS capacity, coalesce(v.body ->> '$.unlimited', 0) AS unlimited,
    v.body ->> '$.available' AS available, v.body ->> '$.blocked' AS blocked,
    v.body ->> '$.created_at' AS created_at, v.body ->> '$.updated_at' AS updated_at,
    coalesce(v.body ->> '$.test', 0) AS test
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision
WHERE h.kind = 1 AND NOT h.deleted;

CREATE VIEW ticket AS
SELECT s.name AS service, h.id, v.revision,
    v.body ->> '$.event_id' AS event_id, v.body ->> '$.order_id' AS order_id, v.body ->> '$.contact_id' AS contact_id,
    v.body ->> '$.type.id' AS type_id, v.body ->> '$.type.name' AS type_name,
    coalesce(v.body ->> '$.quantity', 1) AS quantity,
    v.body ->> '$.price.amount' AS price, v.body ->> '$.fee.amount' AS fee,
    coalesce(v.body ->> '$.price.currency', v.body ->> '$.fee.currency') AS currency,
    coalesce(v.body ->> '$.complimentary', 0) AS complimentary, coalesce(v.body ->> '$.admits', 1) AS admits,
    v.body ->> '$.status' AS status, v.body ->> '$.seat' AS seat, v.body ->> '$.channel' AS channel,
    v.body ->> '$.referral' AS referral, v.body ->> '$.discount_code' AS discount_code,
    v.body ->> '$.created_at' AS created_at, v.body ->> '$.sold_at' AS sold_at,
    v.body ->> '$.cancelled_at' AS cancelled_at, v.body ->> '$.updated_at' AS updated_at,
    coalesce(v.body ->> '$.test', 0) AS test
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision
WHERE h.kind = 2 AND NOT h.deleted;

CREATE VIEW payment AS
SELECT s.name AS service, h.id, v.revision,
    v.body ->> '$.order_id' AS order_id, v.body ->> '$.event_id' AS event_id,
    v.body ->> '$.parent_id' AS parent_id, v.body ->> '$.contact_id' AS contact_id,
    coalesce(v.body ->> '$.kind', 'payment') AS kind, v.body ->> '$.status' AS status, v.body ->> '$.method' AS method,
    v.body ->> '$.amount.amount' AS amount, v.body ->> '$.amount.currency' AS currency,
    v.body ->> '$.amount_refunded.amount' AS amount_refunded,
    v.body ->> '$.created_at' AS created_at, v.body ->> '$.paid_at' AS paid_at, v.body ->> '$.updated_at' AS updated_at,
    coalesce(v.body ->> '$.test', 0) AS test
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision
WHERE h.kind = 3 AND NOT h.deleted;

-- Scans that tickets carry, and those that are records of their own (with an id).
CREATE VIEW scan AS
SELECT s.name AS service, NULL AS id, v.revision, h.id AS ticket_id,
    x.value ->> '$.at' AS at, x.value ->> '$.gate' AS gate, x.value ->> '$.direction' AS direction,
    x.value ->> '$.result' AS result, coalesce(x.value ->> '$.undone', 0) AS undone
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision,
    json_each(v.body, '$.scans') x
WHERE h.kind = 2 AND NOT h.deleted
UNION ALL
SELECT s.name, h.id, v.revision, v.body ->> '$.ticket_id',
    v.body ->> '$.at', v.body ->> '$.gate', v.body ->> '$.direction',
    v.body ->> '$.result', coalesce(v.body ->> '$.undone', 0)
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision
WHERE h.kind = 6 AND NOT h.deleted;
-- +goose StatementEnd
