package programme

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Condition is in which minutes a view has a turn: those in which all of it holds. The zero value always
// holds.
type Condition struct {
	// Days are the days of the venue's week, as Monday is 1 and Sunday 7; all where empty.
	Days []int `json:"days,omitzero"`
	// From and To are when it begins and ends on each day; the day's own beginning and end where
	// empty. Where the one is a time of day after the other, which it also is, it holds over
	// midnight.
	From Moment `json:"from,omitzero"`
	To   Moment `json:"to,omitzero"`
	// Phase is what a performance is in.
	Phase Phase `json:"phase,omitzero"`
	// Hall is where those performances are that Phase, From, To, FewLeft and Alert are about;
	// anywhere where empty.
	Hall string `json:"hall,omitzero"`
	// FewLeft is true if a performance whose curtain is to come is nearly sold out.
	FewLeft bool `json:"few_left,omitzero"`
	// Alert is true if something needs attention that nobody has seen.
	Alert bool `json:"alert,omitzero"`
}

// Moment is a moment of a day: a time such as 10:30, or one of those below.
type Moment string

// The moments that the day's performances give. A day without performances has none of them:
// nothing begins with them then, and what would end with them goes on.
const (
	FirstDoors  Moment = "first_doors"
	LastCurtain Moment = "last_curtain"
	LastEnd     Moment = "last_end"
)

// Phase is what a performance is in.
type Phase string

// The phases.
const (
	Arriving Phase = "arriving" // from doors to curtain
	Running  Phase = "running"  // from curtain to the end
	Interval Phase = "interval" // its interval, where one is reported
	InUse    Phase = "in_use"   // from doors to the end, and on while people are leaving
)

// clock returns the minute of the day of a time such as 10:30; false for another moment.
func (m Moment) clock() (minute int, ok bool) {
	if len(m) != 5 || m[2] != ':' {
		return 0, false
	}
	for _, i := range []int{0, 1, 3, 4} {
		if m[i] < '0' || m[i] > '9' {
			return 0, false
		}
	}
	h, min := int(m[0]-'0')*10+int(m[1]-'0'), int(m[3]-'0')*10+int(m[4]-'0')
	return h*60 + min, h < 24 && min < 60
}

// day is a venue day, minute by minute, and what conditions ask of it.
type day struct {
	snapshot *figures.Snapshot
	now      time.Time
	start    time.Time
	weekday  int
	cutoff   int
	// wall is the time of day of each minute, in minutes by the wall clock.
	wall []int
	// shows are the performances that may be on in the day and are not called off.
	shows   []show
	evening *evening.Evening // of now; nil until a condition needs it
}

// show is a performance. Its times are minutes from the beginning of the day, before it less
// than 0.
type show struct {
	*figures.EventFigures
	doors, curtain, end int
	pause, resume       int  // its interval; the same where it has none
	today               bool // it belongs to the day
}

func newDay(s *figures.Snapshot, now time.Time) *day {
	name := s.Calendar.Day(now)
	d := &day{snapshot: s, now: now, start: s.Calendar.Start(name), cutoff: int(s.Calendar.Cutoff / time.Minute)}
	if date, err := time.Parse(time.DateOnly, string(name)); err == nil {
		d.weekday = (int(date.Weekday())+6)%7 + 1
	}
	zone := s.Calendar.Zone
	if zone == nil {
		zone = time.UTC
	}
	next := s.Calendar.Start(name.Add(1))
	for t := d.start; t.Before(next); t = t.Add(time.Minute) {
		local := t.In(zone)
		d.wall = append(d.wall, local.Hour()*60+local.Minute())
	}
	for _, e := range s.Events {
		h := e.Hours()
		if h.Curtain.IsZero() || h.End.Before(d.start) && e.Date != name || h.Doors.After(next) && e.Date != name {
			continue
		}
		switch e.Event.Status {
		case record.EventCancelled, record.EventPostponed, record.EventDraft:
			continue
		}
		one := show{EventFigures: e, doors: d.minute(h.Doors), curtain: d.minute(h.Curtain), end: d.minute(h.End), today: e.Date == name}
		if from, to, ok := e.Interval(); ok {
			one.pause, one.resume = d.minute(from), d.minute(to)
		}
		d.shows = append(d.shows, one)
	}
	return d
}

