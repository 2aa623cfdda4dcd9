package sandbox

import (
	"reflect"
	"time"

	"housecount/apiclient/record"
)

// planShow adds the planning record of a performance: expected visitors and budgets.
func (h *house) planShow(s *show) {
	e := s.event
	c := h.rng(forPlanning, s.key)
	wanted := s.demand
	if wanted == 0 { // demand is not simulated
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

// copyFromEvent updates the planning record of a performance from its event. It reports whether anything changed.
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
	return !reflect.DeepEqual(*p, before)
}

// updatePlanning updates the planning of s after a change of its event.
func (h *house) updatePlanning(s *show) {
	if s.copyFromEvent() {
		h.planning.touch(s.plan, h.now)
	}
}

// planWork plans the build-up in the morning and a rehearsal in the afternoon of some performances.
func (h *house) planWork(s *show) {
	c := h.rng(forPlanning, s.key, 1)
	y, m, d := s.event.StartsAt.In(h.zone).Date()
	at := func(hour int) time.Time { return time.Date(y, m, d, hour, 0, 0, 0, h.zone).UTC() }
	if s.event.StartsAt.Before(at(14)) {
		return // too early for either
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

// planSaleDay adds a planning entry for the start of sale of the performances between two days.
func (h *house) planSaleDay(sale, from, to time.Time) {
	h.planning.add(&record.Planning{
		ID: h.planID(), Kind: "other", Status: "confirmed", StartsAt: sale.UTC(), EndsAt: sale.Add(2 * time.Hour).UTC(),
		Title: "Start voorverkoop: voorstellingen van " + from.Format("2-1-2006") + " tot en met " + to.Format("2-1-2006"),
	}, h.now)
}

// planID returns an id outside the series of the other ids, so that planning does not change them.
func (h *house) planID() string { return "pln_" + h.opaque(1<<51+uint64(h.planning.len())) }
