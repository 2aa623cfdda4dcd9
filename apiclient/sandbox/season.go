package sandbox

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// saleHour is the hour at which a block goes on sale, in the house's time zone.
const saleHour = 10

// planSeason plans the first block with performances in the requested past. Each block plans the next one, without
// end.
func (h *house) planSeason() {
	n := h.blockDays()
	h.planBlock(-(h.past + h.coming + yearDays*(h.seasons-1)) / n)
}

// planBlock plans the announcement of block k: the performances of the last n of the coming days, counted from k×n
// days after the start. The block goes on sale 4/7 of a block before that day, so that no sale opens in the week
// of the start or the week before.
func (h *house) planBlock(k int) {
	n := h.blockDays()
	sale := h.day(k*n-n*4/7, saleHour, 0)
	h.at(sale.AddDate(0, 0, -announceDays), func() {
		from, to := k*n+h.coming-n+1, k*n+h.coming
		shows := h.announceBlock(from, to, sale)
		if len(shows) > 0 || h.seasons == 1 {
			h.planSaleDay(sale, h.day(from, 12, 0), h.day(to, 12, 0))
		}
		h.at(sale, func() {
			for _, s := range shows {
				if s.onSale.After(sale) {
					h.at(s.onSale, func() { h.openSale(s) })
				} else {
					h.openSale(s)
				}
			}
		})
		h.planBlock(k + 1)
	})
}

// announceBlock announces the performances from day `from` to day `to` after the start. Each hall runs through its
// productions in its own order and then starts again.
func (h *house) announceBlock(from, to int, sale time.Time) []*show {
	var shows []*show
	for _, room := range halls {
		order := h.rng(forProgramme, uint64(room.capacity)).Perm(len(room.works))
		for n := from; n <= to; n++ {
			c := h.rng(forShow, uint64(n), uint64(room.capacity))
			if n != 0 && troubles[troubleAt{room.name, n}] == noTrouble && !h.hasShow(room, n, c) {
				continue
			}
			w := room.works[order[h.showCounts[room]/room.runLength%len(order)]]
			h.showCounts[room]++
			if n == 0 {
				w = tonight[slices.Index(halls, room)]
			}
			if h.hasDay(n) {
				shows = append(shows, h.announce(room, w, n, sale, c))
			}
		}
	}
	return shows
}

// hasShow reports whether the hall has a performance on day n. The Kleine Zaal also plays when no other hall
// would.
func (h *house) hasShow(room *hall, n int, c rng) bool {
	weekday := h.day(n, 12, 0).Weekday()
	if c.chance(room.nights[weekday]) {
		return true
	}
	if room != halls[1] {
		return false
	}
	for _, other := range halls {
		if other != room && h.rng(forShow, uint64(n), uint64(other.capacity)).chance(other.nights[weekday]) {
			return false
		}
	}
	return true
}

// startTime returns when the hall plays on day n, and whether admission is free.
func (h *house) startTime(room *hall, n int, c rng) (at time.Time, free bool) {
	weekday := h.day(n, 12, 0).Weekday()
	switch {
	case room == halls[0] && weekday == time.Sunday && n != 0:
		return h.day(n, 14, 15), false
	case room == halls[0]:
		return h.day(n, 20, 15), false
	case room == halls[1]:
		return h.day(n, 20, 30), false
	case room == halls[2] && weekday == time.Wednesday && n != 0:
		return h.day(n, 12, 30), true
	case room == halls[2]:
		return h.day(n, 23, 0), false
	}
	return h.day(n, 23, 30), false
}

// addInterval adds an interval about halfway to a performance of at least 110 minutes.
func addInterval(e *record.Event) {
	if length := e.EndsAt.Sub(e.StartsAt); length >= 110*time.Minute {
		e.IntervalStartsAt = e.StartsAt.Add((length * 46 / 100).Truncate(5 * time.Minute))
		e.IntervalEndsAt = e.IntervalStartsAt.Add(20 * time.Minute)
	}
}

