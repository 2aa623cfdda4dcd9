package sandbox

import (
	"slices"
	"strconv"
	"time"

	"housecount/apiclient/record"
)

// bulkItem is an order or, when places is 0, the admission of the audience, in a house built in bulk. It is small
// because there may be millions of items.
type bulkItem struct {
	at     int64 // Unix time in milliseconds
	show   int32
	places int32
}

// buildBulk builds a house of the given size without the task queue. It computes the times of all items and then
// applies them in that order.
func (h *house) buildBulk(events, tickets int) {
	begin := h.now
	shows := make([]*show, events)
	for i := range shows {
		shows[i] = h.bulkShow(i, events, bulkShare(tickets, i, events))
	}
	items := h.bulkItems(shows, tickets, begin)
	admissions := make([][]record.Scan, len(halls))
	for i, room := range halls {
		for _, gate := range room.gates {
			admissions[i] = append(admissions[i], record.Scan{Gate: gate, Direction: record.Entry})
		}
	}
	c := h.rng(forBulk, 1)
	contacts := make([]string, 1000)
	for i := range contacts {
		contacts[i] = h.contact(c)
	}
	for _, it := range items {
		h.now = time.UnixMilli(it.at).UTC()
		s := shows[it.show]
		if it.places == 0 {
			h.admitAll(s, admissions[int(it.show)%len(halls)], c)
			continue
		}
		h.bulkOrder(s, int(it.places), contacts[c.IntN(len(contacts))], c)
	}
	for _, s := range shows {
		s.orders = nil // not needed any more
	}
	h.now = h.start
}

// bulkShare returns part i when n is divided among parts as evenly as possible.
func bulkShare(n, i, parts int) int { return n*(i+1)/parts - n*i/parts }

// bulkShow adds performance i of n with at least the given number of places.
func (h *house) bulkShow(i, n, places int) *show {
	room := halls[i%len(halls)]
	day := -h.past + i*(h.past+h.coming+1)/n
	starts := h.day(day, 13+i%9, 15*(i%4))
	w := room.works[i%len(room.works)]
	price := max(w.price, 1000)
	capacity := max(room.capacity, places*5/4)
	s := &show{key: mix(uint64(i))}
	s.event = &record.Event{
		ID: h.id("evt_"), Title: w.title, Date: starts.Format(time.DateOnly), DoorsAt: starts.Add(-room.doorsBefore).UTC(),
		StartsAt: starts.UTC(), EndsAt: starts.Add(room.shortest).UTC(), Hall: room.name + " " + strconv.Itoa(i%40+1), Series: w.series,
		Capacity: &capacity, Blocked: new(0), Status: record.EventOnSale,
		TicketTypes: []record.TicketType{{ID: h.id("typ_"), Name: "Entree", Capacity: &capacity, Price: new(euro(price))}},
	}
	h.addShow(s)
	return s
}

// bulkItems returns the items up to the start, sorted by time.
func (h *house) bulkItems(shows []*show, tickets int, begin time.Time) []bulkItem {
	items := make([]bulkItem, 0, tickets/3+2*len(shows))
	first, last := begin.Add(time.Minute), h.start.Add(-time.Second)
	for i, s := range shows {
		from := max(s.event.StartsAt.AddDate(0, 0, -60).UnixMilli(), first.UnixMilli())
		to := min(s.event.StartsAt.UnixMilli(), last.UnixMilli())
		from = min(from, to-int64(time.Hour/time.Millisecond))
		c := h.rng(forBulk, 2, s.key)
		for left := bulkShare(tickets, i, len(shows)); left > 0; {
			places := min(1+c.IntN(6), left)
			items = append(items, bulkItem{from + c.Int64N(to-from), int32(i), int32(places)})
			left -= places
		}
		if s.event.EndsAt.Before(last) {
			items = append(items, bulkItem{s.event.StartsAt.UnixMilli(), int32(i), 0})
		}
	}
	slices.SortStableFunc(items, func(a, b bulkItem) int { return int(min(max(a.at-b.at, -1), 1)) })
	return items
}

// bulkOrder sells places. A few orders are complimentary, reserved or refunded.
func (h *house) bulkOrder(s *show, places int, contact string, c rng) {
	kind := s.event.TicketTypes[0]
	fate := c.IntN(100)
	w := sale{
		show: s, places: places, kind: record.TypeRef{ID: kind.ID, Name: kind.Name}, price: kind.Price.Amount, currency: currency,
		complimentary: fate < 2, paid: fate != 2, method: "ideal", channel: "web", contact: contact,
	}
	if w.complimentary {
		w.price, w.method, w.channel = 0, "free", "box_office"
	}
	tickets, p := h.sell(w)
	switch fate {
	case 3:
		for _, t := range tickets {
			h.cancel(t, record.TicketRefunded)
		}
		h.settleRefund(p, h.newRefund(p, p.Amount.Amount, reasonFor(becauseReturned, uint64(h.now.UnixMilli()))))
	case 2:
		if s.event.StartsAt.Before(h.start) {
			h.expire(p, tickets, record.PaymentExpired)
		}
	}
}

// admitAll scans in about 93 per cent of the valid tickets and ends the show. Tickets of one gate share their
// scans to save memory.
func (h *house) admitAll(s *show, gates []record.Scan, c rng) {
	scans := make([][]record.Scan, len(gates))
	for i, g := range gates {
		g.At = h.now
		out := g
		out.At, out.Direction = s.event.EndsAt, record.Exit
		scans[i] = []record.Scan{g, out}
	}
	for _, r := range h.tickets.byEvent[s.event.ID] {
		if t := r.record.(*record.Ticket); t.Status == record.TicketValid && c.chance(.93) {
			t.Scans = scans[c.IntN(len(scans))]
			h.tickets.touch(t, h.now)
		}
	}
	h.setStatus(s, record.EventEnded)
}
