package figures

import (
	"slices"
	"time"
)

// House is performances together: those of an evening, or of one of its halls.
type House struct {
	// Shows is how many go ahead, and Halls are theirs in order of mention, without repeats.
	Shows int
	Halls []string
	// Places of all that go ahead.
	Capacity, Sold, Paid, Complimentary, Reserved Figure[int]

	// OnSale is how many can still be sold and have a limit of places, and Free what is left
	// of them together; one never takes from another.
	// Limitless is how many can still be sold and have none. SoldOut is how many are sold out
	// whose sale would still be open.
	OnSale, Limitless, SoldOut int
	Free                       Figure[int]

	// Counted is how many performances have people inside by their time, and of which it is
	// known. Inside are those people: the house count. Leaving are those of performances that
	// are over.
	Counted         int
	Inside, Leaving Figure[int]
	// Expected are the visitors of the performances in Counted that are not over.
	Expected Figure[int]
	// Arriving and Running are how many performances are in that phase, with their visitors
	// who have not come in: Still before curtain, Latecomers after.
	Arriving, Running int
	Still, Latecomers Figure[int]
	// Doors is when the first doors open that are closed; zero where none are to open. Where
	// those are not reported it is the curtain, and DoorsReported is false.
	Doors         time.Time
	DoorsReported bool
	// SoldLastHour is what was sold in the last hour, as Show.SoldIn has it, of those that go ahead
	// and are not over.
	SoldLastHour Figure[int]
	// Unscanned are the performances with open doors of whose visitors nothing is known.
	Unscanned []*Show

	// Today is what moved on the running day of sale up to now: of these performances (Here), of
	// all others (Elsewhere, over Others performances and money without one), and in all.
	Here, Elsewhere, Today Flow
	Others                 int
}

// Occupancy is sold / capacity of all that go ahead.
func (h *House) Occupancy() Figure[float64] { return ofCapacity(h.Sold, h.Capacity) }

// AllSoldOut says that nothing can be sold any more, because all that is on sale is sold out.
func (h *House) AllSoldOut() bool { return h.OnSale == 0 && h.Limitless == 0 && h.SoldOut > 0 }

// HouseOf adds up performances at the evening's moment.
func (v *Evening) HouseOf(shows []*Show) House {
	var h House
	var capacity, sold, paid, comp, reserved, free, inside, leaving, expected, still, late, hour []Figure[int]
	for _, s := range shows {
		h.Here = h.Here.plus(s.Today)
		switch {
		case s.Sale != SaleOpen:
		case s.SoldOut:
			h.SoldOut++
		case s.Event.Unlimited:
			h.Limitless++
		default:
			h.OnSale++
			free = append(free, s.Free)
		}
		switch {
		case !s.peopled():
		case !s.Inside.Known():
			inside = append(inside, s.Inside)
			h.Unscanned = append(h.Unscanned, s)
		default:
			h.Counted++
			inside = append(inside, s.Inside)
			if s.Leaving {
				leaving = append(leaving, s.Inside)
			} else {
				expected = append(expected, s.Expected)
			}
		}
		if !s.Phase.GoesAhead() {
			continue
		}
		h.Shows++
		if hall := s.Event.Hall; hall != "" && !slices.Contains(h.Halls, hall) {
			h.Halls = append(h.Halls, hall)
		}
		capacity, sold, reserved = append(capacity, s.Capacity), append(sold, s.Sold), append(reserved, s.Reserved)
		paid, comp = append(paid, s.Paid), append(comp, s.Complimentary)
		if s.Phase != Over {
			hour = append(hour, s.SoldIn(time.Hour))
		}
		switch s.Phase {
		case Before:
			if doors, reported := s.Hours().Opening(); h.Doors.IsZero() || !doors.IsZero() && doors.Before(h.Doors) {
				h.Doors, h.DoorsReported = doors, reported
			}
		case Arriving:
			h.Arriving++
			still = append(still, s.Still)
		case Running:
			h.Running++
			late = append(late, s.Still)
		}
	}
	h.Capacity, h.Sold, h.Reserved = sumAll(capacity...), sumAll(sold...), sumAll(reserved...)
	h.Paid, h.Complimentary = sumAll(paid...), sumAll(comp...)
	h.Free, h.Inside, h.Leaving, h.Expected = sum(free...), sum(inside...), sum(leaving...), sum(expected...)
	h.Still, h.Latecomers = sum(still...), sum(late...)
	h.SoldLastHour = sum(hour...)
	v.elsewhere(&h, shows)
	return h
}

// elsewhere fills in what moved today beside these performances.
func (v *Evening) elsewhere(h *House, shows []*Show) {
	h.Today = v.BookedToday(v.snapshot.Days)
	here := map[*EventFigures]bool{}
	for _, s := range shows {
		here[s.EventFigures] = true
	}
	for _, e := range v.snapshot.Events {
		if here[e] {
			continue
		}
		if row, moved := v.eventPeriod(e, between(e.SaleDays, v.Today, v.Today)); moved {
			h.Elsewhere = h.Elsewhere.plus(row.Flow)
			h.Others++
		}
	}
	h.Elsewhere = h.Elsewhere.plus(v.BookedToday(v.snapshot.UnattributedDays))
}

// Result is what performances came to that are over.
type Result struct {
	Shows          int
	Capacity, Sold Figure[int]
	Came, Away     Figure[int]
	NoShow         Figure[float64]
	Net            Figure[Sums]
}

// Occupancy is sold / capacity.
func (r *Result) Occupancy() Figure[float64] { return ofCapacity(r.Sold, r.Capacity) }

// ResultOf adds up the performances among shows that are over. Who came and who did not is
// known where visitors were scanned.
func ResultOf(shows []*Show) Result {
	var r Result
	var capacity, sold, came, away, stayed, expected []Figure[int]
	var net Sums
	var c caveat
	for _, s := range shows {
		if s.Phase != Over {
			continue
		}
		r.Shows++
		capacity, sold = append(capacity, s.Capacity), append(sold, s.Sold)
		came, away = append(came, s.Attendance), append(away, s.Away)
		if s.Away.Known() {
			stayed, expected = append(stayed, s.Away), append(expected, s.Expected)
		}
		received := s.Revenue.NetReceived()
		net = net.PlusAll(received.Value, 1)
		c = c.and(received.caveat())
	}
	r.Capacity, r.Sold = sumAll(capacity...), sumAll(sold...)
	r.Came, r.Away, r.Net = sum(came...), sum(away...), figure(net, c)
	r.NoShow = ofCapacity(sum(stayed...), sum(expected...))
	if rest := sum(away...); r.NoShow.Known() && len(stayed) < len(away) {
		rate := r.NoShow.caveat()
		rate.add(Estimated, rest.Reasons...)
		r.NoShow = figure(r.NoShow.Value, rate)
	}
	return r
}
