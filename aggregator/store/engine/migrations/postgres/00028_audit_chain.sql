-- +goose Up

-- The SHA-256 of the row before, with what that has here; empty in rows of before this column. The SHA-256 of the newest
-- row is in meta, as audit.
ALTER TABLE audit ADD COLUMN previous BYTEA NOT NULL DEFAULT '';

-- Rows go when they are before the time that is in meta, as audit_clear, while they are cleared.
-- +goose StatementBegin
CREATE FUNCTION audit_never_shrinks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.at < (SELECT value::bigint FROM meta WHERE key = 'audit_clear') THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION 'what was done is never deleted';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_never_shrinks();
CREATE TRIGGER audit_never_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_never_shrinks();
