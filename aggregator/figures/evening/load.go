package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Load is how many people are in a hall and how many are allowed by the setting in force on the evening's day.
type Load struct {
	Hall     string // empty for the whole building
	Inside   figures.Figure[int]
	Licensed int
	// shows are the performances with people inside, and last is the one that began last; nil if there is none.
	// certain is the part of Inside that is not only an upper bound.
	shows   []*Show
	last    *Show
	certain int
	filling filling
}

// Share returns Inside / Licensed, which may be above 1.
func (l *Load) Share() figures.Figure[float64] {
	return figures.OfCapacity(l.Inside, figures.Figure[int]{Value: l.Licensed})
}

// Full reports whether as many people are inside as are allowed, or more, by a count or an estimate. People at a
// performance whose exits are not scanned are only an upper bound and do not count, also once it is over.
func (l *Load) Full() bool { return l.last != nil && l.Inside.Known() && l.certain >= l.Licensed }

// MayBeFull reports whether as many people may be inside as are allowed, or more, while it is not Full.
func (l *Load) MayBeFull() bool {
	return l.last != nil && l.Inside.Known() && l.Inside.Value >= l.Licensed && !l.Full()
}

// TooMany returns how many more people are inside than are allowed, at least 0; a LowerBound if there may be more.
func (l *Load) TooMany() figures.Figure[int] {
	if l.Full() && l.certain < l.Inside.Value {
		return figures.New(l.certain-l.Licensed, figures.Caveat{Quality: figures.LowerBound, Reasons: l.Inside.Reasons})
	}
	return figures.New(max(0, l.Inside.Value-l.Licensed), l.Inside.Caveat())
}

// TooFull reports whether more people are certainly inside than are allowed.
func (l *Load) TooFull() bool { return l.Full() && l.TooMany().Value > 0 }

// atMost reports whether the number of people inside a performance is only an upper bound, or an estimate of who is left of one.
func (s *Show) atMost() bool { return slices.Contains(s.Inside.Reasons, figures.ReasonNoExits) }

// certainly returns the people inside performances whose number is not only an upper bound.
func certainly(shows []*Show) (n int) {
	for _, s := range shows {
		if s.Inside.Known() && !s.atMost() {
			n += s.Inside.Value
		}
	}
	return n
}

// loads returns the loads of the building, for viewers of the whole house, and of the evening's halls.
func (v *Evening) loads() (all []Load) {
	licensed := func(hall string) (int, bool) { return v.Licensed(hall, v.Day) }
	if most, ok := licensed(""); ok && v.Snapshot.Whole == nil {
		l := Load{Inside: v.House.Inside, Licensed: most}
		l.last, l.shows = peopledIn(v.Shows, func(*Show) bool { return true })
		l.certain = certainly(l.shows)
		l.filling = v.fill(&l)
		all = append(all, l)
	}
	seen := map[string]bool{"": true}
	for _, s := range v.Shows {
		hall := s.Event.Hall
		most, ok := licensed(hall)
		if !ok || seen[hall] {
			continue
		}
		seen[hall] = true
		l := Load{Hall: hall, Licensed: most}
		l.last, l.shows = peopledIn(v.Shows, func(s *Show) bool { return s.Event.Hall == hall })
		l.certain = certainly(l.shows)
		l.Inside = sum(l.shows, func(s *Show) figures.Figure[int] { return s.Inside })
		l.filling = v.fill(&l)
		all = append(all, l)
	}
	return all
}

// Licensed returns how many people are allowed on a day in a hall, or in the whole building if hall is empty; ok is
// false if the venue has not set it.
func (v *Evening) Licensed(hall string, day figures.Day) (n int, ok bool) {
	set := v.Snapshot.House.InForce(record.SettingLicensed, hall, day)
	if set == nil {
		return 0, false
	}
	return int(*set.Value), true
}

// peopledIn returns those of shows that have people inside, and the one that began last.
func peopledIn(shows []*Show, in func(*Show) bool) (last *Show, all []*Show) {
	for _, s := range shows {
		if in(s) && s.HasPeople() {
			last, all = s, append(all, s)
		}
	}
	return last, all
}

// LoadOf returns the load of a hall, or of the whole building if hall is empty; ok is false if the venue has not
// set how many people are allowed, or nothing is on.
func (v *Evening) LoadOf(hall string) (l *Load, ok bool) {
	for i := range v.Loads {
		if v.Loads[i].Hall == hall {
			return &v.Loads[i], true
		}
	}
	return nil, false
}

// crowdedBuilding and crowdedHall return an alert if the building, or the hall of the performance, has as many
// people inside as are allowed, or more. The alert is of the performance that began last.
func (v *Evening) crowdedBuilding(s *Show) []Alert {
	return v.crowded(AlertCrowdedBuilding, s, func(l *Load) bool { return l.Hall == "" && l.Full() })
}

