package foldtest

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
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
