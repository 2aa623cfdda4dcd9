package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// sum adds up one figure of each show. It has the worst quality of those that are known; where
// others are not, it is a LowerBound for their reasons, and where none is, Unknown.
func sum(shows []*Show, of func(*Show) figures.Figure[int]) figures.Figure[int] {
	var total, rest figures.Caveat
	value, known := 0, 0
	for _, s := range shows {
		f := of(s)
		if !f.Known() {
			rest.Add(figures.LowerBound, f.Reasons...)
			continue
		}
		known++
		value += f.Value
		total = total.And(f.Caveat())
	}
	total = total.And(rest)
	if known == 0 && len(shows) > 0 {
		total.Quality = figures.Unknown
	}
	return figures.New(value, total)
}

// sumAll adds up one figure of each show, with the worst quality of all of them.
func sumAll(shows []*Show, of func(*Show) figures.Figure[int]) figures.Figure[int] {
	var c figures.Caveat
	value := 0
	for _, s := range shows {
		f := of(s)
		value += f.Value
		c = c.And(f.Caveat())
	}
	return figures.New(value, c)
}

// House is performances together: those of an evening, or of one of its halls.
type House struct {
	// Shows is how many go ahead, and Halls are theirs in order of mention, without repeats.
	Shows int
	Halls []string
	// Places of all that go ahead.
	Capacity, Sold, Reserved figures.Figure[int]
	// Sold, split as that of an event.
	Paid, Unpaid, Complimentary, FreeTickets figures.Figure[int]

	// OnSale is how many can still be sold and have a limit of places, and Free what is left
	// of them together; one never takes from another.
	// Limitless is how many can still be sold and have none. SoldOut is how many are sold out
	// whose sale would still be open.
	OnSale, Limitless, SoldOut int
	Free                       figures.Figure[int]

	// Counted is how many performances have people inside by their time, and of which it is
	// known. Inside are those people: the house count. Leaving are those of performances that
	// are over.
	Counted         int
	Inside, Leaving figures.Figure[int]
	// Expected are the visitors of the performances in Counted that are not over, and WalkIns how
	// many people without a ticket are among Inside of those.
	Expected figures.Figure[int]
	WalkIns  int
	// Waiting, Arriving and Running are how many performances are before their doors, from then to
	// curtain and after it, with the visitors of the last two who have not come in: Still before
	// curtain, Latecomers after.
	Waiting, Arriving, Running int
	Still, Latecomers          figures.Figure[int]
	// Doors is when the first doors open that are closed; zero if none are to open. Where
	// those are not reported it is the curtain, and DoorsReported is false.
	Doors         time.Time
	DoorsReported bool
	// SoldLastHour is what was sold in the last hour, of those that go ahead
	// and are not over.
	SoldLastHour figures.Figure[int]
	// Unscanned are the performances with open doors of whose visitors nothing is known.
	Unscanned []*Show

	// Today is what moved on the running day of sale up to now: of these performances (Here), of
	// all others (Elsewhere, over Others performances and money without one), and in all; and the
	// places of each with their quality.
	Here, Elsewhere, Today                   figures.Flow
	PlacesHere, PlacesElsewhere, PlacesToday figures.Figure[int]
	Others                                   int
}

// Occupancy is sold / capacity of all that go ahead.
func (h *House) Occupancy() figures.Figure[float64] { return figures.OfCapacity(h.Sold, h.Capacity) }

// PaidOccupancy is paid / capacity of all that go ahead.
func (h *House) PaidOccupancy() figures.Figure[float64] {
	return figures.OfCapacity(h.Paid, h.Capacity)
}

// AllSoldOut reports whether nothing can be sold any more, because all that is on sale is sold out.
func (h *House) AllSoldOut() bool { return h.OnSale == 0 && h.Limitless == 0 && h.SoldOut > 0 }

// HouseOf adds up performances at the evening's moment.
func (v *Evening) HouseOf(shows []*Show) House {
	var h House
	var of summed
	var here flowSum
	for _, s := range shows {
		here.add(s.Today)
		h.addSale(s, &of)
		h.addPeople(s, &of)
		if s.Phase.GoesAhead() {
			h.addAhead(s, &of)
		}
	}
	h.Capacity = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Capacity })
	h.Sold = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Sold })
	h.Reserved = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Reserved })
	h.Paid = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Paid })
	h.Unpaid = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Unpaid })
	h.FreeTickets = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.FreeTickets })
	h.Complimentary = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Complimentary })
	h.Free = sum(of.selling, func(s *Show) figures.Figure[int] { return s.Free })
	inside := func(s *Show) figures.Figure[int] { return s.Inside }
	h.Inside, h.Leaving = sum(of.withPeople, inside), sum(of.leaving, inside)
	h.Expected = sum(of.staying, func(s *Show) figures.Figure[int] { return s.Expected })
	still := func(s *Show) figures.Figure[int] { return s.Still }
	h.Still, h.Latecomers = sum(of.arriving, still), sum(of.running, still)
	h.SoldLastHour = sum(of.notOver, func(s *Show) figures.Figure[int] { return s.SoldLastHour })
	if v.behind(record.KindEvent) { // there may be more of them
		for _, f := range []*figures.Figure[int]{&h.Capacity, &h.Sold, &h.Reserved, &h.Paid, &h.Unpaid, &h.Complimentary, &h.FreeTickets, &h.Free,
			&h.Inside, &h.Leaving, &h.Expected, &h.Still, &h.Latecomers, &h.SoldLastHour} {
			c := f.Caveat()
			c.Add(figures.Estimated, figures.ReasonBehind)
			*f = figures.New(f.Value, c)
		}
	}
	h.Here = here.flow()
	v.elsewhere(&h, shows)
	return h
}

