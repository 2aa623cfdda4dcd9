package handlers_test

import (
	"errors"
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

// The letter of the morning is due from its time on the clock for four hours, also on days with 23 and 25 hours; that of the
// week on Mondays, for twelve; tables each morning for four, and on Mondays and on the first for 36; that after the evening once everybody has left, until eight hours after the end of the last performance.
func TestLettersDue(t *testing.T) {
	h, clock := lettersHouse(t)
	due := func(t *testing.T, at, want string) {
		t.Helper()
		clock(at)
		var due, wanted []string
		for _, d := range h.replica.Load().DueLetters() {
			due = append(due, d.Name+" "+d.About)
		}
		for one := range strings.SplitSeq(want, ", ") {
			name, about, _ := strings.Cut(one, " ")
			all := map[string][]string{night.Morning: {night.TonightDay, night.NightDay, night.RevenueDay}, night.RevenueWeek: {night.RevenueWeek, night.EventsWeek}, night.RevenueMonth: {night.RevenueMonth}}[name]
			for _, table := range all { // as a workbook and as CSV
				wanted = append(wanted, table+" "+about, table+night.CSV+" "+about)
			}
			if night.ExportOf(name) == nil && name != "" {
				wanted = append(wanted, one)
			}
		}
		slices.Sort(due)
		slices.Sort(wanted)
		if !slices.Equal(due, wanted) {
			t.Errorf("at %s due is %q, want %q", at, due, wanted)
		}
	}
	for _, c := range []struct{ at, due string }{
		{"2026-11-21 21:00", ""},
		{"2026-11-21 23:50", "night 2026-11-21"},
		{"2026-11-22 00:30", "night 2026-11-21"},
		{"2026-11-22 06:14", "night 2026-11-21"},
		{"2026-11-22 06:15", ""},
		{"2026-11-22 07:30", "morning 2026-11-22"},
		{"2026-11-22 11:29", "morning 2026-11-22"},
		{"2026-11-22 11:30", ""},
		{"2026-11-22 18:00", ""},
		{"2026-11-23 07:29", ""},
		{"2026-11-23 08:00", "morning 2026-11-23, week 2026-11-23, revenue_week 2026-11-23"},
		{"2026-11-23 19:29", "week 2026-11-23, revenue_week 2026-11-23"},
		{"2026-11-23 19:30", "revenue_week 2026-11-23"},
		{"2026-11-24 08:00", "morning 2026-11-24, revenue_week 2026-11-23"},
		{"2026-11-24 19:30", ""},
		{"2026-12-01 07:29", "revenue_week 2026-11-30"},
		{"2026-12-01 07:30", "morning 2026-12-01, revenue_week 2026-11-30, revenue_month 2026-12-01"},
		{"2026-12-02 19:29", "revenue_month 2026-12-01"},
		{"2026-12-02 19:30", ""},
	} {
		due(t, c.at, c.due)
	}

	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	club := time.Date(2026, 10, 24, 23, 0, 0, 0, zone) // the night with 25 hours
	h.holds(figures.Calendar{Zone: zone, Cutoff: 6 * time.Hour},
		&record.Event{ID: "e", Title: "Club night", Hall: "Foyer", StartsAt: club, EndsAt: time.Date(2026, 10, 25, 6, 30, 0, 0, zone), Capacity: new(int(100))})
	for _, c := range []struct{ at, due string }{ // in UTC
		{"2026-10-25 05:29", ""},
		{"2026-10-25 05:31", "night 2026-10-24"},
		{"2026-10-25 06:29", "night 2026-10-24"},
		{"2026-10-25 06:30", "morning 2026-10-25, night 2026-10-24"},
		{"2026-10-25 10:29", "morning 2026-10-25, night 2026-10-24"},
		{"2026-10-25 10:30", "night 2026-10-24"},
		{"2026-10-25 13:30", ""},
		{"2027-03-28 05:29", ""},
		{"2027-03-28 05:30", "morning 2027-03-28"},
	} {
		due(t, c.at, c.due)
	}
}

// An evening that goes on for more than an hour after NightAt has its letter then, as it stands: once a performance is over, and with what
// the others are so far. The letter of the morning says the rest. One that is soon over has it when everybody has left.
func TestLetterOfAnEveningThatGoesOn(t *testing.T) {
	h, clock := lettersHouse(t)
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, zone) }
	event := func(id, title string, from, to time.Time) []record.Record {
		all := []record.Record{&record.Event{ID: id, Title: title, Hall: "Zaal " + id, DoorsAt: from.Add(-time.Hour), StartsAt: from, EndsAt: to, Capacity: new(int(100))}}
		for i := range 3 { // of whom two come
			ticket := &record.Ticket{ID: id + strconv.Itoa(i), EventID: id, Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: at(20, 12, 0)}
			if i > 0 {
				ticket.Scans = []record.Scan{{At: from.Add(-10 * time.Minute), Direction: record.Entry, Gate: "A"}}
			}
			all = append(all, ticket)
		}
		return all
	}
	site := h.replica.Load()
	theatre, club := event("a", "Tosca", at(21, 20, 0), at(21, 22, 0)), event("b", "Soul", at(21, 23, 0), at(22, 3, 0))
	for _, c := range []struct {
		what string
		all  []record.Record
		due  map[string]bool // at moments in UTC
	}{
		{"a club after the theatre", slices.Concat(theatre, club), map[string]bool{"2026-11-21 22:29": false, "2026-11-21 22:30": true, "2026-11-22 01:00": true, "2026-11-22 03:00": true, "2026-11-22 09:59": true, "2026-11-22 10:00": false}},
		{"a club alone", club, map[string]bool{"2026-11-21 22:30": false, "2026-11-22 01:59": false, "2026-11-22 02:31": true}},
		{"soon over", slices.Concat(theatre, event("c", "Jazz", at(21, 22, 30), at(22, 0, 0))), map[string]bool{"2026-11-21 22:30": false, "2026-11-21 23:29": false, "2026-11-21 23:31": true}},
	} {
		h.holds(figures.Calendar{Zone: zone, Cutoff: 6 * time.Hour}, c.all...)
		for moment, want := range c.due {
			clock(moment)
			if got := slices.ContainsFunc(site.DueLetters(), func(d notify.Due) bool { return d.Name == night.Close && d.About == "2026-11-21" }); got != want {
				t.Errorf("%s at %s: due is %t, want %t", c.what, moment, got, want)
			}
		}
	}

	h.holds(figures.Calendar{Zone: zone, Cutoff: 6 * time.Hour}, slices.Concat(theatre, club)...)
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Close, night.Morning))
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(people) != 1 {
		t.Fatalf("%v (%v)", people, err)
	}
	mia := h.signedIn(t, web.Manager, "mia@house.example")
	for moment, want := range map[string]string{"2026-11-21 22:30": "Tonight so far", "2026-11-22 02:40": "Tonight: 4 came"} {
		clock(moment)
		if page := mia.get(web.LettersPath + "/" + night.Close).body; !strings.Contains(page, want) {
			t.Errorf("who looks at the letter at %s sees no %q:\n%s", moment, want, page)
		}
	}
	h.holds(figures.Calendar{Zone: zone, Cutoff: 6 * time.Hour}, slices.Concat(theatre, club, event("n", "Nora", at(22, 20, 0), at(22, 22, 0)))...)
	for moment, want := range map[string]string{"2026-11-22 01:00": "Tonight so far", "2026-11-22 02:07": "Last night: 4 came"} { // 02:00 and 03:07
		clock(moment)
		page := mia.get(web.LettersPath + "/" + night.Morning).body
		if title, next, _ := strings.Cut(page, `<h2 class="s">`); !strings.Contains(title, want) || !strings.Contains(title, "Soul") || !strings.Contains(next, "Nora") || strings.Contains(next, "Soul") {
			t.Errorf("the letter of the morning in the night before, at %s:\n%s", moment, page)
		}
	}
	h.holds(figures.Calendar{Zone: zone, Cutoff: 6 * time.Hour}, slices.Concat(theatre, club)...)
	for _, c := range []struct {
		at, name, about, subject string
		want, lacks              []string
	}{
		{"2026-11-21 22:30", night.Close, "2026-11-21", "De Waag: Tonight so far: 2 came to 1 of 2 performances", []string{"Sold 3  Came 2  Did not 1", "2 of 3 so far · until 03:00", "Saturday 21\u00a0November, 23:30"}, nil},
		{"2026-11-22 02:40", night.Close, "2026-11-21", "De Waag: Tonight: 4 came", []string{"Sold 3  Came 2"}, []string{"so far"}},
		{"2026-11-22 06:30", night.Morning, "2026-11-22", "De Waag: Last night: 4 came", []string{"Sold 3  Came 2"}, []string{"so far"}},
	} {
		clock(c.at)
		text, err := site.WriteLetter(t.Context(), []store.Letter{{Person: people[0].Person, Name: c.name, About: c.about}}, people[0])
		if err != nil || text.Subject != c.subject {
			t.Errorf("at %s: %q (%v), want %q", c.at, text.Subject, err, c.subject)
		}
		for _, want := range c.want {
			if !strings.Contains(text.Plain, want) {
				t.Errorf("at %s %q is not in\n%s", c.at, want, text.Plain)
			}
		}
		for _, lacks := range c.lacks {
			if strings.Contains(text.Plain, lacks) {
				t.Errorf("at %s %q is in\n%s", c.at, lacks, text.Plain)
			}
		}
	}
}

