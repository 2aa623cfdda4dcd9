package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/apiclient/record"
)

// sum adds up one figure of each show. It has the worst quality of the known ones. If some are unknown it is a
// LowerBound with their reasons, and if all are, Unknown.
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

// sumAll adds up one figure of each show. It has the worst quality of all of them.
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

// House adds up performances of an evening, or of one of its halls.
type House struct {
	// Shows is how many go ahead, and Halls are their halls in order of first mention.
	Shows int
	Halls []string
	// Places of all performances that go ahead.
	Capacity, Sold, Reserved figures.Figure[int]
	// Sold, split as for an event.
	Paid, Unpaid, Complimentary, FreeTickets figures.Figure[int]

	// OnSale is the number of performances with a limit of places that can still be sold, Empty the places left of them,
	// and Free those of them that may be sold; an oversold one does not reduce either. Limitless is the number that can still be sold and have no
	// limit. SoldOut is the number of sold-out performances whose sale would otherwise be open. WithFree is how many of those on sale
	// have places that may be sold.
	OnSale, WithFree, Limitless, SoldOut int
	Empty, Free                          figures.Figure[int]

	// Counted is the number of performances that have people inside by their hours, and whose people are known.
	// Inside is those people, the house count. Leaving is the part of Inside at performances that are over
	// and not only due to end.
	Counted         int
	Inside, Leaving figures.Figure[int]
	// Expected is the visitors expected at the performances in Counted that are not over, and WalkIns the people
	// without a ticket inside them.
	Expected figures.Figure[int]
	WalkIns  int
	// Waiting, Arriving and Running are the numbers of performances before their doors, between doors and curtain, and after
	// curtain. Still are the visitors who have not come in at those before curtain, Latecomers those after
	// who are awaited (Show.LateOver), and WillCome those of Latecomers who are forecast to come, at most WillComeMost; not known where
	// that is not forecast of all. Away are those after curtain who are awaited no more, also of what is over: they did not come.
	Waiting, Arriving, Running        int
	Still, Latecomers, WillCome, Away figures.Figure[int]
	// NoRoom are those of Latecomers who are forecast to come to what is full (EntryTo): they find no room, and are not in WillCome.
	NoRoom figures.Figure[int]
	// NotIn are all who are expected and not in where somebody is still awaited (Show.NotIn): where people are scanned neither doors nor
	// a curtain change it. Nobody of them is in Away. Begun is how many of them are so after curtain.
	NotIn        figures.Figure[int]
	Begun        int
	WillComeMost int
	Lopsided     bool      // the forecast of one in WillCome is (Verdict.Lopsided)
	AsOf         time.Time // Show.AsOf of those that have one
	// Doors is the next time at which doors open; zero if there is none. DoorsReported is false if it is the
	// curtain, because the doors are not reported.
	Doors         time.Time
	DoorsReported bool
	// SoldLastHour is the places sold in the last hour for performances that go ahead.
	SoldLastHour figures.Figure[int]
	// Unscanned are performances with open doors whose visitors are not known.
	Unscanned []*Show

	// Today is what moved today, up to now: for these performances (Here), for all others (Elsewhere, over Others
	// performances and money without one), and in all; and the places of each with their quality.
	Here, Elsewhere, Today                   figures.Flow
	PlacesHere, PlacesElsewhere, PlacesToday figures.Figure[int]
	Others                                   int
}

// Occupancy returns sold / capacity of all performances that go ahead.
func (h *House) Occupancy() figures.Figure[float64] { return figures.OfCapacity(h.Sold, h.Capacity) }

// PaidOccupancy returns paid / capacity of all performances that go ahead.
func (h *House) PaidOccupancy() figures.Figure[float64] {
	return figures.OfCapacity(h.Paid, h.Capacity)
}

// Limited reports whether fewer than the empty places may be sold, for the people allowed in the halls.
func (h *House) Limited() bool { return h.Free.Known() && h.Free.Value < h.Empty.Value }