// summed are the performances that each figure of a House is the sum of.
type summed struct {
	ahead, selling, withPeople, leaving, staying, arriving, running, notOver []*Show
}

// addSale counts a performance by what can be sold of it.
func (h *House) addSale(s *Show, of *summed) {
	switch {
	case s.Sale != SaleOpen:
	case s.SoldOut:
		h.SoldOut++
	case s.Event.Unlimited:
		h.Limitless++
	default:
		h.OnSale++
		of.selling = append(of.selling, s)
	}
}

// addPeople counts a performance with people inside, by whether they are known.
func (h *House) addPeople(s *Show, of *summed) {
	if !s.HasPeople() {
		return
	}
	of.withPeople = append(of.withPeople, s)
	if !s.Inside.Known() {
		h.Unscanned = append(h.Unscanned, s)
		return
	}
	h.Counted++
	if s.Leaving {
		of.leaving = append(of.leaving, s)
		return
	}
	of.staying = append(of.staying, s)
	h.WalkIns += s.WalkedIn()
}

// addAhead counts a performance that goes ahead, by its phase.
func (h *House) addAhead(s *Show, of *summed) {
	h.Shows++
	if hall := s.Event.Hall; hall != "" && !slices.Contains(h.Halls, hall) {
		h.Halls = append(h.Halls, hall)
	}
	of.ahead = append(of.ahead, s)
	if s.Phase != Over {
		of.notOver = append(of.notOver, s)
	}
	switch s.Phase {
	case Before:
		h.Waiting++
		if doors, reported := s.Hours().Opening(); h.Doors.IsZero() || !doors.IsZero() && doors.Before(h.Doors) {
			h.Doors, h.DoorsReported = doors, reported
		}
	case Arriving:
		h.Arriving++
		of.arriving = append(of.arriving, s)
	case Running:
		h.Running++
		of.running = append(of.running, s)
	}
}

// elsewhere sets what moved today apart from these performances.
func (v *Evening) elsewhere(h *House, shows []*Show) {
	h.Today = v.BookedToday(v.Snapshot.Days)
	h.PlacesHere = sumAll(shows, func(s *Show) figures.Figure[int] { return s.Today.Places(s.Sold) })
	here := make(map[*figures.EventFigures]bool, len(shows))
	var c figures.Caveat
	var elsewhere flowSum
	for _, s := range shows {
		here[s.EventFigures] = true
	}
	for _, e := range v.Snapshot.Events {
		if here[e] {
			continue
		}
		c = c.And(e.Sold.Caveat()) // what is missing of it may be of today
		if row, moved := v.eventPeriod(e, between(e.SaleDays, v.Today, v.Today)); moved {
			elsewhere.add(row.Flow)
			h.Others++
		}
	}
	elsewhere.add(v.BookedToday(v.Snapshot.UnattributedDays))
	h.Elsewhere = elsewhere.flow()
	h.PlacesElsewhere = h.Elsewhere.Places(figures.New(0, c))
	h.PlacesToday = figures.New(h.Today.Sold, h.PlacesHere.Caveat().And(h.PlacesElsewhere.Caveat()))
}

// Result is what performances came to that are over.
type Result struct {
	Shows          int
	Capacity, Sold figures.Figure[int]
	Came, Away     figures.Figure[int]
	NoShow         figures.Figure[float64]
	// Net is what was received net, or what was booked where that stands in.
	Net figures.Figure[figures.Sums]
}

// Occupancy is sold / capacity.
func (r *Result) Occupancy() figures.Figure[float64] { return figures.OfCapacity(r.Sold, r.Capacity) }

// ResultOf adds up the performances among shows that are over. Who came and who did not is
// known where visitors were scanned.
func ResultOf(shows []*Show) Result {
	var r Result
	var over, scanned []*Show
	var net figures.Sums
	var c figures.Caveat
	for _, s := range shows {
		if s.Phase != Over {
			continue
		}
		r.Shows++
		over = append(over, s)
		if s.Away.Known() {
			scanned = append(scanned, s)
		}
		net = net.PlusAll(s.Revenue.Net.Value, 1)
		c = c.And(s.Revenue.Net.Caveat())
	}
	away := func(s *Show) figures.Figure[int] { return s.Away }
	r.Capacity = sumAll(over, func(s *Show) figures.Figure[int] { return s.Capacity })
	r.Sold = sumAll(over, func(s *Show) figures.Figure[int] { return s.Sold })
	r.Came = sum(over, func(s *Show) figures.Figure[int] { return s.Attendance })
	r.Away, r.Net = sum(over, away), figures.New(net, c)
	r.NoShow = figures.OfCapacity(sum(scanned, away), sum(scanned, func(s *Show) figures.Figure[int] { return s.Expected }))
	if r.NoShow.Known() && len(scanned) < len(over) {
		rate := r.NoShow.Caveat()
		rate.Add(figures.Estimated, r.Away.Reasons...)
		r.NoShow = figures.New(r.NoShow.Value, rate)
	}
	return r
}

// VisitorsInside returns how many of the expected visitors are inside: neither the people who are
// leaving nor the walk-ins, who are not among the expected.
func (h *House) VisitorsInside() figures.Figure[int] {
	return figures.Minus(h.Inside, h.Leaving, figures.Figure[int]{Value: h.WalkIns})
}
