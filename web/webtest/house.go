// Package webtest makes houses, renders their pages and reads them, for the tests of web and the packages of pages beside it.
package webtest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// The evening of the tests.
var Amsterdam = func() *time.Location {
	z, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		panic(err)
	}
	return z
}()

var ShowTime = time.Date(2026, 11, 20, 19, 52, 1, 0, Amsterdam)

// House makes records of a theatre and folds them, the same every time.
type House struct {
	Ledger   *ledger.Ledger
	Rng      *rand.Rand
	ids      int
	Versions []record.Version
	Coverage ledger.Coverage
	Health   figures.Health
	AsOf     time.Time
}

// Apply folds a record as the next version.
func (h *House) Apply(r record.Record) {
	v := record.Version{Revision: int64(len(h.Versions) + 1), SeenAt: ShowTime, Head: true, Record: r}
	h.Versions = append(h.Versions, v)
	h.Ledger.Apply(v)
}

func NewHouse() *House {
	return &House{
		Ledger:   ledger.New(figures.Calendar{Zone: Amsterdam}),
		Rng:      rand.New(rand.NewPCG(1, 2)),
		Coverage: ledger.Coverage{TicketsComplete: true, PaymentsComplete: true, TicketsOffered: true, PaymentsOffered: true},
		Health:   Healthy(ShowTime),
		AsOf:     ShowTime.Add(-3 * time.Second),
	}
}

// Healthy is a service that answered three seconds ago.
func Healthy(now time.Time) figures.Health {
	var h figures.Health
	for _, k := range record.Kinds {
		h.Streams = append(h.Streams, figures.StreamHealth{Name: string(k) + "_list", Kinds: []record.Kind{k}, LastGood: now.Add(-3 * time.Second), Next: now.Add(3 * time.Second),
			Took: 200 * time.Millisecond, Complete: true, Read: 100, Total: 100})
	}
	return h
}

// Snapshot is the figures so far.
func (h *House) Snapshot() *figures.Snapshot {
	s := *h.Ledger.Snapshot(figures.Position{Epoch: "house", Revision: int64(h.ids)}, h.Coverage)
	s.Health, s.AsOf = h.Health, h.AsOf
	return &s
}

func (h *House) ID(prefix string) string {
	h.ids++
	return fmt.Sprintf("%s_%06d", prefix, h.ids)
}

// At is a time of the evening.
func At(clock string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", "2026-11-20 "+clock, Amsterdam)
	if err != nil {
		panic(err)
	}
	return t
}

// Event announces a performance on the evening unless given another day.
func (h *House) Event(id, title, hall, doors, curtain string, capacity int, change ...func(*record.Event)) *record.Event {
	e := &record.Event{
		ID: id, Title: title, Hall: hall, Date: "2026-11-20", Capacity: &capacity, Status: record.EventOnSale,
		DoorsAt: At(doors), StartsAt: At(curtain), EndsAt: At(curtain).Add(150 * time.Minute), UpdatedAt: ShowTime.Add(-time.Hour),
		CreatedAt: ShowTime.AddDate(0, -6, 0),
	}
	for _, c := range change {
		c(e)
	}
	h.Apply(e)
	return e
}

func OnDay(days int) func(*record.Event) {
	return func(e *record.Event) {
		e.DoorsAt, e.StartsAt, e.EndsAt = e.DoorsAt.AddDate(0, 0, days), e.StartsAt.AddDate(0, 0, days), e.EndsAt.AddDate(0, 0, days)
		e.Date = e.StartsAt.Format(time.DateOnly)
	}
}

func Available(n int) func(*record.Event) { return func(e *record.Event) { e.Available = &n } }

type Sale struct {
	From, To time.Time // sold between these, more towards the end
	Paid     int
	Comp     int
	Reserved int
	Scans    bool     // the service reports scans
	In       []GateIn // who came in
}