// BeyondAllowed reports whether one of performances has more places than its hall may hold people, so that a share of all places says too
// little.
func (v *Evening) BeyondAllowed(shows []*Show) bool {
	return slices.ContainsFunc(shows, func(s *Show) bool {
		most, set := v.Allowed(s.EventFigures)
		return set && s.Capacity.Value > most
	})
}

// AllSoldOut reports whether nothing can be sold any more because everything is sold out.
func (h *House) AllSoldOut() bool { return h.OnSale == 0 && h.Limitless == 0 && h.SoldOut > 0 }

// HouseOf adds up performances.
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
	of.keepDated()
	h.Capacity = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Capacity })
	h.Sold = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Sold })
	h.Reserved = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Reserved })
	h.Paid = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Paid })
	h.Unpaid = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Unpaid })
	h.FreeTickets = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.FreeTickets })
	h.Complimentary = sumAll(of.ahead, func(s *Show) figures.Figure[int] { return s.Complimentary })
	h.Empty = sum(of.selling, func(s *Show) figures.Figure[int] { return s.Empty })
	h.Free = sum(of.selling, func(s *Show) figures.Figure[int] { return s.Free })
	inside := func(s *Show) figures.Figure[int] { return s.Inside }
	h.Inside, h.Leaving = sum(of.withPeople, inside), sum(of.leaving, inside)
	if v.someLeftUnscanned(shows, of.withPeople) {
		c := h.Inside.Caveat()
		c.Add(figures.Estimated, figures.ReasonLeft)
		h.Inside = figures.New(h.Inside.Value, c.EitherWay())
	}
	h.Expected = sum(of.staying, func(s *Show) figures.Figure[int] { return s.Expected })
	still := func(s *Show) figures.Figure[int] { return s.Still }
	h.Still, h.Latecomers = sum(of.arriving, still), sum(of.running, still)
	h.NotIn = sum(slices.DeleteFunc(slices.Clone(of.ahead), func(s *Show) bool { return !s.Awaits() }), (*Show).NotIn)
	h.Away = sum(of.away, func(s *Show) figures.Figure[int] {
		if s.Phase == Over {
			return s.Away
		}
		return s.Still
	})
	h.WillCome = figures.NotKnown[int]()
	if !slices.ContainsFunc(of.running, func(s *Show) bool {
		return !s.Still.Known() || s.Still.Value > 0 && (s.Verdict.Call != arriving.Begun && s.Verdict.Call != arriving.Hold || s.FewScanned())
	}) {
		full := func(s *Show) bool { return v.EntryTo(s) == EntryStopped }
		h.NoRoom = sum(slices.DeleteFunc(slices.Clone(of.running), func(s *Show) bool { return !full(s) }), func(s *Show) figures.Figure[int] { return s.Verdict.Outside })
		room := slices.DeleteFunc(of.running, full)
		h.WillCome = sum(room, func(s *Show) figures.Figure[int] { return s.Verdict.Outside })
		for _, s := range room {
			h.WillComeMost += s.Verdict.Band.High
			h.Lopsided = h.Lopsided || s.Verdict.Lopsided()
		}
	}
	h.SoldLastHour = sum(of.ahead, func(s *Show) figures.Figure[int] { return s.SoldLastHour })
	if v.behind(record.KindEvent) { // there may be more of them
		for _, f := range []*figures.Figure[int]{&h.Capacity, &h.Sold, &h.Reserved, &h.Paid, &h.Unpaid, &h.Complimentary, &h.FreeTickets, &h.Empty, &h.Free,
			&h.Inside, &h.Leaving, &h.Expected, &h.Still, &h.Latecomers, &h.WillCome, &h.NoRoom, &h.Away, &h.NotIn, &h.SoldLastHour} {
			c := f.Caveat()
			c.Add(figures.Estimated, figures.ReasonBehind)
			*f = figures.New(f.Value, c)
		}
	}
	h.Here = here.flow()
	v.elsewhere(&h, shows)
	return h
}

