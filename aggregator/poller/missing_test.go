package poller_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// missingTickets is the alarm of tickets that are missing.
func missingTickets(missing, of int) string {
	return fmt.Sprintf("ticket %d: %[1]d of %d are missing from the whole list of tickets; they count until every reading has missed them for 20 hours", missing, of)
}

// noTickets is the alarm where none came.
func noTickets(of int) string {
	return fmt.Sprintf("ticket %d: none of %[1]d came in the whole list of tickets; none was deleted", of)
}

// shows compares the places that are sold of the past event, and the alarms. While there are any, the number is an estimate.
func (h *house) shows(t *testing.T, when string, sold int, alarms ...string) {
	t.Helper()
	if got := h.sold("evt"); got != sold || !slices.Equal(h.alarms(), alarms) {
		t.Errorf("%s: %d places sold, want %d; %q, want %q", when, got, sold, h.alarms(), alarms)
	}
	if e := h.Snapshot().Event("evt"); slices.Contains(e.Sold.Reasons, figures.ReasonDoubted) != (alarms != nil) || (e.Sold.Quality == figures.Exact) != (alarms == nil) {
		t.Errorf("%s: %+v", when, e.Sold)
	}
}

// What is more than a fifth is not believed to be gone at once, and is when the next night's read misses it, too.
func TestWholeReadGuard(t *testing.T) {
	for _, c := range []struct {
		tickets, gone int
		doubted       bool
	}{
		{100, 21, true}, {100, 20, false}, {100, 19, false},
		{10, 6, true}, {10, 5, false}, {3, 3, false}, {100, 99, true},
	} {
		t.Run(fmt.Sprintf("%d of %d", c.gone, c.tickets), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := soldOut(c.tickets)
				h := run(t, s, logtest.New())
				for i := range c.gone {
					s.drop(ticketOf(i))
				}
				pass(secondNight)
				left := 2 * (c.tickets - c.gone)
				if !c.doubted {
					h.shows(t, "the first night", left)
					return
				}
				h.shows(t, "the first night", 2*c.tickets, missingTickets(c.gone, c.tickets))
				pass(22 * time.Hour)
				h.shows(t, "before the next night", 2*c.tickets, missingTickets(c.gone, c.tickets))
				pass(2 * time.Hour)
				h.shows(t, "the next night", left)
				s.put(ticketOf(0))
				pass(24 * time.Hour)
				h.shows(t, "after one came back", left+2)
			})
		})
	}
}

// Of so many only what every sound read misses is gone, from one night to another.
func TestWholeReadsAgree(t *testing.T) {
	var six []record.Record
	for i := range 6 {
		six = append(six, ticketOf(i))
	}
	garbled := ticketOf(7)
	garbled.Seat = "garbled"
	type night struct {
		put, drop []record.Record
		restart   bool
		sold      int
		alarms    []string
	}
	doubt := []string{missingTickets(6, 10)}
	for _, c := range []struct {
		name   string
		nights []night
	}{
		{"of a list without any, none", []night{
			{drop: slices.Concat(six, []record.Record{ticketOf(6), ticketOf(7), ticketOf(8), ticketOf(9)}), sold: 20, alarms: []string{noTickets(10)}},
			{sold: 20, alarms: []string{noTickets(10)}},
			{sold: 20, alarms: []string{noTickets(10)}},
			{put: []record.Record{ticketOf(9), ticketOf(8)}, sold: 20, alarms: []string{missingTickets(8, 10)}},
			{sold: 4},
		}},
		{"what came back between", []night{{drop: six, sold: 20, alarms: doubt}, {put: six, sold: 20}, {drop: six, sold: 20, alarms: doubt}, {sold: 8}}},
		{"while more are missing", []night{
			{drop: six, sold: 20, alarms: doubt},
			{drop: []record.Record{ticketOf(6)}, sold: 20, alarms: []string{missingTickets(7, 10)}},
			{sold: 6},
		}},
		{"where a row has no name", []night{{drop: six, sold: 20, alarms: doubt}, {put: []record.Record{garbled}, sold: 20, alarms: []string{missingTickets(7, 10)}}, {put: []record.Record{ticketOf(7)}, sold: 8}}},
		{"after a restart", []night{{drop: six, sold: 20, alarms: doubt}, {restart: true, sold: 8}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, db := soldOut(10), logtest.New()
				h := run(t, s, db)
				for i, n := range c.nights {
					s.drop(n.drop...)
					s.put(n.put...)
					if n.restart {
						if err := h.stop(); err != nil {
							t.Fatal(err)
						}
						h = run(t, s, db)
					}
					if pass(24 * time.Hour); i == 0 {
						pass(secondNight - 24*time.Hour)
					}
					when := fmt.Sprint("night ", i+1)
					if got := h.sold("evt"); got != n.sold || !slices.Equal(h.alarms(), n.alarms) {
						t.Errorf("%s: %d places sold, want %d; %q, want %q", when, got, n.sold, h.alarms(), n.alarms)
					}
				}
			})
		})
	}
}