// The house's own address is told what its role may see and take on, in the house's language, and administrators see what
// became of it.
func TestAlertsToTheHouse(t *testing.T) {
	evening := time.Date(2026, 11, 22, 20, 15, 0, 0, time.UTC)
	records := []record.Record{&record.Event{ID: "a", Title: "Tosca", Hall: "Zaal", StartsAt: evening, EndsAt: evening.Add(2 * time.Hour), DoorsAt: evening.Add(-time.Hour), Capacity: new(int(1))},
		&record.RaisedAlert{Alert: "oversold:a", Number: 1, Level: "bad", EventID: "a", Raised: evening.Add(-2 * time.Hour)}}
	for i := range 3 {
		records = append(records, &record.Ticket{ID: "t" + strconv.Itoa(i), EventID: "a", Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: evening.Add(-30 * time.Hour)})
	}
	to := store.Subscriber{Person: store.HousePerson, Language: "nl", Names: handlers.HouseLetters}
	letter := store.Letter{Person: to.Person, Name: night.Alerts, About: "oversold:a#1", Until: time.Now().Add(time.Hour)}
	for role, told := range map[web.Role]bool{web.Manager: true, web.BoxOffice: false} {
		h := newHouse(t, func(o *handlers.Options) {
			o.HouseRole, o.HouseHosts = role, map[string]string{store.HousePerson: "pager.example"}
			o.Now, o.At = func() time.Time { return evening.Add(-115 * time.Minute) }, func(t time.Time) time.Time { return t }
		})
		h.holds(figures.Calendar{Zone: time.UTC}, records...)
		site := h.replica.Load()
		due := 0
		for _, d := range site.DueLetters() {
			if d.Name == night.Alerts && d.To(to) {
				due++
			}
		}
		text, err := site.WriteLetter(t.Context(), []store.Letter{letter}, to)
		if !told {
			if due != 0 || !errors.Is(err, notify.ErrVoid) {
				t.Errorf("%q: %d are due, written is %v (%v)", role, due, text, err)
			}
			continue
		}
		want := notify.Alert{ID: "oversold:a#1", Code: "oversold", Level: "bad", Raised: evening.Add(-2 * time.Hour), Event: "a"}
		if due != 1 || err != nil || len(text.Alerts) != 1 {
			t.Fatalf("%q: %d are due, written is %v (%v)", role, due, text, err)
		}
		want.Text = text.Alerts[0].Text
		if text.Name != night.Alerts || text.Alerts[0] != want || !strings.Contains(want.Text, "Tosca") || !strings.Contains(want.Text, "verkocht") {
			t.Errorf("%q is told %+v", role, text.Alerts)
		}
		if err := h.store.Letters().Make(t.Context(), []store.Letter{letter}); err != nil {
			t.Fatal(err)
		}
		if err := h.store.Letters().Settle(t.Context(), []store.Letter{letter}, store.LetterRefused, "pager.example answers 404", 0); err != nil {
			t.Fatal(err)
		}
		for role, seen := range map[web.Role]bool{web.Admin: true, web.Manager: false} {
			page := h.signedIn(t, role, "ann@house.example").get(web.LettersPath).body
			if strings.Contains(page, "pager.example answers 404") != seen || strings.Contains(page, `name="stop"`) {
				t.Errorf("%s sees the house's address: %t", role, !seen)
			}
		}
	}
}

