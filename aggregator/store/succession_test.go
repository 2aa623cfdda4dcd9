package store_test

import (
	"slices"
	"testing"

	"housecount/aggregator/store"
)

// One succession is noted at a time, and carried out once: by another name of a log or by a new one, and not over one that is
// there.
func testSuccession(t *testing.T, database string) {
	st := open(t, database)
	if _, err := st.Records(t.Context(), "waag"); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		note store.Succession
		to   string
		ok   bool
		logs []string
	}{
		{store.Succession{}, "", false, []string{"waag"}},
		{store.Succession{To: "paard"}, "other", false, []string{"waag"}},
		{store.Succession{}, "paard", false, []string{"waag"}},
		{store.Succession{To: "paard"}, "paard", true, []string{"waag", "paard"}},
		{store.Succession{To: "waag in CHF", From: "waag"}, "waag in CHF", true, []string{"waag in CHF", "paard"}},
		{store.Succession{To: "paard", From: "waag in CHF"}, "paard", true, []string{"waag in CHF", "paard"}},
		{store.Succession{To: "new", From: "gone"}, "new", true, []string{"waag in CHF", "paard", "new"}},
	} {
		if err := st.SetSuccession(t.Context(), c.note); err != nil {
			t.Fatal(err)
		}
		if noted, err := st.Succession(t.Context()); err != nil || noted != c.note {
			t.Errorf("%d: noted is %+v (%v), want %+v", i, noted, err, c.note)
		}
		ok, err := st.Succeed(t.Context(), c.to)
		logs, listed := st.Services(t.Context())
		if err != nil || listed != nil || ok != c.ok || !slices.Equal(logs, c.logs) {
			t.Errorf("%d: %t, %v (%v, %v), want %t, %v", i, ok, logs, err, listed, c.ok, c.logs)
		}
		if again, err := st.Succeed(t.Context(), c.to); c.ok && (again || err != nil) {
			t.Errorf("%d: it is carried out twice (%v)", i, err)
		}
	}
}
