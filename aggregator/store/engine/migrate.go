package engine

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/pressly/goose/v3"

	"housecount/aggregator/store/bodies"
	"housecount/apiclient/record"
)

//go:embed migrations
var migrations embed.FS

// UpgradeStep is a step of an upgrade of the schema.
type UpgradeStep struct {
	// Step is its number, from 1, of Of.
	Step, Of int
	// To is the version of the schema that it makes, and What a few words for what it is about.
	To   int64
	What string
}

// Progress is who is told of an upgrade.
type Progress struct {
	Log *slog.Logger
	// Report, if it is not nil, is called before each step: a large database takes minutes.
	Report func(UpgradeStep)
}

// upgrade brings a schema, whose version is current, up to the newest that p knows. alone runs a function while no
// other process can upgrade the same database. A new database is made without a report.
func upgrade(ctx context.Context, p *goose.Provider, current int64, to Progress, alone func(f func() error) error) error {
	known := newest(p)
	if err := refuseNewer(current, known); err != nil || current == known {
		return err
	}
	return alone(func() error {
		if current == 0 {
			if _, err := p.Up(ctx); err != nil {
				return fmt.Errorf("migrate: %w", err)
			}
			return nil
		}
		began := time.Now()
		to.Log.Info("the database is being brought up to date; nothing is shown until that is done", "from", current, "to", known)
		if err := stepByStep(ctx, p, to); err != nil {
			return err
		}
		to.Log.Info("the database is up to date", "schema", known, "took", time.Since(began))
		return nil
	})
}

// stepByStep brings a schema up to date, and logs and reports each step before it is done. Another process may be doing
// the same.
func stepByStep(ctx context.Context, p *goose.Provider, to Progress) error {
	current, _, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	var steps []*goose.Source
	for _, s := range p.ListSources() {
		if s.Version > current {
			steps = append(steps, s)
		}
	}
	for i, s := range steps {
		step := UpgradeStep{Step: i + 1, Of: len(steps), To: s.Version, What: about(s)}
		to.Log.Info("a step of bringing the database up to date", "step", step.Step, "of", step.Of, "schema", step.To, "what", step.What)
		if to.Report != nil {
			to.Report(step)
		}
		if _, err := p.UpTo(ctx, s.Version); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
	}
	return nil
}

// about returns the words of a migration's file name.
func about(s *goose.Source) string {
	_, name, found := strings.Cut(path.Base(s.Path), "_")
	if !found { // a program
		return "the newest version of each record"
	}
	return strings.ReplaceAll(strings.TrimSuffix(name, ".sql"), "_", " ")
}

// refuseNewer refuses a schema that this program does not know.
func refuseNewer(current, known int64) error {
	if current > known {
		return fmt.Errorf("was made by a newer housecount (schema %d, this one knows %d): use that one, or name another database", current, known)
	}
	return nil
}

// NewestSchema returns the version of the newest schema of all, by SQLite's count.
func NewestSchema() (newest int64, err error) {
	files, err := fs.ReadDir(migrations, "migrations/sqlite")
	for _, f := range files {
		n, err := goose.NumericComponent(f.Name())
		if err != nil {
			return 0, err
		}
		newest = max(newest, n)
	}
	return newest, err
}

// newest returns the version of the newest schema that p knows.
func newest(p *goose.Provider) int64 {
	sources := p.ListSources()
	return sources[len(sources)-1].Version
}

func provider(dialect goose.Dialect, db *sql.DB, directory string, o ...goose.ProviderOption) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations/"+directory)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, files, append(o, goose.WithDisableGlobalRegistry(true))...)
}

// migrateTo brings an empty database to a schema.
func migrateTo(ctx context.Context, d migratable, schema int64) error {
	p, err := d.provider()
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, schema)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return nil
	}
	return err
}

// migratable is what SQLite and Postgres have for migrations.
type migratable interface {
	Schema(ctx context.Context) (int64, error)
	provider() (*goose.Provider, error)
}

// refuseNewerOf refuses a database whose schema this program does not know.
func refuseNewerOf(ctx context.Context, d migratable) error {
	current, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	p, err := d.provider()
	if err != nil {
		return err
	}
	return refuseNewer(current, newest(p))
}

// refuseOlderOf refuses a database that has to be brought up to date.
func refuseOlderOf(ctx context.Context, d migratable) error {
	current, err := d.Schema(ctx)
	if err != nil || current == 0 {
		return err
	}
	p, err := d.provider()
	if err != nil {
		return err
	}
	if known := newest(p); current < known {
		return fmt.Errorf("its schema is older (%d, this housecount has %d): start serve of this version first, or use the version that runs", current, known)
	}
	return nil
}

// LeastSchema is the oldest schema that both kinds of database have.
const LeastSchema = 6

// PortableSchema returns a schema's number in both kinds of database: PostgreSQL has no 6, which is its 5.
func PortableSchema(schema int64) int64 {
	if schema == LeastSchema-1 {
		return LeastSchema
	}
	return schema
}

// created finds the tables that migrations make.
var created = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// OurTables returns the names of the tables that migrations make, of whatever schema. A PostgreSQL database may hold
// tables of others beside a housecount. The map must not be changed.
var OurTables = sync.OnceValues(func() (map[string]bool, error) {
	names := map[string]bool{}
	err := fs.WalkDir(migrations, "migrations", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations, path)
		for _, found := range created.FindAllSubmatch(text, -1) {
			names[string(found[1])] = true
		}
		return err
	})
	return names, err
})

// fillPage is how many versions are filled in at once.
const fillPage = 500

// fillHeads adds hashes and times to the versions of an older database, and makes the heads.
func fillHeads(ctx context.Context, tx *sql.Tx) error {
	fill, err := tx.PrepareContext(ctx, `UPDATE version SET hash = ?, updated = ? WHERE revision = ?`)
	if err != nil {
		return err
	}
	add, err := tx.PrepareContext(ctx, `INSERT INTO head (service, kind, id, revision, latest, hash, updated, deleted) VALUES (1, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	for after, more := int64(0), true; more; {
		page, err := bodiesAfter(ctx, tx, after)
		if err != nil {
			return err
		}
		for _, v := range page {
			body := []byte(v.Body)
			rec, err := bodies.Decode(bodies.Kind(v.Kind), body)
			if err != nil {
				return fmt.Errorf("revision %d: %w", v.Revision, err)
			}
			hash, updated := bodies.Hash(body), number64(bodies.Micros(rec.RecordUpdated()))
			if _, err := fill.ExecContext(ctx, hash, updated, v.Revision); err != nil {
				return err
			}
			if _, err := add.ExecContext(ctx, v.Kind, v.ID, v.Revision, v.Revision, hash, updated, record.Deleted(rec)); err != nil {
				return err
			}
			after = v.Revision
		}
		more = len(page) == fillPage
	}
	return nil
}

func bodiesAfter(ctx context.Context, tx *sql.Tx, after int64) (page []Version, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT revision, kind, id, body FROM version WHERE revision > ? ORDER BY revision LIMIT ?`, after, fillPage)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v Version
		if err := rows.Scan(&v.Revision, &v.Kind, &v.ID, &v.Body); err != nil {
			return nil, err
		}
		page = append(page, v)
	}
	return page, rows.Err()
}
