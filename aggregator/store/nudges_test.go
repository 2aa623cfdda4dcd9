package store_test

import (
	"maps"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// A nudge is counted by list and by service, and another process hears of it.
func testNudges(t *testing.T, database string) {
	one, two := open(t, database), open(t, database)
	tickets, err := one.Records(t.Context(), "a service")
	if err != nil {
		t.Fatal(err)
	}
	same, err := two.Records(t.Context(), "a service")
	if err != nil {
		t.Fatal(err)
	}
	other, err := two.Records(t.Context(), "another")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"tickets", store.AllLists, "tickets"} {
		if err := tickets.Nudge(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	nudges := func(of *store.Records) map[string]int64 {
		t.Helper()
		all, err := of.Nudges(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := nudges(same); !maps.Equal(got, map[string]int64{"tickets": 2, "": 1}) {
		t.Errorf("nudges: %v", got)
	}
	if got := nudges(other); len(got) != 0 {
		t.Errorf("nudges of another service: %v", got)
	}
	hints, stop := one.Watch(store.SubjectNudge)
	defer stop()
	if err := tickets.Nudge(t.Context(), "tickets"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-hints:
	case <-time.After(time.Minute):
		t.Error("no hint of a nudge")
	}
}
