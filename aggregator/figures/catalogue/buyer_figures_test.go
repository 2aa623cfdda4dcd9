package catalogue_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// New and returning are counted in places, by the first day on which a contact bought anything of the house: whatever is
// bought on that day is new, in however many orders and for however many performances, one that is called off among them. A
// day of which every ticket was returned is none. The
// explanation of the sales of some days leads to their performances, and that of a performance to its tickets, though other
// performances decide which they are.
func TestBuyersAreExplained(t *testing.T) {
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	var versions []record.Version
	add := func(r record.Record) {
		versions = append(versions, record.Version{Revision: int64(len(versions) + 1), Head: true, SeenAt: now, Record: r})
	}
	for id, status := range map[string]record.EventStatus{"a": record.EventOnSale, "b": record.EventOnSale, "off": record.EventCancelled} {
		add(&record.Event{ID: id, Date: "2026-11-21", Status: status})
	}
	sell := func(id, event, order, contact string, daysAgo int) {
		r := record.Ticket{ID: id, EventID: event, OrderID: order, ContactID: contact, Status: record.TicketValid}
		if daysAgo >= 0 {
			r.SoldAt = now.AddDate(0, 0, -daysAgo)
		}
		add(&r)
	}
	sell("first", "a", "1", "anna", 9)
	sell("same day, another order", "a", "2", "anna", 9)
	sell("same day, another performance", "b", "3", "anna", 9)
	sell("later", "b", "4", "anna", 8)
	sell("of one that is called off", "off", "5", "ben", 7)
	sell("after it", "b", "6", "ben", 6)
	sell("the same day as it", "a", "7", "ben", 7)
	sell("no contact", "b", "8", "", 5)
	sell("no time", "b", "9", "carl", -1)
	add(&record.Ticket{ID: "returned", EventID: "off", OrderID: "12", ContactID: "eva", Status: record.TicketRefunded, SoldAt: now.AddDate(0, 0, -9), CancelledAt: now.AddDate(0, 0, -8)})
	sell("after a return", "b", "13", "eva", 6)
	sell("earlier than what came first", "b", "10", "dirk", 4)
	sell("came first", "a", "11", "dirk", 3)
	l := ledger.New(figures.Calendar{})
	for i := range versions {
		l.Apply(versions[i])
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	v := evening.At(s, now)
	days := figures.Scope{From: "2026-11-21", To: "2026-11-21", Performances: true}
	for _, c := range []struct {
		key   figures.Key
		parts []string
		a, b  []string
	}{
		{figures.KeyBuyersNew, []string{"a 3", "b 3"}, []string{"first", "same day, another order", "the same day as it"}, []string{"after a return", "earlier than what came first", "same day, another performance"}},
		{figures.KeyBuyersReturning, []string{"a 1", "b 2"}, []string{"came first"}, []string{"after it", "later"}},
		{figures.KeyBuyersUnknown, []string{"b 2"}, nil, []string{"no contact", "no time"}},
		{figures.KeySold, []string{"a 4", "b 7"}, []string{"came first", "first", "same day, another order", "the same day as it"}, []string{"after a return", "after it", "earlier than what came first", "later", "no contact", "no time", "same day, another performance"}},
	} {
		x, ok := catalogue.Explain(v, c.key, days)
		var parts []string
		sum := 0
		for _, p := range x.Parts {
			parts, sum = append(parts, fmt.Sprint(p.Event.Event.ID, " ", p.Count)), sum+p.Count
		}
		if slices.Sort(parts); !ok || !slices.Equal(parts, c.parts) || sum != x.Count {
			t.Errorf("%s is %d, of %q, want %q", c.key, x.Count, parts, c.parts)
		}
		for event, want := range map[string][]string{"a": c.a, "b": c.b} {
			own := slices.DeleteFunc(slices.Clone(versions), func(v record.Version) bool { // the log reads no others
				ticket, ok := v.Record.(*record.Ticket)
				return ok && ticket.EventID != event
			})
			h := catalogue.History{Snapshot: s, Coverage: foldtest.Complete, Versions: own, Now: now, Whole: func(use func(*ledger.Ledger)) { use(l) }}
			var ids []string
			for _, r := range h.Behind(c.key, figures.Scope{Event: event}).Records {
				ids = append(ids, r.ID)
			}
			if slices.Sort(ids); !slices.Equal(ids, want) {
				t.Errorf("%s of %s is counted from %q, want %q", c.key, event, ids, want)
			}
		}
	}
}
