package evening_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// What can still be sold.
func TestFree(t *testing.T) {
	with := func(change func(*record.Event)) *record.Event {
		return foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(20) }, change)
	}
	reported := func(n int, s record.EventStatus) *record.Event {
		return with(func(e *record.Event) { e.Available, e.Status = &n, s })
	}
	tickets := foldtest.Together(foldtest.Many(5, "s", "a"), foldtest.Many(3, "r", "a", func(t *record.Ticket) { t.Status = record.TicketReserved }))
	for _, c := range []struct {
		name  string
		event *record.Event
		now   string
		sale  evening.Sale
		want  string
	}{
		{"as reported", reported(7, record.EventOnSale), "18:00", evening.SaleOpen, "7"},
		{"oversold", reported(-7, record.EventOnSale), "18:00", evening.SaleOpen, "0"},
		{"own count", with(func(*record.Event) {}), "18:00", evening.SaleOpen, "estimated 12 no_available"},
		{"own count less blocked", with(func(e *record.Event) { e.Blocked = new(2) }), "18:00", evening.SaleOpen, "estimated 10 no_available"},
		{"own count, oversold", with(func(e *record.Event) { e.Capacity = new(4) }), "18:00", evening.SaleOpen, "estimated 0 no_available"},
		{"no capacity", with(func(e *record.Event) { e.Capacity = nil }), "18:00", evening.SaleOpen, "unknown no_capacity no_available"},
		{"no limit", with(func(e *record.Event) { e.Unlimited, e.Available = true, new(7) }), "18:00", evening.SaleOpen, "unknown unlimited"},
		{"draft", reported(7, record.EventDraft), "18:00", evening.SaleNotOpen, "0"},
		{"closed", reported(7, record.EventSalesClosed), "18:00", evening.SaleOver, "0"},
		{"sold out", reported(0, record.EventSoldOut), "18:00", evening.SaleOpen, "0"},
		{"said to be sold out, with places left", reported(7, record.EventSoldOut), "18:00", evening.SaleOpen, "0"},
		{"said to be sold out, by own count not", with(foldtest.Status(record.EventSoldOut)), "18:00", evening.SaleOpen, "0"},
		{"said to be sold out, without a limit", with(func(e *record.Event) { e.Unlimited, e.Status = true, record.EventSoldOut }), "18:00", evening.SaleOpen, "0"},
		{"cancelled", reported(7, record.EventCancelled), "18:00", evening.SaleOver, "0"},
		{"postponed", reported(7, record.EventPostponed), "18:00", evening.SaleOver, "0"},
		{"ended", reported(7, record.EventEnded), "18:00", evening.SaleOver, "0"},
		{"to the curtain without a word", reported(7, ""), "19:59", evening.SaleOpen, "7"},
		{"curtain without a word", reported(7, ""), "20:00", evening.SaleOver, "0"},
		{"on sale after curtain", reported(7, record.EventOnSale), "20:29", evening.SaleOpen, "7"},
		{"on sale for ever", reported(7, record.EventOnSale), "20:30", evening.SaleOver, "0"},
	} {
		v := foldtest.At(c.now, append(tickets[:len(tickets):len(tickets)], c.event)...)
		s := foldtest.ShowOf(t, v, "a")
		if s.Sale != c.sale || foldtest.Say(s.Free) != c.want {
			t.Errorf("%s: sale %d, %s free; want %d, %s", c.name, s.Sale, foldtest.Say(s.Free), c.sale, c.want)
		}
		if s.NothingEmpty() != (c.want == "0") {
			t.Errorf("%s: that nothing is free is said %v", c.name, s.NothingEmpty())
		}
	}
}

// What the service said before the tickets that were read since then is no more than what these leave.
func TestAnOldReportFreesNoPlace(t *testing.T) {
	behind := foldtest.Complete
	behind.EventsBehind = true
	for _, c := range []struct {
		capacity *int
		reported int
		want     string
		from     figures.Key // its formula begins with
	}{
		{new(20), 15, "estimated 12 behind blocked_unknown", figures.KeyCapacity},
		{new(20), 9, "estimated 9 behind", figures.KeyAvailable},
		{nil, 15, "estimated 15 behind", figures.KeyAvailable},
	} {
		e := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity, e.Available = c.capacity, &c.reported })
		s := foldtest.Fold(behind, append(foldtest.Many(8, "s", "a"), e)...)
		v := foldtest.Evening(s, foldtest.Clock("18:00"))
		if c.capacity == nil { // while tickets are read for the first time the capacity is no more than was ever free
			first := behind
			first.TicketsComplete = false
			s := foldtest.Fold(first, append(foldtest.Many(8, "s", "a"), e)...)
			if got := foldtest.Evening(s, foldtest.Clock("18:00")).Show(s.Event("a")).Free.Value; got != c.reported {
				t.Errorf("%d reported, tickets are being read: %d", c.reported, got)
			}
		}
		x, _ := catalogue.Explain(v, figures.KeyFree, figures.Scope{Event: "a"})
		if got := foldtest.Say(v.Show(s.Event("a")).Free); got != c.want || len(x.Terms) == 0 || x.Terms[0].Key != c.from {
			t.Errorf("%d reported: %s, want %s, of %+v", c.reported, got, c.want, x.Terms)
		}
	}
}

