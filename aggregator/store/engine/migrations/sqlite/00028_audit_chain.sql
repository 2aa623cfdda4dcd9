-- +goose Up

-- The SHA-256 of the row before, with what that has here; empty in rows of before this column. The SHA-256 of the newest
-- row is in meta, as audit.
ALTER TABLE audit ADD COLUMN previous BLOB NOT NULL DEFAULT x'';

-- Rows go when they are before the time that is in meta, as audit_clear, while they are cleared.
-- +goose StatementBegin
CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit
WHEN OLD.at >= coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'audit_clear'), OLD.at) BEGIN
    SELECT RAISE(ABORT, 'what was done is never deleted');
END;
-- +goose StatementEnd
