package ledger_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// inSnapshot returns the same figures as a snapshot has them.
func inSnapshot(s *figures.Snapshot) map[entry]int64 {
	out := map[entry]int64{}
	take := func(event, what, day string, sums figures.Sums) {
		for _, m := range sums {
			out[entry{event, what, day, m.Currency}] += m.Amount
		}
	}
	measures := []figures.Measure{figures.Booked, figures.Received, figures.Refunded, figures.ChargedBack, figures.Reversed, figures.RefundsPending, figures.Fees, figures.VAT}
	account := func(event string, r *figures.Revenue, days []*figures.DayFigures, orders figures.OrderDays) {
		for _, m := range append([]figures.Measure{figures.ToBePaid, figures.ToBePaidBack, figures.Goodwill}, measures...) {
			take(event, m.String(), "", r.Of(m).Value)
		}
		for _, d := range days {
			out[entry{event, "places", string(d.Day), ""}] += int64(d.Sold)
			for _, m := range measures {
				take(event, m.String(), string(d.Day), d.Of(m))
			}
		}
		for _, d := range orders.All() {
			take(event, "to be paid", "order of "+string(d.Day), d.Of(figures.ToBePaid))
			take(event, "to be paid back", "order of "+string(d.Day), d.Of(figures.ToBePaidBack))
			take(event, "goodwill", "order of "+string(d.Day), d.Of(figures.Goodwill))
		}
	}
	account("all", &s.Total, s.Days, s.OrderDays)
	account("", &s.Unattributed, s.UnattributedDays, s.UnattributedOrderDays)
	v := evening.At(s, beforeAll)
	for _, e := range s.Events {
		placesOf(out, v, e)
		account(e.Event.ID, &e.Revenue, e.SaleDays, e.OrderDays)
		walkedIn := 0
		for _, w := range e.WalkIns {
			walkedIn += w.Count
		}
		if e.Capacity.Known() {
			out[entry{event: e.Event.ID, what: "capacity is known"}] = 1
			out[entry{event: e.Event.ID, what: "capacity"}] = int64(e.Capacity.Value)
		}
		booked := e.Revenue.Of(figures.Booked)
		for what, reason := range map[string]figures.Reason{"no price": figures.ReasonNoPrice, "unmapped": figures.ReasonUnknownStatus} {
			if booked.Quality == figures.LowerBound && slices.Contains(booked.Reasons, reason) {
				out[entry{event: e.Event.ID, what: what}] = 1
			}
		}
		for what, n := range map[string]int{"sold": e.Sold.Value, "reserved": e.Reserved.Value, "attendance": e.Attendance.Value, "arrived": e.Arrived.Value,
			"present": e.PresentNow.Value, "exits": e.Exits, "walked in": walkedIn} {
			out[entry{event: e.Event.ID, what: what}] += int64(n)
		}
	}
	maps.DeleteFunc(out, func(_ entry, n int64) bool { return n == 0 })
	return out
}