// However often a list is read whole, that takes 20 hours.
func TestWholeReadsAgreeForADay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := soldOut(10)
		s.lists[1].WholeEvery = time.Hour
		h := run(t, s, logtest.New())
		for i := range 6 {
			s.drop(ticketOf(i))
		}
		pass(20 * time.Hour)
		h.shows(t, "after 20 hours, of which they are missing for less", 20, missingTickets(6, 10))
		pass(3 * time.Hour)
		h.shows(t, "after 23 hours", 8)
	})
}

// What becomes of one performance's records does not hold up the others', and other kinds are left alone until then.
func TestWholeReadsAgreeInParts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := soldOut(10)
		s.put(eveningEvent("other", -90*time.Hour))
		other := func(i int) *record.Ticket {
			one := ticketOf(i)
			one.ID, one.EventID = fmt.Sprint("other_", i), "other"
			return one
		}
		for i := range 10 {
			s.put(other(i))
		}
		h := run(t, s, logtest.New())
		for i := range 4 {
			s.drop(ticketOf(i), other(i))
		}
		pass(secondNight)
		if mine, others := h.sold("evt"), h.sold("other"); mine != 20 || others != 20 {
			t.Errorf("%d and %d places sold the first night, want all", mine, others)
		}
		s.drop(other(4))
		pass(24 * time.Hour)
		if mine, others := h.sold("evt"), h.sold("other"); mine != 12 || others != 20 {
			t.Errorf("%d and %d places sold the next night, want 12 and 20", mine, others)
		}
		pass(24 * time.Hour)
		if mine, others := h.sold("evt"), h.sold("other"); mine != 12 || others != 10 || len(h.alarms()) > 0 {
			t.Errorf("%d and %d places sold the night after, want 12 and 10; %q", mine, others, h.alarms())
		}
	})
}

// Of a list that has one half of numbered tickets one night and the other half the next, every one has come.
func TestWholeReadsOfTwoHalves(t *testing.T) {
	bubble(t, func(t *testing.T) {
		numbered := func(i int) *record.Ticket {
			one := ticketOf(i)
			one.ID = fmt.Sprintf("tkt_%02d", i)
			return one
		}
		var halves [2][]record.Record
		s := soldOut(0)
		for i := range 100 {
			halves[i%2] = append(halves[i%2], numbered(i))
		}
		s.put(slices.Concat(halves[0], halves[1])...)
		h := run(t, s, logtest.New())
		s.drop(halves[0]...)
		pass(secondNight)
		s.put(halves[0]...)
		s.drop(halves[1]...)
		pass(24 * time.Hour)
		h.shows(t, "the next night", 200, missingTickets(50, 100))
	})
}

// A list that has other records than it had, and none of those, is that of another account: it is never believed, and the
// house's own is again.
func TestListOfAnotherAccount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, db := soldOut(10), logtest.New()
		h := run(t, s, db)
		var own, theirs []record.Record
		for i := range 10 {
			one := ticketOf(i)
			one.ID, one.EventID = fmt.Sprint("theirs_", i), "theirs"
			own, theirs = append(own, ticketOf(i)), append(theirs, one)
		}
		s.drop(own...)
		s.put(append(theirs, eveningEvent("theirs", -100*time.Hour))...)
		pass(secondNight)
		for range 3 {
			h.shows(t, "while the other account is read", 20, noTickets(10))
			pass(24 * time.Hour)
		}
		if err := h.stop(); err != nil {
			t.Fatal(err)
		}
		h = run(t, s, db)
		pass(24 * time.Hour)
		h.shows(t, "after a restart", 20, noTickets(10))
		s.drop(theirs...)
		s.put(own...)
		pass(24 * time.Hour)
		h.shows(t, "the first night with the house's own", 20, missingTickets(10, 20))
		pass(24 * time.Hour)
		h.shows(t, "the next night", 20)
		if n := h.sold("theirs"); n != 0 {
			t.Errorf("of the other account %d are sold", n)
		}
	})
}
