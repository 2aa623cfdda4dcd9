package options

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"housecount/aggregator/store"
)

// DatabaseFlags are the options for the database of the sessions.
type DatabaseFlags struct {
	Database Database `help:"Where records and sessions are kept: an SQLite file, or the postgres:// address of a PostgreSQL database, which several housecounts may share." default:"housecount.db" placeholder:"FILE|URL" check:"database" manual:"See [Databases](50-databases.md). It is of one service: with another profile or var give another one."`
}

// Open opens the database, which must exist.
func (f DatabaseFlags) Open(ctx context.Context) (*store.Store, error) {
	if err := f.Missing(); err != nil {
		return nil, err
	}
	return store.OpenHeld(ctx, string(f.Database))
}

// Missing returns an error if the database is a file that is not there.
func (f DatabaseFlags) Missing() error {
	if f.Database.IsAddress() {
		return nil
	}
	if _, err := os.Stat(string(f.Database)); errors.Is(err, fs.ErrNotExist) {
		return &Faults{List: []string{fmt.Sprintf("--database %s is not there: give the one that serve uses", f.Database)}}
	}
	return nil
}
