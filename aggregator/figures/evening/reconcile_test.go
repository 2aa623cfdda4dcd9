package evening_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/figures/ledger/replay"
	"housecount/apiclient/record"
)

// checkLines returns what each check has compared: how many agree of how many, how many were left aside,
// and the differences.
func checkLines(v *evening.Evening) (lines []string) {
	for _, r := range v.Reconcile() {
		line := fmt.Sprintf("%s %d/%d", r.Check, r.Agree(), r.Compared)
		if r.Aside > 0 {
			line += fmt.Sprintf(" aside %d", r.Aside)
		}
		if r.Selling > 0 {
			line += fmt.Sprintf(" selling %d", r.Selling)
		}
		for _, d := range r.Differences {
			line += fmt.Sprintf(", %s", d.Key)
			if d.Size.Count != 0 {
				line += fmt.Sprintf(" %+d", d.Size.Count)
			}
			for _, m := range d.Size.Amount {
				line += fmt.Sprintf(" %+d%s", m.Amount, m.Currency)
			}
			for i, of := range []figures.Sums{d.Due.Value, d.Back.Value} {
				for _, m := range of {
					line += fmt.Sprintf(" %s %d", []string{"due", "back"}[i], m.Amount)
				}
			}
			if len(d.Records) > 0 {
				line += fmt.Sprint(" ", d.Kind, d.Records)
			}
			if !d.Since.IsZero() {
				line += " since " + d.Since.UTC().Format("01-02 15:04")
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// checkLine is that of one check.
func checkLine(v *evening.Evening, c figures.Check) string {
	for _, line := range checkLines(v) {
		if strings.HasPrefix(line, string(c)+" ") {
			return line
		}
	}
	return ""
}

// Each check finds its difference, with its size and records, and what cannot be compared is left aside.
func TestReconcile(t *testing.T) {
	now := foldtest.Clock("12:00")
	sized := func(capacity, available int, change ...func(*record.Event)) *record.Event {
		return foldtest.Event("a", append([]func(*record.Event){func(e *record.Event) { e.Capacity, e.Available = &capacity, &available }}, change...)...)
	}
	blocked := func(n int) func(*record.Event) { return func(e *record.Event) { e.Blocked = &n } }
	sold := func(n int) func(*record.Event) { return func(e *record.Event) { e.Sold = &n } }
	ordered := func(order, day string) func(*record.Ticket) {
		return func(t *record.Ticket) {
			at := foldtest.Clock(day).AddDate(0, 0, -40)
			t.OrderID, t.CreatedAt, t.SoldAt, t.Fee = order, at, at, foldtest.Eur(0)
		}
	}
	paidBy := func(order string) func(*record.Payment) { return func(p *record.Payment) { p.OrderID = order } }
	void := func(t *record.Ticket) { t.Status = record.TicketVoid }
	two := []record.Record{foldtest.Ticket("t", "a"), foldtest.Ticket("u", "a")}
	for _, c := range []struct {
		name    string
		check   figures.Check
		records []record.Record
		want    string
	}{
		{"parts that make the capacity", figures.CheckPlaces, append(two[:2:2], sized(10, 7, blocked(1))), "places 1/1"},
		{"too many places", figures.CheckPlaces, append(two[:2:2], sized(10, 8, blocked(1))), "places 0/1, places:a +1 event[a]"},
		{"too few places", figures.CheckPlaces, append(two[:2:2], sized(10, 5, blocked(1))), "places 0/1, places:a -2 event[a]"},
		{"fewer, and blocked unknown", figures.CheckPlaces, append(two[:2:2], sized(10, 5)), "places 1/1"},
		{"no capacity", figures.CheckPlaces, append(two[:2:2], foldtest.Event("a")), "places 0/0 aside 1"},
		{"the service counts the same", figures.CheckSold, append(two[:2:2], sized(10, 8, sold(2))), "sold 1/1"},
		{"the service counts more", figures.CheckSold, append(two[:2:2], sized(10, 8, sold(5))), "sold 0/1, sold:a -3 event[a]"},
		{"the service does not count", figures.CheckSold, append(two[:2:2], sized(10, 8)), "sold 0/0 aside 1"},
		{"being sold", figures.CheckSold, []record.Record{sized(10, 8, sold(5)), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("11:59") })}, "sold 0/0 selling 1"},
		{"more came than were sold", figures.CheckVisitors, []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a"), foldtest.Ticket("v", "a", void, foldtest.Passes("10:00")), foldtest.Ticket("w", "a", void, foldtest.Passes("10:00"))},
			"visitors 0/1, visitors:a +1"},
		{"one came of two", figures.CheckVisitors, append(two[:2:2], foldtest.Event("a"), foldtest.Ticket("w", "a", foldtest.Passes("10:00"))), "visitors 1/1"},
		{"payments that belong somewhere", figures.CheckPayments, []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID = "o" }), foldtest.Payment("p", 2000, paidBy("o"))}, "payments 1/1"},
		{"payments without a performance, with what went back", figures.CheckPayments, []record.Record{foldtest.Event("a"), foldtest.Payment("p", 2000), foldtest.Payment("q", 500, paidBy("nobody's")), foldtest.Refund("r", "q", 100, "11:00"),
			foldtest.Payment("s", 300, func(p *record.Payment) { p.EventID = "a" })}, "payments 1/3, payments: +2400EUR payment[p q]"},
		{"of a performance that no list gave", figures.CheckPayments, []record.Record{foldtest.Event("a"), foldtest.Payment("p", 2000, func(p *record.Payment) { p.EventID = "b" })}, "payments 0/1, payments:b +2000EUR"},
		{"open and old", figures.CheckOpenItems, []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", ordered("o", "10:00"))}, "open_items 0/1, open_items:a +2000EUR due 2000 since 11-10 00:00"},
		{"as much to be paid as to be paid back", figures.CheckOpenItems, []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", ordered("o", "10:00")), foldtest.Ticket("u", "a", ordered("q", "10:00")), foldtest.Payment("p", 4000, paidBy("q"))},
			"open_items 0/1, open_items:a due 2000 back 2000 since 11-10 00:00"},
		{"paid since", figures.CheckOpenItems, []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", ordered("o", "10:00")), foldtest.Payment("p", 2000, paidBy("o"))}, "open_items 1/1"},
		{"nothing costs anything", figures.CheckOpenItems, []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID, t.Price = "o", foldtest.Eur(0) })}, "open_items 1/1"},
		{"open and new", figures.CheckOpenItems, []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.OrderID = "o" })}, "open_items 1/1"},
		{"never recomputed", figures.CheckRecompute, []record.Record{foldtest.Event("a")}, "recompute 0/0"},
	} {
		if got := checkLine(foldtest.Evening(foldtest.Fold(foldtest.Complete, c.records...), now), c.check); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// watched is a ledger whose checks are stored, as the process that leads does.
type watched struct {
	*ledger.Ledger
	revision int64
}

func (w *watched) add(records ...record.Record) {
	for _, r := range records {
		w.revision++
		w.Apply(record.Version{Revision: w.revision, Head: true, Record: r})
	}
}

func (w *watched) at(now time.Time, missed int) *evening.Evening {
	s := w.Snapshot(figures.Position{Revision: w.revision}, foldtest.Complete)
	s.AsOf = now
	s.Health.Streams = []figures.StreamHealth{{Kinds: record.Kinds, LastGood: now, Missed: missed, Complete: true}}
	return evening.At(s, now)
}

// store stores what the checks find, and says how many records that takes.
func (w *watched) store(now time.Time) int {
	found := w.at(now, 0).Found(now)
	w.add(found...)
	return len(found)
}

// A difference is there since it was first found, for as long as it lasts, also while places are being
// sold; when it comes again it is a new one. Nothing is found while the service does not answer.
func TestDifferencesAreKept(t *testing.T) {
	w := &watched{Ledger: ledger.New(figures.Calendar{})}
	event := func(id string, available int) *record.Event {
		return foldtest.Event(id, func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(10), &available, new(0) })
	}
	is := func(when, want string) {
		t.Helper()
		if got := checkLine(w.at(foldtest.Clock(when), 0), figures.CheckPlaces); got != want {
			t.Errorf("at %s: %s, want %s", when, got, want)
		}
	}
	w.add(event("a", 10), event("b", 10))
	if n := w.store(foldtest.Clock("12:00")); n != 0 {
		t.Errorf("%d records are stored of what agrees", n)
	}
	w.add(event("a", 11))
	is("12:10", "places 1/2, places:a +1 event[a]")
	if found := w.at(foldtest.Clock("12:10"), 2).Found(foldtest.Clock("12:10")); found != nil {
		t.Errorf("without answers %+v is found", found)
	}
	if n := w.store(foldtest.Clock("12:10")); n != 1 {
		t.Errorf("a difference takes %d records", n)
	}
	is("12:10", "places 1/2, places:a +1 event[a] since 11-20 12:10")
	w.add(event("a", 12), event("b", 8))
	if w.store(foldtest.Clock("12:20")) != 1 || w.store(foldtest.Clock("12:21")) != 0 {
		t.Error("what was found is stored again")
	}
	is("12:20", "places 0/2, places:b -2 event[b] since 11-20 12:20, places:a +2 event[a] since 11-20 12:10")
	sale := foldtest.Ticket("t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("12:29") })
	w.add(sale)
	is("12:30", "places 0/2, places:b -2 event[b] since 11-20 12:20, places:a +3 event[a] since 11-20 12:10")
	w.add(event("a", 9))
	w.store(foldtest.Clock("12:40"))
	is("12:40", "places 1/2, places:b -2 event[b] since 11-20 12:20")
	w.add(event("a", 10))
	w.store(foldtest.Clock("12:50"))
	is("12:50", "places 0/2, places:a +1 event[a] since 11-20 12:50, places:b -2 event[b] since 11-20 12:20")
}

// A difference needs attention until somebody has seen it, and again when another is found.
func TestDiffering(t *testing.T) {
	w := &watched{Ledger: ledger.New(figures.Calendar{})}
	event := func(id string, available int) *record.Event {
		return foldtest.Event(id, func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(10), &available, new(0) })
	}
	line := func(when string) string {
		all := w.at(foldtest.Clock(when), 0).Differing()
		var lines []string
		for _, a := range all {
			seen := ""
			if a.Seen != nil {
				seen = " seen by " + a.Seen.By
			}
			lines = append(lines, fmt.Sprintf("%s %s %d %s%s", a.Key, a.Level, a.Count.Value, a.Newest, seen))
		}
		return strings.Join(lines, "; ")
	}
	is := func(when, want string) {
		t.Helper()
		if got := line(when); got != want {
			t.Errorf("at %s: %q, want %q", when, got, want)
		}
	}
	w.add(event("a", 11), event("b", 10))
	is("12:00", "") // not stored yet
	w.store(foldtest.Clock("12:00"))
	is("12:01", "differs:places warn 1 a")
	a := w.at(foldtest.Clock("12:01"), 0).Differing()[0]
	w.add(a.Acknowledgement(evening.Seen{By: "Mia", At: foldtest.Clock("12:01")}))
	is("12:02", "differs:places warn 1 a seen by Mia")
	w.add(event("a", 13))
	w.store(foldtest.Clock("12:03"))
	is("12:03", "differs:places warn 1 a seen by Mia")
	w.add(event("b", 9))
	w.store(foldtest.Clock("12:04"))
	is("12:04", "differs:places warn 2 b")
	w.add(event("a", 10), event("b", 10))
	w.store(foldtest.Clock("12:05"))
	is("12:05", "")
}