// checkRecomputed compares the figures of a stream with what they are by the definitions, after each
// quarter of it. It counts in met what the stream had and which figures were not 0.
func checkRecomputed(t *testing.T, d foldtest.Dice, length int, met map[string]int) {
	t.Helper()
	calendar := foldtest.Amsterdam(t, time.Duration(d.IntN(2))*6*time.Hour)
	l, log := ledger.New(calendar), foldtest.NewLog()
	var records []record.Record
	for i := range length {
		r := foldtest.RandomRecord(d)
		if len(records) > 0 && foldtest.OneIn(d, 3) {
			r = variation(d, records[d.IntN(len(records))])
		}
		switch v := r.(type) {
		case *record.Payment:
			if foldtest.OneIn(d, 2) {
				r = settling(d, *v)
			}
		case *record.Ticket:
			switch d.IntN(6) {
			case 1, 2:
				r = ofOneOrder(d, *v)
			case 3:
				r = unlikeOthers(d, *v)
			case 4:
				r = besideTickets(d, *v)
			case 5:
				r = cameIn(d, *v)
			}
		case *record.Planning:
			if foldtest.OneIn(d, 2) {
				r = planned(d, *v)
			}
		}
		if k, ok := r.(*record.Ticket); ok { // as every client of a service hands them on
			slices.SortStableFunc(k.Scans, func(a, b record.Scan) int { return a.At.Compare(b.At) })
		}
		records = append(records, r)
		if v, isNew := log.Add(r, foldtest.RandomSeen(d)); isNew {
			l.Apply(v)
		}
		if (i+1)%max(1, length/4) != 0 {
			continue
		}
		s := l.Snapshot(figures.Position{}, foldtest.ScansRead)
		anew := recomputed(calendar, log.Versions)
		got, want := inSnapshot(s), anew.figures()
		checkPerPlace(t, s, anew, met)
		licensed := 0
		if l, ok := evening.At(s, foldtest.Halfway).LoadOf(""); ok {
			licensed = l.Licensed
		}
		if licensed != anew.licensed {
			t.Fatalf("after %d records: %d may be inside, by the definitions %d%s", i+1, licensed, anew.licensed, foldtest.Story(log))
		}
		if !s.Total.Of(figures.ToBePaid).Known() { // no ticket names an order
			maps.DeleteFunc(want, func(k entry, _ int64) bool {
				return k.day == "" && (k.what == "to be paid" || k.what == "to be paid back" || k.what == "goodwill")
			})
		}
		maps.DeleteFunc(want, func(k entry, _ int64) bool { // a gate through which nobody came in is none
			gate, left := strings.CutPrefix(k.what, "left by ")
			return left && want[entry{event: k.event, what: "gate " + gate}] == 0
		})
		for k := range want {
			for _, name := range compared {
				if k.event != "all" && strings.HasPrefix(k.what, name) {
					met[name]++
				}
			}
		}
		for _, all := range []map[entry]int64{got, want} {
			for k := range all {
				if want[k] != got[k] && k.what != "moved on" {
					t.Fatalf("after %d records: %+v is %d, by the definitions %d%s", i+1, k, got[k], want[k], foldtest.Story(log))
				}
			}
		}
	}
	for _, r := range log.Heads {
		for name, has := range traits {
			if has(log, r) {
				met[name]++
			}
		}
	}
}

// checkPerPlace compares what was booked for each place of several performances together, of each evening and of
// all, with what it is by the definitions.
func checkPerPlace(t *testing.T, s *figures.Snapshot, anew *recompute, met map[string]int) {
	t.Helper()
	check := func(name string, ids []string, got figures.Figure[figures.Sums]) {
		want, known, limitless := anew.perPlace(ids)
		if got.Known() != known || known && got.Value.In("EUR") != want {
			t.Fatalf("booked for each place, %s: %+v, by the definitions %d (known: %v)", name, got, want, known)
		}
		if known && want != 0 && limitless {
			met["booked for each place beside those without a limit, "+name]++
		}
	}
	var all []string
	days := map[figures.Day]bool{}
	for _, e := range s.Events {
		if e.Date != "" {
			all, days[e.Date] = append(all, e.Event.ID), true
		}
	}
	for day := range days {
		v := evening.At(s, s.Calendar.Start(day).Add(12*time.Hour))
		var ids []string
		for _, show := range v.Shows {
			ids = append(ids, show.Event.ID)
		}
		check("of a day", ids, marketing.RevenuePerPlace(v))
	}
	check("of all", all, marketing.Of(evening.At(s, foldtest.Halfway), "0000-01-01", "9999-12-31").RevenuePerPlace)
}

// compared are figures that a stream has to have, or what they begin with.
var compared = []string{"capacity", "sold", "paid", "unpaid", "complimentary", "free tickets", "reserved", "free is known", "area Stalls free", "area pln_", "average price EUR",
	"bought first", "bought again", "sold on ", "bought by nobody known", "part 0 Stalls", "part 1 web", "part 2 poster", "part 3 FRIEND", "gate North at", "admitted at ", "left by ", "arrived at", "departed at", "moved on", "present", "exits",
	"walked in", "forecast", "planned revenue EUR", "marketing budget EUR", "to be paid", "goodwill", "booked", "received", "refunded", "charged back", "won back", "refunds pending", "fees", "VAT"}