// summed holds the performances that are added up in each figure of a House.
type summed struct {
	ahead, selling, withPeople, leaving, staying, arriving, running, away []*Show
}

// keepDated leaves out of what is sold and expected the performances without a date: those who hold a pass of many days come
// on any of them, and only who came counts for this one.
func (of *summed) keepDated() {
	for _, all := range []*[]*Show{&of.ahead, &of.selling, &of.staying, &of.arriving, &of.running, &of.away} {
		*all = slices.DeleteFunc(*all, func(s *Show) bool { return s.Date == "" })
	}
}

// someLeftUnscanned reports whether the people of one of the shows were not scanned out and are taken to have left, while others came: until
// those have gone, too, the number of people inside stays the estimate that it was as they left.
func (v *Evening) someLeftUnscanned(shows, withPeople []*Show) bool {
	return slices.ContainsFunc(shows, func(s *Show) bool {
		if s.Phase != Over || s.Leaving || s.Arrived.Value == 0 || s.EndScanned() {
			return false
		}
		left := v.endOf(s.EventFigures).Add(grace(v.Snapshot.Calendar))
		return slices.ContainsFunc(withPeople, func(o *Show) bool {
			doors := o.Hours().Doors
			return o.Inside.Known() && !doors.IsZero() && doors.Before(left)
		})
	})
}

// LastOut returns when the last person was scanned out of the performances of the evening, once all of them are over and empty, and
// how many are inside since: 0, or about 0 where one of them does not scan who leaves. ok is false where one of them did not scan at all.
func (v *Evening) LastOut() (at time.Time, inside figures.Figure[int], ok bool) {
	var c figures.Caveat
	for _, s := range v.Shows {
		switch out := s.DepartureMinutes; {
		case !s.Phase.GoesAhead():
			continue
		case s.Phase != Over || s.Leaving:
			return at, inside, false
		case s.EndScanned() && s.PresentNow.Value+s.WalkedIn() > 0: // somebody has not been scanned out
			return at, inside, false
		case s.EndScanned():
			at = figures.Later(at, time.Unix(60*out[len(out)-1].Minute, 0))
		case s.Expected.Value+s.WalkedIn() > 0 && s.Arrived.Value == 0: // nobody was scanned
			return at, inside, false
		default:
			c.AddIf(s.Arrived.Value > 0, figures.Estimated, figures.ReasonLeft)
		}
	}
	return at, figures.New(0, c), !at.IsZero()
}

// SellsTonight reports whether what is sold of a performance counts for the evening: it goes ahead, and has a date.
func (s *Show) SellsTonight() bool { return s.Phase.GoesAhead() && s.Date != "" }

// addSale counts a performance by its sale.
func (h *House) addSale(s *Show, of *summed) {
	switch {
	case s.Sale != SaleOpen:
	case s.SoldOut:
		h.SoldOut++
	case s.Event.Unlimited:
		h.Limitless++
	default:
		h.OnSale++
		if !s.Free.Known() || s.Free.Value > 0 {
			h.WithFree++
		}
		of.selling = append(of.selling, s)
	}
}

// addPeople counts a performance that has people inside.
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
		if !s.DueToEnd() {
			of.leaving = append(of.leaving, s)
		}
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
	h.AsOf = figures.Later(h.AsOf, s.AsOf)
	switch s.Phase {
	case Before:
		h.Waiting++
		if doors, reported := s.Hours().Opening(); h.Doors.IsZero() || !doors.IsZero() && doors.Before(h.Doors) {
			h.Doors, h.DoorsReported = doors, reported
		}
	case Arriving:
		h.Arriving++
		of.arriving = append(of.arriving, s)
	case Over:
		of.away = append(of.away, s)
	case Running:
		if h.Running++; s.Awaits() {
			h.Begun += s.Still.Value
			of.running = append(of.running, s)
		} else {
			of.away = append(of.away, s)
		}
	}
}

