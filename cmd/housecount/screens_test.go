package main

import (
	"path/filepath"
	"strings"
	"testing"

	"housecount/aggregator/store"
)

// Whoever looks after the screens adds, sees and ends them from outside.
func TestScreensCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	command := func(args ...string) (int, string) {
		t.Helper()
		code, stdout, stderr := runFor(t, map[string]string{"HOUSECOUNT_DATABASE": path, "HOUSECOUNT_PUBLIC_URL": "https://dash.example.org"}, append([]string{"screens"}, args...)...)
		return code, stdout + stderr
	}
	if code, text := command("add", "--name", "x", "--programme", "Foyer"); code != exitUsage || !strings.Contains(text, "there are no programmes") {
		t.Errorf("exit code %d: %s", code, text)
	}
	ids := make(map[string]string) // by name, of which there are two of one
	for _, name := range []string{"Foyer", "Kassa", "Kassa"} {
		p, err := db.Programmes().Save(t.Context(), store.Programme{Name: name, Document: "{}"}, store.Act{})
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = p.ID
	}
	code, text := command("add", "--name", "Bar\x1b[2J", "--place", "Foyer", "--programme", "Foyer", "--office", "--halls", "Grote Zaal,Kleine Zaal", "--language", "nl")
	secret, ok := strings.CutPrefix(strings.TrimSpace(text), "https://dash.example.org/screen#")
	if code != exitOK || !ok || len(secret) < 26 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if linked, err := db.Screens().Link(t.Context(), secret, "credential", store.Device{}, store.Act{}); err != nil || !linked {
		t.Errorf("the address makes no device a screen: %v", err)
	}
	list, err := db.Screens().List(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "Bar [2J" || list[0].Access != "hall=Grote+Zaal&hall=Kleine+Zaal&money=none" || list[0].Programme != ids["Foyer"] {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"add"}, exitUsage, "--name is missing"},
		{[]string{"add", "--name", "\x1b "}, exitUsage, "--name is missing"},
		{[]string{"add", "--name", strings.Repeat("x", 61)}, exitUsage, "60 characters"},
		{[]string{"add", "--name", "x", "--language", "fr"}, exitUsage, "not offered"},
		{[]string{"add", "--name", "x", "--public-url", "nowhere"}, exitUsage, "--public-url"},
		{[]string{"add", "--name", "x", "--programme", "Bar"}, exitUsage, ids["Foyer"] + "  Foyer"},
		{[]string{"add", "--name", "x", "--programme", "Kassa"}, exitUsage, "several programmes are called"},
		{[]string{"list"}, exitOK, "office  Grote Zaal, Kleine Zaal"},
		{[]string{"revoke", "none"}, exitUsage, "there is no screen none"},
		{[]string{"revoke", list[0].ID}, exitOK, "screens ended: 1"},
		{[]string{"list"}, exitOK, "There are no screens."},
		{[]string{"add", "--name", "x", "--programme", ids["Kassa"]}, exitOK, "/screen#"},
	} {
		if code, text := command(c.args...); code != c.code || !strings.Contains(text, c.want) || strings.Contains(text, "\x1b") {
			t.Errorf("%v: exit code %d, want %d and %q: %s", c.args, code, c.code, c.want, text)
		}
	}
	acts, err := db.Audit().Acts(t.Context(), store.ActQuery{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	by := make(map[string]string)
	for _, a := range acts {
		by[a.Action] = a.Name
	}
	if me := whoami(); me == "" || by[store.ActScreenAdded] != me || by[store.ActScreenRevoked] != me {
		t.Errorf("done by %v, want %s", by, me)
	}
}
