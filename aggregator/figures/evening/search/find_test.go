package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/search"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// programme returns a house of ten performances around the evening of 21 November, told by their
// ids. Tickets are read.
func programme() *figures.Snapshot {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{Zone: time.UTC})}
	event := func(id, title, hall, date, curtain string, change ...func(*record.Event)) {
		at, err := time.Parse("2006-01-02 15:04", date+" "+curtain)
		if err != nil {
			panic(err)
		}
		e := &record.Event{ID: id, Title: title, Hall: hall, StartsAt: at, DoorsAt: at.Add(-time.Hour), EndsAt: at.Add(2 * time.Hour),
			Capacity: new(10), Status: record.EventOnSale, UpdatedAt: at.AddDate(0, -1, 0)}
		for _, c := range change {
			c(e)
		}
		l.Add(e)
	}
	status := func(s record.EventStatus) func(*record.Event) { return func(e *record.Event) { e.Status = s } }
	left := func(n int) func(*record.Event) { return func(e *record.Event) { e.Available = new(n) } }
	event("past", "Dvořák: Uit de Nieuwe Wereld", "Grote Zaal", "2026-10-03", "20:15", left(2))
	event("running", "De ingebeelde zieke", "Kleine Zaal", "2026-11-21", "19:00", left(5))
	event("doors", "Fado: Inês Marinho", "Foyer", "2026-11-21", "20:30", left(3))
	event("called-off", "Woyzeck", "Kleine Zaal", "2026-11-21", "22:00", status(record.EventCancelled), left(6))
	event("full", "Straße der Sehnsucht", "Grote Zaal", "2026-11-22", "20:15", left(0))
	event("later", "Woyzeck", "Kleine Zaal", "2026-11-23", "20:15", status(record.EventPostponed))
	event("said-full", "Łódź by night", "Foyer", "2026-11-24", "20:15", status(record.EventSoldOut), left(1))
	event("closed", "Ærø", "", "2026-11-25", "20:15", status(record.EventSalesClosed), left(9))
	event("draft", "", "Grote Zaal", "2026-11-26", "20:15", status(record.EventDraft), left(10))
	event("endless", "Nacht van de poëzie", "Foyer", "2026-11-27", "20:15", func(e *record.Event) { e.Unlimited, e.Capacity = true, nil })
	l.Add(&record.Event{ID: "someday", Title: "Some day, in a hall", Status: record.EventOnSale, Available: new(7), Capacity: new(10)})
	for id, sold := range map[string]int{"past": 8, "running": 5, "doors": 7, "full": 10, "endless": 3} {
		l.Add(&record.Ticket{ID: "tkt_" + id, EventID: id, Quantity: new(sold), Status: record.TicketValid,
			SoldAt: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)})
	}
	return l.Snapshot(figures.Position{Epoch: "e", Revision: l.Revision}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true})
}

