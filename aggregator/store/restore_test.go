package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// execute executes SQL beside the store.
func execute(t *testing.T, database, statement string) {
	t.Helper()
	if strings.HasPrefix(database, "postgres") {
		pgtest.Exec(t, database, statement)
	} else {
		run(t, database, statement)
	}
}

// lose puts the database back to before revision 5, as a restored backup does.
func lose(t *testing.T, database string) {
	t.Helper()
	for _, statement := range []string{`DELETE FROM version WHERE revision = 5`, `DELETE FROM head WHERE revision = 5`,
		`UPDATE counter SET revision = 4`, `UPDATE service SET revision = 4`, `UPDATE stream SET counter = 4`} {
		execute(t, database, statement)
	}
}

func fiveAppends(t *testing.T, database string) log {
	l := openLog(t, database)
	for i := range 5 {
		if _, err := l.Append(t.Context(), nth(l, i)); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func nth(l log, i int) aggregator.Batch {
	return aggregator.Batch{Term: l.term, SeenAt: noon, Records: tickets(i + 1)[i:],
		Streams: []aggregator.StreamState{{Name: "tickets", Since: noon.Add(time.Duration(i) * time.Minute)}}}
}

// A database that is restored in place, behind the one that polls, has its old lease. The
// first append finds out, moves no mark, and tells everybody by a new epoch; though it would
// have brought the log to the very position where it was.
func testRestoredInPlace(t *testing.T, database string) {
	for _, c := range []struct {
		name string
		next func(l log) aggregator.Batch
	}{
		{"records", func(l log) aggregator.Batch { return nth(l, 9) }},
		{"no news", func(l log) aggregator.Batch {
			b := nth(l, 9)
			b.Records = nil
			return b
		}},
		{"known records", func(l log) aggregator.Batch {
			b := nth(l, 9)
			b.Records = tickets(1)
			return b
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			database := database
			if strings.HasPrefix(database, "postgres") {
				database = pgtest.New(t)
			} else {
				database += strings.ReplaceAll(c.name, " ", "_")
			}
			l := fiveAppends(t, database)
			before, err := l.Position(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			lose(t, database)
			if _, err := l.Append(t.Context(), c.next(l)); !errors.Is(err, aggregator.ErrLeaseLost) {
				t.Errorf("append to the restored log: %v", err)
			}
			if p, err := l.Position(t.Context()); err != nil || p.Epoch == before.Epoch || p.Revision != 4 || p.Streams != 4 {
				t.Errorf("position %+v, %v; before %+v", p, err, before)
			}
			l.end()
			led(t, l.Records).put(t, 1, 5, tickets(5)[4])
		})
	}
}

// Only the states were lost: the position is shorter by them alone.
func testRestoredStates(t *testing.T, database string) {
	l := openLog(t, database)
	b := nth(l, 0)
	for range 2 {
		if _, err := l.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	execute(t, database, `UPDATE stream SET counter = 1`)
	if _, err := l.Append(t.Context(), b); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("append to the restored log: %v", err)
	}
}

// Where another process leads before anybody noticed, a follower finds out by where the new
// tenure began.
func testContinues(t *testing.T, database string) {
	l := fiveAppends(t, database)
	check := func(what string, at aggregator.Position, want bool) {
		t.Helper()
		if got, err := l.Continues(t.Context(), at); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", what, got, err, want)
		}
	}
	position := func() aggregator.Position {
		t.Helper()
		p, err := l.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	before := position()
	check("the same tenure", before, true)
	check("before any", aggregator.Position{Epoch: before.Epoch}, true)
	check("a tenure that was lost", aggregator.Position{Epoch: before.Epoch, Revision: 1, Tenure: "lost"}, false)
	l.end()
	next := led(t, l.Records)
	next.put(t, 1, 6, ticket("b", 0, record.TicketValid))
	check("another tenure", before, true)
	next.end()

	at := position()
	execute(t, database, `DELETE FROM version WHERE revision = 6`)
	execute(t, database, `DELETE FROM head WHERE revision = 6`)
	execute(t, database, `UPDATE counter SET revision = 5`)
	execute(t, database, `UPDATE service SET revision = 5`)
	led(t, l.Records).put(t, 1, 6, ticket("c", 0, record.TicketValid))
	if p := position(); p.Epoch != at.Epoch || p.Revision != at.Revision || p.Tenure == at.Tenure {
		t.Fatalf("at %+v, before %+v", p, at)
	}
	check("a shorter log that grew again", at, false)
	check("what it has", before, true)
}
