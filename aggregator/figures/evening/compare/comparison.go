// Package compare compares what a span of days sold with an earlier span, with last year and with the budget, and the days of
// a campaign with what is usual on such days. It stands on package evening, which knows nothing of it, and is pure, too.
package compare

import (
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures/evening"

	"housecount/aggregator/figures"
)

// Range is a choice of days of sale: it ends today, or is yesterday or the last whole week.
type Range uint8

// The ranges.
const (
	ThisDay Range = iota
	Yesterday
	ThisWeek
	LastWeek
	ThisMonth
	ThisSeason
)

// Span is some days, From and To included, and by how many weeks earlier days it is compared.
type Span struct {
	From, To figures.Day
	weeks    int
}

// longestSpan is the most days in a span; earlier ones are left out.
const longestSpan = 10 * 366

// SpanOf returns the span of a range. Weeks begin on Monday, seasons in the month that the venue has set. By how many weeks
// earlier days it is compared is the same on each of its days, so that the days before do not move as the day turns.
func SpanOf(v *evening.Evening, r Range) Span {
	n, _ := v.Today.Number()
	date := time.Unix(int64(n)*figures.DaySeconds, 0).UTC()
	switch r {
	case Yesterday:
		return span(v.Today.Add(-1), v.Today.Add(-1))
	case ThisWeek:
		return span(v.Today.Add(-(int(date.Weekday())+6)%7), v.Today)
	case LastWeek:
		monday := v.Today.Add(-(int(date.Weekday())+6)%7 - 7)
		return span(monday, monday.Add(6))
	case ThisMonth:
		first := v.Today.Add(1 - date.Day())
		return Span{first, v.Today, (first.AddMonths(1).Since(first) + 6) / 7}
	case ThisSeason:
		since := (int(date.Month()) - int(evening.Season(v.Snapshot.Calendar)) + 12) % 12
		return Span{v.Today.Add(1 - date.Day()).AddMonths(-since), v.Today, weeksOfYear}
	}
	return span(v.Today, v.Today)
}

// span returns the days from..to, compared with the same weekdays as few weeks earlier as do not overlap them.
func span(from, to figures.Day) Span { return Span{from, to, (to.Since(from) + 7) / 7} }

// Whole returns all days of a range, including those to come, for performances ahead.
func Whole(v *evening.Evening, r Range) (from, to figures.Day) {
	from = SpanOf(v, r).From
	switch r {
	case ThisWeek, LastWeek:
		return from, from.Add(6)
	case ThisMonth:
		return from, from.AddMonths(1).Add(-1)
	case ThisSeason:
		return from, from.AddMonths(12).Add(-1)
	}
	return from, from
}

// NewSpan returns the days from..to, given in either order. It ends today at the latest, because later days have no
// sales yet.
func NewSpan(v *evening.Evening, from, to figures.Day) Span {
	from, to = min(from, to, v.Today), min(max(from, to), v.Today)
	from = max(from, to.Add(1-longestSpan))
	return span(from, to)
}

// Against is what a span is compared with.
type Against uint8

// What a span may be compared with.
const (
	// TheOneBefore is the same weekdays before the span: one week earlier for a day or a week, five for a month (four for one
	// of 28 days), 52 for a season, and for other days as many as they have.
	TheOneBefore Against = iota
	// LastYear is the same weekdays 52 weeks earlier.
	LastYear
	// TheBudget is the budget: see AgainstBudget.
	TheBudget
	Nothing
)

// ofDays reports whether a span is compared with other days.
func (a Against) ofDays() bool { return a == TheOneBefore || a == LastYear }

const weeksOfYear = 52

// earlier returns the day, of the same weekday, that a day of the span is compared with.
func (s *Span) earlier(d figures.Day, a Against) figures.Day {
	if a == LastYear {
		return d.Add(-7 * weeksOfYear)
	}
	return d.Add(-7 * s.weeks)
}

