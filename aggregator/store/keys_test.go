package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
)

func testKeys(t *testing.T, database string) {
	st := open(t, database)
	now := noon
	st.SetNow(func() time.Time { return now })
	k := st.Keys()
	secret, err := k.Make(t.Context(), "Finance", "manager", "Anna", store.Act{Actor: "idp anna", Action: store.ActKeyMade})
	if err != nil || !strings.HasPrefix(secret, "hc_") || len(secret) < 26 {
		t.Fatalf("made %q (%v)", secret, err)
	}
	other, err := k.Make(t.Context(), "Calendar", "door", "Anna", store.Act{Actor: "idp anna", Action: store.ActKeyMade})
	if err != nil || other == secret {
		t.Fatalf("made %q (%v)", other, err)
	}
	one := func(secret string) *store.Key {
		t.Helper()
		found, err := k.Of(t.Context(), secret)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := one(secret); got == nil || got.Role != "manager" || got.Name != "Finance" || !got.Used.IsZero() {
		t.Errorf("found %+v", got)
	}
	for _, wrong := range []string{"", "hc_", secret + "A", secret[3:], strings.ToLower(secret)} {
		if got := one(wrong); got != nil {
			t.Errorf("%q is the key %+v", wrong, got)
		}
	}
	now = now.Add(30 * time.Minute)
	one(secret)
	if list, err := k.List(t.Context()); err != nil || len(list) != 2 || list[0].Name != "Calendar" || !list[1].Used.Equal(noon) || !list[1].Made.Equal(noon) || list[1].By != "Anna" {
		t.Errorf("listed %+v (%v)", list, err)
	}
	id := one(secret).ID
	for range 2 {
		if err := k.Revoke(t.Context(), id, store.Act{Actor: "idp bert", Action: store.ActKeyRevoked}); err != nil {
			t.Fatal(err)
		}
	}
	if one(secret) != nil || one(other) == nil {
		t.Error("another key was revoked")
	}
	acts, err := st.Audit().Acts(t.Context(), store.ActQuery{}, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range acts {
		lines = append(lines, fmt.Sprintf("%s %s %s: %q > %q", a.Actor, a.Action, a.ObjectName, a.Before, a.After))
	}
	if want := []string{`idp bert key_revoked Finance: "manager" > ""`, `idp anna key_made Calendar: "" > "door"`, `idp anna key_made Finance: "" > "manager"`}; !slices.Equal(lines, want) {
		t.Errorf("audited %q, want %q", lines, want)
	}
}