func TestFind(t *testing.T) {
	s, now := programme(), time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	const all = "past running doors called-off full later said-full closed draft endless someday"
	for _, c := range []struct {
		name string
		q    search.Query
		want string
	}{
		{"everything, in the order of time", search.Query{}, all},

		{"a word", search.Query{Text: "woyzeck"}, "called-off later"},
		{"a part of a word, in capitals", search.Query{Text: "BEELD"}, "running"},
		{"words in any order, of title and hall", search.Query{Text: " zaal  woyzeck kleine "}, "called-off later"},
		{"one word that is not there", search.Query{Text: "woyzeck foyer"}, ""},
		{"without the accents that are there", search.Query{Text: "dvorak"}, "past"},
		{"with accents that are not there", search.Query{Text: "wóyzèck"}, "called-off later"},
		{"an accent apart from its letter", search.Query{Text: "ine\u0302s"}, "doors"},
		{"letters that are two", search.Query{Text: "STRASSE"}, "full"},
		{"letters of other languages", search.Query{Text: "lodz"}, "said-full"},
		{"and", search.Query{Text: "aero"}, "closed"},
		{"no word spans title and hall", search.Query{Text: "woyzeckkleine"}, ""},
		{"text that is no word", search.Query{Text: "%"}, ""},

		{"a day of the month", search.Query{Text: "21"}, "running doors called-off"},
		{"a month, in short", search.Query{Text: "oct"}, "past"},
		{"a month in two letters of three", search.Query{Text: "oc"}, ""},
		{"a month as others call it", search.Query{Text: "OUD"}, "past"},
		{"a date", search.Query{Text: "27 nov"}, "endless"},
		{"a date with its weekday", search.Query{Text: "Fri, 27 Nov."}, "endless"},
		{"a date with another weekday", search.Query{Text: "sat 27 nov"}, ""},
		{"a day with its ordinal", search.Query{Text: "27th nov"}, "endless"},
		{"a day with its ordinal, in Dutch", search.Query{Text: "3e oct"}, "past"},
		{"a day and a month in one word", search.Query{Text: "27nov."}, "endless"},
		{"a day and no month in one word", search.Query{Text: "27no"}, ""},
		{"a day in one word that is none", search.Query{Text: "32nov"}, ""},
		{"a date that is none", search.Query{Text: "31 nov"}, ""},
		{"a date and a hall", search.Query{Text: "zaal 21 november"}, "running called-off"},
		{"a year", search.Query{Text: "3 oct 2026"}, "past"},
		{"another year", search.Query{Text: "3 oct 2025"}, ""},
		{"a date in figures", search.Query{Text: "2026-11-22"}, "full"},
		{"a day and a month with points", search.Query{Text: "27.11."}, "endless"},
		{"a day and a month with one point", search.Query{Text: "3.10"}, "past"},
		{"a day and a month with a stroke", search.Query{Text: "27/11"}, "endless"},
		{"a day and a month with a dash", search.Query{Text: "22-11"}, "full"},
		{"a day and a month with noughts", search.Query{Text: "03-10"}, "past"},
		{"a month and a day", search.Query{Text: "11/27"}, ""},
		{"a day and no month", search.Query{Text: "27-0"}, ""},
		{"a day and a month, and its year", search.Query{Text: "27.11.2026"}, "endless"},
		{"and its year in short", search.Query{Text: "27/11/26"}, "endless"},
		{"and another year", search.Query{Text: "27-11-2025"}, ""},
		{"and the beginning of a year", search.Query{Text: "27-11-202"}, ""},
		{"what may be a day, and a time", search.Query{Text: "21.11"}, "running doors called-off"},
		{"a month in figures", search.Query{Text: "2026-10"}, "past"},
		{"a year in figures and not yet a month", search.Query{Text: "2026-"}, ""},
		{"a weekday", search.Query{Text: "saturday"}, "past running doors called-off"},
		{"an abbreviation that is no beginning", search.Query{Text: "zo"}, "full"},
		{"an accent in a weekday", search.Query{Text: "Málum"}, "later"},
		{"tomorrow", search.Query{Text: "Tomorrow"}, "full"},
		{"today", search.Query{Text: "today"}, "running doors called-off"},
		{"today, in two words", search.Query{Text: "Heute abend,"}, "running doors called-off"},
		{"an accent in a word", search.Query{Text: "übermorgen"}, "later"},
		{"a part of tomorrow", search.Query{Text: "tom"}, ""},
		{"a time", search.Query{Text: "20:30"}, "doors"},
		{"a time with a point", search.Query{Text: "19.00"}, "running"},
		{"the beginning of a time", search.Query{Text: "22:"}, "called-off"},
		{"a time that no performance has", search.Query{Text: "9:00"}, ""},
		{"numbers that are none of these", search.Query{Text: "-27"}, ""},

		{"from a day on", search.Query{From: "2026-11-24"}, "said-full closed draft endless"},
		{"up to a day", search.Query{To: "2026-11-21"}, "past running doors called-off"},
		{"one day", search.Query{From: "2026-11-22", To: "2026-11-22"}, "full"},
		{"days in the wrong order", search.Query{From: "2026-11-24", To: "2026-11-22"}, ""},
		{"a hall", search.Query{Hall: "Foyer"}, "doors said-full endless"},
		{"a part of a hall's name", search.Query{Hall: "Foy"}, ""},

		{"on sale", search.Query{Status: search.StatusOnSale}, "doors endless someday"},
		{"sold out", search.Query{Status: search.StatusSoldOut}, "full said-full"},
		{"cancelled", search.Query{Status: search.StatusCancelled}, "called-off"},
		{"postponed", search.Query{Status: search.StatusPostponed}, "later"},
		{"over", search.Query{Status: search.StatusOver}, "past"},
		{"to come", search.Query{Status: search.StatusComing}, "doors full said-full closed draft endless someday"},
		{"no such status", search.Query{Status: "x"}, ""},

		{"a place on sale", search.Query{Free: 1}, "doors endless someday"},
		{"exactly as many", search.Query{Free: 3}, "doors endless someday"},
		{"one more", search.Query{Free: 4}, "endless someday"},
		{"more than any house has", search.Query{Free: 1000}, "endless"},

		{"all of it at once", search.Query{Text: "foyer", From: "2026-11-21", To: "2026-11-26", Hall: "Foyer", Status: search.StatusOnSale, Free: 2}, "doors"},

		{"latest first", search.Query{Order: search.OrderDate, Descending: true}, "endless draft closed said-full later full called-off doors running past someday"},
		{"by title", search.Query{Order: search.OrderTitle}, "closed running past doors said-full endless someday full called-off later draft"},
		{"by title, from the end", search.Query{Order: search.OrderTitle, Descending: true}, "called-off later full someday endless said-full doors past running closed draft"},
		{"by hall", search.Query{Order: search.OrderHall}, "doors said-full endless past full draft running called-off later closed someday"},
		{"by places left", search.Query{Order: search.OrderFree}, "full said-full doors someday past running called-off later closed draft endless"},
		{"most places left", search.Query{Order: search.OrderFree, Descending: true}, "someday doors full said-full past running called-off later closed draft endless"},
		{"most sold", search.Query{Order: search.OrderSold, Descending: true}, "full past doors running endless called-off later said-full closed draft someday"},
		{"emptiest", search.Query{Order: search.OrderOccupancy}, "later said-full closed draft someday running doors past full called-off endless"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			c.q.Words = search.DayWords{
				Months:   [12][]string{9: {"October", "Oudmaand"}, 10: {"November"}},
				Weekdays: [7][]string{{"Sunday", "zo"}, {"malum"}, 5: {"Friday"}, 6: {"Saturday"}},
				Near:     map[string]int{"today": 0, "tomorrow": 1, "Übermorgen": 2, "heute Abend": 0},
			}
			for _, show := range search.Find(evening.At(s, now), c.q) {
				got = append(got, show.Event.ID)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("found %s\n want %s", strings.Join(got, " "), c.want)
			}
		})
	}
}

