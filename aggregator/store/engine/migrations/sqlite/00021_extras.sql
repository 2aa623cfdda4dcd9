-- +goose Up

-- What is no ticket says what it is: a fee, goods or a donation; and an exchanged ticket which one it replaces.
DROP VIEW ticket;
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
    coalesce(v.body ->> '$.test', 0) AS test,
    coalesce(v.body ->> '$.kind', 'ticket') AS kind, v.body ->> '$.replaces' AS replaces
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision
WHERE h.kind = 2 AND NOT h.deleted;
