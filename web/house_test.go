package web_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// The evening of the tests.
var (
	amsterdam = func() *time.Location {
		z, err := time.LoadLocation("Europe/Amsterdam")
		if err != nil {
			panic(err)
		}
		return z
	}()
	showTime = time.Date(2026, 11, 20, 19, 52, 1, 0, amsterdam)
)

// house makes records of a theatre and folds them, the same every time.
type house struct {
	ledger   *ledger.Ledger
	rng      *rand.Rand
	ids      int
	versions []record.Version
	coverage ledger.Coverage
	health   figures.Health
	asOf     time.Time
}

// apply folds a record as the next version.
func (h *house) apply(r record.Record) {
	v := record.Version{Revision: int64(len(h.versions) + 1), SeenAt: showTime, Head: true, Record: r}
	h.versions = append(h.versions, v)
	h.ledger.Apply(v)
}

func newHouse() *house {
	return &house{
		ledger:   ledger.New(figures.Calendar{Zone: amsterdam}),
		rng:      rand.New(rand.NewPCG(1, 2)),
		coverage: ledger.Coverage{TicketsComplete: true, PaymentsComplete: true, TicketsOffered: true, PaymentsOffered: true},
		health:   healthy(showTime),
		asOf:     showTime.Add(-3 * time.Second),
	}
}

// healthy is a service that answered three seconds ago.
func healthy(now time.Time) figures.Health {
	var h figures.Health
	for _, k := range record.Kinds {
		h.Streams = append(h.Streams, figures.StreamHealth{Name: string(k) + "_list", Kinds: []record.Kind{k}, LastGood: now.Add(-3 * time.Second), Next: now.Add(3 * time.Second),
			Took: 200 * time.Millisecond, Complete: true, Read: 100, Total: 100})
	}
	return h
}

// snapshot is the figures so far.
func (h *house) snapshot() *figures.Snapshot {
	s := *h.ledger.Snapshot(figures.Position{Epoch: "house", Revision: int64(h.ids)}, h.coverage)
	s.Health, s.AsOf = h.health, h.asOf
	return &s
}

func (h *house) id(prefix string) string {
	h.ids++
	return fmt.Sprintf("%s_%06d", prefix, h.ids)
}

// at is a time of the evening.
func at(clock string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", "2026-11-20 "+clock, amsterdam)
	if err != nil {
		panic(err)
	}
	return t
}

// event announces a performance on the evening unless given another day.
func (h *house) event(id, title, hall, doors, curtain string, capacity int, change ...func(*record.Event)) *record.Event {
	e := &record.Event{
		ID: id, Title: title, Hall: hall, Date: "2026-11-20", Capacity: &capacity, Status: record.EventOnSale,
		DoorsAt: at(doors), StartsAt: at(curtain), EndsAt: at(curtain).Add(150 * time.Minute), UpdatedAt: showTime.Add(-time.Hour),
		CreatedAt: showTime.AddDate(0, -6, 0),
	}
	for _, c := range change {
		c(e)
	}
	h.apply(e)
	return e
}

func onDay(days int) func(*record.Event) {
	return func(e *record.Event) {
		e.DoorsAt, e.StartsAt, e.EndsAt = e.DoorsAt.AddDate(0, 0, days), e.StartsAt.AddDate(0, 0, days), e.EndsAt.AddDate(0, 0, days)
		e.Date = e.StartsAt.Format(time.DateOnly)
	}
}

func available(n int) func(*record.Event) { return func(e *record.Event) { e.Available = &n } }

type sale struct {
	from, to time.Time // sold between these, more towards the end
	paid     int
	comp     int
	reserved int
	scans    bool     // the service reports scans
	in       []gateIn // who came in
}

type gateIn struct {
	gate     string
	n        int
	from, to time.Time
}

var types = []struct {
	name  string
	price int64
}{{"Rang 1", 4500}, {"Rang 2", 3250}, {"Jongeren", 1500}}

var channels = []string{"web", "web", "web", "box office", "phone"}

