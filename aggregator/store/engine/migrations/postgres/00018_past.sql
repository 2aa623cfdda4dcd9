-- +goose Up

-- The past of a performance is made of its versions, and stored nowhere else.
DROP TABLE reading;
ALTER TABLE service DROP COLUMN readings;
