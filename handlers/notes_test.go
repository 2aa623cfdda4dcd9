package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
)

// The box office notes something about performances and managers about days, too; only managers say that a day is
// exceptional. The door notes nothing, and what is no note is refused.
func TestNotes(t *testing.T) {
	h, set := settingsHouse(t)
	door, office, manager := h.loggedIn(t, web.Door), h.loggedIn(t, web.BoxOffice), h.loggedIn(t, web.Manager)
	form := func(event, day, text string) url.Values {
		f := url.Values{"day": {day}, "text": {text}, "exceptional": {"1"}}
		if event != "" {
			f.Set("event", url.QueryEscape(event))
		}
		return f
	}
	event := "e"
	page := web.EventHref(event)
	if p := door.enter(web.NotePath, page, form(event, "2026-11-20", "Storm")); p.status != http.StatusForbidden || h.entered != nil {
		t.Errorf("the door: %d, %q", p.status, h.entered)
	}
	if p := office.enter(web.NotePath, page, form("", "2026-11-20", "Storm")); p.status != http.StatusForbidden || h.entered != nil {
		t.Errorf("the box office about a day: %d, %q", p.status, h.entered)
	}
	for _, f := range []url.Values{form("", "2026-11-20", " "), form("", "soon", "Storm"), form("", "2026-11-20", strings.Repeat("x", web.MostNote+1))} {
		if p := manager.enter(web.NotePath, web.RevenuePath, f); p.status != http.StatusBadRequest || h.entered != nil {
			t.Errorf("%v: %d, %q", f, p.status, h.entered)
		}
	}
	if manager.enter(web.NotePath, page, form("evt_none", "2026-11-20", "Storm")); h.entered != nil {
		t.Errorf("about no performance: %q", h.entered)
	}
	office.enter(web.NotePath, page, form(event, "2026-11-20", "Fire  alarm\n21:10"))
	manager.enter(web.NotePath, web.RevenuePath, form("", "2026-11-18", "Storm"))
	if want := []string{
		`note of "` + event + ` Fire alarm 21:10 2026-11-20" is "0" by Name of the box_office, read at 4; audited note "` + event + ` Fire alarm 21:10 2026-11-20": "" to "0"`,
		`note of " Storm 2026-11-18" is "1" by Name of the manager, read at 4; audited note " Storm 2026-11-18": "" to "1"`,
	}; !slices.Equal(h.entered, want) {
		t.Errorf("noted: %q, want %q", h.entered, want)
	}
	set(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Storm"), From: "2026-11-18", Value: new(int64(1)), At: time.Now().Add(-time.Minute), By: "Joost"})
	h.entered = nil
	storm := form("", "2026-11-18", "Storm")
	manager.enter(web.NotePath, web.RevenuePath, storm) // it is noted already
	storm.Set("remove", "1")
	if p := office.enter(web.NotePath, web.RevenuePath, storm); p.status != http.StatusForbidden || h.entered != nil {
		t.Errorf("the box office removes a day's: %d, %q", p.status, h.entered)
	}
	manager.enter(web.NotePath, web.RevenuePath, storm)
	if len(h.entered) != 1 || !strings.Contains(h.entered[0], `is "" by Name of the manager`) {
		t.Errorf("removed: %q", h.entered)
	}
}

// A note that somebody edits stands in place of the one before, and keeps who wrote it and when; the list says who edited it.
func TestNotesAreEdited(t *testing.T) {
	h, set := settingsHouse(t)
	var stored []*record.Setting
	h.onSet = func(s *record.Setting) {
		stored = append(stored, s)
		set(s)
	}
	office, manager := h.loggedIn(t, web.BoxOffice), h.loggedIn(t, web.Manager)
	written := time.Now().Add(-time.Hour).Truncate(time.Second)
	day := time.Now().UTC().Format(time.DateOnly)
	set(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Strom"), From: day, Value: new(int64(0)), At: written, By: "Joost"})
	edit := url.Values{"was": {"Strom"}, "was_day": {day}, "day": {day}, "text": {"Storm"}, "exceptional": {"1"}}
	if p := office.enter(web.NotePath, web.RevenuePath, edit); p.status != http.StatusForbidden || stored != nil {
		t.Errorf("the box office: %d, %v", p.status, stored)
	}
	if p := manager.enter(web.NotePath, web.RevenuePath, edit); p.status != http.StatusSeeOther || len(stored) != 2 || stored[0].Value != nil || stored[0].Of != record.NoteOf("", "Strom") {
		t.Fatalf("edited: %d, %v", p.status, stored)
	}
	if n := stored[1]; n.Of != record.NoteOf("", "Storm") || *n.Value != 1 || n.By != "Name of the manager" || n.Author != "Joost" || !n.Written.Equal(written) {
		t.Errorf("stored is %+v", n)
	}
	page := manager.get(web.RevenuePath).body
	if strings.Contains(page, "Strom") || !strings.Contains(page, "Storm") || !strings.Contains(page, "Joost, edited by Name of the manager") {
		t.Errorf("Revenue has %s", page[strings.Index(page, "day-notes"):])
	}
	stored = nil
	manager.enter(web.NotePath, web.RevenuePath, url.Values{"was": {"Storm"}, "was_day": {day}, "day": {day}, "text": {"Storm"}}) // not exceptional any more
	if len(stored) != 1 || *stored[0].Value != 0 || stored[0].Author != "Joost" || !stored[0].Written.Equal(written) {
		t.Errorf("edited again: %v", stored)
	}
	stored = nil
	manager.enter(web.NotePath, web.RevenuePath, url.Values{"was": {"Storm"}, "was_day": {day}, "day": {day}, "text": {"Storm"}})
	if stored != nil {
		t.Errorf("edited to the same: %v", stored)
	}
	p := manager.enter(web.NotePath, web.RevenuePath, url.Values{"was": {"Gone"}, "was_day": {day}, "day": {day}, "text": {"Strike"}})
	if p.status != http.StatusConflict || stored != nil || !strings.Contains(p.body, "Somebody else has edited or removed this note meanwhile") {
		t.Errorf("one that is gone meanwhile: %d, %v", p.status, stored)
	}
}

// A note that comes to stand where another does, or is added again with another tick, keeps who wrote that one and when.
func TestNotesKeepTheirAuthors(t *testing.T) {
	h, set := settingsHouse(t)
	var stored []*record.Setting
	h.onSet = func(s *record.Setting) {
		stored = append(stored, s)
		set(s)
	}
	manager := h.loggedIn(t, web.Manager)
	written := time.Now().Add(-time.Hour).Truncate(time.Second)
	day := time.Now().UTC().Format(time.DateOnly)
	set(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Storm"), From: day, Value: new(int64(0)), At: written, By: "Joost"})
	set(&record.Setting{Name: record.SettingNote, Of: record.NoteOf("", "Strom"), From: day, Value: new(int64(1)), At: written.Add(time.Minute), By: "Mia"})
	manager.enter(web.NotePath, web.RevenuePath, url.Values{"day": {day}, "text": {"Storm"}, "exceptional": {"1"}})
	if len(stored) != 1 || *stored[0].Value != 1 || stored[0].Author != "Joost" || !stored[0].Written.Equal(written) {
		t.Errorf("added again: %v", stored)
	}
	stored = nil
	manager.enter(web.NotePath, web.RevenuePath, url.Values{"was": {"Strom"}, "was_day": {day}, "day": {day}, "text": {"Storm"}})
	if len(stored) != 2 || stored[0].Value != nil || stored[0].Of != record.NoteOf("", "Strom") || stored[1].Author != "Joost" || !stored[1].Written.Equal(written) {
		t.Errorf("in place of another: %v", stored)
	}
}

// A note is about the days from its first to its last; an edit changes these alone, too, and the audit has them. Days that end
// before they begin, or are more than a year, are refused, and so is a text of 10,000 characters; a line break is a space.
func TestNotesAboutSeveralDays(t *testing.T) {
	h, set := settingsHouse(t)
	var stored []*record.Setting
	h.onSet = func(s *record.Setting) {
		stored = append(stored, s)
		set(s)
	}
	manager := h.loggedIn(t, web.Manager)
	form := func(day, until, text string) url.Values {
		return url.Values{"day": {day}, "until": {until}, "text": {text}, "exceptional": {"1"}}
	}
	for _, f := range []url.Values{form("2026-11-20", "2026-11-19", "Storm"), form("2026-11-20", "2027-11-21", "Storm"), form("2026-11-20", "soon", "Storm"), form("", "2026-11-20", "Storm"), form("2026-11-20", "", strings.Repeat("x", 10_000))} {
		if p := manager.enter(web.NotePath, web.RevenuePath, f); p.status != http.StatusBadRequest || stored != nil {
			t.Errorf("%v: %d, %v", f["until"], p.status, stored)
		}
	}
	manager.enter(web.NotePath, web.RevenuePath, form("2026-11-20", "2026-11-22", "<b>Storm</b>\r\nfrom the sea"))
	if len(stored) != 1 || stored[0].To != "2026-11-22" || stored[0].Of != record.NoteOf("", "<b>Storm</b> from the sea") || !strings.Contains(h.entered[0], `audited note " <b>Storm</b> from the sea 2026-11-20 2026-11-22"`) {
		t.Fatalf("noted: %+v, %q", stored, h.entered)
	}
	stored = nil
	edit := form("2026-11-20", "2026-11-23", "<b>Storm</b> from the sea")
	edit.Set("was", "<b>Storm</b> from the sea")
	edit.Set("was_day", "2026-11-20")
	manager.enter(web.NotePath, web.RevenuePath, edit)
	if len(stored) != 1 || stored[0].To != "2026-11-23" || stored[0].Author != "Name of the manager" {
		t.Fatalf("to another last day: %+v", stored)
	}
	stored = nil
	manager.enter(web.NotePath, web.RevenuePath, edit)
	if stored != nil {
		t.Errorf("to the same: %+v", stored)
	}
	edit.Set("until", "")
	manager.enter(web.NotePath, web.RevenuePath, edit)
	if len(stored) != 1 || stored[0].To != "" {
		t.Errorf("to one day: %+v", stored)
	}
}