// A performance after midnight is found by the day of its evening and by that of the calendar,
// and by its time in the venue's zone; what is searched for from day to day changes at the cut-off.
func TestFindInTheNight(t *testing.T) {
	l := &foldtest.Versions{Ledger: ledger.New(foldtest.Amsterdam(t, 6*time.Hour))}
	l.Add(&record.Event{ID: "night", Title: "Swing", StartsAt: time.Date(2026, 11, 20, 23, 30, 0, 0, time.UTC)})
	l.Add(&record.Event{ID: "dayless", Title: "Someday"})
	s := l.Snapshot(figures.Position{Epoch: "e", Revision: l.Revision}, ledger.Coverage{})
	words := search.DayWords{Weekdays: [7][]string{5: {"Friday"}, 6: {"Saturday"}}, Near: map[string]int{"today": 0}}
	night, morning := time.Date(2026, 11, 21, 4, 59, 0, 0, time.UTC), time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		now  time.Time
		text string
		want int
	}{
		{night, "friday", 1}, {night, "saturday", 1}, {night, "friday 20 00:30", 1}, {night, "saturday 21", 1}, {night, "friday 21", 0},
		{night, "0:30", 1}, {night, "23:30", 0}, {night, "today", 1}, {morning, "today 20", 0}, {morning, "today 21", 1}, {night, "2026", 1},
	} {
		if got := len(search.Find(evening.At(s, c.now), search.Query{Text: c.text, Words: words})); got != c.want {
			t.Errorf("%s at %v: %d found, want %d", c.text, c.now, got, c.want)
		}
	}
}

// What can be found by a status changes with the evening: at the minute of the doors, the curtain
// and the end.
func TestFindByTheHour(t *testing.T) {
	s := programme()
	for _, c := range []struct {
		at             string
		coming, onSale bool
		over           bool
	}{
		{"19:29", true, true, false}, // doors at 19:30
		{"20:29", true, true, false},
		{"20:30", false, true, false}, // the curtain; the service still says that it is on sale
		{"20:59", false, true, false},
		{"21:00", false, false, false},
		{"22:29", false, false, false},
		{"22:30", false, false, true},
	} {
		now, err := time.Parse("2006-01-02 15:04", "2026-11-21 "+c.at)
		if err != nil {
			t.Fatal(err)
		}
		for status, want := range map[search.Status]bool{search.StatusComing: c.coming, search.StatusOnSale: c.onSale, search.StatusOver: c.over} {
			found := slices.ContainsFunc(search.Find(evening.At(s, now), search.Query{Status: status}), func(s *evening.Show) bool { return s.Event.ID == "doors" })
			if found != want {
				t.Errorf("at %s, found as %s: %v, want %v", c.at, status, found, want)
			}
		}
	}
}