// sell makes tickets and the payments for them.
func (h *house) sell(e *record.Event, s sale) {
	var scans []record.Scan
	for _, g := range s.in {
		for i := range g.n {
			scans = append(scans, record.Scan{At: g.from.Add(g.to.Sub(g.from) * time.Duration(i) / time.Duration(g.n)), Gate: g.gate, Direction: record.Entry})
		}
	}
	for i := range s.paid + s.comp + s.reserved {
		f := h.rng.Float64()
		sold := s.from.Add(time.Duration(float64(s.to.Sub(s.from)) * (1 - f*f))).Truncate(time.Second)
		kind := types[h.rng.IntN(len(types))]
		t := &record.Ticket{
			ID: h.id("tkt"), EventID: e.ID, OrderID: h.id("ord"), Type: record.TypeRef{ID: kind.name, Name: kind.name},
			Price: &record.Money{Amount: kind.price, Currency: "EUR"}, Status: record.TicketValid,
			Channel: channels[h.rng.IntN(len(channels))], CreatedAt: sold, SoldAt: sold, UpdatedAt: sold,
		}
		switch {
		case i < s.paid:
			h.apply(&record.Payment{ID: h.id("pay"), OrderID: t.OrderID, EventID: e.ID, TicketIDs: []string{t.ID},
				Amount: *t.Price, Status: record.PaymentPaid, CreatedAt: sold, PaidAt: sold, UpdatedAt: sold})
		case i < s.paid+s.comp:
			t.Complimentary, t.Price = true, &record.Money{Currency: "EUR"}
			t.Type = record.TypeRef{ID: "Vrijkaart", Name: "Vrijkaart"}
		default:
			t.Status, t.SoldAt = record.TicketReserved, time.Time{}
		}
		if s.scans && t.Status == record.TicketValid {
			t.Scans = []record.Scan{}
			if i < len(scans) {
				t.Scans = append(t.Scans, scans[i])
				t.UpdatedAt = scans[i].At
			}
		}
		h.apply(t)
	}
}

// busy is the evening of the drawings: two halls filling up, a third later, a season
// round them.
func busy(t testing.TB) *house {
	t.Helper()
	h := newHouse()
	start := showTime.AddDate(0, 0, -120)
	mat := h.event("evt_mat", "Matthäus-Passion, Nederlands Kamerkoor", "Grote Zaal", "19:30", "20:15", 882, available(51))
	h.sell(mat, sale{from: start, to: showTime.Add(-5 * time.Minute), paid: 774, comp: 38, reserved: 19, scans: true, in: []gateIn{
		{"A", 260, at("19:30"), showTime}, {"B", 128, at("19:31"), at("19:46")}, {"C", 250, at("19:30"), showTime}}})
	vader := h.event("evt_vader", "De Vader", "Kleine Zaal", "19:45", "20:30", 380, available(109))
	h.sell(vader, sale{from: start.AddDate(0, 0, 30), to: showTime.Add(-20 * time.Minute), paid: 251, comp: 20, scans: true,
		in: []gateIn{{"A", 224, at("19:40"), showTime}}})
	trio := h.event("evt_trio", "Late Night Trio", "Foyer", "22:15", "23:00", 218, available(9))
	h.sell(trio, sale{from: showTime.AddDate(0, 0, -12), to: showTime.AddDate(0, 0, -1), paid: 151, scans: true})
	h.sell(trio, sale{from: showTime.Add(-10 * time.Hour), to: showTime.Add(-time.Minute), paid: 46, reserved: 12, scans: true})
	for i, n := range []struct {
		title, hall string
		capacity    int
		sold        int
	}{{"De Vader", "Kleine Zaal", 380, 210}, {"Strijkkwartet Biënnale: Ragazze Quartet", "Grote Zaal", 882, 512}, {"Familievoorstelling: Pluk", "Kleine Zaal", 380, 371},
		{"Cinema Concert: Metropolis", "Grote Zaal", 882, 640}} {
		e := h.event(fmt.Sprintf("evt_next_%d", i), n.title, n.hall, "19:30", "20:15", n.capacity, onDay(i+1), available(n.capacity-n.sold))
		h.sell(e, sale{from: start.AddDate(0, 0, 20), to: showTime.Add(-time.Hour), paid: n.sold, scans: true})
	}
	for i := range 5 {
		e := h.event(fmt.Sprintf("evt_past_%d", i), fmt.Sprint("Najaarsserie ", i+1), "Grote Zaal", "19:30", "20:15", 882, onDay(-3-5*i))
		h.sell(e, sale{from: start.AddDate(0, 0, -20), to: showTime.AddDate(0, 0, -4-5*i), paid: 400 + 50*i, comp: 12, scans: true,
			in: []gateIn{{"A", 380, e.DoorsAt, e.StartsAt}}})
	}
	refund := &record.Payment{ID: h.id("pay"), EventID: "evt_past_0", Kind: record.KindOfRefund, Amount: record.Money{Amount: 9000, Currency: "EUR"},
		Status: record.PaymentPaid, PaidAt: showTime.AddDate(0, 0, -2), CreatedAt: showTime.AddDate(0, 0, -2), UpdatedAt: showTime.AddDate(0, 0, -2)}
	h.apply(refund)
	h.apply(&record.Payment{ID: h.id("pay"), Amount: record.Money{Amount: 2500, Currency: "EUR"},
		Status: record.PaymentPaid, PaidAt: showTime.AddDate(0, 0, -1), CreatedAt: showTime.AddDate(0, 0, -1), UpdatedAt: showTime.AddDate(0, 0, -1)})
	return h
}
