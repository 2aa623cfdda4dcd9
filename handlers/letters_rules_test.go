package handlers_test

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/notify"
	"housecount/aggregator/notify/mailtest"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/night"
)

// oversoldHouse is a house in which a performance of 20:15 is oversold since 18:15; the records are those with which it is
// shown again, and clock sets the time.
func oversoldHouse(t *testing.T, change func(*handlers.Options)) (h *house, records *[]record.Record, clock func(string)) {
	t.Helper()
	curtain := time.Date(2026, 11, 22, 20, 15, 0, 0, time.UTC)
	at := curtain
	h = newHouse(t, func(o *handlers.Options) {
		o.Now, o.At = func() time.Time { return at }, func(t time.Time) time.Time { return t }
		if change != nil {
			change(o)
		}
	})
	all := []record.Record{&record.Event{ID: "a", Title: "Tosca", Hall: "Zaal", StartsAt: curtain, EndsAt: curtain.Add(2 * time.Hour), DoorsAt: curtain.Add(-time.Hour), Capacity: new(int(1))},
		&record.RaisedAlert{Alert: "oversold:a", Number: 1, Level: "bad", EventID: "a", Raised: curtain.Add(-2 * time.Hour)}}
	for i := range 3 {
		all = append(all, &record.Ticket{ID: "t" + strconv.Itoa(i), EventID: "a", Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: curtain.Add(-30 * time.Hour)})
	}
	h.onSet = func(s *record.Setting) {
		all = append(all, s)
		h.holds(figures.Calendar{Zone: time.UTC}, all...)
	}
	h.holds(figures.Calendar{Zone: time.UTC}, all...)
	return h, &all, func(clock string) {
		at = curtain.Truncate(24 * time.Hour)
		hour, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Duration(hour.Hour())*time.Hour + time.Duration(hour.Minute())*time.Minute)
	}
}

// rules has an administrator say on the page of settings how the alerts of oversold performances are told.
func rules(t *testing.T, admin *browser, values map[record.SettingName]string) {
	t.Helper()
	form := url.Values{"section": {"alerts"}}
	page := admin.get(web.SettingsPath).body
	for name, value := range values {
		is, was := settingField(record.Setting{Name: name, Of: "oversold"})
		form.Set(is, value)
		stored := regexp.MustCompile(`name="` + regexp.QuoteMeta(was) + `" value="([^"]*)"`).FindStringSubmatch(page)
		if stored == nil {
			t.Fatalf("the page of settings has no %s", name)
		}
		form.Set(was, stored[1])
	}
	if p := admin.enter(web.SettingsPath, web.SettingsPath, form); p.status != http.StatusSeeOther {
		t.Fatalf("%v: %d %s", values, p.status, p.body)
	}
}

// An alert that goes by the house's addresses alone goes to everybody by all ways once the house has no addresses: nobody would
// hear of it.
func TestRuleByAWayThatIsGone(t *testing.T) {
	for hosts, want := range map[string]bool{"": true, "hooks.example.org": false} {
		h, records, clock := oversoldHouse(t, func(o *handlers.Options) {
			if o.Mail = true; hosts != "" {
				o.HouseHosts = map[string]string{"house": hosts}
			}
		})
		h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Alerts))
		*records = append(*records, &record.Setting{Name: record.SettingAlertBy, Of: "oversold", Value: new(int64(figures.AlertByHouse))})
		h.holds(figures.Calendar{Zone: time.UTC}, *records...)
		clock("18:26")
		people, err := h.store.Letters().Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(h.replica.Load().DueLetters(), func(d notify.Due) bool {
			return d.Name == night.Alerts && slices.ContainsFunc(people, d.To)
		})
		if told != want {
			t.Errorf("with the addresses %q the manager is told: %t, want %t", hosts, told, want)
		}
	}
}