// announce adds a performance and its record.
func (h *house) announce(room *hall, w production, n int, sale time.Time, c rng) *show {
	starts, free := h.startTime(room, n, c)
	if free {
		w = lunchWorks[c.IntN(len(lunchWorks))]
	}
	length := (room.shortest + c.between(0, room.spread)).Truncate(5 * time.Minute)
	s := &show{
		hall: room, key: mix(uint64(n)) ^ uint64(room.capacity), onSale: sale,
		demand: drawDemand(c) * float64(room.capacity), rush: .04 + .12*c.Float64(),
		trouble: troubles[troubleAt{room.name, n}],
	}
	if n == 0 {
		s.demand = tonightDemand[slices.Index(halls, room)] * float64(room.capacity)
	}
	if share := troubledDemand[s.trouble]; share > 0 {
		s.demand = share * float64(room.capacity)
	}
	s.demand *= h.demand
	if h.isLastSeason(n) {
		s.demand *= lastSeasonDemand
	}
	h.drawNight(s, n)
	if late := starts.AddDate(0, 0, -lateSaleDays); s.night == nightLateOnSale && late.After(sale) {
		s.onSale = late
	}
	s.event = &record.Event{
		ID: h.id("evt_"), Title: w.title, Date: h.day(n, 12, 0).Format(time.DateOnly),
		DoorsAt: starts.Add(-room.doorsBefore).UTC(), StartsAt: starts.UTC(), EndsAt: starts.Add(length).UTC(),
		Hall: room.name, Series: w.series, Capacity: new(room.capacity), Blocked: new(room.blocked),
		Status: record.EventDraft,
	}
	if room.earlyLeaving == 0 && w.series != "ser_film" {
		addInterval(s.event)
	}
	h.addOffers(s, w, free)
	h.addShow(s)
	h.planWork(s)
	return s
}

// drawDemand draws the demand as a share of the hall's capacity. Some performances sell out early and some stay
// rather empty.
func drawDemand(c rng) float64 {
	switch c.pick([]float64{.14, .46, .3, .1}) {
	case 0:
		return 1.05 + .3*c.Float64()
	case 1:
		return .66 + .32*c.Float64()
	case 2:
		return .42 + .24*c.Float64()
	}
	return .25 + .17*c.Float64()
}

// addOffers adds the ticket types of a show.
func (h *house) addOffers(s *show, w production, free bool) {
	places := s.hall.tiers
	var cheapest *tier
	add := func(name string, capacity *int, o offer) {
		o.ref = record.TypeRef{ID: h.id("typ_"), Name: name}
		s.offers = append(s.offers, &o)
		s.event.TicketTypes = append(s.event.TicketTypes, record.TicketType{ID: o.ref.ID, Name: name, Capacity: capacity, Price: new(euro(o.price))})
	}
	for i, p := range places {
		t := &tier{left: p.places}
		if i == 0 {
			t.left -= s.hall.blocked
		}
		name, price := p.name, int64(float64(w.price)*p.share)/50*50
		if free {
			name, price = "Vrije toegang", 0
		}
		add(name, new(p.places), offer{price: price, popularity: p.popularity, tier: t})
		cheapest = t
	}
	if free {
		return
	}
	add("CJP / student", nil, offer{price: w.price * 2 / 5 / 50 * 50, popularity: .09, tier: cheapest})
	guests := .03
	if s.night == nightPremiere {
		guests = .2
	}
	add("Vrijkaart", nil, offer{popularity: guests, tier: s.offers[0].tier, complimentary: true})
}

// openSale puts a show on sale and plans its orders, doors, end of sale and end.
func (h *house) openSale(s *show) {
	if s.calledOff() {
		return
	}
	h.setStatus(s, record.EventOnSale)
	h.planSales(s)
	h.planCampaign(s)
	h.at(s.event.DoorsAt, func() { h.openDoors(s) })
	h.at(s.event.StartsAt.Add(saleAfterStart), func() { h.setStatus(s, record.EventSalesClosed) })
	h.planLeaving(s)
	h.planTrouble(s)
	h.at(s.event.StartsAt, func() { h.countAtCurtain(s) })
	h.at(s.event.EndsAt.Add(30*time.Minute), func() { h.setStatus(s, record.EventEnded) })
}
