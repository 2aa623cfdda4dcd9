package catalogue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// checkFormulas works out every figure of the catalogue from the terms that explain it.
func checkFormulas(t *testing.T, s *figures.Snapshot, now time.Time, seen map[figures.Key]bool) {
	t.Helper()
	v := evening.At(s, now)
	checkParts := func(x catalogue.Explanation) {
		var sum figures.Value
		known := x.Known()
		for _, p := range x.Parts {
			known = known && p.Known()
			sum.Count, sum.Amount = sum.Count+p.Count, sum.Amount.PlusAll(p.Amount, 1)
			if p.Event == nil {
				continue
			}
			if of, ok := catalogue.Explain(v, p.Key, p.Scope); !ok || !reflect.DeepEqual(of.Value, p.Value) || of.Event != p.Event {
				t.Fatalf("at %v: %s has the part %+v, which is explained as %v %+v", now, x.Key, p, ok, of.Value)
			}
		}
		if len(x.Parts) > 0 && known && !sameValue(x, sum) {
			t.Fatalf("at %v: %s is %+v, by its parts %+v: %+v", now, x.Key, x.Value, sum, x.Parts)
		} else if len(x.Parts) > 0 && known {
			seen[x.Key] = true
		}
	}
	scopes := []figures.Scope{{}, {Night: true}, {From: v.Today.Add(-6), To: v.Today}, {From: v.Today.Add(-6), To: v.Today, Orders: true}, {From: v.Today.Add(-6), To: v.Today, VAT: figures.VATSource{Basis: figures.VATGiven}}, {From: v.Today.Add(-6), To: v.Today.Add(6), Performances: true}}
	for _, e := range s.Events {
		scopes = append(scopes, figures.Scope{Event: e.Event.ID}, figures.Scope{Event: e.Event.ID, From: v.Today.Add(-6), To: v.Today})
	}
	for _, scope := range scopes {
		byFormula := map[string]figures.Key{}
		for _, d := range catalogue.All() {
			x, ok := catalogue.Explain(v, d.Key, scope)
			if ok {
				checkParts(x)
			}
			if !ok || !x.Known() || len(x.Terms) == 0 {
				continue
			}
			if other, taken := byFormula[formulaOf(x)]; taken {
				t.Fatalf("of %+v, %s is %s, as %s is: two names for one figure", scope, d.Key, formulaOf(x), other)
			}
			byFormula[formulaOf(x)] = d.Key
			if got, known := workOut(x); known && !sameValue(x, got) {
				t.Fatalf("at %v %+v: %s is %+v, by its terms %+v: %+v", now, scope, d.Key, x.Value, got, x.Terms)
			} else if known && (x.Count != 0 || x.Share != 0 || len(x.Amount) > 0) {
				seen[d.Key] = true
			}
		}
	}
}

// formulaOf returns the formula as a text that is the same whatever the order of what it adds up.
func formulaOf(x catalogue.Explanation) string {
	var terms []string
	for _, t := range x.Terms {
		terms = append(terms, fmt.Sprint(t.Op, " ", t.Key))
	}
	slices.Sort(terms)
	return strings.Join(terms, ", ")
}

// workOut does what the formula says; known is false if a term is not.
func workOut(x catalogue.Explanation) (got figures.Value, known bool) {
	for _, t := range x.Terms {
		if !t.Known() {
			return got, false
		}
		switch t.Op {
		case figures.Plus:
			got.Count, got.Amount = got.Count+t.Count, got.Amount.PlusAll(t.Amount, 1)
		case figures.Less:
			got.Count, got.Amount = got.Count-t.Count, got.Amount.PlusAll(t.Amount, -1)
		case figures.Times:
			got.Amount, got.Count = figures.Sums(nil).PlusAll(t.Amount, int64(got.Count)), 0
		case figures.DividedBy:
			got.Share = float64(got.Count) / float64(t.Count)
			for i, m := range got.Amount {
				got.Amount[i].Amount = int64(math.Round(float64(m.Amount) / float64(t.Count)))
			}
		}
	}
	return got, true
}

func sameValue(x catalogue.Explanation, got figures.Value) bool {
	switch x.Unit {
	case figures.Share, figures.Mean:
		return x.Share == got.Share
	case figures.Money:
		for _, m := range append(x.Amount, got.Amount...) {
			if d := x.Amount.In(m.Currency) - got.Amount.In(m.Currency); d < -1 || d > 1 || d != 0 && x.Key != figures.KeyRevenuePerPlace && x.Key != figures.KeyCostPerTicket {
				return math.Abs(float64(m.Amount)) > 1<<50 // a float cannot hold it
			}
		}
		return true
	}
	return x.Count == got.Count
}

