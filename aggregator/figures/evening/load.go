package evening

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Load is how many people are in a hall against how many may be, of those for which the venue has set
// that: what is in force on the evening's day.
type Load struct {
	Hall     string // empty for the whole building
	Inside   figures.Figure[int]
	Licensed int
	// last is the performance with people inside that began last; nil if nobody is. certain are those of Inside that are not
	// only the most that there may be.
	last    *Show
	certain int
}

// Share is Inside as a part of Licensed; not clipped.
func (l *Load) Share() figures.Figure[float64] {
	return figures.OfCapacity(l.Inside, figures.Figure[int]{Value: l.Licensed})
}

// Full reports whether there are as many people inside as may be, or more; by a number or an estimate. Of a running performance
// whose exits are not scanned, those who came in are the most that there may be: they alone make nothing full.
func (l *Load) Full() bool { return l.last != nil && l.Inside.Known() && l.certain >= l.Licensed }

// MayBeFull reports whether there may be as many people inside as may be, or more, and Full is not known.
func (l *Load) MayBeFull() bool {
	return l.last != nil && l.Inside.Known() && l.Inside.Value >= l.Licensed && !l.Full()
}

// TooMany returns how many people more are inside than may be, not below 0; at least, where more may be inside.
func (l *Load) TooMany() figures.Figure[int] {
	if l.Full() && l.certain < l.Inside.Value {
		return figures.New(l.certain-l.Licensed, figures.Caveat{Quality: figures.LowerBound, Reasons: l.Inside.Reasons})
	}
	return figures.New(max(0, l.Inside.Value-l.Licensed), l.Inside.Caveat())
}

// atMost reports whether the people inside a performance are only known not to be more.
func (s *Show) atMost() bool {
	return slices.Contains(s.Inside.Reasons, figures.ReasonNoExits) && !s.Left.Known()
}

// certainly returns the people inside performances of whom that is not only the most.
func certainly(shows []*Show) (n int) {
	for _, s := range shows {
		if s.Inside.Known() && !s.atMost() {
			n += s.Inside.Value
		}
	}
	return n
}

// loads returns those of the building, for who sees all of it, and of the halls of the evening.
func (v *Evening) loads() (all []Load) {
	licensed := func(hall string) (int, bool) {
		set := v.Snapshot.House.InForce(record.SettingLicensed, hall, v.Day)
		if set == nil {
			return 0, false
		}
		return int(*set.Value), true
	}
	if most, ok := licensed(""); ok && v.Snapshot.Whole == nil {
		l := Load{Inside: v.House.Inside, Licensed: most}
		var peopled []*Show
		l.last, peopled = peopledIn(v.Shows, func(*Show) bool { return true })
		l.certain = certainly(peopled)
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
		var peopled []*Show
		l.last, peopled = peopledIn(v.Shows, func(s *Show) bool { return s.Event.Hall == hall })
		l.certain = certainly(peopled)
		l.Inside = sum(peopled, func(s *Show) figures.Figure[int] { return s.Inside })
		all = append(all, l)
	}
	return all
}

// peopledIn returns the performances among shows with people inside, and the last of them.
func peopledIn(shows []*Show, in func(*Show) bool) (last *Show, all []*Show) {
	for _, s := range shows {
		if in(s) && s.HasPeople() {
			last, all = s, append(all, s)
		}
	}
	return last, all
}

// LoadOf is that of a hall, of the whole building where it is empty; ok is false if the venue has
// not set how many people may be there, and where nothing is on there.
func (v *Evening) LoadOf(hall string) (l *Load, ok bool) {
	for i := range v.Loads {
		if v.Loads[i].Hall == hall {
			return &v.Loads[i], true
		}
	}
	return nil, false
}

// crowdedBuilding and crowdedHall find the performance of which people came last into the building, or into its hall, where as
// many people as may be are inside, or more.
func (v *Evening) crowdedBuilding(s *Show) []Alert {
	return v.crowded(AlertCrowdedBuilding, s, func(l *Load) bool { return l.Hall == "" && l.Full() })
}

func (v *Evening) crowdedHall(s *Show) []Alert {
	return v.crowded(AlertCrowded, s, func(l *Load) bool { return l.Hall != "" && l.Full() })
}

// maybeCrowded finds the performance of which people came last into the building or its hall, where as many people as may be
// can be inside.
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
