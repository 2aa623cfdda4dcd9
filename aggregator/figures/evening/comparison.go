package evening

import (
	"math"
	"time"

	"housecount/aggregator/figures"
)

// Range is a choice of days of sale that ends with the running one, or is the day before it.
type Range uint8

// The ranges.
const (
	ThisDay Range = iota
	Yesterday
	ThisWeek
	ThisMonth
	ThisSeason
)

// Span is the days that are looked at, From and To included, and how many weeks earlier the span before it is.
type Span struct {
	From, To figures.Day
	weeks    int // as many as the span has days for, at least
}

// longestSpan bounds a span, in days: what is older is left out.
const longestSpan = 10 * 366

// Range returns the span of a choice. Weeks begin on Monday, seasons in the venue's month.
func (v *Evening) Range(r Range) Span {
	n, _ := v.Today.Number()
	date := time.Unix(int64(n)*figures.DaySeconds, 0).UTC()
	switch r {
	case Yesterday:
		return span(v.Today.Add(-1), v.Today.Add(-1), 1)
	case ThisWeek:
		return span(v.Today.Add(-(int(date.Weekday())+6)%7), v.Today, 1)
	case ThisMonth:
		return span(v.Today.Add(1-date.Day()), v.Today, weeksOfMonth)
	case ThisSeason:
		since := (int(date.Month()) - int(season(v.Snapshot.Calendar)) + 12) % 12
		return span(months(v.Today.Add(1-date.Day()), -since), v.Today, weeksOfYear)
	}
	return span(v.Today, v.Today, 1)
}

// span returns the days from..to, which are compared with the same weekdays so many weeks earlier; more where
// that would be days of its own.
func span(from, to figures.Day, weeks int) Span {
	return Span{From: from, To: to, weeks: max(weeks, (to.Since(from)+7)/7)}
}

// Whole returns the days of a range that has not ended, its last included: performances lie ahead.
func (v *Evening) Whole(r Range) (from, to figures.Day) {
	from = v.Range(r).From
	switch r {
	case ThisWeek:
		return from, from.Add(6)
	case ThisMonth:
		return from, months(from, 1).Add(-1)
	case ThisSeason:
		return from, months(from, 12).Add(-1)
	}
	return from, from
}

// Span returns the days from..to, in whatever order they are given. It ends with the running day at the
// latest, because what lies ahead has not been sold.
func (v *Evening) Span(from, to figures.Day) Span {
	from, to = min(from, to, v.Today), min(max(from, to), v.Today)
	from = max(from, to.Add(1-longestSpan))
	return span(from, to, 1)
}

// months returns the date n months later; if that month is shorter, a date in the month after it.
func months(d figures.Day, n int) figures.Day {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return d
	}
	return figures.Day(t.AddDate(0, n, 0).Format(time.DateOnly))
}

// Against is what a span is compared with.
type Against uint8

// What a span may be compared with.
const (
	// TheOneBefore is the same weekdays before: a week ago for a day or a week, four for a month, 52 for a season,
	// and as many as it takes for a span that is longer.
	TheOneBefore Against = iota
	// LastYear is the same weekdays, 52 weeks ago.
	LastYear
	// TheBudget is what was to be booked: see AgainstBudget.
	TheBudget
	Nothing
)

// ofDays reports whether it is other days that a span is compared with.
func (a Against) ofDays() bool { return a == TheOneBefore || a == LastYear }

const (
	weeksOfMonth = 4
	weeksOfYear  = 52
)

// earlier returns the day that one of the span is compared with, which is of the same weekday.
func (s *Span) earlier(d figures.Day, a Against) figures.Day {
	if a == LastYear {
		return d.Add(-7 * weeksOfYear)
	}
	return d.Add(-7 * s.weeks)
}

// Comparison is a span and what it is compared with, both up to the same elapsed point.
type Comparison struct {
	Against Against
	This    Period
	// Before has no days where This is not compared with other days.
	Before Period
	// Compared and ComparedBefore are the two in comparison: This from ComparedFrom on, and the days
	// of Before that belong to these, from BeforeFrom on, both until their Until. They are to be set against each other
	// only where Comparable.
	Compared, ComparedBefore figures.Flow
	ComparedFrom, BeforeFrom figures.Day
	cut                      bool // Before ends within its last day
	// KnownFrom is the first day of which anything is known, where Before begins earlier; empty
	// otherwise. What was sold before it is not known, and not nothing.
	KnownFrom figures.Day
	// Buckets are the days of This, or its months where it is long, with what they are compared with.
	Buckets []Bucket
}

// ScopeBefore is days of Before as the scope of a figure.
func (c *Comparison) ScopeBefore(from, to figures.Day) figures.Scope {
	s := figures.Scope{From: from, To: to}
	if c.cut && to == c.Before.To {
		s.Until = c.Before.Until.UTC()
	}
	return s
}

// Comparable reports whether there is something on both sides.
func (c *Comparison) Comparable() bool { return c.ComparedFrom != "" }

