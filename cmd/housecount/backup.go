package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/aggregator/store/backup"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/options"
)

// backupCommand writes a database to a file.
type backupCommand struct {
	options.DatabaseFlags `embed:""`

	File     string `arg:"" help:"The file to write, which must not be there yet." type:"path"`
	WithKeys bool   `help:"With the secret key that housecount keeps in the database where no --secret-key is given. Whoever has the file then opens what is sealed."`
}

func (c backupCommand) Run(ctx context.Context, env environment) error {
	if err := c.Missing(); err != nil {
		return err
	}
	db, err := store.OpenForBackup(ctx, string(c.Database))
	if err != nil {
		return err
	}
	defer db.Close()
	// A full disk must not keep anybody from a backup.
	if err := db.Audit().Append(ctx, store.Act{Actor: store.ActorCommand, Name: whoami(), Action: store.ActBackedUp}); err != nil {
		fmt.Fprintln(env.stderr, "housecount: the audit does not have this backup:", err)
	}
	began := time.Now()
	m, err := backup.Write(ctx, db, c.File, backup.Options{Program: options.Version(), Keys: c.WithKeys, Progress: newMeter(env.stderr, "writing rows").tell})
	if err != nil {
		return err
	}
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "%s: %s, %d bytes, in %s; housecount verify tries it\n", c.File, contents(m), info.Size(), time.Since(began).Round(time.Second/10))
	return err
}

// contents returns what a backup contains.
func contents(m *backup.Manifest) string {
	keys := "without its secret key"
	if m.HasKeys() {
		keys = "with its secret key"
	}
	return fmt.Sprintf("%d rows of %d tables, of %s, schema %d, %s", m.Rows(), len(m.Tables), m.Database, m.Schema, keys)
}

// restoreCommand fills a database from a file.
type restoreCommand struct {
	Database        options.Database `help:"The database to fill: a file that is not there, or the postgres:// address of an empty database." placeholder:"FILE|URL" required:"" check:"database"`
	File            string           `arg:"" help:"The backup." type:"path"`
	WithoutSessions bool             `help:"Leave out who was signed in, the keys of programs and who gets letters: all begin anew. What was ended of them after the backup would live again."`
}

func (c restoreCommand) Run(ctx context.Context, env environment) error {
	began := time.Now()
	b, err := openBackup(ctx, c.File, env)
	if err != nil {
		return err
	}
	defer b.Close()
	db, err := restoreAndRecompute(ctx, b, string(c.Database), c.WithoutSessions, env)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Accept(ctx); err != nil {
		return err
	}
	if err := db.Audit().Append(ctx, store.Act{Actor: store.ActorCommand, Name: whoami(), Action: store.ActRestored, Before: b.Made.Format(time.RFC3339)}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.stdout, "restored into --database %s in %s\n", c.Database, time.Since(began).Round(time.Second/10))
	return err
}

// verifyCommand restores a backup into a database that it takes away again.
type verifyCommand struct {
	File string `arg:"" help:"The backup." type:"path"`
	In   string `help:"Directory for the database that is made and taken away again; that of temporary files unless given." placeholder:"DIR" type:"path"`
}

