package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
)

// The form of a programme shows the day of each screen that follows it: what it may show, where it hangs
// and when it is dark. What cannot be read it says, and shows what the screens do instead.
func TestProgrammeFormShowsWhatScreensShow(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) {
		o.Now = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
	})
	admin := h.loggedIn(t, web.Admin)
	p, err := h.store.Programmes().Save(t.Context(), store.Programme{Name: "Foyer", Document: `{"views":[{"page":"wall","seconds":60},{"page":"takings","seconds":30,"when":{"from":"18:00"}},{"page":"performance","event":"gone","seconds":20}]}`}, store.Act{})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]store.Screen{
		"Atrium": {Access: web.Access{Money: web.NoMoney, Public: true}.String()},
		"Bar":    {Access: web.Access{Money: web.TodaysMoney}.String(), Dark: "23:15-08:05"},
		"Cellar": {Access: web.Access{Money: web.TodaysMoney}.String(), Dark: "23:15-08:05"},
		"Deck":   {Access: web.Access{Money: web.NoMoney}.InHalls("Grote zaal").String()},
		"Exit":   {Access: web.Access{Money: web.NoMoney}.String(), Blank: true},
	} {
		s.Name, s.Programme, s.Language = name, p.ID, "en"
		if _, err := h.store.Screens().Add(t.Context(), s, name, store.Act{}); err != nil {
			t.Fatal(err)
		}
		if s.Blank {
			list, err := h.store.Screens().List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(list, func(one store.Screen) bool { return one.Name == name })
			if _, err := h.store.Screens().Change(t.Context(), list[i].ID, store.Act{}, func(s *store.Screen) { s.Blank = true }); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func() string {
		t.Helper()
		page := text(admin.get("/screens/programme?id=" + p.ID).body)
		_, day, _ := strings.Cut(page, "Today, as it would be shown")
		day, _, _ = strings.Cut(day, "Back to the screens")
		return day
	}
	shown := read()
	for _, want := range []string{
		"Atrium · Public 00:00–20:00 Automatic: Programme of today 20:00–00:00 Automatic: Programme of today 40 s · Next performance 20 s",
		"Bar and Cellar · Back office, today's money 00:00–08:05 Nothing, it is dark 08:05–18:00 Wall 18:00–23:15 Wall 60 s · Today's takings 30 s 23:15–00:00 Nothing, it is dark",
		"Deck · Back office, Grote zaal 00:00–00:00 Wall, Grote zaal",
		"Exit · Back office 00:00–00:00 Nothing, it is dark",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in %q", want, shown)
		}
	}
	// As another version may have written it.
	if p, err = h.store.Programmes().Save(t.Context(), store.Programme{ID: p.ID, Name: "Foyer", Document: `{"views":[{"page":"hologram"}]}`, Version: p.Version}, store.Act{}); err != nil {
		t.Fatal(err)
	}
	if got := text(admin.get("/screens/programme?id=" + p.ID).body); !strings.Contains(got, "it cannot be read") {
		t.Errorf("of a programme that cannot be read it says %q", got)
	}
	if shown := read(); !strings.Contains(shown, "Bar and Cellar") || strings.Contains(shown, "Today's takings") {
		t.Errorf("with a programme that cannot be read: %q", shown)
	}
	tv := h.browser(t)
	if got := tv.post(h.URL+"/screen", url.Values{"secret": {"Bar"}}); got.status != http.StatusOK || got.code() != "" || !strings.Contains(got.body, `data-topic="en/money=today/board"`) {
		t.Errorf("a screen whose programme cannot be read is answered %d: %s", got.status, got.body)
	}
	list, err := h.store.Programmes().List(t.Context())
	if err != nil || len(list) != 1 || !strings.Contains(list[0].Document, "hologram") {
		t.Errorf("to look at it changed it: %+v, %v", list, err)
	}
}

