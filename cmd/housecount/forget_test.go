package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// What the database has can be taken elsewhere, and what it has of somebody taken away.
func TestExportForget(t *testing.T) {
	path := filepath.Join(t.TempDir(), "house.db")
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	log, err := db.Records(t.Context(), "default")
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	if err := log.Lead(t.Context(), func(ctx context.Context, term int64) error {
		_, err := log.Append(ctx, aggregator.Batch{Term: term, SeenAt: noon, Records: []record.Record{
			&record.Contact{ID: "anna", City: "Utrecht"},
			&record.Ticket{ID: "1", EventID: "e", ContactID: "anna", Status: record.TicketReserved, UpdatedAt: noon},
			&record.Ticket{ID: "1", EventID: "e", ContactID: "anna", Status: record.TicketValid, UpdatedAt: noon.Add(time.Second)},
			&record.Ticket{ID: "2", EventID: "e", ContactID: "bert", Status: record.TicketValid, UpdatedAt: noon},
		}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string // of the records' ids and statuses, or in what is printed
	}{
		{"export", exitOK, "1 valid, 2 valid, anna "},
		{"export --kind ticket", exitOK, "1 valid, 2 valid"},
		{"export --kind seat", exitUsage, `"seat" is none: give event, ticket`},
		{"export --versions --kind ticket", exitOK, "1 reserved, 1 valid, 2 valid"},
		{"export --contact anna", exitOK, "anna , 1 reserved, 1 valid"},
		{"forget", exitUsage, "--contact ID, or --everything"},
		{"forget --contact anna --everything", exitUsage, "--contact ID, or --everything"},
		{"forget --contact anna", exitOK, "the contact: 3"},
		{"export --contact anna", exitOK, ""},
		{"export", exitOK, "1 valid, 2 valid"},
		{"forget --everything", exitUsage, "--yes"},
		{"export --contact bert", exitOK, "2 valid"},
		{"forget --everything --yes", exitOK, "everything is forgotten"},
		{"export", exitOK, ""},
	} {
		code, stdout, stderr := runFor(t, map[string]string{"HOUSECOUNT_DATABASE": path}, strings.Fields(c.args)...)
		got := stdout + stderr
		if strings.HasPrefix(c.args, "export") && code == exitOK {
			got = exportedLines(t, stdout)
		}
		if code != c.code || code == exitOK && strings.HasPrefix(c.args, "export") && got != c.want || !strings.Contains(got, c.want) {
			t.Errorf("%s: exit code %d, %s; want %d and %s", c.args, code, got, c.code, c.want)
		}
	}
}

// exportedLines returns the ids and statuses of exported records, in their order.
func exportedLines(t *testing.T, text string) string {
	t.Helper()
	var all []string
	for line := range strings.Lines(text) {
		var x struct {
			Service string
			Record  struct{ ID, Status string }
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil || x.Service != "default" {
			t.Errorf("%s: %v", line, err)
		}
		all = append(all, x.Record.ID+" "+x.Record.Status)
	}
	return strings.Join(all, ", ")
}
