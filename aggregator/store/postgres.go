package store

import (
	"context"
	"database/sql"
	"errors"
)

type postgresDB struct {
	sqliteDB
	name string
}

func newPostgres(name string) (*postgresDB, error) { return nil, errors.New("x") }

var _ = sql.ErrNoRows
var _ context.Context
