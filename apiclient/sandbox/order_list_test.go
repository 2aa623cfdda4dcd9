package sandbox_test

import (
	"fmt"
	"net/http"
	"testing"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// A service that lists orders lists no tickets by themselves. A ticket that is taken out of its order is nowhere any
// more, its order has changed, and what was paid for it is owed to the buyer.
func TestOrders(t *testing.T) {
	type order struct {
		ID        string           `json:"id"`
		Tickets   []*record.Ticket `json:"tickets"`
		UpdatedAt string           `json:"updated_at"`
	}
	s := open(t, sandbox.Options{Empty: true, Orders: true})
	event := s.addEvent(`{"title":"Tosca","hall":"Foyer","starts_at":"2026-11-22T20:00:00Z","capacity":80}`)
	sold := s.sell(event, 3)
	if r, _ := s.do(http.MethodGet, "/v2/tickets", ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("the tickets by themselves: %d", r.StatusCode)
	}
	before := all[order](s, "/v2/orders")
	if len(before) != 1 || before[0].ID != sold.OrderID || len(before[0].Tickets) != 3 {
		t.Fatalf("orders %+v, want %s with 3 tickets", before, sold.OrderID)
	}
	s.control("advance", `{"seconds":60}`, nil)
	s.control("scan", fmt.Sprintf(`{"ticket_id":%q,"gate":"A","direction":"entry"}`, sold.TicketIDs[0]), nil)
	s.control("advance", `{"seconds":60}`, nil)
	s.control("take-out", fmt.Sprintf(`{"ticket_id":%q}`, sold.TicketIDs[0]), nil)
	after := all[order](s, "/v2/orders?updated_since=2026-01-01T00:00:00Z&sort=-updated_at")
	if len(after) != 1 || len(after[0].Tickets) != 2 || after[0].UpdatedAt <= before[0].UpdatedAt || after[0].Tickets[0].ID != sold.TicketIDs[1] {
		t.Errorf("after one was taken out: %+v", after)
	}
	truth := s.Truth().Events[event]
	price := before[0].Tickets[0].Price.Amount + before[0].Tickets[0].Fee.Amount
	if truth.Sold != 2 || truth.Present != 0 || truth.ToBePaidBack["EUR"] != price {
		t.Errorf("the books have %d sold, %d inside and %v owed, want 2, 0 and %d", truth.Sold, truth.Present, truth.ToBePaidBack, price)
	}
	if r, body := s.do(http.MethodPost, "/sandbox/take-out", fmt.Sprintf(`{"ticket_id":%q}`, sold.TicketIDs[0])); r.StatusCode != http.StatusNotFound {
		t.Errorf("taken out again: %d %s", r.StatusCode, body)
	}
}