// A rule that an administrator changes on the page changes who is told of what, and when, at once.
func TestRulesOfAlerts(t *testing.T) {
	h, _, clock := oversoldHouse(t, nil)
	for role, address := range map[web.Role]string{web.Manager: "mia@house.example", web.BoxOffice: "bo@house.example"} {
		h.signedIn(t, role, address).enter(web.LettersPath, web.LettersPath, letters(night.Alerts, night.Unanswered))
	}
	admin := h.signedIn(t, web.Admin, "ann@house.example")
	admin.enter(web.LettersPath, web.LettersPath, letters(night.Unanswered))
	site := h.replica.Load()
	due := func(at string) string {
		t.Helper()
		clock(at)
		people, err := h.store.Letters().Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, d := range site.DueLetters() {
			for _, p := range people {
				if (d.Name == night.Alerts || d.Name == night.Unanswered) && slices.Contains(p.Names, d.Name) && d.To(p) {
					all = append(all, d.Name+" "+strings.TrimSuffix(p.Address, "@house.example"))
				}
			}
		}
		slices.Sort(all)
		return strings.Join(all, ", ")
	}
	const told, from, until, after, role = record.SettingAlertTold, record.SettingAlertFrom, record.SettingAlertUntil, record.SettingAlertAfter, record.SettingAlertRole
	for _, c := range []struct {
		name   string
		values map[record.SettingName]string
		at     string
		due    string
		shown  bool
	}{
		{"as usual", nil, "18:26", "alerts mia, unanswered ann, unanswered mia", true},
		{"after five minutes", map[record.SettingName]string{after: "5"}, "18:21", "alerts mia, unanswered ann, unanswered mia", true},
		{"to administrators, after an hour", map[record.SettingName]string{after: "60", role: "4"}, "19:16", "unanswered ann", true},
		{"at other hours", map[record.SettingName]string{from: "20", until: "23"}, "19:59", "", true},
		{"when they begin", nil, "20:01", "alerts mia", true},
		{"an hour after they were told", nil, "20:59", "unanswered ann", true},
		{"only on pages", map[record.SettingName]string{told: "1"}, "20:02", "", true},
		{"off", map[record.SettingName]string{told: "0"}, "20:03", "", false},
		{"as usual again", map[record.SettingName]string{told: "", from: "", until: "", after: "", role: ""}, "18:26", "alerts mia, unanswered ann, unanswered mia", true},
	} {
		if c.values != nil {
			rules(t, admin, c.values)
		}
		if got := due(c.at); got != c.due {
			t.Errorf("%s: due is %q, want %q", c.name, got, c.due)
		}
		if shown := strings.Contains(admin.get("/tonight").body, "notice-oversold"); shown != c.shown {
			t.Errorf("%s: shown on Tonight: %t", c.name, shown)
		}
	}
	if !slices.ContainsFunc(h.entered, func(e string) bool { return strings.Contains(e, `audited alert_told "oversold": "" to "1"`) }) {
		t.Errorf("audited is %q", h.entered)
	}
	if body := admin.get(web.SettingsPath).body; !strings.Contains(body, "on pages and sent") || strings.Contains(body, `>Door</option>`) && strings.Contains(body, "oversold: then told to</label> Door") {
		t.Error("the page of settings does not offer the rules")
	}
}

// What was due under another rule is not sent any more.
func TestRulesOfAlertsHoldWhenSent(t *testing.T) {
	h, _, clock := oversoldHouse(t, nil)
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Alerts))
	admin := h.signedIn(t, web.Admin, "ann@house.example")
	clock("18:26")
	var server mailtest.Server
	if states := h.post(t, &server, 1); states[0] != store.LetterSent || len(server.Got()) != 1 || !strings.Contains(server.Got()[0].Parts["text/plain"], "Tosca") {
		t.Fatalf("as usual: %q, %v", states, server.Got())
	}
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(people) != 1 {
		t.Fatalf("%v (%v)", people, err)
	}
	again := store.Letter{Person: people[0].Person, Name: night.Alerts, About: "oversold:a#1 @7", Until: time.Now().Add(time.Hour)}
	if err := h.store.Letters().Make(t.Context(), []store.Letter{again}); err != nil {
		t.Fatal(err)
	}
	rules(t, admin, map[record.SettingName]string{record.SettingAlertTold: "1"})
	if states := h.post(t, &server, 1); states[0] != store.LetterVoid || len(server.Got()) != 1 {
		t.Errorf("only on pages: %q, %d sent", states, len(server.Got()))
	}
}

