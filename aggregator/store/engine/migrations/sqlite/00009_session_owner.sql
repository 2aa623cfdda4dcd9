-- +goose Up
-- +goose StatementBegin

-- What a session holds is mapped to a role at each use, so it has to say who issued it and what
-- was claimed; those from before do not.
DELETE FROM session WHERE revoked_at IS NULL;

-- For whoever looks after the sessions: whose they are, and from where they began.
ALTER TABLE session ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN address TEXT NOT NULL DEFAULT '';
-- Unix milliseconds: when it began, when somebody was last seen to use it, and when the sign-in
-- service was last asked about it, NULL where it cannot be.
ALTER TABLE session ADD COLUMN started INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN seen INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN checked INTEGER;
CREATE INDEX session_checked ON session (checked) WHERE checked IS NOT NULL AND revoked_at IS NULL;
-- +goose StatementEnd
