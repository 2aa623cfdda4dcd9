package foldtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/figures/ledger/replay"
	"housecount/apiclient/record"
)

func NumberByHand[T any](f figures.Figure[T]) string {
	if !f.Known() {
		return "—"
	}
	return []string{"", "≈", "≥"}[f.Quality] + fmt.Sprint(f.Value)
}

func MoneyByHand(f figures.Figure[figures.Sums], currency string) string {
	n := f.Value.In(currency)
	text := new(big.Rat).SetFrac64(n, 100).FloatString(2)
	if n == 0 {
		text = "0"
	}
	if currency != "EUR" {
		text += currency
	}
	return NumberByHand(figures.Figure[string]{Value: text, Quality: f.Quality})
}

// CheckMarketing counts methods, orders, buyers, their towns and contacts anew.
func CheckMarketing(t *testing.T, calendar figures.Calendar, log *Log, s *figures.Snapshot) {
	t.Helper()
	type sale struct {
		event, contact string
		day            figures.Day
		places         int
	}
	var sales, dated []sale // dated are all that have a time, whoever bought them
	orders, ordered := map[[2]string]int{}, map[string]int{}
	first := map[string]figures.Day{}
	anonymous, contacts := map[string]int{}, figures.Contacts{}
	tests, towns, postcodes := map[string]bool{}, map[string]string{}, map[string]string{}
	for _, r := range log.Heads {
		if e, ok := r.(*record.Event); ok && e.Test {
			tests[e.ID] = true
		}
	}
	for _, r := range log.Heads {
		switch r := r.(type) {
		case *record.Contact:
			if !r.Test && !r.Deleted {
				towns[r.ID] = cmp.Or(r.City, r.PostalArea)
				if postcodes[r.ID] = r.PostalArea[:min(2, len(r.PostalArea))]; r.Country != "" && postcodes[r.ID] != "" {
					postcodes[r.ID] = r.Country + " " + postcodes[r.ID]
				}
			}
			switch {
			case r.Test || r.Deleted:
			case r.OptIn == nil:
				contacts.NotAsked++
			case *r.OptIn:
				contacts.OptedIn++
			default:
				contacts.OptedOut++
			}
		case *record.Ticket:
			if !CountsTicket(r) || tests[r.EventID] || r.Status != record.TicketValid || !r.IsPlace() || r.Places() == 0 {
				continue
			}
			if r.OrderID != "" {
				orders[[2]string{r.EventID, r.OrderID}] += r.Places()
				ordered[r.EventID] += r.Places()
			}
			at := r.SoldAt
			if at.IsZero() {
				at = r.CreatedAt
			}
			if !at.IsZero() {
				dated = append(dated, sale{r.EventID, "", calendar.Day(at), r.Places()})
			}
			if r.ContactID == "" || at.IsZero() || r.Places() < 0 {
				anonymous[r.EventID] += r.Places()
				continue
			}
			day := calendar.Day(at)
			if f, ok := first[r.ContactID]; !ok || day < f {
				first[r.ContactID] = day
			}
			sales = append(sales, sale{r.EventID, r.ContactID, day, r.Places()})
		}
	}
	if s.Contacts != contacts {
		t.Fatalf("contacts %+v, want %+v", s.Contacts, contacts)
	}
	for _, e := range s.Events {
		want, bought, boughtIn := figures.Buyers{Anonymous: anonymous[e.Event.ID]}, map[string]int{}, map[string]int{}
		byDay := map[figures.Day]figures.Buyers{}
		for _, sale := range sales {
			if sale.event != e.Event.ID {
				continue
			}
			bought[towns[sale.contact]] += sale.places
			boughtIn[postcodes[sale.contact]] += sale.places
			day := byDay[sale.day]
			if sale.day == first[sale.contact] {
				want.New += sale.places
				day.New += sale.places
			} else {
				want.Returning += sale.places
				day.Returning += sale.places
			}
			byDay[sale.day] = day
		}
		for _, d := range e.BuyerDays {
			if got := (figures.Buyers{New: int(d.New), Returning: int(d.Returning)}); byDay[d.Day.Day()] != got {
				t.Fatalf("%s on %s: %+v, want %+v", e.Event.ID, d.Day.Day(), got, byDay[d.Day.Day()])
			}
			delete(byDay, d.Day.Day())
		}
		if len(byDay) > 0 {
			t.Fatalf("%s: what was bought on %v is missing", e.Event.ID, byDay)
		}
		if e.Buyers != want || want.New+want.Returning+want.Anonymous != e.Sold.Value {
			t.Fatalf("%s: %+v of %d sold, want %+v", e.Event.ID, e.Buyers, e.Sold.Value, want)
		}
		checkHomes(t, e.Event.ID, e.Towns, bought)
		checkHomes(t, e.Event.ID, e.Postcodes, boughtIn)
		holders := 0
		for of := range orders {
			if of[0] == e.Event.ID {
				holders++
			}
		}
		if e.Orders != holders || e.Ordered != ordered[e.Event.ID] {
			t.Fatalf("%s: %d places in %d orders, want %d in %d", e.Event.ID, e.Ordered, e.Orders, ordered[e.Event.ID], holders)
		}
		var received figures.Sums
		for _, m := range e.Methods {
			received = received.PlusAll(m.Received, 1)
		}
		EqualSums(t, "received by method", received, e.Revenue.Of(figures.Received).Value)
	}
	m := marketing.Of(evening.At(s, Halfway), "2026-01-01", "2026-12-31")
	for d, parts := range m.Parts {
		sum := 0
		for _, p := range parts {
			sum += p.Sold
		}
		if sum != m.Sold.Value {
			t.Fatalf("dimension %d sums to %d of %d", d, sum, m.Sold.Value)
		}
	}
	for _, homes := range [][]figures.TownFigures{m.Towns, m.Postcodes} {
		places := 0
		for _, home := range homes {
			places += home.Sold
		}
		if places != m.Sold.Value {
			t.Fatalf("%v sum to %d of %d", homes, places, m.Sold.Value)
		}
	}
	placed, buyers := m.Days.Undated, m.Days.UndatedBuyers
	for i := range m.Days.Buckets {
		b := &m.Days.Buckets[i]
		placed += b.All()
		if n := b.Buyers.Known() + b.Buyers.Anonymous; n != b.All() {
			t.Fatalf("buyers of %s are %+v of %d", b.From, b.Buyers, b.All())
		}
		buyers = figures.Buyers{New: buyers.New + b.Buyers.New, Returning: buyers.Returning + b.Buyers.Returning, Anonymous: buyers.Anonymous + b.Buyers.Anonymous}
	}
	if buyers != m.Buyers {
		t.Fatalf("buyers by day of sale sum to %+v of %+v", buyers, m.Buyers)
	}
	if placed != m.Sold.Value {
		t.Fatalf("places by day of sale sum to %d of %d", placed, m.Sold.Value)
	}
	lead := map[int]int{-1: m.Sold.Value}
	for _, sold := range dated {
		if e := s.Event(sold.event); e != nil && e.Date >= "2026-01-01" && e.Date <= "2026-12-31" && e.Event.Status != record.EventCancelled && e.Event.Status != record.EventPostponed {
			from, before := 0, e.Date.Since(sold.day)
			for _, end := range []int{1, 7, 30, 90} {
				if before >= end {
					from = end
				}
			}
			lead[from] += sold.places
			lead[-1] -= sold.places
		}
	}
	sum := 0
	for _, b := range m.LeadTimes {
		sum += b.Sold
		if b.Sold != lead[b.From] {
			t.Fatalf("lead times %v, want %v", m.LeadTimes, lead)
		}
	}
	if b := m.Buyers; sum != m.Sold.Value || b.New+b.Returning+b.Anonymous != m.Sold.Value {
		t.Fatalf("lead times sum to %d, buyers are %+v, of %d", sum, b, m.Sold.Value)
	}
	var received figures.Sums
	for _, method := range m.Methods {
		received = received.PlusAll(method.Received, 1)
	}
	EqualSums(t, "received by method in all", received, m.Received.Value)
}