type GateIn struct {
	Gate     string
	N        int
	From, To time.Time
}

var types = []struct {
	name  string
	price int64
}{{"Rang 1", 4500}, {"Rang 2", 3250}, {"Jongeren", 1500}}

var channels = []string{"web", "web", "web", "box office", "phone"}

// Sell makes tickets and the payments for them.
func (h *House) Sell(e *record.Event, s Sale) {
	var scans []record.Scan
	for _, g := range s.In {
		for i := range g.N {
			scans = append(scans, record.Scan{At: g.From.Add(g.To.Sub(g.From) * time.Duration(i) / time.Duration(g.N)), Gate: g.Gate, Direction: record.Entry})
		}
	}
	for i := range s.Paid + s.Comp + s.Reserved {
		f := h.Rng.Float64()
		sold := s.From.Add(time.Duration(float64(s.To.Sub(s.From)) * (1 - f*f))).Truncate(time.Second)
		kind := types[h.Rng.IntN(len(types))]
		t := &record.Ticket{
			ID: h.ID("tkt"), EventID: e.ID, OrderID: h.ID("ord"), Type: record.TypeRef{ID: kind.name, Name: kind.name},
			Price: &record.Money{Amount: kind.price, Currency: "EUR"}, Status: record.TicketValid,
			Channel: channels[h.Rng.IntN(len(channels))], CreatedAt: sold, SoldAt: sold, UpdatedAt: sold,
		}
		switch {
		case i < s.Paid:
			h.Apply(&record.Payment{ID: h.ID("pay"), OrderID: t.OrderID, EventID: e.ID, TicketIDs: []string{t.ID},
				Amount: *t.Price, Status: record.PaymentPaid, CreatedAt: sold, PaidAt: sold, UpdatedAt: sold})
		case i < s.Paid+s.Comp:
			t.Complimentary, t.Price = true, &record.Money{Currency: "EUR"}
			t.Type = record.TypeRef{ID: "Vrijkaart", Name: "Vrijkaart"}
		default:
			t.Status, t.SoldAt = record.TicketReserved, time.Time{}
		}
		if s.Scans && t.Status == record.TicketValid {
			t.Scans = []record.Scan{}
			if i < len(scans) {
				t.Scans = append(t.Scans, scans[i])
				t.UpdatedAt = scans[i].At
			}
		}
		h.Apply(t)
	}
}

// SellOne sells one place.
func (h *House) SellOne(e *record.Event, sold time.Time, cents int64) {
	h.Apply(&record.Ticket{ID: h.ID("tkt"), EventID: e.ID, Type: record.TypeRef{Name: "Rang 1"}, Status: record.TicketValid,
		Price: &record.Money{Amount: cents, Currency: "EUR"}, SoldAt: sold, CreatedAt: ShowTime, UpdatedAt: ShowTime})
}