// Every row of the catalogue has a name of its own and terms that are rows, and a figure of a
// currency has that of it alone.
func TestCatalogue(t *testing.T) {
	seen := map[figures.Key]bool{}
	for _, d := range catalogue.All() {
		if seen[d.Key] || catalogue.Define(d.Key).Key != d.Key {
			t.Errorf("%s is there twice", d.Key)
		}
		seen[d.Key] = true
	}
	if catalogue.Define("none") != nil {
		t.Error("a figure that is not there is defined")
	}
	l := ledger.New(figures.Calendar{})
	log := record.Version{Revision: 1, Head: true, Record: &record.Payment{ID: "p", EventID: "e", Kind: record.KindOfPayment, Amount: record.Money{Amount: 500, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}}
	l.Apply(log)
	log.Revision, log.Record = 2, &record.Payment{ID: "q", EventID: "e", Kind: record.KindOfPayment, Amount: record.Money{Amount: 700, Currency: "USD"}, Status: record.PaymentPaid, PaidAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	l.Apply(log)
	log.Revision, log.Record = 3, &record.Event{ID: "e", Title: "E", Date: "2026-11-21"}
	l.Apply(log)
	v := evening.At(l.Snapshot(figures.Position{}, ledger.Coverage{PaymentsOffered: true, PaymentsComplete: true}), time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC))
	for _, scope := range []figures.Scope{{Event: "e", Currency: "USD"}, {From: "2026-11-21", To: "2026-11-21", Currency: "USD"}} {
		x, ok := catalogue.Explain(v, figures.KeyNet, scope)
		if want := (figures.Sums{{Amount: 700, Currency: "USD"}}); !ok || !reflect.DeepEqual(x.Amount, want) || !reflect.DeepEqual(x.Terms[0].Amount, want) || (x.Event != nil) != (scope.Event != "") {
			t.Errorf("%+v: %+v", scope, x)
		}
	}
	for _, scope := range []figures.Scope{{Event: "none"}, {}} {
		if _, ok := catalogue.Explain(v, figures.KeyNet, scope); ok {
			t.Errorf("%+v has a figure", scope)
		}
	}
}

// A scope of which nothing was measured has no figures, and days before the first sale cost nothing.
func TestScopes(t *testing.T) {
	l := ledger.New(figures.Calendar{})
	for i, r := range []record.Record{
		&record.Event{ID: "e", Date: "2026-11-20", Capacity: new(10)},
		&record.Ticket{ID: "t", EventID: "e", Status: record.TicketValid, Price: &record.Money{Amount: 500, Currency: "EUR"}, SoldAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)},
		&record.Ticket{ID: "back", EventID: "e", Status: record.TicketRefunded, Price: &record.Money{Amount: 500, Currency: "USD"}, SoldAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), CancelledAt: time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)},
	} {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: r})
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	morning := evening.At(s, time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		scope figures.Scope
		sold  int // -1 for none
	}{
		{figures.Scope{}, 0},
		{figures.Scope{Night: true}, 1},
		{figures.Scope{From: "2026-11-20", To: "2026-11-20"}, 2},
		{figures.Scope{From: "0001-01-01", To: "2026-11-21"}, 1},
		{figures.Scope{From: "0001-01-01", To: "0001-01-01"}, 0},
		{figures.Scope{From: "2026-11-20", To: "2026-12-31"}, 1},
		{figures.Scope{From: "2026-11-20", To: "2026-11-20", Currency: "USD"}, 2},
		{figures.Scope{From: "2026-11-20", To: "2026-11-20", Currency: "XYZ"}, -1},
		{figures.Scope{Event: "e", Currency: "XYZ"}, -1},
		{figures.Scope{From: "2026-11-20"}, -1},
		{figures.Scope{To: "2026-11-20"}, -1},
		{figures.Scope{From: "2026-11-21", To: "2026-11-20"}, -1},
		{figures.Scope{From: "2026-11-22", To: "2026-11-23"}, -1},
	} {
		if x, ok := catalogue.Explain(morning, figures.KeySold, c.scope); ok != (c.sold >= 0) || ok && x.Count != c.sold {
			t.Errorf("%+v: %v %+v, want %d", c.scope, ok, x.Value, c.sold)
		}
	}
	for _, scope := range []figures.Scope{{Orders: true}, {Orders: true, From: "2026-11-20"}, {Orders: true, From: "2026-11-22", To: "2026-11-23"}} {
		if x, ok := catalogue.Explain(morning, figures.KeyBooked, scope); ok {
			t.Errorf("%+v: %+v", scope, x.Value)
		}
	}
	if x, ok := catalogue.Explain(evening.At(s, time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)), figures.KeySold, figures.Scope{Night: true}); ok {
		t.Errorf("after a day without a performance the night before is %+v", x.Value)
	}
	if allocs := testing.AllocsPerRun(1, func() {
		catalogue.Explain(morning, figures.KeySold, figures.Scope{From: "0001-01-01", To: "2026-11-21"})
	}); allocs > 1000 {
		t.Errorf("two thousand years cost %v allocations", allocs)
	}
}

