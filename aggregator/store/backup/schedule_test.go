package backup

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// in returns Schedule.Last and Schedule.Enter of what a slice holds.
func in(entered *[]*record.Reconciliation) (func() *record.Reconciliation, func(context.Context, time.Time, ...record.Record) (int64, error)) {
	last := func() *record.Reconciliation {
		if len(*entered) == 0 {
			return nil
		}
		return (*entered)[len(*entered)-1]
	}
	return last, func(_ context.Context, _ time.Time, r ...record.Record) (int64, error) {
		*entered = append(*entered, r[0].(*record.Reconciliation))
		return int64(len(*entered)), nil
	}
}

// Backups are made by themselves as long as this process polls; the newest are kept, and one that fails, and that it
// works again, is entered once.
func TestUpkeepBackups(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(root, "backups")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(t.Context(), filepath.Join(root, "house.db"))
		if err != nil {
			t.Fatal(err)
		}
		var entered []*record.Reconciliation
		leads := false
		b := &Schedule{Dir: dir, Every: 24 * time.Hour, Keep: 14, Leads: func() bool { return leads }, Now: time.Now, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
			Store: db}
		b.Last, b.Enter = in(&entered)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- b.Run(ctx) }()
		names := func(d string) (names []string) {
			files, err := os.ReadDir(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				names = append(names, f.Name())
			}
			return names
		}
		after := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}

		after(48 * time.Hour)
		if len(names(dir)) > 0 {
			t.Fatalf("who does not poll makes %v", names(dir))
		}
		for _, other := range []string{"housecount-20000102T030405Z.zip.77.part", "mine.zip", "housecount-latest.zip"} {
			if err := os.WriteFile(filepath.Join(dir, other), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		leads = true
		after(backupCheck)
		first := names(dir)
		if len(first) != 3 || len(entered) != 1 || len(entered[0].Found) > 0 || !entered[0].Due.After(time.Now().Add(24*time.Hour)) {
			t.Fatalf("after the first there are %v, entered %+v", first, entered)
		}
		if info, err := os.Stat(filepath.Join(dir, first[0])); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s is %v (%v)", first[0], info.Mode(), err)
		}
		after(23 * time.Hour)
		if len(names(dir)) != 3 {
			t.Errorf("after 23 hours there are %v", names(dir))
		}
		after(20 * 24 * time.Hour)
		if now := names(dir); len(now) != 14+2 || now[0] == first[0] || strings.Join(now[14:], " ") != "housecount-latest.zip mine.zip" {
			t.Errorf("after three weeks there are %v", now)
		}

		n := len(entered)
		if err := os.Rename(dir, dir+".away"); err != nil {
			t.Fatal(err)
		}
		after(26 * time.Hour)
		if len(entered) != n+1 || len(entered[n].Found) != 1 || time.Since(entered[n].Found[0].Since) > 26*time.Hour {
			t.Errorf("backups that fail are entered as %+v", entered[n:])
		}
		if why := entered[n].Found[0].Why; why != record.BackupNoDirectory {
			t.Errorf("without a directory a backup fails for %q", why)
		}
		if good := entered[n-1].At; !entered[n].Whole.Equal(good) {
			t.Errorf("with backups that fail the last good one is of %v, want %v", entered[n].Whole, good)
		}
		if err := os.Rename(dir+".away", dir); err != nil {
			t.Fatal(err)
		}
		after(backupAgain + backupCheck)
		if len(entered) != n+2 || len(entered[n+1].Found) > 0 || !entered[n+1].At.After(entered[n].At) || !entered[n+1].Whole.IsZero() {
			t.Errorf("a backup that works again is entered as %+v", entered[n:])
		}

		b.Dir = "" // as after a start without the option
		after(2 * backupCheck)
		if last := entered[len(entered)-1]; len(entered) != n+3 || !last.Due.IsZero() || len(last.Found) > 0 || !last.Whole.Equal(entered[n+1].At) {
			t.Errorf("where none are made any more is entered %+v", last)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Why a backup failed is entered, and anew when it fails for another reason, with when the first failed.
func TestBackupFaults(t *testing.T) {
	var entered []*record.Reconciliation
	now := time.Date(2026, 11, 20, 3, 0, 0, 0, time.UTC)
	b := &Schedule{Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	b.Last, b.Enter = in(&entered)
	began := now
	var why []record.BackupFault
	for _, failure := range []error{
		&fs.PathError{Op: "write", Err: syscall.ENOSPC}, fmt.Errorf("store: %w", syscall.ENOSPC), &fs.PathError{Op: "open", Err: syscall.EACCES},
		&fs.PathError{Op: "open", Err: syscall.EROFS}, fmt.Errorf("%w: %w", errDamaged, io.ErrUnexpectedEOF), io.ErrClosedPipe,
	} {
		b.note(t.Context(), failure, now)
		now = now.Add(time.Hour)
	}
	for _, r := range entered {
		if why = append(why, r.Found[0].Why); !r.Found[0].Since.Equal(began) {
			t.Errorf("failed since %v, want %v", r.Found[0].Since, began)
		}
	}
	if want := []record.BackupFault{record.BackupDiskFull, record.BackupDenied, record.BackupDamaged, record.BackupOther}; !slices.Equal(why, want) {
		t.Errorf("entered are %q, want %q", why, want)
	}
}

// A backup that is not whole on the disk counts as failed and does not stay.
func TestBackupIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "housecount-20261125T030000Z.zip")
	if err := os.WriteFile(path, []byte(fmt.Sprint(strings.Repeat("x", 100))), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := verified(t.Context(), path); err == nil {
		t.Error("what is no backup passes for one")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("what is no backup stays")
	}
}

// A backup that is dated ahead of the clock, which was wrong then, neither counts as the last one nor is taken away, and
// has no others taken away for it.
func TestBackupFromTheFuture(t *testing.T) {
	dir := t.TempDir()
	at := func(ago time.Duration) string {
		return filepath.Join(dir, "housecount-"+time.Now().Add(-ago).UTC().Format(backupTime)+".zip")
	}
	write := func(path string) {
		t.Helper()
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &Schedule{Dir: dir, Every: 24 * time.Hour, Keep: 2, Log: slog.New(slog.DiscardHandler)}
	ahead, hour, days := at(-30*time.Hour), at(time.Hour), at(50*time.Hour)
	write(ahead)
	if !b.due() {
		t.Error("none is due beside one from the future alone")
	}
	write(days)
	write(hour)
	if b.due() {
		t.Error("one is due an hour after the last")
	}
	b.prune()
	for _, path := range []string{ahead, hour, days} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