// What needs somebody now goes at once to whoever may take it on, and once more if nobody has after ten minutes; neither
// what somebody is on, nor what is over, nor what can wait is sent.
func TestLettersOfAlerts(t *testing.T) {
	h, clock := lettersHouse(t)
	for role, address := range map[web.Role]string{web.Manager: "mia@house.example", web.BoxOffice: "bo@house.example", web.Door: "dirk@house.example"} {
		h.signedIn(t, role, address).enter(web.LettersPath, web.LettersPath, letters(night.Alerts, night.Unanswered))
	}
	evening := time.Date(2026, 11, 22, 20, 15, 0, 0, time.UTC)
	day := func(id, title string, after int, tickets int) (all []record.Record) {
		at := evening.AddDate(0, 0, after)
		all = []record.Record{&record.Event{ID: id, Title: title, Hall: "Zaal " + id, StartsAt: at, EndsAt: at.Add(2 * time.Hour), DoorsAt: at.Add(-time.Hour), Capacity: new(int(1))}}
		for i := range tickets {
			all = append(all, &record.Ticket{ID: id + strconv.Itoa(i), EventID: id, Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: evening.Add(-30 * time.Hour)})
		}
		return all
	}
	raised := func(key, event string, change ...func(*record.RaisedAlert)) record.Record {
		a := &record.RaisedAlert{Alert: key, Number: 1, Level: "bad", EventID: event, Raised: evening.Add(-2 * time.Hour)}
		for _, f := range change {
			f(a)
		}
		return a
	}
	base := slices.Concat(day("a", "Tosca", 0, 3), day("b", "Fado", 0, 2), day("c", "Next week", 7, 2), day("d", "Quiet", 0, 1))
	both := []record.Record{raised("oversold:a", "a"), raised("oversold:b", "b"), raised("oversold:c", "c"), raised("oversold:d", "d")}
	site := h.replica.Load()
	due := func(records ...record.Record) (texts []string) {
		h.holds(figures.Calendar{Zone: time.UTC}, append(slices.Clone(base), records...)...)
		people, err := h.store.Letters().Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range site.DueLetters() {
			if d.To == nil { // it is about a day
				continue
			}
			var to []string
			for _, p := range people {
				if d.To(p) {
					to = append(to, strings.TrimSuffix(p.Address, "@house.example"))
				}
			}
			texts = append(texts, d.Name+" "+d.About+" "+strings.Join(to, "+"))
		}
		slices.Sort(texts)
		return texts
	}
	for _, c := range []struct {
		name, at string
		records  []record.Record
		want     []string
	}{
		{"not in the log", "2026-11-22 18:20", nil, nil},
		{"within its grace", "2026-11-22 18:15", both, nil},
		{"raised", "2026-11-22 18:16", both, []string{"alerts oversold:a#1 mia", "alerts oversold:b#1 mia"}},
		{"unanswered", "2026-11-22 18:25", both, []string{"alerts oversold:a#1 mia", "alerts oversold:b#1 mia", "unanswered oversold:a#1 mia", "unanswered oversold:b#1 mia"}},
		{"old", "2026-11-22 18:50", both, []string{"unanswered oversold:a#1 mia", "unanswered oversold:b#1 mia"}},
		{"older", "2026-11-22 19:00", both, nil},
		{"taken on", "2026-11-22 18:30", append(slices.Clone(both), &record.Acknowledgement{Alert: "oversold:a", At: evening.Add(-time.Hour * 2), By: "Bo", Personal: true, Count: 9}), []string{"alerts oversold:b#1 mia", "unanswered oversold:b#1 mia"}},
		{"handed back", "2026-11-22 19:12", []record.Record{raised("oversold:a", "a", func(a *record.RaisedAlert) { a.Changed = evening.Add(-65 * time.Minute) })},
			[]string{"alerts oversold:a#1 @" + strconv.FormatInt(evening.Add(-65*time.Minute).Unix(), 10) + " mia"}},
		{"raised before today", "2026-11-22 07:32", []record.Record{raised("oversold:a", "a", func(a *record.RaisedAlert) { a.Raised = evening.Add(-50 * time.Hour) })},
			[]string{"alerts oversold:a#1 @" + strconv.FormatInt(time.Date(2026, 11, 22, 7, 30, 0, 0, time.UTC).Unix(), 10) + " mia"}},
		{"cleared", "2026-11-22 18:30", []record.Record{raised("oversold:a", "a", func(a *record.RaisedAlert) { a.Cleared = a.Raised.Add(time.Minute) })}, nil},
	} {
		clock(c.at)
		if got := due(c.records...); !slices.Equal(got, c.want) {
			t.Errorf("%s: due is %q, want %q", c.name, got, c.want)
		}
	}

	clock("2026-11-22 18:20")
	due(both...)
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	of := func(address string, name string, about ...string) (notify.Text, error) {
		i := slices.IndexFunc(people, func(p store.Subscriber) bool { return p.Address == address+"@house.example" })
		var all []store.Letter
		for _, one := range about {
			all = append(all, store.Letter{Person: people[i].Person, Name: name, About: one})
		}
		return site.WriteLetter(t.Context(), all, people[i])
	}
	text, err := of("mia", night.Alerts, "oversold:a#1", "oversold:b#1", "oversold:c#1")
	if err != nil || text.Subject != "De Waag: Tosca: 2 without a seat, and 1 more alert" || !strings.Contains(text.Plain, "Fado") || strings.Contains(text.Plain, "Next week") {
		t.Errorf("two alerts: %q %s (%v)", text.Subject, text.Plain, err)
	}
	if text, err = of("mia", night.Alerts, "oversold:b#1 @1795284900"); err != nil || strings.Contains(text.HTML, "Tosca") || strings.Contains(text.Subject, "more") {
		t.Errorf("one alert: %q (%v)", text.Subject, err)
	}
	for _, c := range [][]string{{"dirk", "oversold:b#1"}, {"bo", "oversold:b#1"}, {"mia", "oversold:b#2"}, {"mia", "oversold:d#1"}} {
		if text, err := of(c[0], night.Alerts, c[1]); !errors.Is(err, notify.ErrVoid) {
			t.Errorf("%s to %s: %q (%v)", c[1], c[0], text.Subject, err)
		}
	}
	// At night what is not red waits for the morning; while a performance is not over it does not.
	failing := func(s *figures.Snapshot) *figures.Snapshot {
		s.Health.Streams = []figures.StreamHealth{{Name: "tickets", Kinds: []record.Kind{record.KindTicket}, Complete: true, LastGood: evening, Missed: 9, Fault: figures.FaultUnreachable}}
		return s
	}
	for at, want := range map[string]int{"2026-11-22 03:10": 0, "2026-11-22 21:10": 1, "2026-11-23 03:10": 0, "2026-11-23 09:10": 1} {
		clock(at)
		since, err := time.Parse("2006-01-02 15:04", at)
		if err != nil {
			t.Fatal(err)
		}
		h.holds(figures.Calendar{Zone: time.UTC}, append(slices.Clone(base), &record.RaisedAlert{Alert: "streams", Number: 1, Level: "warn", Raised: since.Add(-5 * time.Minute)})...)
		read := *h.snapshot.Load()
		silent := func() *figures.Snapshot { return failing(read()) }
		h.snapshot.Store(&silent)
		n := 0
		for _, d := range site.DueLetters() {
			if d.About == "streams#1" {
				n++
			}
		}
		if n != want {
			t.Errorf("at %s the silent service is told %d times, want %d", at, n, want)
		}
	}
}

