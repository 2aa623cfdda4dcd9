package main

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// Whoever looks after the sessions sees and ends them from outside.
func TestSessionsCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sessions := db.Sessions()
	for token, of := range map[string]store.Owner{
		"desk":  {Subject: "https://id.example anna", Name: "Anna", Address: "192.0.2.1"},
		"phone": {Subject: "https://id.example anna", Name: "Anna", Address: "192.0.2.2"},
		"bert":  {Subject: "https://id.example bert", Name: "Bert\x1b[2J\tx", Address: "192.0.2.3"},
		"cora":  {Subject: "https://id.example cora", Name: "Cora", Address: "192.0.2.4"},
	} {
		if err := sessions.CommitCtx(store.WithOwner(t.Context(), of), token, []byte("x"), time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	// Anna's phone has been idle for a day, which only serve may find too long.
	outside, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	if _, err := outside.ExecContext(t.Context(), `UPDATE session SET seen = seen - 86400000 WHERE address = '192.0.2.2'`); err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	command := func(args ...string) (int, string) {
		t.Helper()
		code, stdout, stderr := runFor(t, map[string]string{"HOUSECOUNT_DATABASE": path}, append([]string{"sessions"}, args...)...)
		return code, stdout + stderr
	}
	names := map[string]string{} // of the sessions, by address
	code, text := command("list")
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 8 && strings.HasPrefix(fields[7], "192.") {
			names[fields[7]] = fields[0]
		}
	}
	if code != exitOK || len(names) != 4 || strings.Contains(text, "\x1b") || !strings.Contains(text, "Anna") || strings.Contains(text, "id.example") {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
		left string
	}{
		{[]string{"revoke"}, exitUsage, "say which sessions", "desk phone bert cora"},
		{[]string{"revoke", "--all", "--person", "anna"}, exitUsage, "say which sessions", "desk phone bert cora"},
		{[]string{"revoke", "--person", "Anna"}, exitUsage, "there is no session of Anna", "desk phone bert cora"},
		{[]string{"revoke", names["192.0.2.3"], "ffffffffffff"}, exitUsage, "there is no session of ffff", "desk phone bert cora"},
		{[]string{"revoke", names["192.0.2.3"][:3]}, exitUsage, "too short", "desk phone bert cora"},
		{[]string{"revoke", names["192.0.2.3"]}, exitOK, "sessions ended: 1", "desk phone cora"},
		{[]string{"revoke", "--person", "anna"}, exitOK, "sessions ended: 2", "cora"},
		{[]string{"revoke", "--all"}, exitOK, "sessions ended: 1", ""},
		{[]string{"list"}, exitOK, "Nobody is signed in.", ""},
		{[]string{"list", "--database", path + ".none"}, exitUsage, "is not there", ""},
	} {
		code, text := command(c.args...)
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%v: exit code %d, want %d and %q: %s", c.args, code, c.code, c.want, text)
		}
		for _, token := range []string{"desk", "phone", "bert", "cora"} {
			if _, found, err := sessions.Find(token); found != strings.Contains(c.left, token) || err != nil {
				t.Errorf("%v: %s goes on: %v, %v", c.args, token, found, err)
			}
		}
	}
	acts, err := db.Audit().Acts(t.Context(), store.ActQuery{Since: before.Add(-time.Second), Actor: store.ActorCommand, Action: store.ActSessionEnded}, 0, 10)
	if err != nil || len(acts) != 4 || acts[0].ObjectName != "Cora" || acts[1].ObjectName != "Anna" {
		t.Errorf("recorded %+v, %v", acts, err)
	}
}
