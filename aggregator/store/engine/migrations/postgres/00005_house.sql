-- +goose Up
-- +goose StatementBegin

-- The number is that of the SQLite schema which is the same.

-- What the database knows of itself: its epoch.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- The services whose records the database holds. revision is that of the newest version
-- of the service's log.
CREATE TABLE service (
    id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    revision BIGINT NOT NULL DEFAULT 0
);

-- Who polls a service. It ends at expires, by the database's clock, unless it is renewed.
CREATE TABLE lease (
    service BIGINT NOT NULL PRIMARY KEY REFERENCES service,
    term    BIGINT NOT NULL,
    holder  TEXT NOT NULL,
    expires TIMESTAMPTZ NOT NULL
);

-- One row: the revision of the newest version of all. Who appends locks it first, so that
-- the order of commits is the order of revisions.
CREATE TABLE counter (
    one      BIGINT PRIMARY KEY CHECK (one = 1),
    revision BIGINT NOT NULL
) WITH (fillfactor = 20);

INSERT INTO counter VALUES (1, 0);

-- Every version of every record that a service reported. A row never changes, but for what
-- the head remembers of versions that were folded into it. kind: 1 event, 2 ticket,
-- 3 payment, 4 contact, 5 planning, 6 scan. Times are Unix microseconds.
CREATE TABLE version (
    revision BIGINT PRIMARY KEY,
    previous BIGINT,           -- the version of the same record stored before this one
    service  BIGINT NOT NULL,
    updated  BIGINT,           -- by the service, NULL where it gives none
    seen     BIGINT,           -- by our clock
    hash     BIGINT NOT NULL,  -- of body
    kind     SMALLINT NOT NULL,
    head     BOOLEAN NOT NULL, -- false when it came late and did not replace what was known
    id       TEXT COLLATE "C" NOT NULL,
    body     TEXT NOT NULL,    -- JSON
    memory   TEXT              -- JSON, of folded versions of the record; NULL without
);

-- The newest version of each record, so that what did not change is recognised by its hash.
CREATE TABLE head (
    service  BIGINT NOT NULL,
    revision BIGINT NOT NULL,  -- of the newest version
    latest   BIGINT NOT NULL,  -- of the version stored last, which may have come late
    hash     BIGINT NOT NULL,
    updated  BIGINT,
    kind     SMALLINT NOT NULL,
    deleted  BOOLEAN NOT NULL,
    id       TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (service, kind, id)
) WITH (fillfactor = 80);

-- What was last learned of each list of a service. counter counts the writes of the row.
CREATE TABLE stream (
    service BIGINT NOT NULL,
    name    TEXT COLLATE "C" NOT NULL,
    counter BIGINT NOT NULL,
    state   TEXT NOT NULL, -- JSON
    PRIMARY KEY (service, name)
) WITH (fillfactor = 20);

-- What was found out about how a service behaves.
CREATE TABLE answer (
    service BIGINT NOT NULL,
    key     TEXT NOT NULL,
    answer  BYTEA NOT NULL,
    PRIMARY KEY (service, key)
);

-- Logins. A revoked row is a tombstone that keeps a late write from bringing the session
-- back; it goes when the session would have expired.
CREATE TABLE session (
    token_hash BYTEA NOT NULL PRIMARY KEY, -- SHA-256
    subject    TEXT,
    sid        TEXT,
    data       BYTEA NOT NULL,
    expiry     BIGINT NOT NULL, -- Unix milliseconds
    revoked_at BIGINT           -- Unix milliseconds
);

CREATE INDEX session_expiry ON session (expiry);
CREATE INDEX session_subject ON session (subject) WHERE subject IS NOT NULL;
CREATE INDEX session_sid ON session (sid) WHERE sid IS NOT NULL;

-- Sign-ins under way; each is used once.
CREATE TABLE attempt (
    state_hash BYTEA NOT NULL PRIMARY KEY, -- SHA-256
    data       BYTEA NOT NULL,
    expiry     BIGINT NOT NULL -- Unix milliseconds
);