func (v *Evening) crowdedHall(s *Show) []Alert {
	return v.crowded(AlertCrowded, s, func(l *Load) bool { return l.Hall != "" && l.Full() })
}

// overLicensed returns an alert if more places of the performance are sold than people are allowed in its hall on its
// day, until it is over, or runs and sells no more. It is for whoever can stop the sale or move the performance.
func (v *Evening) overLicensed(s *Show) []Alert {
	by, over := v.OverLicensedBy(s.EventFigures)
	if !over || !s.Phase.GoesAhead() || s.Phase == Over || s.Phase == Running && s.Sale == SaleOver {
		return nil
	}
	return []Alert{alert(AlertOverLicensed, s, s.crossed(-by, 0), AlertArgs{Count: s.Sold, Licensed: s.Sold.Value - by})}
}

// OverLicensedBy returns by how many the sold places of a performance exceed the people allowed in its hall on its day;
// over is false if they do not, or nothing is set.
func (v *Evening) OverLicensedBy(e *figures.EventFigures) (by int, over bool) {
	most, set := v.Allowed(e)
	return e.Sold.Value - most, set && e.Sold.Value > most
}

// nearLicensed returns an alert if more places of a performance are on sale than may still be sold for its hall, and most of
// those that are allowed are sold: whoever sells has to stop before the places run out.
func (v *Evening) nearLicensed(s *Show) []Alert {
	left, limited := v.leftToAllowed(s.EventFigures)
	if !limited || !v.nearAllowed(s.EventFigures) || !s.mayFill() || s.Sale != SaleOpen {
		return nil
	}
	most := s.Licensed.Value
	return []Alert{alert(AlertNearLicensed, s, s.crossed(most-s.Sold.Value, most-v.nearAt(most)+1), AlertArgs{Count: figures.New(left, s.Sold.Caveat()), Licensed: most})}
}

// MayStillSell returns how many more places of a performance may be sold until the people allowed in its hall are reached, with
// those of what is reserved, at least 0; limited is false where no more than that are on sale.
func (v *Evening) MayStillSell(s *Show) (left int, limited bool) {
	if _, over := v.OverLicensedBy(s.EventFigures); over {
		return 0, true
	}
	return v.leftToAllowed(s.EventFigures)
}

// maySell returns how many of the empty places of a performance may be sold for the people allowed in its hall.
func (v *Evening) maySell(s *Show) figures.Figure[int] {
	left, limited := v.MayStillSell(s)
	if !limited || !s.Empty.Known() {
		return s.Empty
	}
	c := s.Empty.Caveat()
	if left < s.Empty.Value { // it is what others leave of the licence
		c = c.And(figures.Minus(figures.Figure[int]{Value: left}, s.Sold, s.Reserved).Caveat())
	}
	return figures.New(min(left, s.Empty.Value), c)
}

// Allowed returns how many people are allowed in the hall of a performance on its day; set is false if the venue has not set it.
func (v *Evening) Allowed(e *figures.EventFigures) (most int, set bool) {
	if e.Event.Hall == "" {
		return 0, false
	}
	return v.Licensed(e.Event.Hall, e.Date)
}

// leftToAllowed returns how many more places of a performance may be sold until the people allowed in its hall are reached, with
// those of what is reserved, at least 0; limited is false if no more than that are on sale, if more are sold, or if nothing is set or known.
func (v *Evening) leftToAllowed(e *figures.EventFigures) (left int, limited bool) {
	most, set := v.Allowed(e)
	if !set || !e.Sold.Known() {
		return 0, false
	}
	left = max(0, most-e.Sold.Value-e.Reserved.Value)
	on := free(e, v.At)
	more := e.Event.Unlimited || on.Known() && on.Value > left
	return left, e.Sold.Value <= most && more
}

// nearAllowed reports whether most of the people allowed in the hall of a performance are sold.
func (v *Evening) nearAllowed(e *figures.EventFigures) bool {
	most, set := v.Allowed(e)
	return set && e.Sold.Value >= v.nearAt(most)
}

// nearAt returns how many places are sold when those that are allowed in a hall are nearly reached.
func (v *Evening) nearAt(most int) int {
	return int((v.NearlyFull()*int64(most) + figures.WholeRate - 1) / figures.WholeRate)
}

// maybeCrowded returns an alert if the building or the hall may have as many people inside as are allowed. The
// alert is of the performance that began last.
func (v *Evening) maybeCrowded(s *Show) []Alert {
	all := v.crowded(AlertMaybeCrowded, s, (*Load).MayBeFull)
	return all[:min(1, len(all))]
}

func (v *Evening) crowded(code string, s *Show, of func(*Load) bool) (all []Alert) {
	for i := range v.Loads {
		if l := &v.Loads[i]; of(l) && l.last != nil && l.last.EventFigures == s.EventFigures {
			all = append(all, alert(code, l.last, time.Time{}, AlertArgs{Count: l.Inside, Licensed: l.Licensed}))
		}
	}
	return all
}
