package evening

import (
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/apiclient/record"
)

// lastSale returns the last minute, up to now, in which places were sold or cancelled; zero for none.
func (v *Evening) lastSale(e *figures.EventFigures) time.Time {
	past := e.SoldMinutes[:figures.IndexOf(e.SoldMinutes, figures.StampOf(v.Now).Minute()+1)]
	if len(past) == 0 {
		return time.Time{}
	}
	return time.Unix(past[len(past)-1].Minute*60, 0)
}

// voidGuessedIn reports whether a ticket was voided in [end − length, end) whose time is a guess.
func voidGuessedIn(e *figures.EventFigures, end time.Time, length time.Duration) bool {
	until := figures.StampOf(end).Minute()
	from := until - int64(length/time.Minute)
	for _, d := range slices.Backward(e.SaleDays) {
		earlier := false
		for r := range d.Minutes.Within(math.MinInt64, until) {
			if earlier = earlier || int64(r.At()) < from; r.Measure() == figures.VoidsGuessed && int64(r.At()) >= from {
				return true
			}
		}
		if earlier {
			break
		}
	}
	return false
}

// Phase is the stage of a performance.
type Phase uint8

// The phases.
const (
	Before    Phase = iota // the doors are closed
	Arriving               // from doors to curtain
	Running                // from curtain to the end
	Over                   // by its hours, or by the service's report
	Cancelled              // will not happen
	Postponed              // not at this time
)

// String returns the phase's name.
func (p Phase) String() string {
	return [...]string{"before", "arriving", "running", "over", "cancelled", "postponed"}[p]
}

// Open reports whether the doors are open: people may come in.
func (p Phase) Open() bool { return p == Arriving || p == Running }

// GoesAhead reports whether the performance is neither cancelled nor postponed.
func (p Phase) GoesAhead() bool { return p != Cancelled && p != Postponed }

// Sale is whether a performance is on sale.
type Sale uint8

// The states of a sale.
const (
	SaleNotOpen Sale = iota // not yet
	SaleOpen
	SaleOver
)

// Show is a performance at a moment.
type Show struct {
	*figures.EventFigures
	Phase Phase
	Sale  Sale
	// SoldOut is true if the service reports it and the performance is not over, or if certainly no place is left
	// while it is on sale.
	SoldOut bool
	// Empty is the number of places that nobody has: 0 if SoldOut or if Sale is not SaleOpen, Unknown if there is no limit
	// of places. Free is how many of them may be sold now, for the people allowed in the hall.
	Empty, Free figures.Figure[int]
	// Licensed is how many people are allowed in the hall on the performance's day; Unknown if the venue has not set it.
	Licensed figures.Figure[int]
	// Inside is what the performance contributes to the house count: PresentNow and WalkedIn while the doors are
	// open and, after the end, until everybody was scanned out or the grace has passed.
	Inside figures.Figure[int]
	// Left is an estimate of people who have left since the end without a scan; they are not in Inside. It is
	// Unknown before the end, and where exits are scanned.
	Left     figures.Figure[int]
	LeftBand figures.Band
	// Leaving is true if the people inside are leaving.
	Leaving bool
	// Still are the expected visitors who have not come in, while the doors are open; after curtain they are
	// latecomers. It is Unknown if nobody was scanned at all.
	Still figures.Figure[int]
	// LateOver is true once no latecomers are awaited any more: who is not in did not come.
	LateOver bool
	// Away are the visitors who did not come, and NoShow their part of the expected. Both are Unknown until the
	// performance is over, and where visitors are not scanned.
	Away   figures.Figure[int]
	NoShow figures.Figure[float64]
	// Verdict is whether the performance will start on time. It has no Call if the curtain is not near, or if nothing is known.
	// Held is until when somebody of the house holds the start, zero for nobody; until then the performance has not begun.
	Verdict arriving.Verdict
	Held    time.Time
	// AsOf is the minute of the figures if they are old while people come or it runs: its numbers are of that minute. Else zero.
	AsOf time.Time
	// Queues are the forecasts for the gates while people arrive, by name of the gate.
	Queues []Queue
	// Today is what moved today, up to now.
	Today figures.Flow
	// ToPayBack is the net received for a cancelled performance; empty for others.
	ToPayBack figures.Figure[figures.Sums]
	// SoldLastHour is SoldIn(time.Hour).
	SoldLastHour figures.Figure[int]
	// SoldInWeek is SoldIn of seven days.
	SoldInWeek figures.Figure[int]

	ahead   *arriving.Ahead // nil if nothing is forecast of the arrivals
	exits   exits           // where people are inside
	entered int             // entries today, of one without a date
	at      time.Time       // of the figures
	fewLeft int64           // few places are left below this part of the capacity, in WholeRate
	full    int64           // it is nearly full from this part of the capacity, in WholeRate
	alerts  []Alert         // unsorted, without Seen
}

