package backup_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(childBackup); what != "" {
		fmt.Fprintln(os.Stderr, backupChild(what, os.Getenv(childDatabase), os.Getenv(childFile)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// open opens a database until the test ends or closed is called.
func open(t testing.TB, database string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func closed(t testing.TB, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// log is the log of a service and a term in which it is led.
type log struct {
	*store.Records
	term int64
	// end gives the lease back.
	end func()
}

// openLog opens a database and leads the log of its one service until the test ends or end is called.
func openLog(t testing.TB, database string) log {
	t.Helper()
	r, err := open(t, database).Records(t.Context(), "default")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	terms := make(chan int64, 1)
	var leading sync.WaitGroup
	leading.Go(func() {
		if err := r.Lead(ctx, func(ctx context.Context, term int64) error {
			terms <- term
			<-ctx.Done()
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
	end := func() {
		cancel()
		leading.Wait()
	}
	t.Cleanup(end)
	select {
	case term := <-terms:
		return log{r, term, end}
	case <-time.After(30 * time.Second):
		t.Fatal("nobody gave the lease")
	}
	return log{}
}

func (l log) append(t testing.TB, records ...record.Record) {
	t.Helper()
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: records}); err != nil {
		t.Fatal(err)
	}
}

func ticket(id string) *record.Ticket {
	return &record.Ticket{ID: id, EventID: "evt_1", Status: record.TicketValid, UpdatedAt: noon}
}

func tickets(n int) []record.Record {
	records := make([]record.Record, n)
	for i := range records {
		records[i] = ticket(fmt.Sprintf("tkt_%05d", i))
	}
	return records
}