// Where the service lists no tickets and no places left, nothing is called sold out and nothing
// is found by free places.
func TestFindWhereNothingIsKnown(t *testing.T) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{Zone: time.UTC})}
	l.Add(&record.Event{ID: "evt", Title: "Woyzeck", Date: "2026-11-23", Capacity: new(10)})
	v := evening.At(l.Snapshot(figures.Position{Epoch: "e", Revision: 1}, ledger.Coverage{}), time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		q    search.Query
		want int
	}{
		{search.Query{Status: search.StatusComing}, 1}, {search.Query{Status: search.StatusSoldOut}, 0}, {search.Query{Free: 1}, 0},
		{search.Query{Order: search.OrderSold}, 1},
	} {
		if got := len(search.Find(v, c.q)); got != c.want {
			t.Errorf("%+v finds %d, want %d", c.q, got, c.want)
		}
	}
}

// A house that is full by our own count alone is not called sold out, and has no place to offer.
func TestFindWhatIsFullByCount(t *testing.T) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{Zone: time.UTC})}
	sold := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	l.Add(&record.Event{ID: "evt", Date: "2026-11-23", Capacity: new(10)})
	l.Add(&record.Ticket{ID: "tkt", EventID: "evt", Quantity: new(10), Status: record.TicketValid, SoldAt: sold, UpdatedAt: sold})
	v := evening.At(l.Snapshot(figures.Position{Epoch: "e", Revision: 2}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true}), sold.Add(time.Hour))
	if n := len(search.Find(v, search.Query{Status: search.StatusSoldOut})) + len(search.Find(v, search.Query{Free: 1})); n != 0 {
		t.Error("it is found as sold out, or with a free place")
	}
	if len(search.Find(v, search.Query{Status: search.StatusOnSale})) != 1 {
		t.Error("it is not found as on sale")
	}
}

// What is over is neither sold out nor has it places, though the service still calls it sold out
// or it never had a limit; and performances without a day stay in their order in every direction.
func TestFindWhatIsOver(t *testing.T) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{Zone: time.UTC})}
	l.Add(&record.Event{ID: "full", Date: "2026-11-20", Status: record.EventSoldOut})
	l.Add(&record.Event{ID: "endless", Date: "2026-11-20", Unlimited: true})
	l.Add(&record.Event{ID: "someday-1", Status: record.EventDraft})
	l.Add(&record.Event{ID: "someday-2", Status: record.EventDraft})
	v := evening.At(l.Snapshot(figures.Position{Epoch: "e", Revision: 4}, ledger.Coverage{}), time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC))
	if n := len(search.Find(v, search.Query{Status: search.StatusSoldOut})) + len(search.Find(v, search.Query{Free: 1})); n != 0 {
		t.Errorf("%d are found as sold out, or with a free place", n)
	}
	found := search.Find(v, search.Query{Descending: true})
	if len(found) != 4 || found[2].Event.ID != "someday-1" || found[3].Event.ID != "someday-2" {
		t.Error("those without a day are not last, or not in their order")
	}
}

// BenchmarkFind finds one performance among 5,000, and orders all of them.
func BenchmarkFind(b *testing.B) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{Zone: time.UTC})}
	start := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for i := range 5000 {
		at := start.Add(time.Duration(i-3000) * 7 * time.Hour)
		l.Add(&record.Event{ID: fmt.Sprintf("evt_%04d", i), Title: fmt.Sprintf("Dvořák en vrienden, avond %d", i), Hall: "Grote Zaal",
			StartsAt: at, EndsAt: at.Add(2 * time.Hour), Capacity: new(800), Available: new(i % 800), Status: record.EventOnSale, UpdatedAt: start})
	}
	s := l.Snapshot(figures.Position{Epoch: "e", Revision: l.Revision}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true})
	for name, q := range map[string]search.Query{
		"words": {Text: "dvorak 4321"}, "free": {Free: 100}, "by-title": {Order: search.OrderTitle}, "all": {},
	} {
		b.Run(name, func(b *testing.B) {
			v := evening.At(s, start)
			for b.Loop() {
				if len(search.Find(v, q)) == 0 {
					b.Fatal("nothing was found")
				}
			}
		})
	}
}
