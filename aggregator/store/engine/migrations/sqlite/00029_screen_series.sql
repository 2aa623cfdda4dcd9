-- +goose Up

-- A screen's device gets another credential each time that it loads its page. What they share is in credential_hash. These are
-- SHA-256 hashes: the credential that it had for sure, which is NULL if any of the series may be that and one zero byte if none
-- is any more, and those that were sent in its place, of which nobody knows yet whether they arrived.
ALTER TABLE screen ADD COLUMN key_hash BLOB;
ALTER TABLE screen ADD COLUMN next_hash BLOB;
ALTER TABLE screen ADD COLUMN spare_hash BLOB;
-- How many of the series were sent, and when the last was.
ALTER TABLE screen ADD COLUMN issued INTEGER NOT NULL DEFAULT 0;
ALTER TABLE screen ADD COLUMN issued_at INTEGER NOT NULL DEFAULT 0;
-- When another device was last noticed, 0 for not since somebody has dealt with it, and the hash of what it came with.
ALTER TABLE screen ADD COLUMN copied INTEGER NOT NULL DEFAULT 0;
ALTER TABLE screen ADD COLUMN copied_hash BLOB;
