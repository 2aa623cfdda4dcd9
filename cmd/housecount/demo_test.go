package main

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
	"housecount/cmd/housecount/demohouse"
	"housecount/cmd/housecount/options"
	"housecount/web/admin"
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

// TestDemoOfAnotherVersion: the house of a version that plans another season is refused by that version's name, and the same
// season whenever it is begun is not.
func TestDemoOfAnotherVersion(t *testing.T) {
	dir := t.TempDir()
	c := demoCommand{houseFlags: houseFlags{3, 2}, Start: "2026-11-21 19:32"}
	season := func(past int) error {
		t.Helper()
		h, err := rememberHouse(dir, c)
		c.Start = ""
		if err != nil {
			t.Fatal(err)
		}
		s, err := sandbox.New(sandbox.Options{Seed: h.Seed, Speed: 10_000, Start: h.Start, Past: past, Coming: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return rememberSeason(dir, h, s.Truth())
	}
	for range 3 {
		if err := season(4); err != nil {
			t.Fatal(err)
		}
	}
	if err := season(5); err == nil || !strings.Contains(err.Error(), "that housecount "+options.Version()+" made") {
		t.Errorf("of another season it says %v", err)
	}
}

// TestDemoDay: the demonstration's club night belongs to the evening on which it begins.
func TestDemoDay(t *testing.T) {
	d, err := newDemo(t.Context(), t.TempDir(), listen(t, "127.0.0.1:0"), demoCommand{languageFlag: languageFlag{"en"}, graceFlag: graceFlag{Grace: 45 * time.Minute}}, sandbox.Options{Empty: true, Speed: -1, Log: slog.New(slog.DiscardHandler)})
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

// A new house is furnished as its staff would do it: two screens, each with an address of its own, rates of VAT, licensed
// capacities, the campaign and its cost, all of them in the log and the audit.
func TestDemoFurnished(t *testing.T) {
	d, err := newDemo(t.Context(), t.TempDir(), listen(t, "127.0.0.1:0"), demoCommand{languageFlag: languageFlag{"en"}}, sandbox.Options{Start: testEvening(t), Speed: -1, Past: 10, Coming: 4, Seasons: 2, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.close(t.Context())
	var out bytes.Buffer
	if err := d.evening().Furnish(t.Context(), "en", &out); err != nil {
		t.Fatal(err)
	}
	screens, err := d.program.store.Screens().List(t.Context())
	if err != nil || len(screens) != len(demohouse.Screens) || strings.Count(out.String(), d.url+"/screen#") != len(demohouse.Screens) {
		t.Errorf("screens %+v (%v), printed %q", screens, err, out.String())
	}
	position, err := d.program.records.Position(t.Context())
	if err != nil || position.Revision != 6 {
		t.Errorf("the log is at %+v (%v)", position, err)
	}
	acts, err := d.program.store.Audit().Acts(t.Context(), store.ActQuery{Action: admin.SettingChanged}, 0, 10)
	if err != nil || len(acts) != 6 {
		t.Errorf("%d settings are in the audit (%v)", len(acts), err)
	}
	for v, err := range d.program.records.Versions(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := v.Record.(*record.Setting); ok && (s.By != "housecount demo" || acts[0].Actor != store.ActorCommand || acts[0].Name != s.By) {
			t.Errorf("%s is set by %q, and in the audit by %s %q", s.Name, s.By, acts[0].Actor, acts[0].Name)
		}
	}
}

// Everybody who can sign in has something to look at first, and the story is played with an evening of its own.
func TestDemoStory(t *testing.T) {
	for _, m := range idp.DemoStaff {
		if lookFirst[m.Roles[0]] == "" {
			t.Errorf("%s looks at nothing first", m.User)
		}
	}
	for _, c := range []demoCommand{{Data: "x"}, {Start: "2026-11-21 19:32"}, {houseFlags: houseFlags{1, 2}}} {
		c.Story, c.Speed = true, cmp.Or(c.Speed, 1)
		var faults options.Faults
		if c.Check(&faults); faults.OrNil() == nil {
			t.Errorf("%+v is not refused", c)
		}
	}
}

// What happens in the story happens at the sandbox, and reaches the figures and the log.
func TestStoryHappens(t *testing.T) {
	zone, err := time.LoadLocation(sandboxZone)
	if err != nil {
		t.Fatal(err)
	}
	h := startTestHouse(t, sandbox.Options{Seed: 1, Speed: -1, Start: testEvening(t).In(zone).Add(demohouse.StoryEarlier), Past: 8, Coming: 4})
	h.awaitFirstSync()
	ctx, d, e := t.Context(), h.demo, h.demo.evening()
	shows := evening.At(d.program.figures.Snapshot(), d.service.Now()).Shows
	club := shows[slices.IndexFunc(shows, func(s *evening.Show) bool { return s.Event.Hall == "Kelder" })].Event.ID
	before := d.service.Truth()
	for _, b := range demohouse.Story {
		if b.Does != nil {
			if err := b.Does(ctx, e); err != nil {
				t.Errorf("at %s: %v", b.At, err)
			}
		}
	}
	after := d.service.Truth()
	if sold := after.Total.Sold - before.Total.Sold; sold < 24+6 {
		t.Errorf("%d places were sold", sold)
	}
	if back := after.Events[club].Refunded["EUR"] - before.Events[club].Refunded["EUR"]; back <= 0 {
		t.Errorf("%d was given back", back)
	}
	h.until("the message", func(s *figures.Snapshot) bool { return len(s.ScreenMessages) == 1 })
	s := h.until("an oversold performance", func(s *figures.Snapshot) bool {
		return slices.ContainsFunc(evening.At(s, d.service.Now()).Alerts, func(a evening.Alert) bool { return a.Code == evening.AlertOversold })
	})
	if path := e.Path(evening.At(s, d.service.Now()), "/events/{Kelder}?part=money"); path != "/events/"+club+"?part=money" {
		t.Errorf("the club's page is %s", path)
	}
	if path := e.Path(evening.At(s, d.service.Now()), "/events/{Nergens}"); path != "/events" {
		t.Errorf("that of nothing is %s", path)
	}
}

// The staff of a house that begins before its evening signed in then, by the house's clock also once that is at the evening: what changed
// since can be told. A house that begins with its evening has no morning.
func TestDemoStaffWereThereBefore(t *testing.T) {
	h := demohouse.House{Start: testEvening(t), Speed: 1}
	h.Morning = h.LastSeen().Add(-10 * time.Minute)
	d, err := newDemo(t.Context(), t.TempDir(), listen(t, "127.0.0.1:0"), demoCommand{languageFlag: languageFlag{"en"}}, sandbox.Options{Start: h.Opened(), Speed: h.Speed, Past: 2, Coming: 2, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.close(t.Context())
	signIns := func(h demohouse.House) []store.Act {
		t.Helper()
		if err := d.evening().SignIns(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		acts, err := d.program.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActLogin}, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		return acts
	}
	if acts := signIns(demohouse.House{Start: h.Start, Speed: 1}); len(acts) != 0 {
		t.Errorf("of a house without a morning: %+v", acts)
	}
	acts := signIns(h)
	if len(acts) != len(idp.DemoStaff) {
		t.Fatalf("signed in were %+v", acts)
	}
	d.service.Advance(h.Start.Sub(d.service.Now()))
	for _, a := range acts {
		if at := d.service.At(a.At); !at.Truncate(time.Minute).Equal(h.LastSeen()) || !strings.HasPrefix(a.Actor, d.sandboxURL+" ") {
			t.Errorf("%s signed in at %s, want about %s", a.Actor, at, h.LastSeen())
		}
	}
}