func (c verifyCommand) Run(ctx context.Context, env environment) (err error) {
	began := time.Now()
	b, err := openBackup(ctx, c.File, env)
	if err != nil {
		return err
	}
	defer b.Close()
	dir, err := os.MkdirTemp(c.In, "housecount-verify-*")
	if err != nil {
		return fmt.Errorf("%w: give a directory that may be written as --in", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := restoreAndRecompute(ctx, b, filepath.Join(dir, "house.db"), false, env)
	if err != nil {
		return err
	}
	chain, err := db.Audit().Verify(ctx)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	switch {
	case chain.Broken && chain.BrokenAt.IsZero():
		return fmt.Errorf("%s can be restored, but its record of what was done is not whole: acts at its end were removed or changed", c.File)
	case chain.Broken:
		return fmt.Errorf("%s can be restored, but its record of what was done is not whole: acts at or right before %s were changed, added or removed", c.File, chain.BrokenAt.Format(time.RFC3339))
	}
	fmt.Fprintf(env.stdout, "what was done: each of %d acts fits the one before it\n", chain.Acts)
	_, err = fmt.Fprintf(env.stdout, "%s can be restored; verified in %s\n", c.File, time.Since(began).Round(time.Second/10))
	return err
}

// openBackup opens a backup that is whole, and prints what it contains.
func openBackup(ctx context.Context, path string, env environment) (*backup.File, error) {
	b, err := backup.Open(ctx, path, newMeter(env.stderr, "checking bytes").tell)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(env.stdout, "%s: made at %s by housecount %s: %s; every byte is as it was written\n", path, b.Made.Format(time.RFC3339), b.Program, contents(&b.Manifest))
	return b, nil
}

// restoreAndRecompute restores a backup and recomputes every figure from the versions in the file. A database whose figures
// differ is not accepted.
func restoreAndRecompute(ctx context.Context, b *backup.File, database string, withoutSessions bool, env environment) (*store.Restored, error) {
	db, err := b.Restore(ctx, database, backup.RestoreOptions{WithoutSessions: withoutSessions, Progress: newMeter(env.stderr, "writing and comparing rows").tell})
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(env.stdout, "restored and compared: every row of every table is that of the backup")
	for _, log := range b.Logs {
		r, err := recomputeFrom(ctx, b, db.Store, log, env)
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		if r.Differ > 0 {
			return nil, errors.Join(fmt.Errorf("figures of %d performances differ from those that the versions in %s give: the database is not used; report this, with %v", r.Differ, b.Made, r.Found[0]), db.Close())
		}
		fmt.Fprintf(env.stdout, "recomputed %s from %d versions: the figures of %d performances and of the house are the same\n", log.Service, r.Versions, r.Compared)
	}
	return db, nil
}

// recomputeFrom folds the database's log, and the backup's, and compares their figures. Which calendar they are of does
// not matter.
func recomputeFrom(ctx context.Context, b *backup.File, db *store.Store, log store.Log, env environment) (*record.Reconciliation, error) {
	records, err := db.Records(ctx, log.Service)
	if err != nil {
		return nil, err
	}
	states, _, err := records.Streams(ctx)
	if err != nil {
		return nil, err
	}
	var streams []aggregator.Stream
	for _, s := range states { // which kinds a list gives is known to its profile, and that is not at hand
		streams = append(streams, aggregator.Stream{Name: s.Name, Kinds: record.Kinds})
	}
	f, err := aggregator.New(aggregator.Options{Log: records, Streams: streams, Calendar: figures.Calendar{Zone: time.UTC}})
	if err != nil {
		return nil, err
	}
	for _, err := range records.Versions(ctx, 0) { // Figures would try again and again
		if err != nil {
			return nil, err
		}
	}
	following, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- f.Run(following) }()
	fmt.Fprintln(env.stderr, "counting the figures of the database")
	err = f.Await(ctx, log.Revision)
	var r *record.Reconciliation
	if err == nil {
		tell := newMeter(env.stderr, "counting the figures of the backup, versions").tell
		r, err = f.RecomputeFrom(ctx, time.Now(), b.Versions(log.Service), func(n int) { tell(int64(n), b.VersionCount()) })
	}
	stop()
	return r, errors.Join(err, <-ended)
}

// meterInterval is how often a meter prints.
const meterInterval = 2 * time.Second

// meterSurely is the part of all, as its denominator, from which on a meter says how long it still takes: the first rows
// take much longer than the others, for a database is made before them.
const meterSurely = 20

// meter prints how far something is, and how long it still takes.
type meter struct {
	w           io.Writer
	what        string
	began, said time.Time
}

func newMeter(w io.Writer, what string) *meter {
	now := time.Now()
	return &meter{w: w, what: what, began: now, said: now}
}

// tell prints how much is done of all, unless it has just done so.
func (m *meter) tell(done, all int64) {
	now := time.Now()
	if now.Sub(m.said) < meterInterval || done <= 0 {
		return
	}
	m.said = now
	if done < all/meterSurely {
		fmt.Fprintf(m.w, "%s: %d of %d\n", m.what, done, all)
		return
	}
	left := time.Duration(float64(now.Sub(m.began)) / float64(done) * float64(max(0, all-done)))
	fmt.Fprintf(m.w, "%s: %d of %d, %s left\n", m.what, done, all, left.Round(time.Second))
}