// The house's own address is told once that an alert is over of which it was told, with the alert's id.
func TestLettersOfClearedAlerts(t *testing.T) {
	h, records, clock := oversoldHouse(t, func(o *handlers.Options) {
		o.HouseRole, o.HouseHosts = web.Manager, map[string]string{store.HousePerson: "pager.example"}
	})
	site, to := h.replica.Load(), store.Subscriber{Person: store.HousePerson, Language: "en", Names: handlers.HouseLetters}
	about := func() (all []string) {
		for _, d := range site.DueLetters() {
			if d.Name == night.Cleared {
				all = append(all, d.About)
			}
		}
		return all
	}
	clock("18:26")
	if got := about(); got != nil {
		t.Errorf("while it stands: %q", got)
	}
	cleared := *(*records)[1].(*record.RaisedAlert)
	cleared.Cleared, cleared.Changed = cleared.Raised.Add(20*time.Minute), cleared.Raised.Add(22*time.Minute)
	*records = append(*records, &cleared)
	h.holds(figures.Calendar{Zone: time.UTC}, *records...)
	clock("18:38")
	if got := about(); !slices.Equal(got, []string{"oversold:a#1"}) {
		t.Errorf("once it is over: %q", got)
	}
	letters := h.store.Letters()
	raised := store.Letter{Person: store.HousePerson, Name: night.Alerts, About: "oversold:a#1", Until: time.Now().Add(time.Hour)}
	write := func() (notify.Text, error) {
		return site.WriteLetter(t.Context(), []store.Letter{{Person: store.HousePerson, Name: night.Cleared, About: "oversold:a#1"}}, to)
	}
	if _, err := write(); err != notify.ErrVoid {
		t.Errorf("of which it was not told: %v", err)
	}
	told, err := site.Told("oversold:a#1")
	if err != nil || told != nil {
		t.Errorf("before, of the alert were told %+v (%v)", told, err)
	}
	if err := letters.Make(t.Context(), []store.Letter{raised}); err != nil {
		t.Fatal(err)
	}
	if told, err = site.Told("oversold:a#1"); err != nil || len(told) != 1 || told[0].Last.State != store.LetterWaiting {
		t.Errorf("at once after a letter was made, of the alert were told %+v (%v)", told, err)
	}
	if _, err := write(); err != notify.ErrNotYet {
		t.Errorf("while that is being sent: %v", err)
	}
	if err := letters.Settle(t.Context(), []store.Letter{raised}, store.LetterSent, "", 0); err != nil {
		t.Fatal(err)
	}
	text, err := write()
	want := notify.Alert{ID: "oversold:a#1", Code: "oversold", Level: "bad", Raised: cleared.Raised, Cleared: cleared.Cleared, Text: "Over: Sold without a seat · Tosca", Event: "a"}
	if err != nil || text.Name != night.Cleared || text.Subject != "De Waag: Over: Sold without a seat · Tosca" || len(text.Alerts) != 1 || text.Alerts[0] != want {
		t.Errorf("told %+v (%v), want %+v", text, err, want)
	}
	told, err = site.Told("oversold:a#1")
	if err != nil || len(told) != 1 || told[0].Person != "" || told[0].Address != "pager.example" || told[0].Last.State != store.LetterSent || told[0].Last.Name != night.Alerts {
		t.Errorf("of the alert were told %+v (%v), want the house's own address", told, err)
	}
	clock("23:59")
	if got := about(); len(got) != 1 {
		t.Errorf("at midnight: %q", got)
	}
	for _, a := range []*record.RaisedAlert{&cleared, (*records)[1].(*record.RaisedAlert)} {
		a.Raised, a.Cleared, a.Changed = a.Raised.Add(-7*time.Hour), cleared.Cleared.Add(-7*time.Hour), cleared.Changed.Add(-7*time.Hour)
	}
	h.holds(figures.Calendar{Zone: time.UTC}, *records...)
	if got := about(); got != nil {
		t.Errorf("after more than twelve hours: %q", got)
	}
}

// The house's own address is not told that an alert is over whose money its role does not see any more.
func TestClearedLettersAreForTheRole(t *testing.T) {
	for role, want := range map[web.Role]error{web.Door: notify.ErrVoid, web.Manager: nil} {
		h, records, clock := oversoldHouse(t, func(o *handlers.Options) {
			o.HouseRole, o.HouseHosts = role, map[string]string{store.HousePerson: "pager.example"}
		})
		clock("18:38")
		raised := (*records)[1].(*record.RaisedAlert).Raised
		h.holds(figures.Calendar{Zone: time.UTC}, append(*records, &record.RaisedAlert{Alert: "owed:a", Number: 1, Level: "warn", EventID: "a", Raised: raised, Cleared: raised.Add(20 * time.Minute)})...)
		told := []store.Letter{{Person: store.HousePerson, Name: night.Alerts, About: "owed:a#1", Until: time.Now().Add(time.Hour)}}
		if err := errors.Join(h.store.Letters().Make(t.Context(), told), h.store.Letters().Settle(t.Context(), told, store.LetterSent, "", 0)); err != nil {
			t.Fatal(err)
		}
		to := store.Subscriber{Person: store.HousePerson, Language: "en", Names: handlers.HouseLetters}
		if text, err := h.replica.Load().WriteLetter(t.Context(), []store.Letter{{Person: to.Person, Name: night.Cleared, About: "owed:a#1"}}, to); err != want {
			t.Errorf("%s: %q (%v)", role, text.Subject, err)
		}
	}
}

