package backup

import (
	"slices"
	"time"

	"housecount/aggregator/store"
)

// format is the number of the format that this program writes, the highest that it reads.
const format = 1

// manifestName is the name of the manifest in the archive.
const manifestName = "manifest.json"

// Manifest is what a backup contains.
type Manifest struct {
	Format int `json:"format"`
	// Program is the version of the program that made it, and Made when.
	Program string    `json:"program"`
	Made    time.Time `json:"made"`
	// Database is the kind of database that it was made of: SQLite or PostgreSQL.
	Database string `json:"database"`
	// Schema is the version of the schema, by SQLite's count.
	Schema int64 `json:"schema"`
	// LeftOut are the keys of the table meta that are not in it: secret ones.
	LeftOut []string    `json:"left_out"`
	Tables  []Table     `json:"tables"`
	Logs    []store.Log `json:"logs"`
}

// Table is one table of a backup.
type Table struct {
	Name string `json:"name"`
	// Columns are the names of the values of a row, in their order.
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
	// SHA256 is of the JSON lines, in hexadecimal.
	SHA256 string `json:"sha256"`
}

// Rows returns how many rows all tables have.
func (m *Manifest) Rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

// VersionCount returns how many versions all logs have.
func (m *Manifest) VersionCount() int64 {
	if t := m.table("version"); t != nil {
		return t.Rows
	}
	return 0
}

// HasKeys reports whether the database's secret key is in the backup.
func (m *Manifest) HasKeys() bool { return !slices.Contains(m.LeftOut, store.OwnKey) }

func (m *Manifest) table(name string) *Table {
	i := slices.IndexFunc(m.Tables, func(t Table) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Tables[i]
}