// minute returns a moment in minutes from the beginning of the day.
func (d *day) minute(t time.Time) int {
	return int(t.Truncate(time.Minute).Sub(d.start) / time.Minute)
}

// at returns the moment of a minute.
func (d *day) at(minute int) time.Time { return d.start.Add(time.Duration(minute) * time.Minute) }

// leaving reports whether the performance is over and its people are on their way out, now.
func (s *show) leaving(d *day) bool {
	return s.PresentNow.Value > 0 && (s.end <= d.minute(d.now) || s.Event.Status == record.EventEnded) && d.atNow().Show(s.EventFigures).Leaving
}

func (d *day) atNow() *evening.Evening {
	if d.evening == nil {
		d.evening = evening.At(d.snapshot, d.now)
	}
	return d.evening
}

// holds returns for each minute of a day whether a condition holds.
func (c Condition) holds(d *day) []bool {
	holds := make([]bool, len(d.wall))
	if len(c.Days) > 0 && !slices.Contains(c.Days, d.weekday) || c.Alert && !c.alerted(d) {
		return holds
	}
	for minute := range holds {
		holds[minute] = true
	}
	c.bound(d, holds)
	if c.Phase != "" {
		c.only(d, holds, func(s *show) (from, to int) {
			switch {
			case c.Phase == InUse && s.leaving(d):
				return s.doors, d.minute(d.now) + 1
			case s.Event.Status == record.EventEnded:
				return 0, 0
			case c.Phase == Arriving:
				return s.doors, s.curtain
			case c.Phase == Running:
				return s.curtain, s.end
			case c.Phase == Interval:
				return s.pause, s.resume
			}
			return s.doors, s.end
		})
	}
	if c.FewLeft {
		c.only(d, holds, func(s *show) (from, to int) {
			if s.today && d.atNow().Show(s.EventFigures).FewLeft() {
				return 0, s.curtain
			}
			return 0, 0
		})
	}
	return holds
}

// only leaves those minutes that are within the hours of a performance of the hall.
func (c Condition) only(d *day, holds []bool, hours func(*show) (from, to int)) {
	within := make([]bool, len(holds))
	for i := range d.shows {
		if s := &d.shows[i]; c.Hall == "" || s.Event.Hall == c.Hall {
			from, to := hours(s)
			for minute := max(0, from); minute < min(to, len(within)); minute++ {
				within[minute] = true
			}
		}
	}
	for minute := range holds {
		holds[minute] = holds[minute] && within[minute]
	}
}

// bound leaves those minutes that are not before From, and before To.
func (c Condition) bound(d *day, holds []bool) {
	from, fromClock := c.From.clock()
	to, toClock := c.To.clock()
	first, begins := c.of(d, c.From)
	last, ends := c.of(d, c.To)
	// Times of day are compared within the venue's day, which may end after midnight.
	into := func(minute int) int { return (minute - d.cutoff + 24*60) % (24 * 60) }
	for minute, wall := range d.wall {
		in := true
		switch {
		case fromClock && toClock:
			in = between(from, to, wall)
		default:
			if fromClock {
				in = into(wall) >= into(from)
			} else if c.From != "" {
				in = begins && minute >= first
			}
			if toClock {
				in = in && into(wall) < into(to)
			} else if c.To != "" {
				in = in && (!ends || minute < last)
			}
		}
		holds[minute] = holds[minute] && in
	}
}

// of returns a moment that the day's performances give, as a minute of it; false if they give none.
func (c Condition) of(d *day, moment Moment) (at int, ok bool) {
	for _, s := range d.shows {
		if !s.today || c.Hall != "" && s.Event.Hall != c.Hall {
			continue
		}
		switch {
		case moment == FirstDoors && (!ok || s.doors < at):
			at, ok = s.doors, true
		case moment == LastCurtain && (!ok || s.curtain > at):
			at, ok = s.curtain, true
		case moment == LastEnd && (!ok || s.end > at):
			at, ok = s.end, true
		}
	}
	return at, ok
}

// alerted reports whether something needs attention now that nobody has seen. Information and money do not
// count.
func (c Condition) alerted(d *day) bool {
	return slices.ContainsFunc(d.atNow().Alerts, func(a evening.Alert) bool {
		return a.Seen == nil && a.Level != evening.Info && a.Sees() != evening.SeesMoney && (c.Hall == "" || a.Show().Event.Hall == c.Hall)
	})
}