// Before the figures are read, or where they are behind those of the process that made the letter, the letter that an alert is
// over waits: it is made once, so that it would be lost.
func TestClearedLettersWaitForTheFigures(t *testing.T) {
	h, records, clock := oversoldHouse(t, func(o *handlers.Options) {
		o.HouseRole, o.HouseHosts = web.Manager, map[string]string{store.HousePerson: "pager.example"}
	})
	clock("18:38")
	told := []store.Letter{{Person: store.HousePerson, Name: night.Alerts, About: "oversold:a#1", Until: time.Now().Add(time.Hour)}}
	if err := h.store.Letters().Make(t.Context(), told); err != nil {
		t.Fatal(err)
	}
	if err := h.store.Letters().Settle(t.Context(), told, store.LetterSent, "", 0); err != nil {
		t.Fatal(err)
	}
	write := func() error {
		_, err := h.replica.Load().WriteLetter(t.Context(), []store.Letter{{Person: store.HousePerson, Name: night.Cleared, About: "oversold:a#1"}},
			store.Subscriber{Person: store.HousePerson, Language: "en", Names: handlers.HouseLetters})
		return err
	}
	if err := write(); err != notify.ErrNotYet {
		t.Errorf("with figures in which it stands: %v", err)
	}
	cleared := *(*records)[1].(*record.RaisedAlert)
	cleared.Cleared = cleared.Raised.Add(20 * time.Minute)
	h.ready.Store(false)
	h.holds(figures.Calendar{Zone: time.UTC})
	if err := write(); err != notify.ErrNotYet {
		t.Errorf("before the figures are read: %v", err)
	}
	h.ready.Store(true)
	h.holds(figures.Calendar{Zone: time.UTC}, append(*records, &cleared)...)
	if err := write(); err != nil {
		t.Errorf("once they are: %v", err)
	}
}

// Hours that begin before the morning's letters tell an alert of the night once.
func TestHoursBeforeTheMorning(t *testing.T) {
	h, records, clock := oversoldHouse(t, nil)
	atNight := *(*records)[1].(*record.RaisedAlert)
	atNight.Raised = atNight.Raised.Truncate(24 * time.Hour).Add(3 * time.Hour)
	(*records)[1] = &atNight
	h.holds(figures.Calendar{Zone: time.UTC}, *records...)
	admin := h.signedIn(t, web.Admin, "ann@house.example")
	rules(t, admin, map[record.SettingName]string{record.SettingAlertFrom: "5", record.SettingAlertUntil: "23"})
	told := map[string]bool{}
	for _, at := range []string{"04:59", "05:00", "05:10", "05:29", "07:29", "07:31", "07:45", "08:10"} {
		clock(at)
		for _, d := range h.replica.Load().DueLetters() {
			if strings.HasPrefix(d.About, "oversold") {
				told[d.Name+" "+d.About] = true
			}
		}
	}
	if len(told) != 2 || !told["alerts oversold:a#1"] || !told["unanswered oversold:a#1"] {
		t.Errorf("told are %v", told)
	}
}

// The house's own address is told again of what nobody is on, whichever role the house has chosen for that.
func TestUnansweredToTheHouse(t *testing.T) {
	h, _, clock := oversoldHouse(t, func(o *handlers.Options) {
		o.HouseRole, o.HouseHosts = web.Manager, map[string]string{store.HousePerson: "pager.example"}
	})
	rules(t, h.signedIn(t, web.Admin, "ann@house.example"), map[record.SettingName]string{record.SettingAlertRole: "4"})
	clock("18:26")
	site, to := h.replica.Load(), store.Subscriber{Person: store.HousePerson, Language: "en", Names: handlers.HouseLetters}
	due := false
	for _, d := range site.DueLetters() {
		due = due || d.Name == night.Unanswered && d.To(to)
	}
	text, err := site.WriteLetter(t.Context(), []store.Letter{{Person: to.Person, Name: night.Unanswered, About: "oversold:a#1"}}, to)
	if !due || err != nil || len(text.Alerts) != 1 {
		t.Errorf("due: %t, written is %+v (%v)", due, text, err)
	}
}