// traits are what makes streams hard, by the records that have them.
var traits = map[string]func(*foldtest.Log, record.Record) bool{
	"scans in a list of their own": func(log *foldtest.Log, r record.Record) bool {
		s, ok := r.(*record.TicketScan)
		if !ok || s.Deleted || s.Undone {
			return false
		}
		t, ok := log.Heads[foldtest.Key(&record.Ticket{ID: s.TicketID})].(*record.Ticket)
		return ok && foldtest.CountsTicket(t) && !slices.Contains(t.Scans, s.Scan)
	},
	"planning": func(_ *foldtest.Log, r record.Record) bool { return r.RecordKind() == record.KindPlanning },
	"unmapped words of tickets": func(_ *foldtest.Log, r record.Record) bool {
		t, ok := r.(*record.Ticket)
		return ok && foldtest.CountsTicket(t) && t.Status == "odd"
	},
	"unmapped words of payments": func(_ *foldtest.Log, r record.Record) bool {
		p, ok := r.(*record.Payment)
		return ok && countsPayment(p) && (p.Status == "odd" || p.Kind == "odd")
	},
	"tickets exchanged between orders": func(log *foldtest.Log, r record.Record) bool {
		t, ok := r.(*record.Ticket)
		if !ok || !foldtest.CountsTicket(t) {
			return false
		}
		first, ok := log.Heads[foldtest.Key(&record.Ticket{ID: t.Replaces})].(*record.Ticket)
		return ok && foldtest.CountsTicket(first) && first.OrderID != "" && t.OrderID != "" && first.OrderID != t.OrderID
	},
	"exchanged tickets that were taken back": func(log *foldtest.Log, r record.Record) bool {
		t, ok := r.(*record.Ticket)
		if !ok || !foldtest.CountsTicket(t) || !everSold(t) {
			return false
		}
		first, ok := log.Heads[foldtest.Key(&record.Ticket{ID: t.Replaces})].(*record.Ticket)
		return ok && foldtest.CountsTicket(first) && everSold(first) && first.Status != record.TicketValid && first.OrderID != "" && t.OrderID != ""
	},
	"extras": func(_ *foldtest.Log, r record.Record) bool {
		t, ok := r.(*record.Ticket)
		return ok && foldtest.CountsTicket(t) && t.Kind != "" && knownKind(t) && t.Status == record.TicketValid
	},
	"missing prices": func(_ *foldtest.Log, r record.Record) bool {
		t, ok := r.(*record.Ticket)
		return ok && foldtest.CountsTicket(t) && t.Status == record.TicketValid && t.Price == nil
	},
	"equal update times": func(log *foldtest.Log, r record.Record) bool {
		at := r.RecordUpdated()
		return !at.IsZero() && slices.ContainsFunc(log.Versions, func(v record.Version) bool {
			return foldtest.Key(v.Record) == foldtest.Key(r) && v.Record.RecordUpdated().Equal(at) && !reflect.DeepEqual(v.Record, r)
		})
	},
}

// settling returns a payment as most are: settled, in one currency, of one of two payments or going back
// of it, and of an amount that splits badly.
func settling(d foldtest.Dice, p record.Payment) *record.Payment {
	p.Status, p.Test, p.Deleted, p.ParentID = record.PaymentPaid, false, false, ""
	p.Amount = record.Money{Amount: foldtest.OneOf(d, int64(1000), 1001, 333, 2), Currency: "EUR"}
	if !foldtest.OneIn(d, 4) {
		p.OrderID, p.EventID, p.TicketIDs = "ord_0", "", nil
	}
	switch p.ID, p.Kind = foldtest.RandomID(d, "pay_", 2), record.KindOfPayment; d.IntN(4) {
	case 0:
		p.AmountRefunded = new(record.Money{Amount: foldtest.OneOf(d, int64(1), 400, 5000), Currency: "EUR"})
	case 1, 2:
		p.ID, p.ParentID = foldtest.RandomID(d, "back_", 4), p.ID
		p.Kind = foldtest.OneOf(d, record.KindOfRefund, record.KindOfRefund, record.KindOfChargeback, record.KindOfReversal)
		p.Status = foldtest.OneOf(d, record.PaymentPaid, record.PaymentPaid, record.PaymentPending)
	}
	return &p
}

// ofOneOrder returns a ticket of an order of several performances, at a price that splits badly.
func ofOneOrder(d foldtest.Dice, t record.Ticket) *record.Ticket {
	t.OrderID, t.EventID, t.Test, t.Deleted, t.Quantity = "ord_0", foldtest.RandomID(d, "evt_", 3), false, false, nil
	t.Price, t.Status = &record.Money{Amount: foldtest.OneOf(d, int64(700), 100, 333), Currency: "EUR"}, foldtest.OneOf(d, record.TicketValid, record.TicketRefunded)
	return &t
}

