package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"

	"housecount/apiclient/record"
)

//go:embed migrations
var migrations embed.FS

// upgrade brings a schema, whose version is current, up to the newest that p knows. alone runs a function while no
// other process can upgrade the same database.
func upgrade(ctx context.Context, p *goose.Provider, current int64, log *slog.Logger, alone func(f func() error) error) error {
	known := newest(p)
	if err := refuseNewer(current, known); err != nil || current == known {
		return err
	}
	return alone(func() error {
		began := time.Now()
		if current > 0 {
			log.Info("the database is being brought up to date; nothing is shown until that is done", "from", current, "to", known)
		}
		if _, err := p.Up(ctx); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
		if current > 0 {
			log.Info("the database is up to date", "schema", known, "took", time.Since(began))
		}
		return nil
	})
}

// refuseNewer refuses a schema that this program does not know.
func refuseNewer(current, known int64) error {
	if current > known {
		return fmt.Errorf("was made by a newer housecount (schema %d, this one knows %d): use that one, or name another database", current, known)
	}
	return nil
}

// newestSchema returns the version of the newest schema of all, by SQLite's count.
func newestSchema() (newest int64, err error) {
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
			rec, err := decode(kinds[v.kind], v.body)
			if err != nil {
				return fmt.Errorf("revision %d: %w", v.revision, err)
			}
			hash, updated := hashOf(v.body), number64(micros(rec.RecordUpdated()))
			if _, err := fill.ExecContext(ctx, hash, updated, v.revision); err != nil {
				return err
			}
			if _, err := add.ExecContext(ctx, v.kind, v.id, v.revision, v.revision, hash, updated, record.Deleted(rec)); err != nil {
				return err
			}
			after = v.revision
		}
		more = len(page) == fillPage
	}
	return nil
}

func bodiesAfter(ctx context.Context, tx *sql.Tx, after int64) (page []version, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT revision, kind, id, body FROM version WHERE revision > ? ORDER BY revision LIMIT ?`, after, fillPage)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v version
		if err := rows.Scan(&v.revision, &v.kind, &v.id, &v.body); err != nil {
			return nil, err
		}
		page = append(page, v)
	}
	return page, rows.Err()
}
