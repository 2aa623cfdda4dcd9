package store_test

import (
	"fmt"
	"maps"
	"slices"
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

// Messages are counted by the quarter of an hour and by their name, of all processes, and forgotten after eight days.
func testMessages(t *testing.T, database string) {
	now := noon.Add(time.Minute)
	var all []*store.Records
	for range 2 {
		st := open(t, database)
		st.SetNow(func() time.Time { return now })
		records, err := st.Records(t.Context(), "a service")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, records)
	}
	note := func(of int, name string, taken bool) {
		t.Helper()
		if err := all[of].NoteMessage(t.Context(), name, taken); err != nil {
			t.Fatal(err)
		}
	}
	want := func(since time.Time, want string) {
		t.Helper()
		got, err := all[1].Messages(t.Context(), since)
		text := ""
		for _, name := range slices.Sorted(maps.Keys(got)) {
			for _, m := range got[name] {
				text += fmt.Sprintf("%s %s %d %d %s; ", name, m.From.UTC().Format("15:04"), m.Taken, m.Refused, m.Last.UTC().Format("15:04"))
			}
		}
		if err != nil || text != want {
			t.Errorf("since %s there are %q (%v), want %q", since.UTC().Format("15:04"), text, err, want)
		}
	}
	note(0, "mollie", true)
	note(1, "mollie", true)
	note(0, "pretix", true)
	now = now.Add(13 * time.Minute)
	if err := all[1].NoteRefused(t.Context(), "mollie", 3); err != nil {
		t.Fatal(err)
	}
	note(1, "mollie", false)
	now = now.Add(time.Minute)
	note(1, "mollie", true)
	clock := func(minutes int) string { return noon.Add(time.Duration(minutes) * time.Minute).UTC().Format("15:04") }
	first, second := "mollie "+clock(0)+" 2 4 "+clock(14)+"; ", "mollie "+clock(15)+" 1 0 "+clock(15)+"; "
	want(noon, first+second+"pretix "+clock(0)+" 1 0 "+clock(1)+"; ")
	want(noon.Add(20*time.Minute), second)
	now = now.AddDate(0, 0, 9)
	note(0, "pretix", true)
	want(noon, "pretix "+clock(15)+" 1 0 "+clock(15)+"; ")
}