// Formulas hold, whatever the records say: of performances, evenings, nights, days of sale and
// orders.
func TestFormulas(t *testing.T) {
	seen := map[figures.Key]bool{}
	for seed := range uint64(160) {
		d := rand.New(rand.NewPCG(seed, 12))
		l, log := ledger.New(foldtest.Amsterdam(t, 0)), foldtest.NewLog()
		apply := func(r record.Record) {
			if v, isNew := log.Add(r, foldtest.RandomSeen(d)); isNew {
				l.Apply(v)
			}
		}
		for range 80 {
			apply(foldtest.RandomRecord(d))
		}
		apply(&record.Setting{Name: record.SettingLicensed, Value: new(int64(3)), At: time.Date(2026, 10, 26, 12, 0, 0, 0, time.UTC), By: "Mia"})
		for _, c := range []ledger.Coverage{foldtest.Complete, foldtest.ScansRead} {
			s := l.Snapshot(figures.Position{}, c)
			for _, now := range []time.Time{time.Date(2026, 10, 24, 19, 30, 0, 0, time.UTC), time.Date(2026, 10, 26, 8, 0, 0, 0, time.UTC)} {
				checkFormulas(t, s, now, seen)
			}
		}
	}
	for _, d := range catalogue.All() {
		if (d.HasFormula() || slices.Contains([]figures.Key{figures.KeyInside, figures.KeyNotYetIn, figures.KeyLatecomers, figures.KeySoldHere, figures.KeyBookedHere}, d.Key)) && !seen[d.Key] {
			t.Errorf("no formula of %s was worked out", d.Key)
		}
	}
}

// Every figure that a record changes is counted from records of that kind, also free places that the
// service does not report.
func TestFiguresAreOfWhatChangesThem(t *testing.T) {
	inOrder := func(order string) func(*record.Ticket) {
		return func(t *record.Ticket) {
			t.OrderID, t.Fee, t.VAT, t.Scans = order, foldtest.Eur(100), foldtest.Eur(50), []record.Scan{}
		}
	}
	for _, available := range []*int{new(5), nil} {
		sized := func(capacity int) *record.Event {
			return foldtest.Event("a", func(e *record.Event) { e.Capacity, e.Blocked, e.Available = &capacity, new(0), available })
		}
		for kind, news := range map[record.Kind]record.Record{
			record.KindEvent:   sized(1),
			record.KindTicket:  foldtest.Ticket("v", "a", inOrder("o3"), func(t *record.Ticket) { t.Price = foldtest.Eur(3000) }),
			record.KindPayment: foldtest.Payment("q", 3100, func(p *record.Payment) { p.OrderID = "o2" }),
		} {
			l, log := ledger.New(figures.Calendar{}), foldtest.NewLog()
			read := func(r record.Record) *evening.Evening {
				v, _ := log.Add(r, foldtest.Clock("12:00"))
				l.Apply(v)
				return foldtest.Evening(l.Snapshot(figures.Position{}, foldtest.Complete), foldtest.Clock("19:30"))
			}
			read(sized(10))
			read(foldtest.Ticket("t", "a", inOrder("o1")))
			read(foldtest.Ticket("u", "a", inOrder("o2"), func(t *record.Ticket) { t.Price = foldtest.Eur(3000) }))
			before := read(foldtest.Payment("p", 2100, func(p *record.Payment) { p.OrderID = "o1" }))
			after, changed := read(news), 0
			for _, d := range catalogue.All() {
				was, is := d.OfShow(before.Shows[0]), d.OfShow(after.Shows[0])
				if reflect.DeepEqual(was, is) {
					continue
				}
				x, _ := catalogue.Explain(before, d.Key, figures.Scope{Event: "a"})
				if changed++; !slices.Contains(x.From, kind) {
					t.Errorf("%s goes from %+v to %+v by a %s, and is counted from %s", d.Key, was, is, kind, x.From)
				}
			}
			if changed < 4 {
				t.Errorf("a %s changes %d figures", kind, changed)
			}
		}
	}
}

// Who came in and not out is as certain as who is inside: the one explains the other.
func TestPresentIsAsCertainAsInside(t *testing.T) {
	night := foldtest.Together([]record.Record{foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00")}, foldtest.Come(30, "a", "club", "A", "19:05", 5), foldtest.Many(9, "w", "club"))
	for _, c := range []struct {
		name    string
		records []record.Record
		want    figures.Quality
		reasons []figures.Reason
	}{
		{"scanned out", foldtest.Together(night, foldtest.ScannedOut("Main")), figures.Exact, nil},
		{"not scanned out", night, figures.Estimated, []figures.Reason{figures.ReasonNoExits}},
	} {
		for _, now := range []string{"19:30", "20:30"} {
			v := foldtest.At(now, c.records...)
			for _, key := range []figures.Key{figures.KeyPresent, figures.KeyInside} {
				x, ok := catalogue.Explain(v, key, figures.Scope{Event: "club"})
				if !ok || x.Count != 30 || x.Quality != c.want || !slices.Equal(x.Reasons, c.reasons) {
					t.Errorf("%s, %s: %s is %d, %v %v; want 30, %v %v", c.name, now, key, x.Count, x.Quality, x.Reasons, c.want, c.reasons)
				}
			}
		}
	}
}