// checkHomes compares the places of a performance by where those live who bought them.
func checkHomes(t *testing.T, event string, got []figures.TownFigures, want map[string]int) {
	t.Helper()
	maps.DeleteFunc(want, func(name string, places int) bool { return name == "" || places == 0 })
	listed := map[string]int{}
	for _, home := range got {
		listed[home.Name] += home.Sold
	}
	if !maps.Equal(listed, want) || len(listed) != len(got) {
		t.Fatalf("%s: bought from %v, want %v", event, got, want)
	}
}

// CheckSlices recomputes the last snapshot of a ledger slice by slice.
func CheckSlices(t *testing.T, l *ledger.Ledger, log *Log, s *figures.Snapshot, c ledger.Coverage) {
	t.Helper()
	const of = 3
	compared := 0
	for number := range of {
		slice := replay.NewSlice(s.Calendar, number, of)
		for again := true; again; again = !slice.Whole() {
			for _, v := range log.Versions {
				slice.Offer(v)
			}
		}
		proper, n := slice.Proper(s, c, l.Known())
		compared += n
		if found, differ := catalogue.Unequal(s, proper, Halfway); differ > 0 {
			t.Fatalf("slice %d of %d differs: %s%s", number, of, Text(t, found), Story(log))
		}
	}
	if compared != len(s.Events) {
		t.Fatalf("%d performances were compared of %d", compared, len(s.Events))
	}
}