// elsewhere sets what moved today for other performances, and in all.
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
		c = c.And(e.Sold.Caveat()) // what is missing from it may be of today
		if row, moved := v.eventPeriod(e, Between(e.SaleDays, v.Today, v.Today)); moved {
			elsewhere.add(row.Flow)
			if row.Sold != 0 || len(row.Of(figures.Booked)) > 0 { // not where something was only paid or refunded
				h.Others++
			}
		}
	}
	elsewhere.add(v.BookedToday(v.Snapshot.UnattributedDays))
	h.Elsewhere = elsewhere.flow()
	h.PlacesElsewhere = h.Elsewhere.Places(figures.New(0, c))
	h.PlacesToday = figures.New(h.Today.Sold, h.PlacesHere.Caveat().And(h.PlacesElsewhere.Caveat()))
}

// Result adds up performances that are over.
type Result struct {
	Day            figures.Day // of the performances
	Shows          int
	Capacity, Sold figures.Figure[int]
	Came, Away     figures.Figure[int]
	NoShow         figures.Figure[float64]
	// Net is the net received, or what was booked where that stands in for it.
	Net figures.Figure[figures.Sums]
	// Most is the highest number of people in the building (Crowd.Most), and Licensed how many were allowed; Unknown where that
	// is not set. ResultOf leaves both Unknown: licence.AddMost finds them.
	Most, Licensed figures.Figure[int]
}

// Occupancy returns sold / capacity.
func (r *Result) Occupancy() figures.Figure[float64] { return figures.OfCapacity(r.Sold, r.Capacity) }

// ResultOf adds up those of shows that are over. Visitors and no-shows count only where visitors were scanned.
func ResultOf(shows []*Show) Result {
	unknown := figures.Figure[int]{Quality: figures.Unknown}
	r := Result{Most: unknown, Licensed: unknown}
	var over, scanned []*Show
	var net figures.Sums
	var c figures.Caveat
	for _, s := range shows {
		r.Day = s.Date
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
	rate := r.NoShow.Caveat().EitherWay()
	if r.NoShow.Known() && len(scanned) < len(over) {
		rate.Add(figures.Estimated, r.Away.Reasons...)
	}
	r.NoShow = figures.New(r.NoShow.Value, rate)
	return r
}

// VisitorsInside returns how many of the expected visitors are inside, without people who are leaving and without walk-ins.
func (h *House) VisitorsInside() figures.Figure[int] {
	return figures.Minus(h.Inside, h.Leaving, figures.Figure[int]{Value: h.WalkIns})
}

// WillNot returns how many of Latecomers are forecast not to come.
func (h *House) WillNot() figures.Figure[int] {
	return figures.Minus(h.Latecomers, h.WillCome, h.NoRoom)
}

// OnlyLate returns the performance that House.WillCome is of; nil where it is of none or of several.
func (v *Evening) OnlyLate() (only *Show) {
	for _, s := range v.Shows {
		if s.Phase != Running || s.LateOver || s.Verdict.Outside.Value == 0 || v.EntryTo(s) == EntryStopped {
			continue
		}
		if only != nil {
			return nil
		}
		only = s
	}
	return only
}

// Late reports whether some are late where it has begun.
func (h *House) Late() bool { return h.Running > 0 && h.Latecomers.Known() && h.Latecomers.Value > 0 }

// Awaited reports whether, once the first doors are open, visitors are known to be still to come or late, also where no doors are open yet.
func (h *House) Awaited() bool {
	return h.Arriving > 0 && h.Still.Known() || h.Arriving+h.Running > 0 && h.NotIn.Known() && h.NotIn.Value > 0
}

// ToCome returns how many visitors are still to come or late, as far as that is known.
func (h *House) ToCome() (n int) {
	if h.Arriving > 0 && h.Still.Known() {
		n += h.Still.Value
	}
	if h.Late() {
		n += h.Latecomers.Value
	}
	return n
}
