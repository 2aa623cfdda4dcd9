package engine

import (
	"fmt"
	"strconv"
	"strings"

	"housecount/aggregator/store/bodies"
)

// rowsAtOnce are the numbers of rows for which insertVersions is prepared, descending.
var rowsAtOnce = []int{64, 8, 1}

const (
	selectTerm = `SELECT term, tenure FROM lease WHERE service = $1`

	// differentHeads takes a JSON object of hashes by id and returns those that differ from the heads' hashes,
	// with the heads, as one text (see parseHeads): one row per head would cost more than finding it.
	differentHeads = `SELECT group_concat(j.rowid || coalesce(' ' || h.revision || ' ' || h.latest || ' ' || h.hash
			|| ' ' || coalesce(h.updated, 0) || ' ' || h.deleted, ''), ',')
		FROM json_each($1) j LEFT JOIN head h ON h.service = $2 AND h.kind = $3 AND h.id = j.key
		WHERE h.hash IS NOT j.value`

	// What is new cannot conflict. ROLLBACK instead of ABORT spares SQLite a copy of every page that a statement changes.
	newHeads = `INSERT OR ROLLBACK INTO head (service, kind, id, revision, latest, hash, updated, deleted)
		SELECT service, kind, id, revision, revision, hash, updated, 0 FROM version WHERE revision >= $1 ORDER BY kind, id`
	insertHead = `INSERT INTO head (service, kind, id, revision, latest, hash, updated, deleted) `
	onConflict = ` ON CONFLICT (service, kind, id) DO UPDATE SET revision = excluded.revision, latest = excluded.latest,
			hash = excluded.hash, updated = excluded.updated, deleted = excluded.deleted`
	// copyHeads makes the versions from a revision on the heads of their records.
	copyHeads = insertHead + `SELECT service, kind, id, revision, revision, hash, updated, 0
		FROM version WHERE revision >= $1` + onConflict
	setHead = insertHead + `VALUES ($1, $2, $3, $4, $5, $6, nullif($7, 0), $8)` + onConflict
)

// insertVersions returns a statement that inserts n versions. Its first parameters are shared: the first revision,
// which the others follow, service, kind, head and seen.
func insertVersions(n int) string {
	text := []byte(`INSERT OR ROLLBACK INTO version (revision, service, kind, head, seen, previous, updated, hash, id, body) VALUES `)
	for i := range n {
		text = fmt.Appendf(text, `(?1+%d,?2,?3,?4,?5,?,?,?,?,?),`, i)
	}
	return string(text[:len(text)-1])
}

// hashesByID returns a JSON object of hashes by id. An id may occur twice.
func hashesByID(versions []*Version) string {
	b := append(make([]byte, 0, 48*len(versions)), '{')
	for i, v := range versions {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(bodies.AppendText(b, v.ID), ':'), v.Hash, 10)
	}
	return string(append(b, '}'))
}

// parseHeads parses comma-separated elements: a version's number in the list and, if its record has a head,
// revision, latest, hash, updated and deleted, each after a space.
func parseHeads(text string, f func(i int, h Head)) error {
	for element := range strings.SplitSeq(text, ",") {
		if element == "" {
			continue // there is no other
		}
		var numbers [6]int64
		n := 0
		for word := range strings.SplitSeq(element, " ") {
			number, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return err
			}
			numbers[n] = number
			n++
		}
		f(int(numbers[0]), Head{Revision: numbers[1], Latest: numbers[2], Hash: numbers[3], Updated: numbers[4], Deleted: numbers[5] != 0})
	}
	return nil
}

// alike returns how many of the first versions can be inserted by one statement.
func alike(versions []*Version) int {
	n := 1
	for n < min(len(versions), rowsAtOnce[0]) && versions[n].Kind == versions[0].Kind && versions[n].Head == versions[0].Head {
		n++
	}
	for _, piece := range rowsAtOnce {
		if n >= piece {
			return piece
		}
	}
	return n
}
