package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store/backup"
	"housecount/apiclient/record"
)

// backups makes a backup of the database every so often, on the replica that polls, and enters what came of it, so
// that every replica raises the alert that one is missing.
type backups struct {
	// dir is where they are; empty if none are to be made.
	dir   string
	every time.Duration
	keep  int

	leads func() bool
	// last returns what was entered last, nil for nothing.
	last   func() *record.Reconciliation
	enter  func(ctx context.Context, at time.Time, entered ...record.Record) (revision int64, err error)
	backUp func(ctx context.Context, path string, o backup.Options) (*backup.Manifest, error)
	now    func() time.Time // by the venue's clock
	log    *slog.Logger

	failed time.Time // when the last one failed, zero if it did not
}

const (
	// backupCheck is how often it is seen whether a backup is due.
	backupCheck = 15 * time.Second
	// backupAgain is how long after one that failed the next is tried, at most.
	backupAgain = 15 * time.Minute
	// backupLate is how long after it was due a backup that is not there is missed, at least.
	backupLate = time.Hour
)

// Run makes backups until ctx ends, and then returns nil.
func (b *backups) Run(ctx context.Context) error {
	tick := time.NewTicker(backupCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !b.leads() {
			continue
		}
		if b.dir == "" {
			if last := b.last(); last != nil && (len(last.Found) > 0 || !last.Due.IsZero()) {
				b.note(ctx, nil, time.Time{}) // nobody waits for one any more
			}
			continue
		}
		if b.due() {
			b.make(ctx)
		}
	}
}

// due reports whether a backup is to be made now. The directory says when the last was made: so it does after a start,
// and on another replica that writes to the same place.
func (b *backups) due() bool {
	if !b.failed.IsZero() && time.Since(b.failed) < min(b.every, backupAgain) {
		return false
	}
	made, _, err := b.list()
	return err != nil || len(made) == 0 || time.Since(made[len(made)-1]) >= b.every
}

// backupName is the name of a backup that was made by itself, with when, in UTC.
var backupName = regexp.MustCompile(`^housecount-(\d{8}T\d{6}Z)\.zip$`)

const backupTime = "20060102T150405Z"

// list returns when the backups in the directory were made, and their names, the oldest first. One that is dated ahead of the
// clock was made while the clock was wrong: it is left out, so that it neither counts nor is taken away.
func (b *backups) list() (made []time.Time, names []string, err error) {
	files, err := os.ReadDir(b.dir) // by name
	for _, f := range files {
		name := backupName.FindStringSubmatch(f.Name())
		if name == nil {
			continue
		}
		if at, err := time.Parse(backupTime, name[1]); err == nil && !at.After(time.Now()) {
			made, names = append(made, at), append(names, f.Name())
		}
	}
	return made, names, err
}

// make makes a backup, verifies what is on the disk, and takes away those that are too many.
func (b *backups) make(ctx context.Context) {
	began := time.Now()
	path := filepath.Join(b.dir, "housecount-"+began.UTC().Format(backupTime)+".zip")
	b.clearParts()
	m, err := b.backUp(ctx, path, backup.Options{Program: version()})
	if err == nil {
		err = verified(ctx, path)
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		b.failed = began
		b.log.Error("the backup failed; it is tried again", "path", path, "error", err)
		b.note(ctx, err, b.now())
		return
	}
	b.failed = time.Time{}
	b.log.Info("backed up", "path", path, "rows", m.Rows(), "took", time.Since(began).Round(time.Millisecond))
	b.note(ctx, nil, b.now().Add(b.every+max(backupLate, b.every/24)))
	b.prune()
}

// verified reads a backup from the disk and removes it if it is not whole.
func verified(ctx context.Context, path string) error {
	f, err := backup.Open(ctx, path, nil)
	if ctx.Err() != nil { // nothing is known of it
		return errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return f.Close()
}

// prune takes away the oldest backups.
func (b *backups) prune() {
	_, names, err := b.list()
	for _, name := range names[:max(0, len(names)-b.keep)] {
		err = errors.Join(err, os.Remove(filepath.Join(b.dir, name)))
	}
	if err != nil {
		b.log.Warn("old backups stay", "directory", b.dir, "error", err)
	}
}

// clearParts takes away what is left of backups that were broken off.
func (b *backups) clearParts() {
	files, err := os.ReadDir(b.dir)
	for _, f := range files {
		whole, isPart := strings.CutSuffix(f.Name(), backup.PartSuffix)
		if stem := strings.LastIndexByte(whole, '.'); isPart && stem > 0 && backupName.MatchString(whole[:stem]) {
			err = errors.Join(err, os.Remove(filepath.Join(b.dir, f.Name())))
		}
	}
	if err != nil {
		b.log.Warn("parts of backups stay", "directory", b.dir, "error", err)
	}
}

// note enters what came of a backup, and when the next is to be there. A failure is entered once, with when it began.
func (b *backups) note(ctx context.Context, failure error, due time.Time) {
	last, at := b.last(), b.now()
	r := &record.Reconciliation{Check: string(figures.CheckBackup), At: at, Due: due}
	if last != nil {
		r.At = figures.Later(at, last.At.Add(time.Second))
	}
	if failure != nil {
		if last != nil && len(last.Found) > 0 {
			return
		}
		r.Found, r.Due = []record.Found{{Key: string(figures.CheckBackup), Since: at}}, time.Time{}
	}
	if _, err := b.enter(ctx, r.At, r); err != nil && ctx.Err() == nil {
		b.log.Warn("what came of a backup is not stored", "error", err)
	}
}