// Show returns a performance at the evening's moment.
func (v *Evening) Show(e *figures.EventFigures) *Show {
	s := &Show{EventFigures: e, Phase: v.phase(e), Today: v.BookedToday(e.SaleDays), at: v.At,
		fewLeft: v.threshold(record.SettingFewLeft),
		full:    v.NearlyFull()}
	if s.Phase == Arriving || s.Phase == Running {
		if s.Held = v.heldTo(e); !s.Held.IsZero() {
			s.Phase = Arriving
		}
	}
	if s.Phase.Open() && v.Now.Sub(v.At) > answersWithin {
		s.AsOf = v.At
	}
	s.Sale = v.sale(e, s.Phase)
	if s.Sale == SaleOpen {
		s.Empty = free(e, v.At)
		s.SoldOut = s.NothingEmpty()
	}
	if e.Event.Status == record.EventSoldOut && s.Phase != Over {
		s.SoldOut, s.Empty = true, figures.Figure[int]{}
	}
	s.Free, s.Licensed = v.maySell(s), figures.NotKnown[int](figures.ReasonNotSet)
	if most, set := v.Allowed(e); set {
		s.Licensed = figures.Figure[int]{Value: most}
	}
	s.Leaving, s.Left = v.leaving(e, s.Phase), figures.NotKnown[int]()
	if e.Date == "" {
		s.entered = v.enteredToday(e)
	}
	if s.HasPeople() {
		s.exits = v.exits(e)
		s.Inside = withWalkIns(s.inside(), e.WalkedIn())
		if s.Left = v.left(s); s.Left.Value > 0 {
			s.Inside = figures.New(s.Inside.Value-s.Left.Value, s.Left.Caveat())
		}
	}
	if s.Phase.Open() {
		s.Still = stillToCome(e, s.Phase)
		s.LateOver = s.Phase == Running && v.lateOver(s)
	}
	s.Away, s.NoShow = figures.NotKnown[int](), figures.NotKnown[float64]()
	if s.Phase == Over {
		s.Away, s.NoShow = arriving.NoShow(e)
	}
	if s.Phase == Cancelled {
		s.ToPayBack = e.Revenue.NetReceived()
	}
	v.follow(s)
	s.Queues = v.queues(s)
	s.SoldLastHour = s.SoldIn(time.Hour)
	s.SoldInWeek = s.SoldIn(7 * 24 * time.Hour)
	s.alerts = v.alertsOf(s, false, ofAll)
	return s
}

// phase returns the phase of a performance. Its doors are open from their time on, or once people are inside. Of one without
// any time people arrive once somebody has come in on its day, or today if it has no date, and it is over when its day is.
func (v *Evening) phase(e *figures.EventFigures) Phase {
	switch h := e.Hours(); {
	case e.Event.Status == record.EventCancelled:
		return Cancelled
	case e.Event.Status == record.EventPostponed:
		return Postponed
	case e.Event.Status == record.EventEnded, !h.End.IsZero() && !v.Now.Before(h.End), h.End.IsZero() && e.Date != "" && e.Date < v.Today:
		return Over
	case h.Doors.IsZero() && v.cameToday(e), v.openedEarly(e, h):
		return Arriving
	case h.Doors.IsZero(), v.Now.Before(h.Doors):
		return Before
	case v.Now.Before(h.Curtain):
		return Arriving
	}
	return Running
}

// lateSale is for how long after the curtain tickets may be sold if the service reports the performance as on
// sale. Many services never end that status.
const lateSale = 30 * time.Minute

// GoesAhead reports whether a performance is neither cancelled nor postponed.
func (v *Evening) GoesAhead(e *figures.EventFigures) bool { return v.phase(e).GoesAhead() }

