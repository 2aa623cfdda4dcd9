package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/store"
	"housecount/web"
)

// Somebody signed in once, and others a thousand times since: the audit keeps it, and People has them.
func TestPeopleHasEverybody(t *testing.T) {
	h := newHouse(t, nil)
	add := func(a store.Act) {
		if err := h.store.Audit().Append(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	add(store.Act{Actor: "idp ilse", Name: "Ilse", Action: store.ActLogin, After: "door"})
	for i := range 1000 {
		add(store.Act{Actor: fmt.Sprint("idp staff", i%20), Name: fmt.Sprint("Staff ", i%20), Action: store.ActLogin, After: "door"})
	}
	body := h.loggedIn(t, web.Admin).get("/sessions?days=7").body
	people, _, _ := strings.Cut(body, `id="roles"`)
	if !strings.Contains(people, "Staff 3") {
		t.Fatal("nobody is listed")
	}
	if !strings.Contains(people, "Ilse") {
		t.Error("Ilse, of whom the audit has a sign-in, is not listed")
	}
}

// Whoever is not signed in has the role that they had last, and none where it was taken.
func TestPeopleRoleIsTheLast(t *testing.T) {
	h := newHouse(t, nil)
	for _, a := range []store.Act{{Actor: "idp ilse", Name: "Ilse", Action: store.ActLogin, After: "manager"},
		{Actor: store.ActorProvider, Object: "idp ilse", ObjectName: "Ilse", Action: store.ActRoleChanged, Before: "manager", After: "door"}} {
		if err := h.store.Audit().Append(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	body := h.loggedIn(t, web.Admin).get("/sessions?days=7").body
	people, _, _ := strings.Cut(body, `id="roles"`)
	_, row, _ := strings.Cut(people, "Ilse")
	row, _, _ = strings.Cut(row, "</tr>")
	if strings.Contains(row, "Manager") {
		t.Errorf("she was made door: %s", row)
	}
}
