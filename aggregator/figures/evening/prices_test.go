package evening_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Means are to the nearest cent; complimentary and free tickets, those not paid yet, and what admits
// nobody, are in no mean.
func TestMeans(t *testing.T) {
	places := func(n int, price int64) func(*record.Ticket) {
		return func(t *record.Ticket) { t.Quantity, t.Price = &n, foldtest.Eur(price) }
	}
	sized := func(n int) func(*record.Event) { return func(e *record.Event) { e.Capacity = &n } }
	records := []record.Record{
		foldtest.Ticket("t", "a", places(2, 1000)), foldtest.Ticket("u", "a", places(1, 1001)), foldtest.Ticket("free", "a", places(5, 0)),
		foldtest.Ticket("comp", "a", places(7, 9000), func(t *record.Ticket) { t.Complimentary = true }),
		foldtest.Ticket("mug", "a", places(1, 500), func(t *record.Ticket) { t.Admits = new(false) }),
		foldtest.Ticket("back", "a", places(1, 7777), func(t *record.Ticket) { t.Status = record.TicketRefunded }),
		foldtest.Ticket("owed", "a", places(1, 3100), func(t *record.Ticket) { t.OrderID = "o" }),
	}
	for _, c := range []struct{ capacity, average, each string }{
		{"2", "[{1000 EUR}]", "[{3301 EUR}]"}, {"0", "[{1000 EUR}]", "unknown no_capacity"},
	} {
		n := int(c.capacity[0] - '0')
		e := foldtest.Fold(foldtest.Complete, append(records, foldtest.Event("a", sized(n)))...).Event("a")
		each := e.RevenuePerPlace()
		if got := fmt.Sprint(e.AveragePrice.Value); got != c.average {
			t.Errorf("average %s, want %s", got, c.average)
		}
		if each.Known() != (n > 0) || each.Known() && fmt.Sprint(each.Value) != c.each {
			t.Errorf("per place %v", each)
		}
	}
	unread := foldtest.Complete
	unread.PaymentsComplete = false
	if got := foldtest.Say(foldtest.Fold(unread, append(records, foldtest.Event("a", sized(3)))...).Event("a").AveragePrice); got != "estimated [{1525 EUR}] payments_incomplete" {
		t.Errorf("before payments were read: %s", got)
	}
	if e := foldtest.Fold(foldtest.Complete, foldtest.Event("a", sized(3))).Event("a"); e.AveragePrice.Known() || foldtest.Say(e.AveragePrice) != "unknown nothing_sold" {
		t.Errorf("average of nothing: %v", e.AveragePrice)
	}
}