// sale returns whether a performance is on sale. If the service does not report it, the sale ends with the curtain.
func (v *Evening) sale(e *figures.EventFigures, p Phase) Sale {
	switch e.Event.Status {
	case record.EventDraft:
		return SaleNotOpen
	case record.EventSalesClosed:
		return SaleOver
	}
	late := time.Duration(0)
	if e.Event.Status == record.EventOnSale {
		late = lateSale
	}
	if p == Before || p == Arriving || p == Running && v.Now.Before(e.Hours().Curtain.Add(late)) {
		return SaleOpen
	}
	return SaleOver
}

// StillOnSale reports whether a performance that has begun is on sale. When that ends is not known: the service may end it at any
// moment, and lateSale is only when we no longer believe it.
func (s *Show) StillOnSale() bool { return s.Sale == SaleOpen && s.Phase == Running }

// free returns how many places are left, at least 0: the lesser of what the service reports and what the capacity leaves, so that no
// place is offered twice while one of the two is older. The figures are of a moment.
func free(e *figures.EventFigures, at time.Time) figures.Figure[int] {
	if e.Event.Unlimited {
		return figures.NotKnown[int](figures.ReasonUnlimited)
	}
	left, isReported := freeCounted(e, at)
	if isReported {
		return figures.New(max(0, e.Available.Value), e.Available.Caveat())
	}
	c := left.Caveat()
	if e.Available.Known() {
		c = c.And(e.Available.Caveat())
		c.AddIf(!e.Blocked.Known() && left.Value > 0, figures.Estimated, figures.ReasonBlockedUnknown)
	} else {
		c.Add(figures.Estimated, figures.ReasonNoAvailable)
	}
	return figures.New(left.Value, c)
}

// FreeIsReported reports whether what is free is what the service says is left: no more than our count leaves, or the count is not
// sure of it.
func (s *Show) FreeIsReported() bool {
	_, isReported := freeCounted(s.EventFigures, s.at)
	return isReported
}

// freeCounted returns how many places the capacity leaves, and isReported is FreeIsReported. Blocked places are among those taken. Some of
// them may be sold, or be beside the capacity: where they alone make the service's number too high, it is taken for old only by as
// much as was sold in the last minute and the one before.
func freeCounted(e *figures.EventFigures, at time.Time) (left figures.Figure[int], isReported bool) {
	left = figures.Minus(e.Capacity, e.Sold, e.Reserved)
	bounds := boundsSale(e)
	if e.Blocked.Known() && e.Blocked.Value > 0 {
		unblocked := left
		left = figures.Minus(left, e.Blocked)
		over := e.Available.Value - left.Value
		bounds = bounds && (unblocked.Value < e.Available.Value || !at.IsZero() && over <= figures.CountIn(e.SoldMinutes, AfterMinute(at), 2*time.Minute))
	}
	old := e.Available.Quality == figures.Estimated && slices.Contains(e.Available.Reasons, figures.ReasonBehind) && e.Capacity.Quality != figures.LowerBound
	less := left.Known() && left.Value < e.Available.Value && (old || bounds)
	return left, e.Available.Known() && !less
}

// boundsSale reports whether the count of places taken is certainly an upper bound of what is left: the capacity comes from the service or
// from planning and not from what is available, limits of some ticket types bound only those, and no sold place may have been given back
// without our knowing it.
func boundsSale(e *figures.EventFigures) bool {
	atLeast := func(f figures.Figure[int]) bool { return f.Quality == figures.Exact || f.Quality == figures.LowerBound }
	n, given := figures.Within(e.Event.Capacity)
	given = given && n > 0 || e.Capacity.Value > 0 && slices.ContainsFunc(e.Capacity.Reasons, func(r figures.Reason) bool {
		return r == figures.ReasonTypesMayOverlap || r == figures.ReasonPlanning
	})
	return given && e.Capacity.Quality != figures.LowerBound && atLeast(e.Sold) && atLeast(e.Reserved)
}

// Out returns how many of the visitors have gone out and not come back: in the interval, or before the end. It is Unknown
// where nobody is scanned out.
func (s *Show) Out() figures.Figure[int] {
	if s.Exits == 0 {
		return figures.NotKnown[int](figures.ReasonNoExits)
	}
	out := figures.Minus(s.Attendance, s.PresentNow)
	if !out.Known() {
		return out
	}
	inside := s.PresentNow
	if s.HasPeople() {
		inside = s.Inside
	}
	c := out.Caveat()
	if slices.Contains(out.Reasons, figures.ReasonNoExits) {
		c = s.Attendance.Caveat()
	}
	c.AddIf(slices.Contains(inside.Reasons, figures.ReasonNoExits), figures.LowerBound, figures.ReasonNoExits)
	return figures.New(out.Value, c) // whoever left without a scan is out, too
}

