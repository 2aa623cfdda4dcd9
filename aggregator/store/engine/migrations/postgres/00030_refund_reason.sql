-- +goose Up

-- A refund has the reason that somebody gave for it.
CREATE OR REPLACE VIEW payment AS
SELECT s.name AS service, h.id, v.revision,
    b ->> 'order_id' AS order_id, b ->> 'event_id' AS event_id, b ->> 'parent_id' AS parent_id, b ->> 'contact_id' AS contact_id,
    coalesce(b ->> 'kind', 'payment') AS kind, b ->> 'status' AS status, b ->> 'method' AS method,
    (b #>> '{amount,amount}')::bigint AS amount, b #>> '{amount,currency}' AS currency,
    (b #>> '{amount_refunded,amount}')::bigint AS amount_refunded,
    (b ->> 'created_at')::timestamptz AS created_at, (b ->> 'paid_at')::timestamptz AS paid_at, (b ->> 'updated_at')::timestamptz AS updated_at,
    coalesce((b ->> 'test')::boolean, false) AS test,
    b ->> 'reason' AS reason
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision CROSS JOIN LATERAL (SELECT v.body::json) AS x (b)
WHERE h.kind = 3 AND NOT h.deleted;
