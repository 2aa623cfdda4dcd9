package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// Schedule makes a backup of the database every so often, on the replica that polls, and enters what came of it, so
// that every replica raises the alert that one is missing.
type Schedule struct {
	// Dir is where they are; empty if none are to be made.
	Dir   string
	Every time.Duration
	Keep  int

	Leads func() bool
	// Last returns what was entered last, nil for nothing.
	Last  func() *record.Reconciliation
	Enter func(ctx context.Context, at time.Time, entered ...record.Record) (revision int64, err error)
	Store *store.Store
	// Program is the version of the program.
	Program string
	Now     func() time.Time // by the venue's clock
	Log     *slog.Logger

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
func (b *Schedule) Run(ctx context.Context) error {
	tick := time.NewTicker(backupCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !b.Leads() {
			continue
		}
		if b.Dir == "" {
			if last := b.Last(); last != nil && (len(last.Found) > 0 || !last.Due.IsZero()) {
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
func (b *Schedule) due() bool {
	if !b.failed.IsZero() && time.Since(b.failed) < min(b.Every, backupAgain) {
		return false
	}
	made, _, err := b.list()
	return err != nil || len(made) == 0 || time.Since(made[len(made)-1]) >= b.Every
}

// backupName is the name of a backup that was made by itself, with when, in UTC.
var backupName = regexp.MustCompile(`^housecount-(\d{8}T\d{6}Z)\.zip$`)

const backupTime = "20060102T150405Z"

// list returns when the backups in the directory were made, and their names, the oldest first. One that is dated ahead of the
// clock was made while the clock was wrong: it is left out, so that it neither counts nor is taken away.
func (b *Schedule) list() (made []time.Time, names []string, err error) {
	files, err := os.ReadDir(b.Dir) // by name
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
func (b *Schedule) make(ctx context.Context) {
	began := time.Now()
	path := filepath.Join(b.Dir, "housecount-"+began.UTC().Format(backupTime)+".zip")
	b.clearParts()
	m, err := Write(ctx, b.Store, path, Options{Program: b.Program})
	if err == nil {
		if err = verified(ctx, path); err != nil {
			err = fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		b.failed = began
		b.Log.Error("the backup failed; it is tried again", "path", path, "error", err)
		b.note(ctx, err, b.Now())
		return
	}
	b.failed = time.Time{}
	b.Log.Info("backed up", "path", path, "rows", m.Rows(), "took", time.Since(began).Round(time.Millisecond))
	b.note(ctx, nil, b.Now().Add(b.Every+max(backupLate, b.Every/24)))
	b.prune()
}

// verified reads a backup from the disk and removes it if it is not whole.
func verified(ctx context.Context, path string) error {
	f, err := Open(ctx, path, nil)
	if ctx.Err() != nil { // nothing is known of it
		return errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return f.Close()
}

// prune takes away the oldest backups.
func (b *Schedule) prune() {
	_, names, err := b.list()
	for _, name := range names[:max(0, len(names)-b.Keep)] {
		err = errors.Join(err, os.Remove(filepath.Join(b.Dir, name)))
	}
	if err != nil {
		b.Log.Warn("old backups stay", "directory", b.Dir, "error", err)
	}
}

// clearParts takes away what is left of backups that were broken off.
func (b *Schedule) clearParts() {
	files, err := os.ReadDir(b.Dir)
	for _, f := range files {
		whole, isPart := strings.CutSuffix(f.Name(), partSuffix)
		if stem := strings.LastIndexByte(whole, '.'); isPart && stem > 0 && backupName.MatchString(whole[:stem]) {
			err = errors.Join(err, os.Remove(filepath.Join(b.Dir, f.Name())))
		}
	}
	if err != nil {
		b.Log.Warn("parts of backups stay", "directory", b.Dir, "error", err)
	}
}

// errDamaged is a backup that was written and could not be read back.
var errDamaged = errors.New("what was written cannot be read back")

// faultOf returns why a backup failed.
func faultOf(failure error) record.BackupFault {
	switch {
	case errors.Is(failure, errDamaged):
		return record.BackupDamaged
	case errors.Is(failure, syscall.ENOSPC), errors.Is(failure, syscall.EDQUOT):
		return record.BackupDiskFull
	case errors.Is(failure, fs.ErrPermission), errors.Is(failure, syscall.EROFS):
		return record.BackupDenied
	case errors.Is(failure, fs.ErrNotExist):
		return record.BackupNoDirectory
	}
	return record.BackupOther
}

// note enters what came of a backup, and when the next is to be there. A failure is entered once for each reason in turn, with
// when the first began.
func (b *Schedule) note(ctx context.Context, failure error, due time.Time) {
	last, at := b.Last(), b.Now()
	r := &record.Reconciliation{Check: string(figures.CheckBackup), At: at, Due: due}
	if last != nil {
		r.At = figures.Later(at, last.At.Add(time.Second))
		if made := due.After(at) && failure == nil; !made {
			if r.Whole = last.Whole; r.Whole.IsZero() && !last.Due.IsZero() {
				r.Whole = last.At
			}
		}
	}
	if failure != nil {
		found := record.Found{Key: string(figures.CheckBackup), Since: at, Why: faultOf(failure)}
		if last != nil && len(last.Found) > 0 {
			if last.Found[0].Why == found.Why {
				return
			}
			found.Since = last.Found[0].Since
		}
		r.Found, r.Due = []record.Found{found}, time.Time{}
	}
	if _, err := b.Enter(ctx, r.At, r); err != nil && ctx.Err() == nil {
		b.Log.Warn("what came of a backup is not stored", "error", err)
	}
}