// withWalkIns adds people who were counted by hand. If the others are not known, the result is not known either.
func withWalkIns(inside figures.Figure[int], counted int) figures.Figure[int] {
	if counted == 0 || !inside.Known() {
		return inside
	}
	c := inside.Caveat()
	c.Add(figures.Estimated, figures.ReasonWalkIns)
	return figures.New(inside.Value+counted, c)
}

// leaving reports whether a performance has ended while people are still inside.
func (v *Evening) leaving(e *figures.EventFigures, p Phase) bool {
	doors := e.Hours().Doors
	opened := !doors.IsZero() && !v.Now.Before(doors) || doors.IsZero() && v.cameToday(e)
	if p != Over && p.GoesAhead() || !opened || e.PresentNow.Value+e.WalkedIn() == 0 {
		return false
	}
	return v.Now.Before(v.emptyBy(e))
}

// ended returns when a performance ended that is over or called off: at its end by the hours or, if that is
// earlier, when the service first reported the end after the doors. A report before the doors does not count,
// because it was taken back or nobody came; then the time of the record's last change counts. One that reports itself as
// ended and did not change since its doors opened ended by its hours: the service derives the status from them.
func ended(e *figures.EventFigures) time.Time {
	h, said := e.Hours(), e.ReportedEnded
	switch e.Event.Status {
	case record.EventEnded, record.EventCancelled, record.EventPostponed:
		if said.Before(h.Doors) {
			said = e.Event.UpdatedAt
		}
		if e.Event.Status == record.EventEnded && said.Before(h.Doors) {
			return h.End
		}
		if !said.IsZero() {
			return figures.Earlier(h.End, said)
		}
	}
	return h.End
}

// stillToCome returns expected − arrived; who comes today to a performance without a date is not known.
func stillToCome(e *figures.EventFigures, p Phase) figures.Figure[int] {
	if e.Date == "" {
		return figures.NotKnown[int](figures.ReasonUndated)
	}
	if p == Running && e.Attendance.Known() && e.Attendance.Value == 0 {
		return figures.NotKnown[int](figures.ReasonNoScans)
	}
	return figures.Minus(e.Expected, e.Arrived)
}

// Awaits reports whether somebody may still come to a performance: it is not over, and neither are its latecomers.
func (s *Show) Awaits() bool { return s.Phase != Over && !s.LateOver }

// NotIn returns who is expected and not in of a performance that is not over: Still and, before its doors, all but those scanned early.
func (s *Show) NotIn() figures.Figure[int] {
	switch {
	case s.Phase != Before:
		return s.Still
	case s.Date != "" && !s.Arrived.Known(): // nobody can have been scanned
		return s.Expected
	}
	return stillToCome(s.EventFigures, s.Phase)
}

// Latecomers are awaited for lateFor after the curtain or the end of a hold, and as long as anybody came in the last lateQuiet.
const lateFor, lateQuiet = 30 * time.Minute, 15 * time.Minute

// FewScanned reports whether fewer than half of the expected were scanned: the others may have come all the same.
func (s *Show) FewScanned() bool { return 2*s.Arrived.Value < s.Expected.Value }

// lateOver reports whether nobody is awaited any more.
func (v *Evening) lateOver(s *Show) bool {
	h := s.Hours()
	return s.Still.Known() && h.CurtainReported && v.At.Sub(figures.Later(h.Curtain, s.Held)) >= lateFor && !s.FewScanned() &&
		figures.CountIn(s.ArrivalMinutes, AfterMinute(v.At), lateQuiet) == 0
}

// SoldIn returns the places sold, less those cancelled, in a window whose last minute is that of the figures, as it is of what was
// sold today. It is Unknown before the first figures, and Estimated if the time of a cancellation in the window is a guess.
func (s *Show) SoldIn(window time.Duration) figures.Figure[int] {
	end := AfterMinute(s.at)
	sold := s.recentCount(s.Sold, func() int { return figures.CountIn(s.SoldMinutes, end, window) })
	if !sold.Known() {
		return sold
	}
	c := sold.Caveat().OfDifference()
	c.AddIf(voidGuessedIn(s.EventFigures, end, window), figures.Estimated, figures.ReasonUndated)
	return figures.New(sold.Value, c)
}

