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
