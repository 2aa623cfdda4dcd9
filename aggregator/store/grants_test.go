package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/store"
)

func testGrants(t *testing.T, database string) {
	st := open(t, database)
	st.SetNow(func() time.Time { return noon })
	g := st.Grants()
	hints, stop := st.Watch(store.SubjectSessions)
	defer stop()
	given, taken := store.Act{Actor: "idp anna", Action: store.ActRoleGiven}, store.Act{Actor: "idp anna", Action: store.ActRoleTaken}
	for _, grant := range []store.Grant{
		{Address: "mia@house.example", Role: "door", By: "Anna"},
		{Address: "@house.example", Role: "door", By: "Anna"},
		{Address: "mia@house.example", Role: "manager", By: "Bert"},
		{Address: "mia@house.example", Role: "manager", By: "Anna"}, // is so already
	} {
		if err := g.Give(t.Context(), grant, given); err != nil {
			t.Fatal(err)
		}
		await(t, "hint", hints, time.Second)
	}
	list, err := g.List(t.Context())
	if want := []store.Grant{{"@house.example", "door", noon.Local(), "Anna"}, {"mia@house.example", "manager", noon.Local(), "Bert"}}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%+v, %v; want %+v", list, err, want)
	}
	for _, c := range []struct{ address, domain, own, common string }{
		{"mia@house.example", "@house.example", "manager", "door"},
		{"bob@house.example", "@house.example", "", "door"},
		{"mia@other.example", "@other.example", "", ""},
		{"", "", "", ""},
	} {
		if own, common, err := g.Of(t.Context(), c.address, c.domain); err != nil || own != c.own || common != c.common {
			t.Errorf("%s has %q and %q (%v), want %q and %q", c.address, own, common, err, c.own, c.common)
		}
	}
	for range 2 { // the second time there is nothing to take
		if err := g.Take(t.Context(), "mia@house.example", taken); err != nil {
			t.Fatal(err)
		}
		await(t, "hint", hints, time.Second)
	}
	if own, _, err := g.Of(t.Context(), "mia@house.example", ""); err != nil || own != "" {
		t.Errorf("%q was taken (%v)", own, err)
	}
	acts, err := st.Audit().Acts(t.Context(), store.ActQuery{}, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range acts {
		lines = append(lines, fmt.Sprintf("%s %s %s > %s", a.Action, a.Object, a.Before, a.After))
	}
	if want := []string{"role_taken mia@house.example manager > ", "role_given mia@house.example door > manager", "role_given @house.example  > door", "role_given mia@house.example  > door"}; !slices.Equal(lines, want) {
		t.Errorf("acts %q, want %q", lines, want)
	}
}
