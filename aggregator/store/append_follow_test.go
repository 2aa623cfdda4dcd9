package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// Who follows the log of the process that appends gets what was appended as it is in the database, though it is not read back from
// there; who asks again, or reads the whole log, gets what the database has.
func testFollowAppended(t *testing.T, database string) {
	l := openLog(t, database)
	l.append(t, ticket("before", 0, record.TicketValid))
	if _, err := l.Position(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.append(t, ticket("a", 0, record.TicketValid), ticket("b", 0, record.TicketValid))
	l.append(t, ticket("c", 0, record.TicketValid))
	execute(t, database, `UPDATE version SET body = 'damaged'`)
	if got := followed(t, l.Records, 1); len(got) != 3 || got[0].Record.RecordID() != "a" || got[2].Record.RecordID() != "c" || got[2].Revision != 4 || !got[2].Head {
		t.Errorf("%d versions were read from the database: %v", 3-len(got), got)
	}
	for _, after := range []int64{0, 1} {
		for _, err := range l.Versions(t.Context(), after) {
			if err == nil {
				t.Errorf("a version after %d did not come from the database", after)
			}
			break
		}
	}
	l.append(t, ticket("d", 0, record.TicketValid))
	p, err := l.Position(t.Context())
	if err == nil {
		err = l.Renew(t.Context(), p.Epoch)
	}
	if err == nil {
		_, err = l.Position(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	execute(t, database, `UPDATE version SET body = 'damaged'`)
	for _, err := range l.Versions(t.Context(), 4) {
		if err == nil {
			t.Error("a version of another epoch did not come from the database")
		}
	}
}

// What a follower gets is the same whatever others write meanwhile, and wherever it begins.
func testFollowAmongOthers(t *testing.T, database string) {
	l, theirs := openLog(t, database), records(t, open(t, database), "default")
	r := rand.New(rand.NewPCG(1, 2))
	var at, revision int64
	for n := range 120 {
		switch r.IntN(6) {
		case 0:
			if _, err := theirs.Enter(t.Context(), noon, &record.WalkIn{ID: fmt.Sprint(n), EventID: "e", Count: 1}); err != nil {
				t.Fatal(err)
			}
		case 1:
			if _, err := l.Enter(t.Context(), noon, &record.WalkIn{ID: fmt.Sprint(n), EventID: "e", Count: 2}); err != nil {
				t.Fatal(err)
			}
		default:
			l.append(t, ticket(fmt.Sprint(r.IntN(30)), n, record.TicketValid), ticket(fmt.Sprint(r.IntN(30)), n, record.TicketVoid))
		}
		if r.IntN(3) > 0 {
			continue
		}
		p, err := l.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if revision = at; r.IntN(8) == 0 {
			revision = r.Int64N(at + 1)
		}
		got, want := followed(t, l.Records, revision), followed(t, theirs, revision)
		if !reflect.DeepEqual(got, want) || len(got) > 0 && got[len(got)-1].Revision != p.Revision {
			t.Fatalf("after %d: %d versions %v, want %d %v", revision, len(got), got, len(want), want)
		}
		at = p.Revision
	}
}

// followed returns the versions after a revision.
func followed(t *testing.T, r *store.Records, after int64) (all []record.Version) {
	t.Helper()
	for v, err := range r.Versions(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}