// A role that is not among those that the page offers is refused.
func TestRolesOfAlertsAreChosen(t *testing.T) {
	h, _, _ := oversoldHouse(t, nil)
	admin := h.signedIn(t, web.Admin, "ann@house.example")
	is, was := settingField(record.Setting{Name: record.SettingAlertRole, Of: "oversold"})
	h.entered = nil
	p := admin.enter(web.SettingsPath, web.SettingsPath, url.Values{"section": {"alerts"}, is: {"1"}, was: {""}}) // not whose work it is
	if p.status != http.StatusOK || h.entered != nil || !strings.Contains(p.body, "Choose one of those in the list.") {
		t.Errorf("%d, %q", p.status, h.entered)
	}
}

// What stands since before this morning and is not red is in the letter of the morning, and is not told beside it.
func TestAlertsOfTheMorningAreInItsLetter(t *testing.T) {
	for level, want := range map[string]string{"warn": "alerts bo", "bad": "alerts bo, alerts mia"} {
		curtain := time.Date(2026, 11, 22, 20, 15, 0, 0, time.UTC)
		h := newHouse(t, func(o *handlers.Options) {
			o.Now, o.At = func() time.Time { return curtain.Truncate(24 * time.Hour).Add(7*time.Hour + 32*time.Minute) }, func(t time.Time) time.Time { return t }
		})
		event, code := &record.Event{ID: "a", Title: "Tosca", Hall: "Zaal", StartsAt: curtain, EndsAt: curtain.Add(2 * time.Hour), DoorsAt: curtain.Add(-time.Hour), Capacity: new(int(1))}, "oversold"
		if level == "warn" {
			event.Status, code = record.EventCancelled, "cancelled"
		}
		records := []record.Record{event, &record.RaisedAlert{Alert: code + ":a", Number: 1, Level: level, EventID: "a", Raised: curtain.AddDate(0, 0, -2)}}
		for i := range 3 {
			records = append(records, &record.Ticket{ID: "t" + strconv.Itoa(i), EventID: "a", Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: curtain.AddDate(0, 0, -3)})
		}
		h.holds(figures.Calendar{Zone: time.UTC}, records...)
		h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Alerts, night.Morning))
		h.signedIn(t, web.Admin, "bo@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Alerts))
		people, err := h.store.Letters().Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		site := h.replica.Load()
		var all []string
		for _, d := range site.DueLetters() {
			for _, p := range people {
				if d.Name == night.Alerts && d.To(p) {
					all = append(all, d.Name+" "+strings.TrimSuffix(p.Address, "@house.example"))
				}
			}
		}
		slices.Sort(all)
		if got := strings.Join(all, ", "); got != want {
			t.Errorf("%s: due is %q, want %q", level, got, want)
		}
		text, err := site.WriteLetter(t.Context(), []store.Letter{{Name: night.Morning, About: "2026-11-22"}}, people[slices.IndexFunc(people, func(p store.Subscriber) bool { return p.Address == "mia@house.example" })])
		if err != nil || strings.Count(text.Plain, "Tosca") < 2 {
			t.Errorf("%s: the letter of the morning does not name it (%v):\n%s", level, err, text.Plain)
		}
	}
}