// Comparison is a span and what it is compared with, both until the same point of their last day. Today that is the begin of the minute
// of the figures: of the minute itself only a part is known, and of the one that it would be compared with all.
type Comparison struct {
	Against Against
	This    evening.Period
	// Before has no days if This is not compared with other days.
	Before evening.Period
	// Compared and ComparedBefore are what to compare: This, without the running minute, from ComparedFrom on, and the corresponding days of
	// Before from BeforeFrom on, both until their Until. Use them only if Comparable.
	Compared, ComparedBefore figures.Flow
	ComparedFrom, BeforeFrom figures.Day
	// Exceptional is how many pairs of days there are of which a note calls one exceptional. They are in neither sum
	// if LeftOut is set.
	Exceptional int
	LeftOut     bool
	cut         bool // Before ends within its last day
	// KnownFrom is the first day of which anything is known, if Before begins earlier; otherwise empty. Sales
	// before it are not known, which is not the same as none.
	KnownFrom figures.Day
	// Buckets are the days of This, or its months if there are many days, each with what it is compared with.
	Buckets []Bucket
}

// ScopeBefore returns days of Before as the scope of a figure.
func (c *Comparison) ScopeBefore(from, to figures.Day) figures.Scope {
	s := figures.Scope{From: from, To: to}
	if c.cut && to == c.Before.To {
		s.Until = c.Before.Until.UTC()
	}
	return s
}

// EndsEarly reports whether Before ends within its last day. It does not while a day of 25 hours is as long as that whole day.
func (c *Comparison) EndsEarly() bool { return c.cut }

// Comparable reports whether there is something on both sides.
func (c *Comparison) Comparable() bool { return c.ComparedFrom != "" }

// Bucket is some days of a period, From and To included.
type Bucket struct {
	From, To figures.Day
	Open     bool // it contains today
	figures.Flow
	// Before is what moved on the corresponding days BeforeFrom..BeforeTo; nil if any of it is not known, or if
	// there are no such days.
	Before               *figures.Flow
	BeforeFrom, BeforeTo figures.Day
}

// mostDays is the most days that are shown individually.
const mostDays = 62

// Compare compares a span. Records dated after the present moment count on neither side. While the past is Unread the
// comparison has no sides.
func Compare(v *evening.Evening, s Span, a Against) Comparison { return compare(v, s, a, false) }

// CompareUsual is Compare without the pairs of days of which a note calls one exceptional.
func CompareUsual(v *evening.Evening, s Span, a Against) Comparison { return compare(v, s, a, true) }

func compare(v *evening.Evening, s Span, a Against, leaveOut bool) Comparison {
	start := v.Snapshot.Calendar.Start
	open := s.To == v.Today
	until, upTo := start(s.To.Add(1)), start(s.To.Add(1))
	if open {
		until, upTo = figures.Later(v.At, start(s.To)), v.Now
	}
	c := Comparison{Against: a, This: v.Period(s.From, s.To, until, upTo)}
	c.This.Open = open
	if a.ofDays() {
		c.Before = before(v, s, a, until)
		c.cut = c.Before.Until.Before(start(c.Before.To.Add(1)))
		if !v.Snapshot.Unread() {
			c.compare(s, a, v.Snapshot.Days, v.Snapshot.House.ExceptionalDays(), leaveOut)
		}
	}
	for from := s.From; from <= s.To; {
		to := from
		if s.To.Since(s.From) >= mostDays {
			to = min(figures.Day(from.Month()+"-01").AddMonths(1).Add(-1), s.To)
		}
		c.Buckets = append(c.Buckets, c.bucket(s, a, from, to))
		from = to.Add(1)
	}
	return c
}

// before returns the period that a span which ends at a moment is compared with.
func before(v *evening.Evening, s Span, a Against, until time.Time) evening.Period {
	start := v.Snapshot.Calendar.Start
	to := s.earlier(s.To, a)
	if s.To != v.Today {
		until = start(to.Add(1))
	} else {
		until = figures.Earlier(start(to).Add(until.Sub(start(s.To))), start(to.Add(1)))
	}
	return v.Period(s.earlier(s.From, a), to, until, until.Add(-time.Minute))
}

