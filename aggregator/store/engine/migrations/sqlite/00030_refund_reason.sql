-- +goose Up

-- A refund has the reason that somebody gave for it.
DROP VIEW payment;
CREATE VIEW payment AS
SELECT s.name AS service, h.id, v.revision,
    v.body ->> '$.order_id' AS order_id, v.body ->> '$.event_id' AS event_id,
    v.body ->> '$.parent_id' AS parent_id, v.body ->> '$.contact_id' AS contact_id,
    coalesce(v.body ->> '$.kind', 'payment') AS kind, v.body ->> '$.status' AS status, v.body ->> '$.method' AS method,
    v.body ->> '$.amount.amount' AS amount, v.body ->> '$.amount.currency' AS currency,
    v.body ->> '$.amount_refunded.amount' AS amount_refunded,
    v.body ->> '$.created_at' AS created_at, v.body ->> '$.paid_at' AS paid_at, v.body ->> '$.updated_at' AS updated_at,
    coalesce(v.body ->> '$.test', 0) AS test,
    v.body ->> '$.reason' AS reason
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision
WHERE h.kind = 3 AND NOT h.deleted;