// Busy is the evening of the drawings: two halls filling up, a third later, a season
// round them.
func Busy(t testing.TB) *House {
	t.Helper()
	h := NewHouse()
	start := ShowTime.AddDate(0, 0, -120)
	mat := h.Event("evt_mat", "Matthäus-Passion, Nederlands Kamerkoor", "Grote Zaal", "19:30", "20:15", 882, Available(51))
	h.Sell(mat, Sale{From: start, To: ShowTime.Add(-5 * time.Minute), Paid: 774, Comp: 38, Reserved: 19, Scans: true, In: []GateIn{
		{"A", 260, At("19:30"), ShowTime}, {"B", 128, At("19:31"), At("19:46")}, {"C", 250, At("19:30"), ShowTime}}})
	vader := h.Event("evt_vader", "De Vader", "Kleine Zaal", "19:45", "20:30", 380, Available(109))
	h.Sell(vader, Sale{From: start.AddDate(0, 0, 30), To: ShowTime.Add(-20 * time.Minute), Paid: 251, Comp: 20, Scans: true,
		In: []GateIn{{"A", 224, At("19:40"), ShowTime}}})
	trio := h.Event("evt_trio", "Late Night Trio", "Foyer", "22:15", "23:00", 218, Available(9))
	h.Sell(trio, Sale{From: ShowTime.AddDate(0, 0, -12), To: ShowTime.AddDate(0, 0, -1), Paid: 151, Scans: true})
	h.Sell(trio, Sale{From: ShowTime.Add(-10 * time.Hour), To: ShowTime.Add(-time.Minute), Paid: 46, Reserved: 12, Scans: true})
	for i, n := range []struct {
		title, hall string
		capacity    int
		sold        int
	}{{"De Vader", "Kleine Zaal", 380, 210}, {"Strijkkwartet Biënnale: Ragazze Quartet", "Grote Zaal", 882, 512}, {"Familievoorstelling: Pluk", "Kleine Zaal", 380, 371},
		{"Cinema Concert: Metropolis", "Grote Zaal", 882, 640}} {
		e := h.Event(fmt.Sprintf("evt_next_%d", i), n.title, n.hall, "19:30", "20:15", n.capacity, OnDay(i+1), Available(n.capacity-n.sold))
		h.Sell(e, Sale{From: start.AddDate(0, 0, 20), To: ShowTime.Add(-time.Hour), Paid: n.sold, Scans: true})
	}
	for i := range 5 {
		e := h.Event(fmt.Sprintf("evt_past_%d", i), fmt.Sprint("Najaarsserie ", i+1), "Grote Zaal", "19:30", "20:15", 882, OnDay(-3-5*i))
		h.Sell(e, Sale{From: start.AddDate(0, 0, -20), To: ShowTime.AddDate(0, 0, -4-5*i), Paid: 400 + 50*i, Comp: 12, Scans: true,
			In: []GateIn{{"A", 380, e.DoorsAt, e.StartsAt}}})
	}
	refund := &record.Payment{ID: h.ID("pay"), EventID: "evt_past_0", Kind: record.KindOfRefund, Amount: record.Money{Amount: 9000, Currency: "EUR"},
		Status: record.PaymentPaid, PaidAt: ShowTime.AddDate(0, 0, -2), CreatedAt: ShowTime.AddDate(0, 0, -2), UpdatedAt: ShowTime.AddDate(0, 0, -2)}
	h.Apply(refund)
	h.Apply(&record.Payment{ID: h.ID("pay"), Amount: record.Money{Amount: 2500, Currency: "EUR"},
		Status: record.PaymentPaid, PaidAt: ShowTime.AddDate(0, 0, -1), CreatedAt: ShowTime.AddDate(0, 0, -1), UpdatedAt: ShowTime.AddDate(0, 0, -1)})
	return h
}

// Selling returns a house with a performance, evt_own, that sells worse than six before it did.
func Selling() *House {
	h := NewHouse()
	series := func(e *record.Event) { e.Series = "cycle" }
	for i, then := range []int{40, 44, 48, 52, 56, 60} {
		e := h.Event(fmt.Sprint("evt_past_", i), fmt.Sprint("Deel ", i), "Kelder", "19:00", "20:00", 100, OnDay(-7*(i+1)), series)
		h.Sell(e, Sale{From: ShowTime.AddDate(0, 0, -7*(i+1)-30), To: ShowTime.AddDate(0, 0, -7*(i+1)-10), Paid: then})
		h.Sell(e, Sale{From: ShowTime.AddDate(0, 0, -7*(i+1)-3), To: ShowTime.AddDate(0, 0, -7*(i+1)-1), Paid: 20})
	}
	h.Sell(h.Event("evt_own", "Het vervolg", "Kelder", "19:00", "20:00", 100, OnDay(7), series), Sale{From: ShowTime.AddDate(0, 0, -20), To: ShowTime.AddDate(0, 0, -2), Paid: 25})
	return h
}