// Of alerts that are sent as one, those that are not judged meanwhile, as a list is behind, are left out and told later.
func TestLetterOfSomeAlertsLeavesTheOthersWaiting(t *testing.T) {
	h, records, clock := oversoldHouse(t, nil)
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Alerts))
	curtain := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	*records = append(*records, &record.Event{ID: "c", Title: "Carmen", Hall: "Foyer", StartsAt: curtain, EndsAt: curtain.Add(2 * time.Hour), DoorsAt: curtain.Add(-time.Hour), Status: record.EventCancelled},
		&record.Ticket{ID: "c1", EventID: "c", Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: curtain.Add(-30 * time.Hour)},
		&record.RaisedAlert{Alert: "cancelled:c", Number: 1, Level: "bad", EventID: "c", Raised: curtain.Add(-105 * time.Minute)})
	h.holds(figures.Calendar{Zone: time.UTC}, *records...)
	clock("18:20")
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(people) != 1 {
		t.Fatalf("%v (%v)", people, err)
	}
	both := []store.Letter{{Person: people[0].Person, Name: night.Alerts, About: "oversold:a#1", Until: time.Now().Add(time.Hour)}, {Person: people[0].Person, Name: night.Alerts, About: "cancelled:c#1", Until: time.Now().Add(time.Hour)}}
	text, err := h.replica.Load().WriteLetter(t.Context(), both, people[0])
	if err != nil || len(text.Alerts) != 2 || len(text.Waits) > 0 {
		t.Fatalf("of both: %q, waits for %q (%v)", text.Subject, text.Waits, err)
	}
	s := *(*h.snapshot.Load())()
	s.Position.Revision++
	s.Health = figures.Health{Streams: []figures.StreamHealth{{Name: "tickets", Complete: true, Behind: true, LastGood: curtain, Kinds: []record.Kind{record.KindTicket}}}}
	read := func() *figures.Snapshot { return &s }
	h.snapshot.Store(&read)
	if err := h.store.Letters().Make(t.Context(), both); err != nil {
		t.Fatal(err)
	}
	var server mailtest.Server
	if states := h.post(t, &server, 1); states[0] != store.LetterSent || len(server.Got()) != 1 || !strings.Contains(server.Got()[0].Parts["text/plain"], "Carmen") || strings.Contains(server.Got()[0].Parts["text/plain"], "Tosca") {
		t.Errorf("while tickets are behind: %q, %v", states, server.Got())
	}
	all, err := h.store.Letters().To(t.Context(), people[0].Person)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v (%v)", all, err)
	}
	for _, l := range all {
		if want := map[string]string{"oversold:a#1": store.LetterWaiting, "cancelled:c#1": store.LetterSent}[l.About]; l.State != want {
			t.Errorf("the letter about %s is %s, want %s", l.About, l.State, want)
		}
	}
}
