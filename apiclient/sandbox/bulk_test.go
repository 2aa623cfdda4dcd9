package sandbox_test

import (
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// TestBulk: a house made at once has the size asked for, is the same each time, agrees with
// its truth and takes calls.
func TestBulk(t *testing.T) {
	o := sandbox.Options{Events: 40, Tickets: 3001, Past: 20, Coming: 10}
	s := open(t, o)
	if again := open(t, o); s.everything() != again.everything() {
		t.Error("the same options made another house")
	}
	o.Seed = 2
	if other := open(t, o); s.everything() == other.everything() {
		t.Error("another seed made the same house")
	}
	truth := s.Truth()
	if r := truth.Records; r.Events != 40 || r.Tickets != 3001 || r.Payments < 500 {
		t.Errorf("%+v", r)
	}
	var sold, came, statuses = 0, 0, map[record.TicketStatus]int{}
	begin, now := s.Now().AddDate(0, 0, -100), s.Now()
	for i, tk := range all[record.Ticket](s, "/v2/tickets") {
		statuses[tk.Status]++
		if tk.Status == record.TicketValid {
			sold++
		}
		if len(tk.Scans) > 0 && tk.Status == record.TicketValid {
			came++
		}
		if tk.CreatedAt.Before(begin) || tk.UpdatedAt.After(now) || tk.UpdatedAt.Before(tk.CreatedAt) {
			t.Fatalf("ticket %d: from %v to %v", i, tk.CreatedAt, tk.UpdatedAt)
		}
	}
	if sold != truth.Total.Sold || came != truth.Total.Attendance || came < 1000 || came >= sold {
		t.Errorf("%d sold and %d came, the truth says %d and %d", sold, came, truth.Total.Sold, truth.Total.Attendance)
	}
	for _, status := range []record.TicketStatus{record.TicketReserved, record.TicketRefunded, record.TicketExpired} {
		if statuses[status] == 0 {
			t.Errorf("none is %s: %v", status, statuses)
		}
	}
	days := map[string]int{}
	ended, seats, inside := 0, 0, 0
	for _, e := range all[record.Event](s, "/v2/events") {
		days[e.Date]++
		if e.Status == record.EventEnded {
			ended++
			seats, inside = seats+truth.Events[e.ID].Sold, inside+truth.Events[e.ID].Attendance
		}
		if got := truth.Events[e.ID]; got.Sold+got.Reserved > got.Capacity || got.Available != *e.Available {
			t.Errorf("%s: %+v", e.ID, got)
		}
	}
	if share := float64(inside) / float64(seats); share < .9 || share > .96 {
		t.Errorf("%d of %d came", inside, seats)
	}
	if len(days) < 25 || days["2026-11-20"] == 0 || ended < 20 || ended > 32 {
		t.Errorf("%d ended, on days %v", ended, days)
	}

	s.Advance(time.Hour)
	if after := s.Truth().Total; after.Sold != truth.Total.Sold {
		t.Errorf("somebody bought by himself: %d", after.Sold)
	}
	s.sell(all[record.Event](s, "/v2/events")[39].ID, 2)
	if after := s.Truth().Total; after.Sold != truth.Total.Sold+2 {
		t.Errorf("%d after selling 2", after.Sold)
	}
}