// That the service does not answer is told to the box office, which has to know; only those who can end that are told once more when
// nobody has answered.
func TestUnansweredLettersGoToWhoCanEndTheAlert(t *testing.T) {
	h, clock := lettersHouse(t)
	for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin} {
		h.signedIn(t, role, string(role)+"@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Alerts, night.Unanswered))
	}
	at := time.Date(2026, 11, 22, 20, 45, 0, 0, time.UTC)
	clock("2026-11-22 20:45")
	h.holds(figures.Calendar{Zone: time.UTC},
		&record.Event{ID: "f", Title: "Fado", Hall: "Foyer", StartsAt: at.Add(-30 * time.Minute), EndsAt: at.Add(2 * time.Hour), Capacity: new(int(50))},
		&record.RaisedAlert{Alert: "streams", Number: 1, Level: "warn", Raised: at.Add(-15 * time.Minute)})
	silent := func(name string, kind record.Kind) figures.StreamHealth {
		return figures.StreamHealth{Name: name, Kinds: []record.Kind{kind}, Complete: true, LastGood: at.Add(-20 * time.Minute), Missed: 9, Fault: figures.FaultUnreachable}
	}
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		silent []figures.StreamHealth
		want   map[string][]string
	}{
		// The box office hears nothing of payments. Its letter about tickets, which fail later, is not used up by that.
		{[]figures.StreamHealth{silent("payments", record.KindPayment)}, map[string][]string{night.Alerts: {"admin", "manager"}, night.Unanswered: {"admin", "manager"}}},
		{[]figures.StreamHealth{silent("payments", record.KindPayment), silent("tickets", record.KindTicket)}, map[string][]string{night.Alerts: {"admin", "box_office", "manager"}, night.Unanswered: {"admin", "manager"}}},
	} {
		(*h.snapshot.Load())().Health.Streams = c.silent
		told := map[string][]string{}
		for _, d := range h.replica.Load().DueLetters() {
			for _, p := range people {
				if d.About == "streams#1" && d.To(p) {
					told[d.Name] = append(told[d.Name], strings.TrimSuffix(p.Address, "@house.example"))
				}
			}
		}
		for name, want := range c.want {
			if slices.Sort(told[name]); !slices.Equal(told[name], want) {
				t.Errorf("%s about %d streams: %q are told, want %q", name, len(c.silent), told[name], want)
			}
		}
	}
}

// While what came since a poll of long ago is being read, a letter of a day waits, so that its subject is of all that came, and an alert that is
// not judged meanwhile is not taken for over, however long that lasts. One that is judged is told.
func TestLettersWaitForWhatCameMeanwhile(t *testing.T) {
	h, _, clock := oversoldHouse(t, nil)
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Alerts, night.Morning))
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(people) != 1 {
		t.Fatalf("%v (%v)", people, err)
	}
	clock("18:20")
	before := *(*h.snapshot.Load())()
	for i, c := range []struct {
		name, about string
		behind      bool
		tries       int
		want        error
		kind        record.Kind // that is behind
	}{
		{night.Alerts, "oversold:a#1", true, 1, notify.ErrNotYet, record.KindTicket},
		{night.Alerts, "oversold:a#1", true, 6, notify.ErrNotYet, record.KindTicket},
		{night.Alerts, "oversold:a#1", false, 1, nil, record.KindTicket},
		{night.Alerts, "oversold:b#1", false, 1, notify.ErrVoid, record.KindTicket},
		{night.Alerts, "oversold:a#1", true, 1, nil, record.KindPayment},
		{night.Morning, "2026-11-22", true, 5, notify.ErrNotYet, record.KindPayment},
		{night.Morning, "2026-11-22", true, 5, notify.ErrNotYet, record.KindScan},
		{night.Morning, "2026-12-22", true, 6, notify.ErrVoid, record.KindTicket},
		{night.Morning, "2026-11-22", true, 5, notify.ErrNotYet, record.KindTicket},
		{night.Morning, "2026-11-22", true, 6, nil, record.KindTicket},
		{night.Morning, "2026-11-22", false, 1, nil, record.KindTicket},
	} {
		s := before
		s.Position.Revision += int64(i)
		s.Health = figures.Health{Streams: []figures.StreamHealth{{Name: "tickets", Complete: true, Behind: c.behind, LastGood: time.Date(2026, 11, 22, 18, 20, 0, 0, time.UTC),
			Kinds: []record.Kind{c.kind}}}}
		read := func() *figures.Snapshot { return &s }
		h.snapshot.Store(&read)
		all := []store.Letter{{Person: people[0].Person, Name: c.name, About: c.about, Tries: c.tries}, {Person: people[0].Person, Name: c.name, About: c.about, Tries: 1}}
		if got, err := h.replica.Load().WriteLetter(t.Context(), all, people[0]); err != c.want || (err == nil) != (got.Subject != "") {
			t.Errorf("%s about %s, behind %t, try %d: %q (%v), want %v", c.name, c.about, c.behind, c.tries, got.Subject, err, c.want)
		}
	}
}