-- For analysts: the records as they are now, without the deleted. Amounts are in minor units
-- of their currency. README.md describes them.
CREATE VIEW event AS
SELECT s.name AS service, h.id, v.revision,
    b ->> 'title' AS title, (b ->> 'date')::date AS date,
    (b ->> 'doors_at')::timestamptz AS doors_at, (b ->> 'starts_at')::timestamptz AS starts_at, (b ->> 'ends_at')::timestamptz AS ends_at,
    b ->> 'hall' AS hall, b ->> 'series_id' AS series_id, b ->> 'status' AS status,
    (b ->> 'capacity')::bigint AS capacity, coalesce((b ->> 'unlimited')::boolean, false) AS unlimited,
    (b ->> 'available')::bigint AS available, (b ->> 'blocked')::bigint AS blocked,
    (b ->> 'created_at')::timestamptz AS created_at, (b ->> 'updated_at')::timestamptz AS updated_at,
    coalesce((b ->> 'test')::boolean, false) AS test
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision CROSS JOIN LATERAL (SELECT v.body::json) AS x (b)
WHERE h.kind = 1 AND NOT h.deleted;

CREATE VIEW ticket AS
SELECT s.name AS service, h.id, v.revision,
    b ->> 'event_id' AS event_id, b ->> 'order_id' AS order_id, b ->> 'contact_id' AS contact_id,
    b #>> '{type,id}' AS type_id, b #>> '{type,name}' AS type_name,
    coalesce((b ->> 'quantity')::bigint, 1) AS quantity,
    (b #>> '{price,amount}')::bigint AS price, (b #>> '{fee,amount}')::bigint AS fee,
    coalesce(b #>> '{price,currency}', b #>> '{fee,currency}') AS currency,
    coalesce((b ->> 'complimentary')::boolean, false) AS complimentary, coalesce((b ->> 'admits')::boolean, true) AS admits,
    b ->> 'status' AS status, b ->> 'seat' AS seat, b ->> 'channel' AS channel,
    b ->> 'referral' AS referral, b ->> 'discount_code' AS discount_code,
    (b ->> 'created_at')::timestamptz AS created_at, (b ->> 'sold_at')::timestamptz AS sold_at,
    (b ->> 'cancelled_at')::timestamptz AS cancelled_at, (b ->> 'updated_at')::timestamptz AS updated_at,
    coalesce((b ->> 'test')::boolean, false) AS test
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision CROSS JOIN LATERAL (SELECT v.body::json) AS x (b)
WHERE h.kind = 2 AND NOT h.deleted;

CREATE VIEW payment AS
SELECT s.name AS service, h.id, v.revision,
    b ->> 'order_id' AS order_id, b ->> 'event_id' AS event_id, b ->> 'parent_id' AS parent_id, b ->> 'contact_id' AS contact_id,
    coalesce(b ->> 'kind', 'payment') AS kind, b ->> 'status' AS status, b ->> 'method' AS method,
    (b #>> '{amount,amount}')::bigint AS amount, b #>> '{amount,currency}' AS currency,
    (b #>> '{amount_refunded,amount}')::bigint AS amount_refunded,
    (b ->> 'created_at')::timestamptz AS created_at, (b ->> 'paid_at')::timestamptz AS paid_at, (b ->> 'updated_at')::timestamptz AS updated_at,
    coalesce((b ->> 'test')::boolean, false) AS test
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision CROSS JOIN LATERAL (SELECT v.body::json) AS x (b)
WHERE h.kind = 3 AND NOT h.deleted;

-- Scans that tickets carry, and those that are records of their own (with an id).
CREATE VIEW scan AS
SELECT s.name AS service, NULL AS id, v.revision, h.id AS ticket_id,
    (x.b ->> 'at')::timestamptz AS at, x.b ->> 'gate' AS gate, x.b ->> 'direction' AS direction,
    x.b ->> 'result' AS result, coalesce((x.b ->> 'undone')::boolean, false) AS undone
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision
    CROSS JOIN LATERAL json_array_elements(CASE WHEN json_typeof(v.body::json -> 'scans') = 'array' THEN v.body::json -> 'scans' ELSE '[]' END) AS x (b)
WHERE h.kind = 2 AND NOT h.deleted
UNION ALL
SELECT s.name, h.id, v.revision, x.b ->> 'ticket_id',
    (x.b ->> 'at')::timestamptz, x.b ->> 'gate', x.b ->> 'direction',
    x.b ->> 'result', coalesce((x.b ->> 'undone')::boolean, false)
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision CROSS JOIN LATERAL (SELECT v.body::json) AS x (b)
WHERE h.kind = 6 AND NOT h.deleted;
-- +goose StatementEnd