// Story returns every version that came.
func Story(log *Log) (all string) {
	for _, v := range log.Versions {
		one, _ := json.Marshal(v.Record)
		all += fmt.Sprintf("\n%d %v %s %s", v.Revision, v.Head, v.SeenAt.Format(time.DateTime), one)
	}
	return all
}

func Given(m *record.Money) bool { return m != nil && (m.Currency != "" || m.Amount == 0) }

func CountsTicket(t *record.Ticket) bool {
	amounts := []*record.Money{t.Price, t.Fee, t.VAT}
	if t.Kind != "" {
		amounts = amounts[:1]
	}
	for _, m := range amounts {
		if Given(m) && (m.Amount < 0 || m.Amount > 1e11) {
			return false
		}
	}
	return !t.Test && !t.Deleted && t.Places() >= -100_000 && t.Places() <= 100_000
}

// CheckUnmatched sees that the money which belongs to no performance is listed, and that all sums to the total.
func CheckUnmatched(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	var apart figures.Sums
	for _, a := range s.UnmatchedPayments {
		apart = apart.PlusAll(a.Net, 1)
	}
	if off := apart.PlusAll(s.Unattributed.NetReceived().Value, -1); len(off) > 0 {
		t.Fatalf("%v without a performance is not listed", off)
	}
	for _, d := range evening.At(s, Clock("12:00")).Reconcile()[3].Differences {
		if d.Key == "payments:total" {
			t.Fatalf("the performances and the rest are %v more than the total", d.Size.Amount)
		}
	}
}

// CheckBridge checks that booked + fees − goodwill − to be paid + to be paid back is what was received net, in
// all and of the orders placed on any day; that events and unattributed items are the total; and that
// an open item is never below 0, and has orders that are open.
func CheckBridge(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	bridge := func(what string, of func(figures.Measure) figures.Sums) {
		net := of(figures.Received).PlusAll(of(figures.Refunded), -1).PlusAll(of(figures.ChargedBack), -1).PlusAll(of(figures.Reversed), 1)
		EqualSums(t, "net received by the bridge of "+what, of(figures.Booked).PlusAll(of(figures.Fees), 1).
			PlusAll(of(figures.Goodwill), -1).PlusAll(of(figures.ToBePaid), -1).PlusAll(of(figures.ToBePaidBack), 1), net)
	}
	if s.Total.Of(figures.ToBePaid).Known() {
		bridge("the total", func(m figures.Measure) figures.Sums { return s.Total.Of(m).Value })
		for _, d := range s.OrderDays.All() {
			bridge(string(d.Day), d.Of)
		}
	}
	var byEvent, total [3]figures.Sums
	measures := [3]figures.Measure{figures.ToBePaid, figures.ToBePaidBack, figures.Goodwill}
	for i, m := range measures {
		byEvent[i], total[i] = s.Unattributed.Of(m).Value, s.Total.Of(m).Value
	}
	inTotal, most := map[figures.Day]int{}, map[figures.Day]int{}
	for _, d := range s.OrderDays.All() {
		inTotal[d.Day] = d.Open
	}
	for _, e := range s.Events {
		for _, d := range e.OrderDays.All() {
			most[d.Day] = max(most[d.Day], d.Open)
			owed := len(d.Of(figures.ToBePaid)) + len(d.Of(figures.ToBePaidBack))
			if owed > 0 && d.Open <= 0 || owed == 0 && d.Open != 0 {
				t.Fatalf("%s of %s: %d orders are open, with %v to be paid and %v to be paid back", d.Day, e.Event.ID, d.Open, d.Of(figures.ToBePaid), d.Of(figures.ToBePaidBack))
			}
		}
		for i, m := range measures {
			byEvent[i] = byEvent[i].PlusAll(e.Revenue.Of(m).Value, 1)
			for _, owed := range e.Revenue.Of(m).Value {
				if owed.Amount < 0 {
					t.Fatalf("%s: %v is %v", e.Event.ID, m, owed)
				}
			}
		}
	}
	for day, n := range most {
		if inTotal[day] < n {
			t.Fatalf("%s: %d orders are open, of one event %d", day, inTotal[day], n)
		}
	}
	for i, m := range measures {
		EqualSums(t, m.String()+" by event", byEvent[i], total[i])
	}
}

func EqualSums(t *testing.T, what string, got, want figures.Sums) {
	t.Helper()
	if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %v, total %v", what, got, want)
	}
}
