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
	code, text := command("add", "--name", "Bar\x1b[2J", "--place", "Foyer", "--office", "--halls", "Grote Zaal,Kleine Zaal", "--language", "nl")
	secret, ok := strings.CutPrefix(strings.TrimSpace(text), "https://dash.example.org/screen#")
	if code != exitOK || !ok || len(secret) < 26 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if linked, err := db.Screens().Link(t.Context(), secret, "credential", store.Device{}, store.Act{}); err != nil || !linked {
		t.Errorf("the address makes no device a screen: %v", err)
	}
	list, err := db.Screens().List(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "Bar [2J" || list[0].Access != "hall=Grote+Zaal&hall=Kleine+Zaal&money=none" {
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
		{[]string{"list"}, exitOK, "office  Grote Zaal, Kleine Zaal"},
		{[]string{"revoke", "none"}, exitUsage, "there is no screen none"},
		{[]string{"revoke", list[0].ID}, exitOK, "screens ended: 1"},
		{[]string{"list"}, exitOK, "There are no screens."},
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