// Bucket is some days of a period, From and To included.
type Bucket struct {
	From, To figures.Day
	Open     bool // the running day is in it
	figures.Flow
	// Before is what it is compared with, in the days BeforeFrom..BeforeTo; nil if all or some of
	// that is not known, or where there is no such day.
	Before               *figures.Flow
	BeforeFrom, BeforeTo figures.Day
}

// mostDays is how many days are shown one by one.
const mostDays = 62

// Compare compares a span. What is dated ahead of the clock is on neither side.
func (v *Evening) Compare(s Span, a Against) Comparison {
	start := v.Snapshot.Calendar.Start
	open := s.To == v.Today
	until, upTo := start(s.To.Add(1)), start(s.To.Add(1))
	if open {
		until, upTo = figures.Later(v.At, start(s.To)), v.Now
	}
	c := Comparison{Against: a, This: v.Period(s.From, s.To, until, upTo)}
	c.This.Open = open
	if a.ofDays() {
		c.Before = v.before(s, a, until)
		c.cut = c.Before.Until.Before(start(c.Before.To.Add(1)))
		c.compare(s, a, v.Snapshot.Days)
	}
	for from := s.From; from <= s.To; {
		to := from
		if s.To.Since(s.From) >= mostDays {
			to = min(months(figures.Day(from[:len("2006-01")]+"-01"), 1).Add(-1), s.To)
		}
		c.Buckets = append(c.Buckets, c.bucket(s, a, from, to))
		from = to.Add(1)
	}
	return c
}

// before returns the period that a span which ends at a moment is compared with.
func (v *Evening) before(s Span, a Against, until time.Time) Period {
	start := v.Snapshot.Calendar.Start
	to := s.earlier(s.To, a)
	if s.To != v.Today {
		until = start(to.Add(1))
	} else {
		until = figures.Earlier(start(to).Add(until.Sub(start(s.To))), start(to.Add(1)))
	}
	return v.Period(s.earlier(s.From, a), to, until, until.Add(-time.Minute))
}

// compare sums what is known on both sides.
func (c *Comparison) compare(s Span, a Against, days []*figures.DayFigures) {
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
		c.Compared, c.ComparedBefore = c.This.compared(from), c.Before.compared(c.BeforeFrom)
	}
}

// What is known begins with the first knownDays days of sale within knownWithin days. A record dated years
// before all others has a wrong date, and does not make the years between known.
const (
	knownDays   = 3
	knownWithin = 2 * 366
)

// firstKnown returns the first day of which anything is known, by the days on which something happened, of
// which there are some.
func firstKnown(days []*figures.DayFigures) figures.Day {
	i := 0
	for days[min(i+knownDays, len(days))-1].Day.Since(days[i].Day) > knownWithin { // the last day is within itself
		i++
	}
	return days[i].Day
}

// bucket sums the days from..to of This, and those that they are compared with.
func (c *Comparison) bucket(s Span, a Against, from, to figures.Day) Bucket {
	b := Bucket{From: from, To: to, Open: c.This.Open && to == s.To, Flow: c.This.sum(from, to)}
	if !a.ofDays() {
		return b
	}
	b.BeforeFrom, b.BeforeTo = s.earlier(from, a), min(s.earlier(to.Add(1), a).Add(-1), c.Before.To)
	if b.BeforeFrom <= b.BeforeTo && c.Comparable() && b.BeforeFrom >= max(c.Before.From, c.KnownFrom) {
		b.Before = new(c.Before.sum(b.BeforeFrom, b.BeforeTo))
	}
	return b
}

// sum returns what moved on the days from..to of the period.
func (p *Period) sum(from, to figures.Day) figures.Flow {
	var sum flowSum
	for _, d := range p.Days[from.Since(p.From) : to.Since(p.From)+1] {
		sum.add(d.Flow)
	}
	return sum.flow()
}

// lacking returns how large a part of what moved in a flow may be missing from its sums in a measure: the places without
// what it counts, as a fraction.
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

// Changed returns what keeps the change of a measure from one period of the comparison to the other from being exact. ok is
// false if it cannot be told: a sum is unknown, or what is missing may be as large as the change.
func (v *Evening) Changed(c *Comparison, m figures.Measure, of func(*figures.Revenue) figures.Figure[figures.Sums], now, was int64) (caveat figures.Caveat, ok bool) {
	caveat = of(v.RevenueOf(&c.This)).Caveat().And(of(v.RevenueOf(&c.Before)).Caveat())
	switch {
	case caveat.Quality == figures.Unknown || was <= 0:
		return caveat, false
	case caveat.Quality < figures.LowerBound:
		return caveat, true
	case of(v.Snapshot.Total.During(&figures.Flow{})).Quality >= figures.LowerBound:
		return caveat, false
	}
	caveat.Quality = figures.Estimated
	gap := lacking(&c.Compared, m) + lacking(&c.ComparedBefore, m)
	return caveat, math.Abs(float64(now-was))/float64(was) > gap
}