// compare sums what is known of both sides, without the pairs with an exceptional day if they are to be left out.
func (c *Comparison) compare(s Span, a Against, days []*figures.DayFigures, exceptional map[figures.Day]bool, leaveOut bool) {
	if len(days) == 0 {
		return
	}
	from := s.From
	if known := firstKnown(days); c.Before.From < known {
		c.KnownFrom = known
		for from <= s.To && s.earlier(from, a) < known {
			from = from.Add(1)
		}
	}
	if from <= s.To && s.earlier(from, a) <= c.Before.To {
		c.ComparedFrom, c.BeforeFrom = from, s.earlier(from, a)
		out := map[figures.Day]bool{}
		for day := from; len(exceptional) > 0 && day <= s.To; day = day.Add(1) {
			if before := s.earlier(day, a); exceptional[day] || exceptional[before] {
				c.Exceptional++
				out[day], out[before] = leaveOut, leaveOut
			}
		}
		c.LeftOut = leaveOut && c.Exceptional > 0
		c.Compared, c.ComparedBefore = c.This.Compared(from, out), c.Before.Compared(c.BeforeFrom, out)
	}
}

// Knowledge begins with the first knownDays days of sale that lie within knownWithin days. A record dated years
// before all others has a wrong date, and does not make the years in between known.
const (
	knownDays   = 3
	knownWithin = 2 * 366
)

// firstKnown returns the first day of which anything is known. days are those on which something happened, at
// least one.
func firstKnown(days []*figures.DayFigures) figures.Day {
	i := 0
	for days[min(i+knownDays, len(days))-1].Day.Since(days[i].Day) > knownWithin { // ends at the last day at the latest
		i++
	}
	return days[i].Day
}

// bucket sums the days from..to of This, and the days that they are compared with.
func (c *Comparison) bucket(s Span, a Against, from, to figures.Day) Bucket {
	b := Bucket{From: from, To: to, Open: c.This.Open && to == s.To, Flow: c.This.Sum(from, to)}
	if !a.ofDays() {
		return b
	}
	b.BeforeFrom, b.BeforeTo = s.earlier(from, a), min(s.earlier(to.Add(1), a).Add(-1), c.Before.To)
	if b.BeforeFrom <= b.BeforeTo && c.Comparable() && b.BeforeFrom >= max(c.Before.From, c.KnownFrom) {
		b.Before = new(c.Before.Sum(b.BeforeFrom, b.BeforeTo))
	}
	return b
}

// lacking returns what part of a flow may be missing from its sum in a measure: the places whose amount is not
// known, as a fraction of the places that moved.
func lacking(f *figures.Flow, m figures.Measure) float64 {
	n := f.Unpriced
	switch m {
	case figures.Fees:
		n = max(n, f.Feeless)
	case figures.VAT:
		n = max(n, f.VATless)
	}
	return float64(n) / float64(max(n, f.Sold, 1))
}

// Change is how well it is known how a measure changed between the two periods of a comparison.
type Change struct {
	figures.Caveat
	// MostNow and MostWas are what the two sums come to if the places whose amount is not known cost as much as the others.
	MostNow, MostWas int64
}

// Changed returns how a measure changed from was to now between the two periods of a comparison. ok is false if the change
// cannot be given: a sum is unknown, or what is missing may be as large as the change.
func (c *Comparison) Changed(v *evening.Evening, m figures.Measure, of func(*figures.Revenue) figures.Figure[figures.Sums], now, was int64) (change Change, ok bool) {
	change = Change{of(v.RevenueOf(&c.This)).Caveat().And(of(v.RevenueOf(&c.Before)).Caveat()), now, was}
	if c.Against == TheBudget {
		for _, code := range Budgeted(v.Snapshot, c.This.From, c.This.To) {
			budget, _ := CompareBudget(v, &c.This, code)
			change.Caveat = change.And(budget.Caveat)
		}
	}
	switch {
	case change.Quality == figures.Unknown || was <= 0 || slices.Contains(change.Reasons, figures.ReasonTicketsIncomplete):
		return change, false
	case change.Quality < figures.LowerBound:
		return change, true
	case of(v.Snapshot.Total.During(&figures.Flow{})).Quality >= figures.LowerBound:
		return change, false
	}
	change.Quality = figures.Estimated
	this := &c.Compared
	if !c.Against.ofDays() {
		this = &c.This.Flow
	}
	lackingNow, lackingBefore := lacking(this, m), lacking(&c.ComparedBefore, m)
	if lackingNow == 1 || lackingBefore == 1 {
		return change, false
	}
	change.MostNow, change.MostWas = int64(math.Round(float64(now)/(1-lackingNow))), int64(math.Round(float64(was)/(1-lackingBefore)))
	return change, now > change.MostWas || change.MostNow < was
}
