package store_test

import (
	"path/filepath"
	"testing"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// A conflict, which only a damaged database has, ends the transaction: nothing of the batch is stored, and once the damage is
// mended the same process appends it.
func TestAppendConflict(t *testing.T) {
	for what, damage := range map[string][2]string{
		"version": {
			`INSERT INTO version (revision, service, kind, head, hash, id, body) VALUES (3, 2, 2, 1, 0, 'other', '{}')`,
			`DELETE FROM version WHERE service = 2`,
		},
		"head": {
			`CREATE UNIQUE INDEX damage ON head (kind)`,
			`DROP INDEX damage`,
		},
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "house.db")
			l := openLog(t, path)
			l.put(t, 1, 1, ticket("tkt_a", 0, record.TicketValid))
			run(t, path, damage[0])
			batch := aggregator.Batch{Term: l.term, SeenAt: noon, Records: []record.Record{
				ticket("tkt_b", 0, record.TicketValid), ticket("tkt_c", 0, record.TicketValid)}}
			if a, err := l.Append(t.Context(), batch); err == nil {
				t.Fatalf("%+v, want an error", a)
			}
			if p, err := l.Position(t.Context()); err != nil || p.Revision != 1 {
				t.Fatalf("%+v, %v, want revision 1", p, err)
			}
			run(t, path, damage[1])
			l.put(t, 2, 3, batch.Records...)
			l.put(t, 0, 3, batch.Records...)
			n := 0
			for _, err := range l.Versions(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 3 {
				t.Errorf("%d versions, want 3", n)
			}
		})
	}
}
