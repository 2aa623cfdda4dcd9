package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// lastSale returns the minute in which places were last sold or cancelled up to now, zero when none ever were.
func (v *Evening) lastSale(e *figures.EventFigures) time.Time {
	past := e.SoldMinutes[:figures.IndexOf(e.SoldMinutes, figures.StampOf(v.Now).Minute()+1)]
	if len(past) == 0 {
		return time.Time{}
	}
	return time.Unix(past[len(past)-1].Minute*60, 0)
}

// voidGuessedIn reports whether a ticket was voided in the window [end − length, end) by a guess.
func voidGuessedIn(e *figures.EventFigures, end time.Time, length time.Duration) bool {
	until := figures.StampOf(end).Minute()
	from := until - int64(length/time.Minute)
	for _, d := range slices.Backward(e.SaleDays) {
		if slices.ContainsFunc(d.Minutes, func(r figures.TimedRow) bool {
			return r.Measure() == figures.VoidsGuessed && int64(r.At()) >= from && int64(r.At()) < until
		}) {
			return true
		}
		if int64(d.Minutes[0].At()) < from {
			break
		}
	}
	return false
}

// Phase is where a performance is in its evening.
type Phase uint8

// The phases.
const (
	Before    Phase = iota // the doors are closed
	Arriving               // from doors to curtain
	Running                // from curtain to the end
	Over                   // by its hours, or because the service reports so
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

// Sale is whether a performance can be sold.
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
	// SoldOut is true if the service calls the performance that, and it is not over, or that for
	// certain no place is left of those on sale.
	SoldOut bool
	// Free is what can still be sold: 0 unless Sale is SaleOpen and where SoldOut, Unknown if
	// there is no limit of places.
	Free figures.Figure[int]
	// Inside is what the performance adds to the house count: PresentNow and WalkedIn while the
	// doors are open and, after the end, until everybody was scanned out or the grace has passed.
	Inside figures.Figure[int]
	// Left is the estimate of people who have left since the end without a scan, who are not in Inside. It is Unknown
	// before the end, and where exits are scanned.
	Left     figures.Figure[int]
	LeftBand figures.Band
	// Leaving is true if Inside are on their way out.
	Leaving bool
	// Still are the expected visitors who have not come in, while the doors are open; after
	// curtain they are latecomers. Unknown if nobody was scanned at all.
	Still figures.Figure[int]
	// Away are those who did not come and NoShow their part of the expected, once the
	// performance is over and where visitors were scanned; Unknown otherwise.
	Away   figures.Figure[int]
	NoShow figures.Figure[float64]
	// Verdict is whether the performance will start on time. It has no Call except around the curtain, and
	// none if nothing is known.
	Verdict Verdict
	// Queues are forecast at the gates while people arrive, by the gates' names.
	Queues []Queue
	// Today is what moved on the running day of sale, up to now.
	Today figures.Flow
	// ToPayBack is the net received money of a cancelled performance; empty of any other.
	ToPayBack figures.Figure[figures.Sums]
	// SoldLastHour is SoldIn an hour.
	SoldLastHour figures.Figure[int]
	// SoldInWeek is what was sold on the last seven days of sale, the running one up to now among them.
	SoldInWeek figures.Figure[int]

	at      time.Time // of the figures
	fewLeft int64     // under which part of the capacity few places are left, of WholeRate
	full    int64     // from which part of the capacity on it is nearly full, of WholeRate
	alerts  []Alert   // in no order, without who has seen them
}

