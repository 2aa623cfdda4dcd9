package main

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/sandbox"
)

// TestDemoBeginsOnASaturday: on whatever day it is started, and never ahead of it.
func TestDemoBeginsOnASaturday(t *testing.T) {
	zone, err := time.LoadLocation(sandboxZone)
	if err != nil {
		t.Fatal(err)
	}
	for day := 21; day <= 28; day++ {
		now := time.Date(2026, 11, day, 0, 30, 0, 0, zone)
		want := time.Date(2026, 11, 21+(day-21)/7*7, 19, 32, 0, 0, zone)
		if got, err := (demoCommand{}).start(now.UTC()); err != nil || !got.Equal(want) {
			t.Errorf("started at %v it begins at %v (%v), want %v", now, got, err, want)
		}
	}
	want := time.Date(2026, 10, 25, 1, 15, 0, 0, zone)
	if got, err := (demoCommand{Start: "2026-10-25 01:15"}).start(want); err != nil || !got.Equal(want) {
		t.Errorf("a start that was given: %v (%v), want %v", got, err, want)
	}
	if got, err := (demoCommand{Start: "tonight"}).start(want); err == nil {
		t.Errorf("a start that is none: %v", got)
	}
}

// TestDemoGoesOnWithItsHouse: the second run of a directory has the first one's evening.
func TestDemoGoesOnWithItsHouse(t *testing.T) {
	dir := t.TempDir()
	first, err := rememberHouse(dir, demoCommand{houseFlags: houseFlags{3, 2}, Start: "2026-11-21 19:32"})
	if err != nil {
		t.Fatal(err)
	}
	again, err := rememberHouse(dir, demoCommand{houseFlags: houseFlags{3, 2}})
	if err != nil || !again.Start.Equal(first.Start) || !again.Began.Equal(first.Began) {
		t.Errorf("%+v (%v), want %+v", again, err, first)
	}
	for name, other := range map[string]demoCommand{
		"seed": {houseFlags: houseFlags{4, 2}}, "speed": {houseFlags: houseFlags{3, 1}}, "start": {houseFlags: houseFlags{3, 2}, Start: "2026-11-21 20:00"},
	} {
		if _, err := rememberHouse(dir, other); err == nil {
			t.Errorf("another %s is not refused", name)
		}
	}
}

// TestDemoDay: the demonstration's club night belongs to the evening on which it begins.
func TestDemoDay(t *testing.T) {
	d, err := newDemo(t.Context(), t.TempDir(), listen(t, "127.0.0.1:0"), "en", 45*time.Minute, sandbox.Options{Empty: true, Speed: -1}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	defer d.run(ctx)
	calendar := d.program.figures.Snapshot().Calendar
	if calendar.Grace != 45*time.Minute {
		t.Errorf("a grace of %s, want the one that was given", calendar.Grace)
	}
	for at, want := range map[string]figures.Day{"2026-11-22T02:59:00+01:00": "2026-11-21", "2026-11-22T06:00:00+01:00": "2026-11-22"} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := calendar.Day(moment); got != want {
			t.Errorf("%s belongs to %s, want %s", at, got, want)
		}
	}
}
