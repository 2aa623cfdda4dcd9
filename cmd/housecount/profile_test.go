package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A stranger begins a profile from two answers, tests it, changes it, and is told what changed.
func TestProfileCommands(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	housecount := func(want int, says string, args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"profile"}, args...), nil, &out, &errs); code != want || !strings.Contains(out.String()+errs.String(), says) {
			t.Errorf("%v: %d, want %d and %q\n%s%s", args, code, want, says, out.String(), errs.String())
		}
		return out.String()
	}
	if list := housecount(exitOK, "ticketmatic", "list"); !strings.Contains(list, "--var account=…") {
		t.Errorf("the list says not what is needed:\n%s", list)
	}
	housecount(exitOK, "base_url: https://apps.ticketmatic.com", "show", "ticketmatic")
	housecount(exitUsage, "the known ones are", "show", "nothing")

	shows := file("shows.json", `{"data": [{"nr": 1, "name": "Gala", "begins": "2026-11-24 20:00", "seats": 100, "state": "open"}]}`)
	sales := file("bookings.json", `{"data": [{"booking": "B1", "made": "2026-11-20 10:00", "state": "paid", "seats": [{"id": 11, "show": 1, "price": "24.50"}, {"id": 12, "show": 1, "price": "24.50"}]}]}`)
	draft := housecount(exitOK, "# Guessed:", "new", "--name", "noord", "--url", "https://tickets.example.org/api", shows, sales)
	house := file("noord.yaml", draft)
	housecount(exitFailed, "nothing is stored to compare with", "test", house, dir)
	housecount(exitOK, "bookings: 2 records, 0 refused: written", "test", "--update", house, dir)
	housecount(exitOK, "as stored", "test", house, dir)
	file("noord.yaml", strings.Replace(draft, "title: .name,", "title: .nr,", 1))
	housecount(exitFailed, "shows: 0 records, 1 refused: line ", "test", house, dir)
	housecount(exitUsage, "has no saved answers", "test", house, t.TempDir())
	housecount(exitUsage, "no object with a list", "new", file("odd.json", `{"a": 1}`))
	housecount(exitUsage, "no such file", "new", filepath.Join(dir, "away.json"))
}
