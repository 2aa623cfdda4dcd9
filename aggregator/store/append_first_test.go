package store_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// While a list is read for the first time, records that came before are known, in the same batch or in a later one, and are stored
// once; so they are to the process that goes on.
func testFirstRead(t *testing.T, database string) {
	r := rand.New(rand.NewPCG(1, 2))
	came := map[string]bool{}
	for range 2 {
		l := openLog(t, database)
		for range 10 {
			var batch []record.Record
			fresh := 0
			for range 150 {
				id := fmt.Sprint("tkt_", r.IntN(1500))
				if batch = append(batch, ticket(id, 0, record.TicketValid)); !came[id] {
					came[id] = true
					fresh++
				}
			}
			if a := l.append(t, batch...); a.New != fresh {
				t.Fatalf("%d new ones, want %d", a.New, fresh)
			}
		}
		n := 0
		for _, err := range l.Heads(t.Context(), record.KindTicket) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		if n != len(came) {
			t.Errorf("%d heads of %d tickets", n, len(came))
		}
		l.end()
	}
}

// What is new of a list that is read for the first time is not looked for in the database, so that a head that somebody else put there is
// not found. It is looked for once it came, also if that failed.
func TestFirstReadLooksForNothing(t *testing.T) {
	database := filepath.Join(t.TempDir(), "house.db")
	l := openLog(t, database)
	l.append(t, ticket("a", 0, record.TicketValid))
	execute(t, database, `INSERT INTO head (service, kind, id, revision, latest, hash, updated, deleted)
		SELECT service, kind, 'b', revision, latest, hash, updated, deleted FROM head WHERE id = 'a'`)
	b := ticket("b", 1, record.TicketValid)
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: []record.Record{b}}); err == nil {
		t.Error("it was found")
	}
	execute(t, database, `DELETE FROM head WHERE id = 'b'`)
	l.put(t, 1, 2, b)
	l.put(t, 0, 2, b)
}

// Ten minutes after the last big batch the heads are looked for again, whatever comes then, or though nothing does.
func TestFirstReadEndsByTime(t *testing.T) {
	for minutes, found := range map[int]bool{9: false, 11: true} {
		database := filepath.Join(t.TempDir(), "house.db")
		l := openLog(t, database)
		l.append(t, ticket("a", 0, record.TicketValid))
		if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon.Add(time.Duration(minutes) * time.Minute)}); err != nil {
			t.Fatal(err)
		}
		execute(t, database, `INSERT INTO head (service, kind, id, revision, latest, hash, updated, deleted)
			SELECT service, kind, 'b', revision, latest, hash, updated, deleted FROM head WHERE id = 'a'`)
		if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: []record.Record{ticket("b", 1, record.TicketValid)}}); (err == nil) != found {
			t.Errorf("%d minutes later: %v", minutes, err)
		}
	}
}