// A recompute that comes to something else says of which figures of which performances.
func TestUnequal(t *testing.T) {
	both := []record.Record{foldtest.Event("a"), foldtest.Event("b"), foldtest.Ticket("t", "a"), foldtest.Ticket("u", "b"), foldtest.Ticket("v", "b")}
	shown, now := foldtest.Fold(foldtest.Complete, both...), foldtest.Clock("12:00")
	if found, differ := catalogue.Unequal(shown, foldtest.Fold(foldtest.Complete, both...), now); found != nil || differ != 0 {
		t.Errorf("the same figures differ: %d, %+v", differ, found)
	}
	found, differ := catalogue.Unequal(shown, foldtest.Fold(foldtest.Complete, append(both[:4:4], foldtest.Event("c"), foldtest.Ticket("w", "c", func(t *record.Ticket) { t.Price = foldtest.Eur(2500) }))...), now)
	var lines []string
	for _, f := range found {
		line := f.Key
		for _, figure := range f.Figures {
			if !slices.Contains([]string{"sold", "booked"}, figure.Figure) {
				continue
			}
			line += fmt.Sprintf(" %s %s, not %s;", figure.Figure, foundText(figure.Proper), foundText(figure.Shown))
		}
		lines = append(lines, line)
	}
	want := []string{"recompute: booked [{6500 EUR}], not [{6000 EUR}];", "recompute:b sold 1, not 2; booked [{2000 EUR}], not [{4000 EUR}];", "recompute:c sold 1, not unknown; booked [{2500 EUR}], not unknown;"}
	if !slices.Equal(lines, want) || differ != 3 {
		t.Errorf("%d differ:\n%s, want\n%s", differ, strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// Who bought before is known of all performances together: of a slice alone it is no difference.
func TestSlicesOfOneBuyer(t *testing.T) {
	log, returning := foldtest.NewLog(), 0
	for i := range 12 {
		id := fmt.Sprint("evt ", i)
		log.Add(foldtest.Event(id), time.Time{})
		log.Add(foldtest.Ticket("of "+id, id, func(r *record.Ticket) {
			r.ContactID, r.OrderID, r.SoldAt = "mia", id, foldtest.Clock(fmt.Sprintf("%02d 10:00", 1+i))
		}), time.Time{})
	}
	l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	for _, e := range s.Events {
		returning += e.Buyers.Returning
	}
	if returning != 11 {
		t.Fatalf("%d are bought by who bought before", returning)
	}
	foldtest.CheckSlices(t, l, log, s, foldtest.Complete)
}

// A performance that is shown and that the log does not give was compared, and differs.
func TestSlicesWithoutAPerformance(t *testing.T) {
	const of = 3
	log := foldtest.NewLog(foldtest.Event("a"), foldtest.Event("b"))
	l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	compared, different := 0, 0
	for number := range of {
		slice := replay.NewSlice(figures.Calendar{}, number, of)
		slice.Offer(log.Versions[0])
		proper, n := slice.Proper(s, foldtest.Complete, l.Known())
		_, differ := catalogue.Unequal(s, proper, foldtest.Clock("12:00"))
		compared, different = compared+n, different+differ
	}
	if compared != 2 || different != 1 {
		t.Errorf("%d of %d differ, want 1 of 2", different, compared)
	}
}

// What went back names nothing but its payment, or its payment nothing but an order.
func TestSlicesOfRefunds(t *testing.T) {
	log := foldtest.NewLog()
	for i := range 12 {
		id := fmt.Sprint("evt ", i)
		for _, r := range []record.Record{foldtest.Event(id), foldtest.Ticket("of "+id, id, func(r *record.Ticket) { r.OrderID = id }),
			foldtest.Payment("pays "+id, 2000, func(p *record.Payment) { p.OrderID = id }), foldtest.Refund("back "+id, "pays "+id, 500, "10:30"),
			foldtest.Payment("for nothing "+id, 300), foldtest.Refund("of nothing "+id, "for nothing "+id, 700, "10:30", func(p *record.Payment) { p.EventID = id })} {
			log.Add(r, time.Time{})
		}
	}
	l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	for _, e := range s.Events {
		if e.Revenue.Of(figures.Refunded).Value.In("EUR") < 500 {
			t.Fatalf("%s: %v went back", e.Event.ID, e.Revenue.Of(figures.Refunded))
		}
	}
	foldtest.CheckSlices(t, l, log, s, foldtest.Complete)
}

func foundText(v record.FoundValue) string {
	switch {
	case v.Unknown:
		return "unknown"
	case len(v.Amount) > 0:
		return fmt.Sprint(v.Amount)
	}
	return fmt.Sprint(v.Count)
}

// One sale that is dated ahead of the clock does not make a performance count as being sold for good.
func TestPlacesAreComparedBesideASaleAhead(t *testing.T) {
	event := foldtest.Event("a", func(e *record.Event) {
		e.Capacity, e.Available, e.Blocked = new(10), new(3), new(0)
		e.UpdatedAt = foldtest.Clock("10 10:00")
	})
	records := []record.Record{event,
		foldtest.Ticket("t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("10 10:00") }),
		foldtest.Ticket("u", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("25 10:00") })}
	v := foldtest.Evening(foldtest.Fold(foldtest.Complete, records...), foldtest.Clock("20 10:00"))
	if got, want := checkLine(v, figures.CheckPlaces), "places 0/1, places:a -5 event[a]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