// A programme is tried before it is saved, says what is wrong with it, is not saved over somebody
// else's, and is deleted after a question.
func TestProgrammeForm(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	send := func(more url.Values) page {
		form := url.Values{"name": {"Foyer"}, "page.0": {"board"}, "seconds.0": {"40"}, "order.0": {"2"}, "day.0": {"1", "2", "3", "4", "5", "6", "7"}, "to.0": {"10:00"},
			"page.1": {"performance"}, "event.1": {"evt_1"}, "seconds.1": {"20"}, "order.1": {"1.5"}, "phase.1": {"in_use"}, "alone.1": {"yes"}, "page.2": {""}, "do": {"save"}}
		for k, v := range more {
			form[k] = v
		}
		return admin.stay().post(h.URL+"/screens/programme", form)
	}
	if p := admin.get("/screens/programme"); p.status != http.StatusOK || !strings.Contains(p.body, "Programme of today") || !strings.Contains(p.body, "doors are open") {
		t.Errorf("status %d: %s", p.status, p.body)
	}
	for name, c := range map[string]struct {
		form url.Values
		want string
	}{
		"tried":      {url.Values{"do": {"show"}}, "Nothing of it"},
		"no name":    {url.Values{"name": {" "}}, "Look at this again: the name"},
		"too short":  {url.Values{"seconds.0": {"2"}}, "Look at view 2 again"},
		"no page":    {url.Values{"page.1": {"revenue"}}, "Look at view 1 again"},
		"no views":   {url.Values{"page.0": {""}, "page.1": {""}}, "Look at this again: the views"},
		"no event":   {url.Values{"event.1": {""}}, "Look at view 1 again"},
		"no weekday": {url.Values{"day.1": {"9"}}, "Look at view 1 again"},
	} {
		if p := send(c.form); p.status != http.StatusOK || !strings.Contains(p.body, c.want) {
			t.Errorf("%s: status %d, without %q: %s", name, p.status, c.want, p.body)
		}
	}
	list, err := h.store.Programmes().List(t.Context())
	if err != nil || len(list) != 0 {
		t.Fatalf("saved %+v, %v", list, err)
	}
	// A moment is one of the day's or a time to the minute, and conditions may go by another hall than the view.
	if p := send(url.Values{"do": {"show"}, "name": {"x"}, "from.0": {"first_doors"}, "from_time.0": {"09:00"}, "to.0": {""}, "to_time.0": {"10:05"}, "when_hall.0": {"A&B"}, "hall.0": {"Grote zaal"}}); p.status != http.StatusOK ||
		!strings.Contains(text(p.body), "from the first doors · until 10:05 · by A&B · Grote zaal") {
		t.Errorf("moments and halls: status %d: %s", p.status, text(p.body))
	}
	saved := send(nil)
	if list, err = h.store.Programmes().List(t.Context()); err != nil || len(list) != 1 || saved.header.Get("Location") != "/screens/programme?id="+list[0].ID {
		t.Fatalf("saved %+v, %v, and leads to %s", list, err, saved.header.Get("Location"))
	}
	want := `{"views":[{"page":"performance","event":"evt_1","seconds":20,"alone":true,"when":{"phase":"in_use"}},{"page":"board","seconds":40,"when":{"to":"10:00"}}]}`
	if list[0].Document != want || list[0].Name != "Foyer" || list[0].By != "Name of the admin" {
		t.Errorf("saved %+v, want %s", list[0], want)
	}
	of := url.Values{"id": {list[0].ID}, "version": {"1"}}
	if p := send(of); p.status != http.StatusSeeOther {
		t.Errorf("the second time: status %d: %s", p.status, p.body)
	}
	if p := send(of); p.status != http.StatusOK || !strings.Contains(p.body, "somebody else has changed it meanwhile") {
		t.Errorf("over somebody else's: status %d: %s", p.status, p.body)
	}
	if p := admin.get("/screens/programme?delete=1&id=" + list[0].ID); !strings.Contains(p.body, "Delete the programme Foyer?") {
		t.Errorf("does not ask: %s", p.body)
	}
	// What somebody else has changed is not deleted: it is shown as it is now.
	if p := send(url.Values{"id": {list[0].ID}, "version": {"1"}, "do": {"delete"}, "name": {"Old"}}); p.status != http.StatusOK ||
		!strings.Contains(p.body, "somebody else has changed it meanwhile") || !strings.Contains(p.body, `name="version" value="2"`) || strings.Contains(p.body, "Old") {
		t.Errorf("an older version to delete: status %d: %s", p.status, p.body)
	}
	for range 2 { // also what is gone already
		if p := send(url.Values{"id": {list[0].ID}, "version": {"2"}, "do": {"delete"}}); p.header.Get("Location") != "/screens/programme" {
			t.Errorf("deleted: status %d: %s", p.status, p.body)
		}
	}
	if list, err := h.store.Programmes().List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%d are left, %v", len(list), err)
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Object: list[0].ID}, 0, 9)
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for _, a := range acts {
		done = append(done, a.Name+": "+a.Action+" "+a.ObjectName)
	}
	if want := []string{"Name of the admin: programme_deleted Foyer", "Name of the admin: programme_saved Foyer", "Name of the admin: programme_saved Foyer"}; !slices.Equal(done, want) {
		t.Errorf("the audit has %q, want %q", done, want)
	}
}