// Show returns a performance of the snapshot at the evening's moment.
func (v *Evening) Show(e *figures.EventFigures) *Show {
	s := &Show{EventFigures: e, Phase: v.phase(e), Today: v.BookedToday(e.SaleDays), at: v.At,
		fewLeft: v.threshold(record.SettingFewLeft),
		full:    v.NearlyFull()}
	s.Sale = v.sale(e, s.Phase)
	if s.Sale == SaleOpen {
		s.Free = free(e)
		s.SoldOut = s.Free.Quality == figures.Exact && s.Free.Value == 0
	}
	if e.Event.Status == record.EventSoldOut && s.Phase != Over {
		s.SoldOut, s.Free = true, figures.Figure[int]{}
	}
	s.Leaving = v.leaving(e, s.Phase)
	s.Left = figures.NotKnown[int]()
	if s.HasPeople() {
		s.Inside = withWalkIns(v.inside(e, s.Phase), e.WalkedIn())
		if s.Left = v.left(s); s.Left.Value > 0 {
			s.Inside = figures.New(s.Inside.Value-s.Left.Value, s.Left.Caveat())
		}
	}
	if s.Phase.Open() {
		s.Still = stillToCome(e, s.Phase)
	}
	s.Away, s.NoShow = figures.NotKnown[int](), figures.NotKnown[float64]()
	if s.Phase == Over {
		s.Away, s.NoShow = noShow(e)
	}
	if s.Phase == Cancelled {
		s.ToPayBack = e.Revenue.NetReceived()
	}
	s.Verdict, s.Queues = v.verdict(s), v.queues(s)
	s.SoldLastHour = s.SoldIn(time.Hour)
	s.SoldInWeek = v.soldOnDays(s, 7)
	s.alerts = v.alertsOf(s, false, ofAll)
	return s
}

// phase returns where a performance is now. One without any time is over when its day is.
func (v *Evening) phase(e *figures.EventFigures) Phase {
	switch h := e.Hours(); {
	case e.Event.Status == record.EventCancelled:
		return Cancelled
	case e.Event.Status == record.EventPostponed:
		return Postponed
	case e.Event.Status == record.EventEnded, !h.End.IsZero() && !v.Now.Before(h.End), h.End.IsZero() && e.Date != "" && e.Date < v.Today:
		return Over
	case h.Doors.IsZero(), v.Now.Before(h.Doors):
		return Before
	case v.Now.Before(h.Curtain):
		return Arriving
	}
	return Running
}

// lateSale is how long after the curtain tickets may be sold if the service reports the performance as on
// sale. Many services never end that status.
const lateSale = 30 * time.Minute

// sale reports whether a performance can be sold. Without a word from the service that ends with
// the curtain.
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

// free returns how many places are left: the number that the service reports, or else our own count;
// never below 0.
func free(e *figures.EventFigures) figures.Figure[int] {
	if e.Event.Unlimited {
		return figures.NotKnown[int](figures.ReasonUnlimited)
	}
	if e.Available.Known() {
		return figures.New(max(0, e.Available.Value), e.Available.Caveat())
	}
	taken := []figures.Figure[int]{e.Sold, e.Reserved}
	if e.Blocked.Known() {
		taken = append(taken, e.Blocked)
	}
	left := figures.Minus(e.Capacity, taken...)
	c := left.Caveat()
	c.Add(figures.Estimated, figures.ReasonNoAvailable)
	return figures.New(left.Value, c)
}

// inside is PresentNow. Until the first exit of an evening it is as exact as Attendance, where
// the doors of the hall scan exits: on one of its last evenings they did.
func (v *Evening) inside(e *figures.EventFigures, p Phase) figures.Figure[int] {
	if p.Open() && e.Exits == 0 && e.PresentNow.Known() && !slices.Contains(e.PresentNow.Reasons, figures.ReasonBehind) {
		if v.scansExits(e.Event.Hall) {
			return figures.New(e.PresentNow.Value, e.Attendance.Caveat())
		}
	}
	return e.PresentNow
}

// withWalkIns adds people who were counted by hand. Of those who were not, nothing is known by them.
func withWalkIns(inside figures.Figure[int], counted int) figures.Figure[int] {
	if counted == 0 || !inside.Known() {
		return inside
	}
	c := inside.Caveat()
	c.Add(figures.Estimated, figures.ReasonWalkIns)
	return figures.New(inside.Value+counted, c)
}

// leaving reports whether a performance is no longer on and that people are still inside.
func (v *Evening) leaving(e *figures.EventFigures, p Phase) bool {
	doors := e.Hours().Doors
	if p != Over && p.GoesAhead() || doors.IsZero() || v.Now.Before(doors) || e.PresentNow.Value+e.WalkedIn() == 0 {
		return false
	}
	return v.Now.Before(ended(e).Add(grace(v.Snapshot.Calendar)))
}