// No place is offered twice, whichever of the two lists is read first: what the service said is left before the sales that are
// counted, or the sales before what is left now. Where the count is unsure, or the capacity is not of its own, the service is right.
func TestNoPlaceIsFreeTwice(t *testing.T) {
	doubted := foldtest.Complete
	doubted.TicketsDoubted = true
	reading, unplanned := foldtest.Complete, foldtest.Complete
	reading.TicketsComplete, unplanned.PlanningPartial = false, true
	sized := func(capacity int) func(*record.Event) {
		return func(e *record.Event) { e.Capacity, e.Blocked = &capacity, new(0) }
	}
	held := func(t *record.Ticket) { t.Status = record.TicketReserved }
	planned := &record.Planning{ID: "plan", EventID: "a", Capacity: new(30)}
	limit := &record.Planning{ID: "limit", EventID: "a", Kind: record.PlanningLimit, Capacity: new(10), TicketTypes: []string{"seat"}}
	for _, c := range []struct {
		name           string
		coverage       ledger.Coverage
		event          func(*record.Event)
		sold, reserved int
		before, now    int // what the service says is left, before the sale and after it
		more           []record.Record
		between, after string
	}{
		{"the last five", foldtest.Complete, sized(30), 22, 8, 5, 0, nil, "0", "0"},
		{"three of five", foldtest.Complete, sized(30), 24, 4, 5, 2, nil, "2", "2"},
		{"the service has fewer", foldtest.Complete, sized(30), 20, 2, 7, 3, nil, "7", "3"},
		{"some of the blocked are sold", foldtest.Complete, func(e *record.Event) { e.Capacity, e.Blocked = new(30), new(6) }, 26, 0, 4, 4, nil, "4", "4"},
		{"blocked places are beside the capacity", foldtest.Complete, func(e *record.Event) { e.Capacity, e.Blocked = new(30), new(15) }, 18, 0, 12, 12, nil, "12", "12"},
		{"not all of planning is read", unplanned, func(*record.Event) {}, 26, 1, 5, 5, []record.Record{planned}, "5", "5"},
		{"how many are blocked is not known", foldtest.Complete, func(e *record.Event) { e.Capacity = new(30) }, 24, 3, 5, 2, nil, "estimated 3 blocked_unknown", "2"},
		{"more are sold than there are", foldtest.Complete, sized(30), 32, 0, 5, 5, nil, "0", "0"},
		{"tickets are read for the first time", reading, sized(30), 12, 0, 5, 5, nil, "5", "5"},
		{"tickets may be back", doubted, sized(30), 28, 0, 5, 5, nil, "5", "5"},
		{"the capacity of planning", foldtest.Complete, func(*record.Event) {}, 26, 1, 5, 3, []record.Record{planned}, "estimated 3 planning blocked_unknown", "3"},
		{"the capacity is of what is left", foldtest.Complete, func(*record.Event) {}, 26, 1, 5, 3, nil, "5", "3"},
		{"a limit of some ticket types", foldtest.Complete, func(*record.Event) {}, 26, 1, 5, 3, []record.Record{limit}, "5", "3"},
		{"the service reports a capacity of none", foldtest.Complete, sized(0), 0, 0, 5, 5, nil, "5", "5"},
	} {
		event := func(left int, updated string) record.Record {
			return foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", c.event, func(e *record.Event) { e.Available, e.UpdatedAt = &left, foldtest.Clock(updated) })
		}
		tickets := foldtest.Together(foldtest.Many(c.sold, "s", "a"), foldtest.Many(c.reserved, "r", "a", held))
		said := func(records ...record.Record) string {
			return foldtest.Say(foldtest.Evening(foldtest.Fold(c.coverage, foldtest.Together(c.more, records)...), foldtest.Clock("18:00")).Shows[0].Free)
		}
		before, now := event(c.before, "17:00"), event(c.now, "17:30")
		if got := said(append(tickets, before)...); got != c.between {
			t.Errorf("%s: %s free once the sales are read, want %s", c.name, got, c.between)
		}
		if got := said(append(tickets, before, now)...); got != c.after {
			t.Errorf("%s: %s free when all is read, sales first; want %s", c.name, got, c.after)
		}
		if got, most := said(before, now), strconv.Itoa(c.now); c.coverage.TicketsComplete && got != most {
			t.Errorf("%s: %s free before the sales are read, want %s", c.name, got, most)
		}
		if got := said(append(foldtest.Together([]record.Record{before, now}), tickets...)...); got != c.after {
			t.Errorf("%s: %s free when all is read, sales last; want %s", c.name, got, c.after)
		}
	}
	// Blocked places are not for sale, either: what was sold in the last minutes may not be in the service's number yet.
	for at, want := range map[string]string{"17:59": "2", "17:57": "5"} {
		late := func(t *record.Ticket) { t.SoldAt = foldtest.Clock(at) }
		v := foldtest.At("18:00", foldtest.Together(foldtest.Many(19, "s", "a"), foldtest.Many(3, "t", "a", late), []record.Record{
			foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity, e.Blocked, e.Available = new(30), new(6), new(5) })})...)
		if got := foldtest.Say(v.Shows[0].Free); got != want {
			t.Errorf("three sold at %s: %s free, want %s", at, got, want)
		}
	}
	// Tonight, the alerts and the house say the same.
	v := foldtest.At("18:00", append(foldtest.Many(30, "s", "a"), foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", sized(30), func(e *record.Event) { e.Available = new(5) }))...)
	if s := v.Shows[0]; !s.SoldOut || v.House.SoldOut != 1 || v.House.Free.Value != 0 || !strings.Contains(alertLine(v.Alerts), "sold_out:a") {
		t.Errorf("sold out %t, %d in the house, %s free, %s", s.SoldOut, v.House.SoldOut, foldtest.Say(v.House.Free), alertLine(v.Alerts))
	}
}

// The house's free places: those on sale, one by one.
func TestHouseFree(t *testing.T) {
	free := func(id, curtain string, n int, change ...func(*record.Event)) *record.Event {
		return foldtest.Tonight(id, id, "18:00", curtain, "22:00", append([]func(*record.Event){func(e *record.Event) {
			e.Capacity, e.Available, e.Status = new(10), &n, ""
		}}, change...)...)
	}
	own := func(e *record.Event) { e.Available = nil }
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string
	}{
		{"one after the other", []record.Record{free("a", "20:00", 3), free("b", "20:00", 4)}, "7 in 2"},
		{"an oversold hall takes nothing", []record.Record{free("a", "20:00", -5), free("b", "20:00", 4)}, "4 in 1, 1 sold out"},
		{"own count where the service says nothing", []record.Record{free("a", "20:00", 0, own), free("b", "20:00", 4), foldtest.Ticket("t", "a")}, "estimated 13 no_available in 2"},
		{"not known of one", []record.Record{free("a", "20:00", 0, own, func(e *record.Event) { e.Capacity = nil }), free("b", "20:00", 4)}, "at least 4 no_capacity no_available in 2"},
		{"the sale of one is over", []record.Record{free("a", "19:00", 3), free("b", "20:00", 4)}, "4 in 1"},
		{"one is cancelled", []record.Record{free("a", "20:00", 3, foldtest.Status(record.EventCancelled)), free("b", "20:00", 4)}, "4 in 1"},
		{"one has no limit", []record.Record{free("a", "20:00", 3, func(e *record.Event) { e.Unlimited = true }), free("b", "20:00", 4)}, "4 in 1"},
		{"one is said to be sold out", []record.Record{free("a", "20:00", 3, foldtest.Status(record.EventSoldOut)), free("b", "20:00", 4)}, "4 in 1, 1 sold out"},
		{"all are sold out", []record.Record{free("a", "20:00", 0), free("b", "20:00", 3, foldtest.Status(record.EventSoldOut))}, "0 in 0, 2 sold out, all"},
		{"sold out, and one has no limit", []record.Record{free("a", "20:00", 0), free("b", "20:00", 3, func(e *record.Event) { e.Unlimited = true })}, "0 in 0, 1 sold out"},
		{"sold out, and one is not known", []record.Record{free("a", "20:00", 0), free("b", "20:00", 0, own, func(e *record.Event) { e.Capacity = nil })}, "unknown no_capacity no_available in 1, 1 sold out"},
		{"by own count there may be none", []record.Record{free("a", "20:00", 0, own, func(e *record.Event) { e.Capacity = new(1) }), foldtest.Ticket("t", "a")}, "estimated 0 no_available in 1"},
		{"sold out, and the sale is over", []record.Record{free("a", "19:00", 0)}, "0 in 0"},
		{"all are over", []record.Record{free("a", "19:00", 3)}, "0 in 0"},
	} {
		h := foldtest.At("19:30", c.records...).House
		got := fmt.Sprint(foldtest.Say(h.Free), " in ", h.OnSale)
		if h.SoldOut > 0 {
			got += fmt.Sprintf(", %d sold out", h.SoldOut)
		}
		if h.AllSoldOut() {
			got += ", all"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
