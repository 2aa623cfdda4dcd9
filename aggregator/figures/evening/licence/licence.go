// Package licence finds when more people were in a hall, or in the building, than are allowed there. It is pure, and says so only
// of people who were counted: an upper bound passes nothing.
package licence

import (
	"cmp"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Passed is a time in which more people were in a place than are allowed.
type Passed struct {
	Hall string // empty for the building
	// Most is the highest number of people inside, and MostAt the first minute with it; it is a LowerBound where some were not
	// counted. Licensed is how many are allowed.
	Most     figures.Figure[int]
	MostAt   time.Time
	Licensed int
	From, To time.Time // the first minute, and the one after the last; To is zero while it goes on
	First    int       // people inside in the minute From
}

// TooMany returns how many more people than are allowed were inside at most.
func (p *Passed) TooMany() figures.Figure[int] {
	return figures.New(p.Most.Value-p.Licensed, p.Most.Caveat())
}

const (
	// longest is how long after the first visitor it is followed: times of scans may be absurd.
	longest = 30 * time.Hour
	// apart is for how long no more are inside than are allowed before it is passed again, and not still.
	apart = 15 * time.Minute
)

// Of returns when the performances of a day had more people inside than are allowed on it, in the halls and, for viewers of the whole
// house, in the building; in order of time. A time in which that was so again within apart is one.
func Of(v *evening.Evening, shows []*evening.Show) (all []Passed) {
	first := int64(0)
	for _, s := range shows {
		if len(s.ArrivalMinutes) > 0 && (first == 0 || s.ArrivalMinutes[0].Minute < first) {
			first = s.ArrivalMinutes[0].Minute
		}
	}
	now := v.Now.Unix() / 60
	if first == 0 || first > now {
		return nil
	}
	places := map[string]*place{}
	for _, s := range shows {
		for _, hall := range slices.Compact([]string{s.Event.Hall, ""}) {
			if most, set := v.Licensed(hall, s.Date); set && (hall != "" || v.Snapshot.Whole == nil) {
				if places[hall] == nil {
					places[hall] = &place{Passed: Passed{Hall: hall, Licensed: most}}
				}
				places[hall].shows = append(places[hall].shows, s)
				places[hall].came += figures.Total(s.ArrivalMinutes)
			}
		}
	}
	for _, p := range places {
		if p.came <= p.Licensed {
			continue // as many were never inside, and nothing has to be counted by minute
		}
		for _, s := range p.shows {
			p.add(s, v.CountedByMinute(s, first, min(now-first+1, int64(longest/time.Minute))))
		}
		all = append(all, p.passed(first, now)...)
	}
	slices.SortFunc(all, func(x, y Passed) int { return cmp.Or(x.From.Compare(y.From), cmp.Compare(x.Hall, y.Hall)) })
	return all
}

// Since returns the time, still going on, in which more people are in a hall than are allowed, or in the building if hall is empty; nil for
// none, and where people are not counted by minute.
func Since(v *evening.Evening, hall string) *Passed {
	all := Of(v, v.Shows)
	for i := range all {
		if all[i].Hall == hall && all[i].To.IsZero() {
			return &all[i]
		}
	}
	return nil
}

// MoreCame returns since when more people are in a place than are allowed, as Since returns it, how many too many they were
// in that minute, and how many visitors came in after it; zero if no more are, if that is not known, and once nobody has come in for apart.
func MoreCame(v *evening.Evening, p *Passed) (since time.Time, first, n int) {
	if p == nil {
		return time.Time{}, 0, 0
	}
	since, first = p.From, p.First-p.Licensed
	lately := false
	for _, s := range v.Shows {
		if p.Hall == "" || s.Event.Hall == p.Hall {
			came := s.ArrivalMinutes[figures.IndexOf(s.ArrivalMinutes, figures.StampOf(since).Minute()+1):]
			n += figures.Total(came)
			lately = lately || figures.Total(came[figures.IndexOf(came, figures.StampOf(v.At.Add(-apart)).Minute()):]) > 0
		}
	}
	if !lately {
		return time.Time{}, 0, 0
	}
	return since, first, n
}

// place is a hall, or the building, with the people counted in it by minute.
type place struct {
	Passed
	shows  []*evening.Show
	came   int // in all
	inside []int
	caveat figures.Caveat
}

// add adds the people of a performance; counted is nil if they were not counted.
func (p *place) add(s *evening.Show, counted []int) {
	p.inside = append(p.inside, make([]int, max(0, len(counted)-len(p.inside)))...)
	for i, n := range counted {
		p.inside[i] += n
	}
	if counted == nil && s.Attendance.Known() && s.Attendance.Value > 0 {
		p.caveat.Add(figures.LowerBound, figures.ReasonNoExits)
	}
	if s.WalkedIn() > 0 {
		p.caveat.Add(figures.LowerBound, figures.ReasonWalkIns)
	}
}

// passed returns the times in which more people than are allowed were in the place, of minutes from first on.
func (p *place) passed(first, now int64) (all []Passed) {
	at := func(i int) time.Time { return time.Unix((first+int64(i))*60, 0) }
	for i, n := range p.inside {
		if n <= p.Licensed {
			continue
		}
		if last := len(all) - 1; last < 0 || at(i).Sub(all[last].To) > apart {
			one := p.Passed
			one.From, one.First = at(i), n
			all = append(all, one)
		}
		one := &all[len(all)-1]
		if one.To = at(i + 1); n > one.Most.Value {
			one.Most, one.MostAt = figures.New(n, p.caveat), at(i)
		}
	}
	if last := len(all) - 1; last >= 0 && all[last].To.Unix()/60 > now {
		all[last].To = time.Time{}
	}
	return all
}

// AddMost adds the highest number of people in the building while shows, those of the result, took place, and how many were
// allowed on their day: in the building or, where all were in one hall, in that, whichever is less.
func AddMost(v *evening.Evening, r *evening.Result, c *evening.Crowd) {
	if !c.MostAt.IsZero() {
		r.Most = c.Most
	}
	allow := func(hall string) {
		if most, set := v.Licensed(hall, r.Day); set && (!r.Licensed.Known() || most < r.Licensed.Value) {
			r.Licensed = figures.Figure[int]{Value: most}
		}
	}
	if v.Snapshot.Whole == nil {
		allow("")
	}
	if len(c.Halls) == 1 && c.Halls[0].Hall != "" {
		allow(c.Halls[0].Hall)
	}
}

// SoldSince returns how many places of a performance with too many sold were sold since somebody took its alert on or else, on its
// evening, since the minute in which it was raised; zero where neither is known.
func SoldSince(v *evening.Evening, a *evening.Alert) (since time.Time, n int) {
	s := a.Show()
	if taken := v.TakenBy(a); taken != nil {
		since, sold := taken.Last()
		return since, s.Sold.Value - sold
	}
	if since = v.Began(a); since.Before(v.Snapshot.Calendar.Start(v.Day)) {
		return time.Time{}, 0
	}
	sold := s.SoldMinutes[:figures.IndexOf(s.SoldMinutes, figures.StampOf(v.At).Minute()+1)]
	return since, figures.Total(sold[figures.IndexOf(sold, figures.StampOf(since).Minute()+1):])
}

// TooManyAt returns how many more people than are allowed are in the hall of a performance or in the building, whichever is more.
func TooManyAt(v *evening.Evening, s *evening.Show) (most figures.Figure[int]) {
	for i := range v.Loads {
		if l := &v.Loads[i]; (l.Hall == "" || l.Hall == s.Event.Hall) && l.Full() && l.TooMany().Value > most.Value {
			most = l.TooMany()
		}
	}
	return most
}

// FullAbout returns about when as many people are in a hall, or in the building, as are allowed: as its visitors are expected to come, to
// five minutes, or to the minute where it is soon at the rate of now, whichever is earlier; zero if that many do not come by
// the forecast, or nothing is forecast.
func FullAbout(v *evening.Evening, l *evening.Load) (about time.Time) {
	if about = l.FullAt(); l.Left().Value <= 0 || l.Left().Quality != figures.Exact {
		return about
	}
	ahead := fullAhead(v, l)
	switch {
	case ahead.IsZero():
		return about
	case about.IsZero():
		return figures.Later(ahead.Truncate(5*time.Minute), evening.AfterMinute(v.At))
	}
	return figures.Earlier(about, ahead)
}

// soon is how far ahead of the figures no minute is said any more: it moved by more than was left until then.
const soon = 6 * time.Minute

// Soon reports whether a place that is full about a time, as FullAbout returns it, may be so any minute.
func Soon(v *evening.Evening, about time.Time) bool { return !about.IsZero() && about.Sub(v.At) < soon }

// fullAhead returns the minute by which as many more are expected in a place as may enter it; zero where they are not.
func fullAhead(v *evening.Evening, l *evening.Load) time.Time {
	type course struct {
		points   []evening.ArrivalPoint
		expected float64
		came     int
	}
	var all []course
	until := v.At
	for _, s := range v.Shows {
		if s.Phase != evening.Arriving || l.Hall != "" && s.Event.Hall != l.Hall {
			continue
		}
		if points := v.Arrivals(s).Points; len(points) > 0 && points[len(points)-1].Ahead >= 0 {
			all = append(all, course{points, float64(s.Expected.Value), s.Arrived.Value})
			until = figures.Later(until, points[len(points)-1].At)
		}
	}
	for at := evening.AfterMinute(v.At); !at.After(until); at = at.Add(time.Minute) {
		more := 0
		for _, c := range all {
			i := int(at.Sub(c.points[0].At) / time.Minute)
			if p := c.points[min(max(0, i), len(c.points)-1)]; p.Ahead >= 0 {
				more += max(0, int(p.Ahead*c.expected)-c.came)
			}
		}
		if more >= l.Left().Value {
			return at
		}
	}
	return time.Time{}
}