// ended returns when a performance ended that is over or called off: by its hours, or when the
// service first said so after the doors, whichever was first. What it said before them was taken
// back, or nobody came: then the time of its last word counts.
func ended(e *figures.EventFigures) time.Time {
	h, said := e.Hours(), e.SaidEnded
	switch e.Event.Status {
	case record.EventEnded, record.EventCancelled, record.EventPostponed:
		if said.Before(h.Doors) {
			said = e.Event.UpdatedAt
		}
		if !said.IsZero() {
			return figures.Earlier(h.End, said)
		}
	}
	return h.End
}

// stillToCome is expected − arrived, of visitors.
func stillToCome(e *figures.EventFigures, p Phase) figures.Figure[int] {
	if p == Running && e.Attendance.Known() && e.Attendance.Value == 0 {
		return figures.NotKnown[int](figures.ReasonNoScans)
	}
	return figures.Minus(e.Expected, e.Arrived)
}

// noShow is expected − arrived, and that of expected, of a performance that is over.
func noShow(e *figures.EventFigures) (away figures.Figure[int], rate figures.Figure[float64]) {
	away = figures.Minus(e.Expected, e.Arrived)
	c := away.Caveat()
	c.AddIf(e.Attendance.Known() && e.Attendance.Value == 0, figures.Unknown, figures.ReasonNoScans)
	c.AddIf(e.Expected.Known() && e.Expected.Value == 0, figures.Unknown, figures.ReasonNobodyExpected)
	return figures.New(away.Value, c), figures.New(float64(away.Value)/float64(max(1, e.Expected.Value)), c)
}

// SoldIn returns how many places were sold, less those cancelled, in a window that ends before the
// minute of the figures, which has only begun. Until there is one it is Unknown; it is Estimated
// where a ticket was voided in the window by a guess.
func (s *Show) SoldIn(window time.Duration) figures.Figure[int] {
	sold := s.recentCount(s.Sold, func() int { return figures.CountIn(s.SoldMinutes, s.at, window) })
	if !sold.Known() {
		return sold
	}
	c := sold.Caveat()
	c.AddIf(voidGuessedIn(s.EventFigures, s.at, window), figures.Estimated, figures.ReasonUndated)
	return figures.New(sold.Value, c)
}

// soldOnDays returns how many places of a performance were sold, less those cancelled, on the last n days
// of sale, the running one up to now among them.
func (v *Evening) soldOnDays(s *Show, n int) figures.Figure[int] {
	row, _ := v.eventPeriod(s.EventFigures, between(s.SaleDays, v.Today.Add(1-n), v.Today))
	return row.Places(s.Sold)
}

// EntriesIn returns how many came in through a gate, or through all of them where it is nil, in a
// window that ends before the minute of the figures.
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

// recentCount returns a count of what is a part of another figure, with its quality.
func (s *Show) recentCount(of figures.Figure[int], count func() int) figures.Figure[int] {
	c := of.Caveat()
	if c.Quality == figures.Unknown || s.at.IsZero() {
		return figures.NotKnown[int](c.Reasons...)
	}
	return figures.New(count(), c)
}

// VisitorsInside returns how many people inside were scanned in: those inside less the walk-ins.
func (s *Show) VisitorsInside() int { return s.Inside.Value - s.WalkedIn() }

// EnteredAgain returns how many entries at the gates were not the first of their ticket. It is 0 if the attendance is not
// known, and where nobody is scanned out: there the others are tickets scanned at two doors.
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

// NothingFree reports whether it is known for certain that no place is left to be sold.
func (s *Show) NothingFree() bool { return NothingFree(s.Free) }

// NothingFree reports whether it is known for certain that none of the free places is left.
func NothingFree(free figures.Figure[int]) bool {
	return free.Known() && free.Value == 0 && free.Quality == figures.Exact
}

// CalledOffAndPast reports whether the performance does not go ahead and would have ended by now.
func (s *Show) CalledOffAndPast(now time.Time) bool {
	end := s.Hours().End
	return !s.Phase.GoesAhead() && !end.IsZero() && !now.Before(end)
}

// InInterval returns when the interval ends that the performance has at a moment; ok is false if it has none then.
func (s *Show) InInterval(now time.Time) (end time.Time, ok bool) {
	from, to, ok := s.Interval()
	if !ok || s.Phase != Running || now.Before(from) || !now.Before(to) {
		return time.Time{}, false
	}
	return to, true
}