// besideTickets returns an extra of an order, or a ticket that replaces one of another.
func besideTickets(d foldtest.Dice, t record.Ticket) *record.Ticket {
	t.Test, t.Deleted, t.OrderID, t.Status, t.Quantity = false, false, foldtest.RandomID(d, "ord_", 3), record.TicketValid, nil
	t.Price = &record.Money{Amount: foldtest.OneOf(d, int64(250), 500, 333), Currency: "EUR"}
	if foldtest.OneIn(d, 2) {
		t.Kind, t.EventID = foldtest.OneOf(d, record.ExtraFee, record.ExtraGoods), foldtest.OneOf(d, t.EventID, "")
		return &t
	}
	t.Kind, t.Replaces = "", foldtest.RandomID(d, "tkt_", 12)
	return &t
}

// cameIn returns one of few tickets whose people came in, on one or later on one that replaces it.
func cameIn(d foldtest.Dice, t record.Ticket) *record.Ticket {
	t.Test, t.Deleted, t.Kind, t.Quantity, t.Admits, t.EventID, t.UpdatedAt = false, false, "", nil, nil, foldtest.RandomID(d, "evt_", 3), foldtest.Halfway
	came := foldtest.Halfway
	if t.ID, t.Replaces = foldtest.RandomID(d, "tkt_", 2), ""; !foldtest.OneIn(d, 2) {
		t.ID, t.Replaces, came = foldtest.RandomID(d, "tkt_", 4), t.ID, came.Add(time.Duration(d.IntN(4))*24*time.Hour)
	}
	t.Scans = []record.Scan{{At: came, Gate: "South", Direction: record.Entry}}
	if t.Replaces != "" && t.Channel == "door" && t.Seat == "A0" {
		t.Scans = append(t.Scans, record.Scan{At: came.Add(time.Hour), Gate: "South", Direction: record.Exit})
	}
	return &t
}

// unlikeOthers returns a ticket of a contact that is free, or reserved, or lacks its price or has a word that
// nobody has mapped.
func unlikeOthers(d foldtest.Dice, t record.Ticket) *record.Ticket {
	t.EventID, t.Test, t.Deleted, t.Kind, t.Quantity, t.Complimentary, t.Admits = foldtest.RandomID(d, "evt_", 3), false, false, "", nil, false, nil
	t.ContactID, t.Price, t.Status = foldtest.RandomID(d, "con_", 2), &record.Money{Currency: "EUR"}, record.TicketValid
	switch d.IntN(4) {
	case 1:
		t.Status = record.TicketReserved
	case 2:
		t.Price = nil
	case 3:
		t.Status = "odd"
	}
	return &t
}

// planned returns a plan that goes on, of a performance.
func planned(d foldtest.Dice, p record.Planning) *record.Planning {
	p.EventID, p.Status, p.Deleted = foldtest.RandomID(d, "evt_", 3), "confirmed", false
	p.ExpectedVisitors, p.BudgetRevenue, p.BudgetMarketing = new(40+d.IntN(3)), &record.Money{Amount: 20000, Currency: "EUR"}, &record.Money{Amount: 999, Currency: "EUR"}
	return &p
}

// TestLedgerEqualsRecompute folds random streams and works their figures out anew. Together they have
// every trait and every figure.
func TestLedgerEqualsRecompute(t *testing.T) {
	const streams = 240
	var mu sync.Mutex
	all := map[string]int{}
	t.Run("streams", func(t *testing.T) {
		for seed := range uint64(streams) {
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				t.Parallel()
				met := map[string]int{}
				checkRecomputed(t, rand.New(rand.NewPCG(seed, 11)), 60, met)
				mu.Lock()
				defer mu.Unlock()
				for what, n := range met {
					all[what] += n
				}
			})
		}
	})
	for _, what := range slices.Concat(compared, slices.Collect(maps.Keys(traits))) {
		if n := all[what]; n < 20 {
			t.Errorf("%s: %d in %d streams", what, n, streams)
		}
	}
	for _, of := range []string{"of a day", "of all"} {
		if all["booked for each place beside those without a limit, "+of] == 0 {
			t.Errorf("nothing was booked for places %s beside those without a limit", of)
		}
	}
}

// FuzzLedgerEqualsRecompute does so with the stream that the bytes describe.
func FuzzLedgerEqualsRecompute(f *testing.F) {
	fuzzStreams(f, 600, 40, func(t *testing.T, d foldtest.Dice, length int) { checkRecomputed(t, d, length, map[string]int{}) })
}
