package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// planShow takes in the planning of a performance: who is expected, and what it may bring.
func (h *house) planShow(s *show) {
	e := s.event
	c := h.rng(forPlanning, s.key)
	wanted := s.demand
	if wanted == 0 { // nothing is known of it
		wanted = .7 * float64(*e.Capacity)
	}
	expected := min(int(wanted*(.85+.3*c.Float64())), *e.Capacity)
	var price record.Money
	if len(e.TicketTypes) > 0 && e.TicketTypes[0].Price != nil {
		price = *e.TicketTypes[0].Price
	}
	if price.Currency == "" {
		price.Currency = currency
	}
	revenue := record.Money{Amount: int64(expected) * price.Amount * 4 / 5 / 10_000 * 10_000, Currency: price.Currency}
	s.plan = &record.Planning{
		ID: h.planID(), EventID: e.ID, Kind: "show",
		ExpectedVisitors: &expected, BudgetRevenue: &revenue,
		BudgetMarketing: &record.Money{Amount: revenue.Amount * int64(3+c.IntN(6)) / 100, Currency: revenue.Currency},
	}
	s.copyFromEvent()
	h.planning.add(s.plan, h.now)
}

// followEvent copies what the planning of a performance has from its event.
func (s *show) copyFromEvent() (changed bool) {
	e, p := s.event, s.plan
	before := *p
	p.Title, p.StartsAt, p.EndsAt, p.Location = e.Title, e.StartsAt, e.EndsAt, e.Hall
	p.Status = "confirmed"
	switch e.Status {
	case record.EventDraft:
		p.Status = "option"
	case record.EventEnded:
		p.Status = "completed"
	case record.EventCancelled, record.EventPostponed:
		p.Status = "cancelled"
	}
	if p.Capacity == nil || *p.Capacity != *e.Capacity {
		p.Capacity = new(*e.Capacity)
	}
	return *p != before
}

// replan brings the planning of s up to date after its event changed.
func (h *house) updatePlanning(s *show) {
	if s.copyFromEvent() {
		h.planning.touch(s.plan, h.now)
	}
}

// planWork plans what is done in the hall before a performance of the season: the stage is
// built up in the morning and some rehearse in the afternoon.
func (h *house) planWork(s *show) {
	c := h.rng(forPlanning, s.key, 1)
	y, m, d := s.event.StartsAt.In(h.zone).Date()
	at := func(hour int) time.Time { return time.Date(y, m, d, hour, 0, 0, 0, h.zone).UTC() }
	if s.event.StartsAt.Before(at(14)) {
		return // no time for either
	}
	if c.chance(.35) {
		h.planHall(s, "build_up", "Opbouw: ", at(9), at(12))
	}
	if c.chance(.3) && s.event.DoorsAt.After(at(16)) {
		h.planHall(s, "rehearsal", "Repetitie: ", at(13), at(16))
	}
}

func (h *house) planHall(s *show, kind, what string, from, to time.Time) {
	p := &record.Planning{
		ID: h.planID(), EventID: s.event.ID, Kind: kind, Title: what + s.event.Title, StartsAt: from, EndsAt: to,
		Location: s.event.Hall, Status: "confirmed",
	}
	h.planning.add(p, h.now)
	h.at(to, func() {
		p.Status = "completed"
		if s.calledOff() {
			p.Status = "cancelled"
		}
		h.planning.touch(p, h.now)
	})
}

// planSaleDay names the day on which the performances from one day to another go on sale.
func (h *house) planSaleDay(sale, from, to time.Time) {
	h.planning.add(&record.Planning{
		ID: h.planID(), Kind: "other", Status: "confirmed", StartsAt: sale.UTC(), EndsAt: sale.Add(2 * time.Hour).UTC(),
		Title: "Start voorverkoop: voorstellingen van " + from.Format("2-1-2006") + " tot en met " + to.Format("2-1-2006"),
	}, h.now)
}

// planID is apart from the other ids, so that planning changes none of them.
func (h *house) planID() string { return "pln_" + h.opaque(1<<51+uint64(h.planning.len())) }
