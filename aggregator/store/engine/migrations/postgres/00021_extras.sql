-- +goose Up

-- What is no ticket says what it is: a fee, goods or a donation; and an exchanged ticket which one it replaces.
CREATE OR REPLACE VIEW ticket AS
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
    coalesce((b ->> 'test')::boolean, false) AS test,
    coalesce(b ->> 'kind', 'ticket') AS kind, b ->> 'replaces' AS replaces
FROM head h JOIN service s ON s.id = h.service JOIN version v ON v.revision = h.revision CROSS JOIN LATERAL (SELECT v.body::json) AS x (b)
WHERE h.kind = 2 AND NOT h.deleted;