// EntriesIn returns the entries through a gate, or through all gates if g is nil, in a window that ends before the
// minute of the figures.
func (s *Show) EntriesIn(g *figures.GateFigures, window time.Duration) figures.Figure[int] {
	return s.recentCount(s.Attendance, func() int {
		if g != nil {
			return g.EntriesIn(s.at, window)
		}
		sum := 0
		for i := range s.Gates {
			sum += s.Gates[i].EntriesIn(s.at, window)
		}
		return sum
	})
}

// recentCount returns a count of a part of another figure, with that figure's quality.
func (s *Show) recentCount(of figures.Figure[int], count func() int) figures.Figure[int] {
	c := of.Caveat()
	if c.Quality == figures.Unknown || s.at.IsZero() {
		return figures.NotKnown[int](c.Reasons...)
	}
	return figures.New(count(), c)
}

// VisitorsInside returns how many people inside were scanned in: Inside without walk-ins.
func (s *Show) VisitorsInside() int { return s.Inside.Value - s.WalkedIn() }

// EnteredAgain returns how many entries were not the first of their ticket. It is 0 if the attendance is not
// known, and where exits are not scanned: further entries are then tickets scanned at two doors.
func (s *Show) EnteredAgain() int {
	if !s.Attendance.Known() || s.Exits == 0 {
		return 0
	}
	entries := 0
	for _, g := range s.Gates {
		if len(g.Minutes) > 0 {
			entries += g.Entries
		}
	}
	return max(0, entries-s.Attendance.Value)
}

// MayBeOn reports whether a performance is published and not called off.
func MayBeOn(e *figures.EventFigures) bool {
	return !slices.Contains([]record.EventStatus{record.EventCancelled, record.EventPostponed, record.EventDraft}, e.Event.Status)
}

// MayOwe reports whether money of a cancelled performance may have to be paid back: some does, or it is not known. Of one that has
// paid back more than it received none does.
func (s *Show) MayOwe() bool { return !s.ToPayBack.Known() || len(above(s.ToPayBack.Value)) > 0 }

// MayEmpty reports whether people of a performance that is over are still inside, or may be.
func (s *Show) MayEmpty() bool { return s.Leaving && (s.Inside.Value > 0 || !s.Inside.Known()) }

// DueToEnd reports whether a performance should have ended by its hours, and as far as is known it has not: people are scanned out as they
// leave, and hardly anybody has been. Nobody is leaving then.
func (s *Show) DueToEnd() bool { return s.Leaving && s.exits.due }

// IsAhead reports whether a performance is on or still to come.
func (v *Evening) IsAhead(s *Show) bool {
	at := s.Event.StartsAt
	return s.Phase != Over && (s.Phase.Open() || s.Date > v.Today || s.Date == v.Today && (at.IsZero() || !at.Before(v.Now)))
}

// Limited reports whether fewer than the empty places may be sold, for the people allowed in the hall.
func (s *Show) Limited() bool { return s.Free.Known() && s.Free.Value < s.Empty.Value }

// NothingEmpty reports whether certainly no place is left. Where some are that may not be sold, it is not sold out.
func (s *Show) NothingEmpty() bool { return NothingEmpty(s.Empty) }

// NothingEmpty reports whether the number of empty places is certainly 0.
func NothingEmpty(empty figures.Figure[int]) bool {
	return empty.Known() && empty.Value == 0 && empty.Quality == figures.Exact
}

// CalledOffAndPast reports whether the performance is cancelled or postponed and would have ended by now.
func (s *Show) CalledOffAndPast(now time.Time) bool {
	end := s.Hours().End
	return !s.Phase.GoesAhead() && !end.IsZero() && !now.Before(end)
}

// InInterval returns the end of the interval that the performance is in; ok is false if it is in none.
func (s *Show) InInterval(now time.Time) (end time.Time, ok bool) {
	from, to, ok := s.Interval()
	if !ok || s.Phase != Running || now.Before(from) || !now.Before(to) {
		return time.Time{}, false
	}
	return to, true
}
