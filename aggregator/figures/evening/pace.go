package evening

import (
	"math"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// Likeness is a property that two performances share.
type Likeness uint8

// The likenesses.
const (
	SameSeries Likeness = iota
	SameTitle
	SameHall
	SameWeekday
	SamePrices // the most expensive places cost about the same
)

// String returns the likeness's name.
func (l Likeness) String() string {
	return [...]string{"series", "title", "hall", "weekday", "prices"}[l]
}

// Comparable is a past performance that another one is compared with.
type Comparable struct {
	*figures.EventFigures
	Alike []Likeness
	// Then is how many places had been sold when the performance was as many days off as the other is now.
	Then int

	// early is how many of Then cannot be compared with a sale that began later: the larger of the places sold before it had been
	// on sale for as long as the other is now, and the places sold since it was through the same part of its sale.
	early int
	path  []int // places sold by the end of each day; the index is days before the performance
	// lately is how many of Then were sold lately; see latelyOf.
	lately float64
}

// usual returns how many places the comparable had sold by then, adjusted for a sale that began later: halfway between the same
// number of days before the performance and the same part of the sale. People who would have bought early may buy later instead.
func (c *Comparable) usual() int { return c.Then - c.early/2 }

// usualBand returns the band of what comparables had sold by then: the low end without their early places, the
// high end with all of them.
func usualBand(all []Comparable) figures.Band {
	return figures.Band{
		Low:    bandOf(all, func(c *Comparable) int { return c.Then - c.early }).Low,
		Median: bandOf(all, (*Comparable).usual).Median,
		High:   bandOf(all, func(c *Comparable) int { return c.Then }).High,
	}
}

// Finish returns the number of places sold in the end.
func (c *Comparable) Finish() int { return c.Sold.Value }

// Pace compares the sale of a performance with what comparable ones had sold when they were as many days off. Days
// are venue days before that of the performance. Today counts up to the minute of the figures, for both.
type Pace struct {
	// Days is the number of days until the performance.
	Days int
	// Sold is the number of places sold up to now.
	Sold figures.Figure[int]
	// Rule is the rule by which the Comparables were chosen.
	Rule ComparableRule
	// Comparables are past performances: the most alike first, then the latest.
	Comparables []Comparable
	// LeftOut are the comparables that somebody excluded, by id.
	LeftOut []*figures.EventFigures
	// Usual is what the Comparables had sold by then, and UsualFinish what they sold in the end, both as well known as
	// what each of them sold. If there are too few Comparables, Usual and Finish are Unknown and both bands are meaningless.
	Usual                  figures.Figure[int] // the median
	UsualBand, UsualFinish figures.Band
	// Finish is the estimate of the places sold in the end: Sold plus what the Comparables sold from here on, up
	// to the number of places.
	Finish     figures.Figure[int] // the median
	FinishBand figures.Band
	// Points are days: from the first day with a sale to the day of the performance.
	Points []PacePoint
	// Error is the mean relative error of this estimate at the same number of days, when each Comparable is
	// estimated from the others; Unknown if there are too few.
	Error figures.Figure[float64]

	pickup model.Pickup
	sale   *model.Estimate
	whole  float64 // how many are estimated to be sold from now on
	lately float64 // how many of Sold were sold lately; see latelyOf
}

// PacePoint is the end of the day that is Days before the performance.
type PacePoint struct {
	Days  int
	Usual figures.Band
	// Ahead is the estimate, for today and later days.
	Ahead figures.Band
}

// Some reports whether there is a pace.
func (p *Pace) Some() bool { return p.Rule.Least > 0 }

// Pace returns the pace of a performance that is still to come. It is zero if the performance has no day, does not
// go ahead, has opened its doors, or its sale is over, and while the past is Unread.
func (v *Evening) Pace(s *Show) (p Pace) {
	if _, ok := s.Date.Number(); !ok || s.Phase != Before || s.Sale == SaleOver || s.Date < v.Today || v.Snapshot.Unread() {
		return p
	}
	_, ahead := v.SaleDays(s.EventFigures)
	p.Days, p.Sold = s.Date.Since(v.Today), figures.New(s.Sold.Value-ahead.Sold, s.Sold.Caveat())
	elapsed := figures.Later(v.At, v.Snapshot.Calendar.Start(v.Today)).Sub(v.Snapshot.Calendar.Start(v.Today))
	p.Rule = Comparables(v.Snapshot.House)
	p.lately = model.SoldLately(s.EventFigures, p.Sold.Value, p.Days, elapsed, v.Snapshot.Calendar)
	long := p.Days
	if days := s.SaleDays; len(days) > 0 {
		long = min(max(long, s.Date.Since(days[0].Day)), figures.LongestPace)
	}
	held := v.held(s.EventFigures)
	p.Comparables = v.comparablesOf(held, s.EventFigures)
	paths, usually := held.courses.Of(len(p.Comparables), func(i int) *figures.EventFigures { return p.Comparables[i].EventFigures }, max(long, p.Days))
	for i := range p.Comparables {
		c := &p.Comparables[i]
		c.path = paths[i]
		c.Then = model.SoldAt(c.EventFigures, p.Days, elapsed, v.Snapshot.Calendar)
		c.early = v.early(s.EventFigures, c, p.Days)
		c.lately = model.SoldLately(c.EventFigures, c.Then, p.Days, elapsed, v.Snapshot.Calendar)
	}
	for _, id := range v.Snapshot.House.LeftOut(s.Event.ID) {
		if past := v.Snapshot.Event(id); past != nil {
			p.LeftOut = append(p.LeftOut, past)
		}
	}
	p.estimate(s, usually[:long+1], &held.fitted)
	return p
}

// laterSale is by how many days a sale must begin after another to count as later: the first place is seldom sold on the first day.
const laterSale = 10

// early returns Comparable.early of a comparable; 0 unless the performance's sale began later.
func (v *Evening) early(e *figures.EventFigures, c *Comparable, days int) int {
	if len(e.SaleDays) == 0 || len(c.SaleDays) == 0 {
		return 0
	}
	began := days + max(0, v.Today.Since(e.SaleDays[0].Day))
	whole := c.Date.Since(c.SaleDays[0].Day)
	if whole < began+laterSale {
		return 0
	}
	asFar := model.SoldAt(c.EventFigures, whole*days/max(1, began), 0, v.Snapshot.Calendar)
	return min(c.Then, max(model.SoldAt(c.EventFigures, began, 0, v.Snapshot.Calendar), c.Then-asFar))
}

// estimate sets the usual values and the estimate, if there are enough comparables, by what is usual n days before the performance
// and what was fitted to these before.
func (p *Pace) estimate(s *Show, usually []figures.Band, fitted *model.Fitted) {
	few := figures.NotKnown[int](figures.ReasonFewComparables)
	p.Usual, p.Finish, p.Error = few, few, figures.NotKnown[float64](figures.ReasonFewComparables)
	if len(p.Comparables) < p.Rule.Least {
		return
	}
	p.UsualBand, p.UsualFinish = usualBand(p.Comparables), bandOf(p.Comparables, (*Comparable).Finish)
	usual := p.usualCaveat()
	p.Usual = figures.New(p.UsualBand.Median, usual)
	c := p.Sold.Caveat().And(usual)
	c.Add(figures.Estimated, figures.ReasonPace)
	pasts := p.pasts()
	p.pickup = fitted.To(pasts, func(i int, n float64) float64 {
		return float64(limit(p.Comparables[i].EventFigures, int(math.Round(n))))
	})
	p.sale = p.pickup.Estimate(model.Sale{Sold: float64(p.Sold.Value), Lately: p.lately}, pasts)
	p.FinishBand = p.ahead(s.EventFigures, 0)
	p.Finish = figures.New(p.FinishBand.Median, c)
	p.Points = make([]PacePoint, 0, len(usually))
	for n := len(usually) - 1; n >= 0; n-- {
		point := PacePoint{Days: n, Usual: usually[n]}
		if n <= p.Days && p.Sold.Known() {
			point.Ahead = p.ahead(s.EventFigures, n)
		}
		p.Points = append(p.Points, point)
	}
	if len(p.Comparables) > p.Rule.Least {
		p.Error = figures.New(p.pickup.Miss, usual)
	}
}

// usualCaveat returns how well it is known what the comparables sold: as well as of the one of which least is known. From what
// is at least so much follows no bound, because places that are missing may be among those that do not count.
func (p *Pace) usualCaveat() (c figures.Caveat) {
	for i := range p.Comparables {
		c = c.And(p.Comparables[i].Sold.Caveat())
	}
	return c.OfDifference()
}

// pasts returns, for each comparable, what it had sold by then, and between then and the end.
func (p *Pace) pasts() []model.Past {
	all := make([]model.Past, len(p.Comparables))
	for i, c := range p.Comparables {
		all[i] = model.Past{Sale: model.Sale{Sold: float64(c.usual()), Lately: c.lately}, More: float64(c.path[0] - c.Then)}
	}
	return all
}

// ahead returns the estimate of the places sold by the end of the day n days before the performance, that of the day itself first.
func (p *Pace) ahead(e *figures.EventFigures, n int) figures.Band {
	sold, part := float64(p.Sold.Value), 1.
	estimate := p.sale.Median(func(i int) float64 { return float64(p.Comparables[i].path[n] - p.Comparables[i].Then) })
	if n == 0 {
		p.whole = estimate - sold
	} else if p.whole > 0 {
		part = min(1, (estimate-sold)/p.whole)
	}
	band := p.pickup.Band(sold, estimate, part, len(p.Comparables))
	return figures.Band{Low: limit(e, band.Low), Median: limit(e, band.Median), High: limit(e, band.High)}
}

// limit returns the most places that an estimate may have: those that can be sold or, if more, those that are sold.
func limit(e *figures.EventFigures, n int) int {
	if e.Capacity.Known() && !e.Event.Unlimited {
		n = min(n, max(e.Capacity.Value-e.Blocked.Value, e.Sold.Value))
	}
	return max(0, n)
}

// bandOf returns the band of one number of each comparable. Its ends are numbers of comparables.
func bandOf(all []Comparable, of func(*Comparable) int) figures.Band {
	var buffer [figures.MostComparables]int
	values := buffer[:0]
	for i := range all {
		values = append(values, of(&all[i]))
	}
	return model.BandOf(values)
}

// findComparables returns the past performances that are most like one, by the house's rule. First come those of its series or
// title; then those in its hall on the same weekday whose dearest places cost at most a quarter more or less, if prices are known;
// in each group the latest first. In another hall, the house is at most twice as large or as small. Performances of which nothing
// was sold, or whose sales partly have no time, are excluded, and so are those that somebody left out.
func (v *Evening) findComparables(e *figures.EventFigures) []Comparable {
	var kin, alike []Comparable
	date, _ := e.Date.Number()
	own := v.toCompare(e, date, Comparables(v.Snapshot.House))
	for _, past := range slices.Backward(v.Snapshot.Events) {
		if past.Date >= v.Today || len(kin) == figures.MostComparables {
			continue
		}
		l, isKin, ok := own.like(v, past, len(alike) < figures.MostComparables)
		if !ok {
			continue
		}
		c := Comparable{EventFigures: past}
		for l, holds := range l {
			if holds {
				c.Alike = append(c.Alike, Likeness(l))
			}
		}
		if isKin {
			kin = append(kin, c)
		} else {
			alike = append(alike, c)
		}
	}
	all := append(kin, alike...)
	return all[:min(len(all), figures.MostComparables)]
}

// compared is a performance that past ones are compared with.
type compared struct {
	*figures.EventFigures
	date    figures.DayNumber
	price   topPrice
	rule    ComparableRule
	leftOut []string
	from    figures.Day // the first day of past ones; empty for any
}

// toCompare returns what past performances are compared with by a rule.
func (v *Evening) toCompare(e *figures.EventFigures, date figures.DayNumber, rule ComparableRule) compared {
	c := compared{EventFigures: e, date: date, price: topPriceOf(e), rule: rule, leftOut: v.Snapshot.House.LeftOut(e.Event.ID)}
	if rule.Days > 0 {
		c.from = v.Today.Add(-rule.Days)
	}
	return c
}

// like returns in what a past performance is like one; ok is false if they are not compared. Only one that is kin, by its
// series or title, is while others is false.
func (e *compared) like(v *Evening, past *figures.EventFigures, others bool) (alike [SamePrices + 1]bool, kin, ok bool) {
	if past.Date < e.from {
		return alike, false, false
	}
	series, title := e.Event.Series != "" && e.Event.Series == past.Event.Series, e.Event.Title != "" && e.Event.Title == past.Event.Title
	hall := e.Event.Hall == past.Event.Hall
	kin, others = e.rule.Title && (series || title), others && e.rule.others() && (hall || !e.rule.Hall)
	if !others && !kin {
		return alike, false, false
	}
	day, ok := past.Date.Number()
	weekday, prices := (e.date-day)%7 == 0, e.price.about(topPriceOf(past))
	others = others && (weekday || !e.rule.Weekday) && (prices || e.price == (topPrice{}) || !e.rule.Prices)
	if !ok || slices.Contains(e.leftOut, past.Event.ID) || !kin && !others || !hall && !sizedAs(e.EventFigures, past) || !v.comparable(past) {
		return alike, false, false
	}
	return [...]bool{SameSeries: series, SameTitle: title, SameHall: hall, SameWeekday: weekday, SamePrices: prices}, kin, true
}

// comparable reports whether a performance took place and all of its sales have a day.
func (v *Evening) comparable(e *figures.EventFigures) bool {
	if v.phase(e) != Over || !e.Sold.Known() || e.Sold.Value <= 0 {
		return false
	}
	sum := 0
	for _, d := range e.SaleDays {
		sum += d.Sold
	}
	return sum == e.Sold.Value
}

// sizedAs reports whether neither house is known to be more than twice as large as the other.
func sizedAs(e *figures.EventFigures, o *figures.EventFigures) bool {
	a, b := e.Capacity, o.Capacity
	return !a.Known() || !b.Known() || a.Value <= 2*b.Value && b.Value <= 2*a.Value
}

// topPrice is the price of the most expensive place; zero if it is not known, or if prices are in several currencies.
type topPrice struct {
	amount   int64
	currency string
}

func topPriceOf(e *figures.EventFigures) (top topPrice) {
	for _, t := range e.Event.TicketTypes {
		switch {
		case t.Price == nil:
		case top.currency != "" && top.currency != t.Price.Currency:
			return topPrice{}
		default:
			top = topPrice{max(top.amount, t.Price.Amount), t.Price.Currency}
		}
	}
	if average := e.AveragePrice; top.currency == "" && average.Known() && len(average.Value) == 1 {
		top = topPrice{average.Value[0].Amount, average.Value[0].Currency}
	}
	return top
}

// about reports whether two prices differ by at most a quarter.
func (t topPrice) about(o topPrice) bool {
	return t.currency != "" && t.currency == o.currency && 4*t.amount <= 5*o.amount && 4*o.amount <= 5*t.amount
}
