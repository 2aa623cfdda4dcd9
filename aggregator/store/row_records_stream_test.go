package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// shop is a made-up service whose orders hold their tickets, fees and exchanged tickets; each change dates the whole order.
type shop struct {
	random *rand.Rand
	clock  time.Time
	orders map[string]*shopOrder
	made   int
}

type shopOrder struct {
	id      string
	changed time.Time
	holds   map[string]*record.Ticket
}

// change does one thing that a box office does.
func (s *shop) change() {
	s.clock = s.clock.Add(time.Duration(1+s.random.IntN(90)) * time.Second)
	id := fmt.Sprint("order ", s.random.IntN(8))
	o := s.orders[id]
	if o == nil {
		o = &shopOrder{id: id, holds: map[string]*record.Ticket{}}
		s.orders[id] = o
	}
	held := slices.Sorted(maps.Keys(o.holds))
	one := func() *record.Ticket { return o.holds[held[s.random.IntN(len(held))]] }
	switch s.random.IntN(7) {
	case 0, 1:
		s.sell(o, "", "")
	case 2:
		s.sell(o, record.ExtraFee, "")
	case 3: // taken out
		if len(held) > 0 {
			delete(o.holds, one().ID)
		}
	case 4: // exchanged
		if len(held) > 0 {
			if old := one(); old.Kind == "" {
				s.sell(o, "", old.ID)
				delete(o.holds, old.ID)
			}
		}
	case 5: // moved to another order
		if other := s.orders[fmt.Sprint("order ", s.random.IntN(8))]; other != nil && other != o && len(held) > 0 {
			moved := *one()
			delete(o.holds, moved.ID)
			other.holds[moved.ID] = &moved
			s.touch(other)
		}
	case 6: // scanned
		if len(held) > 0 {
			if k := one(); k.Kind == "" {
				k.Scans = append(slices.Clone(k.Scans), record.Scan{At: s.clock, Gate: "A", Direction: record.Entry, Result: "ok"})
			}
		}
	}
	s.touch(o)
}

func (s *shop) sell(o *shopOrder, kind record.ExtraKind, replaces string) {
	s.made++
	k := &record.Ticket{ID: fmt.Sprint("ticket ", s.made), EventID: "e", Kind: kind, Replaces: replaces, Status: record.TicketValid,
		Price: &record.Money{Amount: int64(100 + s.random.IntN(5000)), Currency: "EUR"}, SoldAt: s.clock, Scans: []record.Scan{}}
	o.holds[k.ID] = k
}

func (s *shop) touch(o *shopOrder) {
	o.changed = s.clock
	for _, k := range o.holds {
		k.OrderID, k.UpdatedAt = o.id, s.clock
	}
}

// answer puts an order into a batch, as it is or damaged. What is damaged is what the shop has dated the same before.
func (s *shop) answer(b *aggregator.Batch, o *shopOrder, damaged bool) {
	row := record.Row{List: "orders", ID: o.id, Updated: o.changed}
	for _, id := range slices.Sorted(maps.Keys(o.holds)) {
		k := *o.holds[id]
		if damaged {
			switch s.random.IntN(5) {
			case 0:
				continue
			case 1:
				k.Price = nil
			case 2:
				k.Status = ""
			case 3:
				k.Scans = nil
			}
		}
		row.Records = append(row.Records, record.Key{Kind: record.KindTicket, ID: id})
		b.Records = append(b.Records, &k)
	}
	b.Rows = append(b.Rows, row)
}

// what returns what a shop holds: each ticket with its order, price, status and scans.
func (s *shop) what() (all []string) {
	for _, o := range s.orders {
		for _, k := range o.holds {
			all = append(all, ticketText(k))
		}
	}
	slices.Sort(all)
	return all
}

func ticketText(k *record.Ticket) string {
	price := int64(-1)
	if k.Price != nil {
		price = k.Price.Amount
	}
	return fmt.Sprintf("%s of %s, %s, %d, %s, %d scans of %v", k.ID, k.OrderID, k.Kind, price, k.Status, len(k.Scans), k.Scans != nil)
}

// Random orders, whose tickets are sold, taken out, exchanged, moved and scanned, and of which answers come again, late in an
// overlap, and damaged: what is stored is what the shop holds, after every sound answer of what has changed, whatever damaged answers
// come after it; and so are the places and the money of it.
func testRandomRows(t *testing.T, database string) {
	kept := open(t, database)
	for seed := range uint64(6) {
		l := led(t, records(t, kept, fmt.Sprint("shop ", seed)))
		s := &shop{random: rand.New(rand.NewPCG(seed, 20)), clock: noon, orders: map[string]*shopOrder{}}
		l.append(t, &record.Event{ID: "e", Status: record.EventOnSale, StartsAt: noon.Add(48 * time.Hour), UpdatedAt: noon})
		damages := 0
		for step := range 40 {
			since := s.clock
			for range 1 + s.random.IntN(4) {
				s.change()
			}
			ask := func(damaged bool) {
				b := aggregator.Batch{Term: l.term, SeenAt: s.clock}
				changed := slices.SortedFunc(maps.Values(s.orders), func(a, b *shopOrder) int { return cmp.Compare(a.id, b.id) })
				for _, o := range changed {
					if !o.changed.Before(since) {
						s.answer(&b, o, damaged)
					}
				}
				a, err := l.Append(t.Context(), b)
				if err != nil {
					t.Fatal(err)
				}
				damages += len(a.Damaged)
				if !damaged && len(a.Damaged) > 0 {
					t.Fatalf("seed %d, step %d: a sound answer was refused: %v", seed, step, a.Damaged[0])
				}
			}
			ask(false)
			for range s.random.IntN(3) {
				ask(true)
			}
			var got []string
			for v, err := range l.Heads(t.Context(), record.KindTicket) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, ticketText(v.Record.(*record.Ticket)))
			}
			if slices.Sort(got); !slices.Equal(got, s.what()) {
				t.Fatalf("seed %d, step %d: stored are\n%q\nthe shop has\n%q", seed, step, got, s.what())
			}
		}
		if damages < 20 {
			t.Errorf("seed %d: %d damaged records", seed, damages)
		}
		folded := ledger.New(figures.Calendar{Zone: time.UTC})
		for v, err := range l.Versions(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			folded.Apply(v)
		}
		sold, booked, fees := 0, int64(0), int64(0)
		for _, o := range s.orders {
			for _, k := range o.holds {
				if k.Kind == "" {
					sold, booked = sold+1, booked+k.Price.Amount
				} else {
					fees += k.Price.Amount
				}
			}
		}
		e := folded.Snapshot(figures.Position{}, foldtest.Complete).Event("e")
		if e.Sold.Value != sold || e.Revenue.Of(figures.Booked).Value.In("EUR") != booked || e.Revenue.Of(figures.Fees).Value.In("EUR") != fees {
			t.Errorf("seed %d: %d sold for %v with fees of %v; the shop has %d for %d with %d", seed, e.Sold.Value, e.Revenue.Of(figures.Booked).Value, e.Revenue.Of(figures.Fees).Value, sold, booked, fees)
		}
	}
}
