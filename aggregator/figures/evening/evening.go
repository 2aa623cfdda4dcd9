// Package evening reads a figures.Snapshot at a moment. It defines what depends on the time of day: the phases of performances, who
// is inside and still to come, what can still be sold and was booked today, pace, whether to hold the curtain, and what needs
// attention. Pages, screens and messages take these from here. Comparisons of days are in package compare, sales by part in
// marketing and the search for performances in search, which all stand on this one. Model, below it, knows numbers alone.
//
// It does no I/O, and the caller passes the time. An Evening is immutable and safe for concurrent use: what is
// expensive is computed once, when it is first asked for, behind a sync.Once or a mutex of its own.
//
// What the definitions leave open is decided as follows:
//
//   - A performance is on sale until its curtain or, where the service says so, half an hour longer. A postponed one
//     is not on sale. A sold-out one is, with no free places.
//   - People inside a performance that is called off leave as others do.
//   - A performance of which only the date is known lasts its day. People arrive once somebody has come in on it, and nobody
//     is inside after it. One without a date is among the shows while people were scanned for it today, and has those inside.
//   - Doors that are not due are open once 10 people are inside.
package evening

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

const (
	usualGrace = 30 * time.Minute
	// usualHalfLeft is the usual figures.Calendar.HalfLeft.
	usualHalfLeft = 6 * time.Minute
	usualSeason   = time.September
)

func grace(c figures.Calendar) time.Duration { return cmp.Or(c.Grace, usualGrace) }

// Season returns the month in which the venue's season begins.
func Season(c figures.Calendar) time.Month { return cmp.Or(c.Season, usualSeason) }

// Closed returns when the last evening before today ended: when its last performance was over and the grace after
// it had passed, but at the latest at the beginning of today; that also holds if there was no performance.
func Closed(s *figures.Snapshot, now time.Time) (at time.Time) {
	today := s.Calendar.Day(now)
	began := s.Calendar.Start(today)
	last := figures.Day("")
	for _, e := range s.Events {
		end := e.Hours().End
		if e.Date >= today || e.Date < last || end.IsZero() || e.Event.Status == record.EventCancelled {
			continue
		}
		if end = end.Add(grace(s.Calendar)); e.Date > last || end.After(at) {
			last, at = e.Date, end
		}
	}
	if at.IsZero() || at.After(began) {
		return began
	}
	return at
}

// Evening is a snapshot at a moment. Everything that depends on the time of day is defined here and nowhere else. It is immutable.
type Evening struct {
	// Now is the current minute.
	Now time.Time
	// At is the minute of the figures: the earliest of Now and the last answers about tickets and scans; zero before the first
	// answer. Rates and silences are measured up to At, because after an hour without answers a gate only seems quiet.
	At time.Time
	// Today is the current day of sale: the venue day of Now.
	Today figures.Day
	// Day is the day of the performances shown: Today, or the day before while one of its performances is running or emptying.
	Day figures.Day
	// Shows are the performances of Day in order of time, including cancelled ones. Before them are performances of earlier days
	// that are running or emptying, after them performances without a date to which somebody has come today, and those of the next
	// day that have opened their doors. One of which only the date is known is the last of its day.
	Shows []*Show
	// LastNight are the performances of the day before Day, from the beginning of Day until noon or, if that is
	// later, until the first performance of Day that goes ahead opens its doors.
	LastNight []*Show
	House     House
	// Loads are the people in the building and its halls, for which the venue has set how many are allowed.
	Loads []Load
	// Alerts are the alerts of Shows that the house has not switched off, the most important first, then the soonest performance.
	Alerts []Alert

	Snapshot       *figures.Snapshot
	standing       []Alert // Alerts with what the house has switched off
	history        *history
	reconciling    *reconciling
	rules          []*alertRule // the rules of alerts of performances
	otherDayAlerts *otherDayAlerts
	returned       *returned
	paces          *paces
	finished       *lastFinished
}

// heldFor is how long into a new day the previous evening is still shown while it has not ended.
const heldFor = 6 * time.Hour

// mostEarly is how long before its curtain a performance of the next day may have opened its doors: a time that is reported
// farther away is a mistake.
const mostEarly = 6 * time.Hour

// At returns the evening of a snapshot at a moment.
func At(s *figures.Snapshot, now time.Time) *Evening { return After(s, nil, now) }

// After is At with a previous Evening, of any moment and of a snapshot with the same halls, nil for none: performances that
// have not changed share their Show.
func After(s *figures.Snapshot, last *Evening, now time.Time) *Evening {
	v := &Evening{Now: now.Truncate(time.Minute), Snapshot: s, paces: new(paces), reconciling: new(reconciling), otherDayAlerts: new(otherDayAlerts), returned: new(returned), finished: new(lastFinished)}
	v.rules = rulesOf(v)
	v.At = MinuteOfFigures(s, v.Now)
	v.Today = s.Calendar.Day(v.Now)
	v.Day = v.Today
	before := v.Today.Add(-1)
	held := v.Now.Before(s.Calendar.Start(v.Today).Add(heldFor))
	var made map[*figures.EventFigures]*Show
	if last == nil {
		v.history = newHistory(nil)
	} else if changed, few := v.Snapshot.ChangedPast(last.Snapshot, v.Today, mostChanged); !few || !v.sameHouse(last) {
		v.history = newHistory(last.history)
	} else if v.history = last.history.after(v.Now); len(changed) > 0 {
		v.history = v.history.without(changed, v)
	} else {
		v.paces, made = last.paces.after(v.Now), v.reusableShows(last)
	}
	v.history.made.Drop(v.whole(), v.Today)
	v.otherDayAlerts.before = made
	showOf := func(e *figures.EventFigures) *Show {
		if show, ok := made[e]; ok && show.Held.Equal(v.heldTo(e)) {
			return show
		}
		return v.Show(e)
	}
	var lasting, today, early []*Show
	for _, e := range s.Events {
		switch {
		case e.Date == before:
			show := showOf(e)
			v.LastNight = append(v.LastNight, show)
			if show.HasPeople() {
				lasting = append(lasting, show)
				if held {
					v.Day = before
				}
			}
		case e.Date == v.Today, e.Date == "" && v.phase(e).Open():
			today = append(today, showOf(e))
		case e.Date == v.Today.Add(1) && v.isEarly(e):
			if show := showOf(e); show.Phase.GoesAhead() || show.HasPeople() {
				early = append(early, show)
			}
		case e.Date < before && v.reaches(e):
			if show := showOf(e); show.HasPeople() {
				lasting = append(lasting, show)
			}
		}
	}
	if v.Day == before {
		lasting = slices.DeleteFunc(lasting, func(show *Show) bool { return show.Date == before })
		today = slices.DeleteFunc(today, func(show *Show) bool { return !show.HasPeople() })
		v.Shows, v.LastNight = slices.Concat(lasting, v.LastNight, today), nil
	} else {
		v.Shows = slices.Concat(lasting, today, early)
		if v.Afternoon() && slices.ContainsFunc(today, (*Show).hasOpened) {
			v.LastNight = nil
		}
	}
	v.House = v.HouseOf(v.Shows)
	if v.Loads = v.loads(); slices.ContainsFunc(v.Shows, func(s *Show) bool { return s.Phase == Running && v.EntryTo(s) == EntryStopped }) {
		v.House = v.HouseOf(v.Shows) // who is late where it is full finds no room
	}
	v.standing = v.alerts(v.Shows, ofEvening)
	v.Alerts = v.shown(v.standing)
	return v
}

// isEarly reports whether a performance, of the next day, has opened its doors.
func (v *Evening) isEarly(e *figures.EventFigures) bool {
	h := e.Hours()
	return !h.Doors.IsZero() && !v.Now.Before(h.Doors) && h.Curtain.Sub(v.Now) <= mostEarly
}

// sameHouse reports whether the day and the settings are the same as for another evening, so that what was usual there is usual
// for v as far as past performances are the same.
func (v *Evening) sameHouse(last *Evening) bool {
	return v.Today == last.Today && v.Snapshot.Unread() == last.Snapshot.Unread() && !v.Now.Before(last.Now) && v.Snapshot.Calendar == last.Snapshot.Calendar &&
		v.Snapshot.House == last.Snapshot.House
}

// reusableShows returns the shows of the previous evening that are still valid, by their figures. A Show depends
// on the figures of its performance, the moment, and what is usual.
func (v *Evening) reusableShows(last *Evening) map[*figures.EventFigures]*Show {
	if !v.Now.Equal(last.Now) || !v.At.Equal(last.At) || v.history != last.history || !slices.Equal(v.rules, last.rules) {
		return nil
	}
	made := make(map[*figures.EventFigures]*Show, len(last.Shows)+len(last.LastNight))
	all := [][]*Show{last.Shows, last.LastNight}
	if others := last.otherDayAlerts.shows.Load(); others != nil {
		all = append(all, *others)
	}
	for _, shows := range all {
		for _, show := range shows {
			made[show.EventFigures] = show
		}
	}
	return made
}

// HasPeople reports whether people come in, are inside, or are on their way out.
func (s *Show) HasPeople() bool { return s.Phase.Open() || s.Leaving }

// hasOpened reports whether a performance goes ahead and has opened its doors.
func (s *Show) hasOpened() bool { return s.Phase.GoesAhead() && s.Phase != Before }

// Afternoon reports whether it is noon or later on the date of the running day.
func (v *Evening) Afternoon() bool { return !v.Now.Before(noon(v.Snapshot.Calendar, v.Today)) }

// reaches reports whether a performance, or the grace after it, has not ended.
func (v *Evening) reaches(e *figures.EventFigures) bool {
	end := e.Hours().End
	return !end.IsZero() && v.Now.Before(end.Add(grace(v.Snapshot.Calendar)))
}

// MinuteOfFigures returns what Evening.At would be at a moment.
func MinuteOfFigures(s *figures.Snapshot, now time.Time) time.Time {
	at, asked := now, false
	for h := range s.Health.Asked() {
		if h.Gives(record.KindTicket, record.KindScan) {
			asked = true
			at = figures.Earlier(at, cmp.Or(h.LastGood, s.AsOf))
		}
	}
	if !asked {
		at = figures.Earlier(at, s.AsOf)
	}
	return at.Truncate(time.Minute)
}

// AfterMinute returns the end of the minute of the figures. Counts and sums of sales end there, because the page shows all
// that has been read; rates end before that minute, which has only begun.
func AfterMinute(at time.Time) time.Time { return at.Add(time.Minute) }

// noon returns twelve o'clock on a day.
func noon(c figures.Calendar, d figures.Day) time.Time {
	n, _ := d.Number()
	return time.Unix(c.Moment(int64(n)*figures.DaySeconds+12*60*60), 0)
}

// LastEnd returns when the last performance of the evening that goes ahead ends; zero if none does.
func (v *Evening) LastEnd() (last time.Time) {
	for _, s := range v.Shows {
		if end := s.Hours().End; s.Phase.GoesAhead() && end.After(last) {
			last = end
		}
	}
	return last
}

// Next yields the performances after those of Day that are not among Shows, ordered by curtain, including
// cancelled and postponed ones.
func (v *Evening) Next() iter.Seq[*Show] {
	return func(yield func(*Show) bool) {
		for _, e := range v.Snapshot.Events {
			if e.Date > v.Day && !v.shows(e) && !yield(v.Show(e)) {
				return
			}
		}
	}
}

// shows reports whether a performance is among Shows.
func (v *Evening) shows(e *figures.EventFigures) bool {
	return slices.ContainsFunc(v.Shows, func(s *Show) bool { return s.EventFigures == e })
}

// quietSale is how long an event must be unchanged before its places have to add up.
const quietSale = 2 * time.Minute

// Findings returns the snapshot's diagnostics, except those of events whose places do not add up while they are
// being sold. The places left and the places sold come from two lists that are read at different moments.
func (v *Evening) Findings() []figures.Diagnostic {
	changes := func(d figures.Diagnostic) bool {
		if d.Code != figures.CodePartition {
			return false
		}
		e := v.Snapshot.Event(d.ID)
		return e != nil && v.selling(e)
	}
	return slices.DeleteFunc(slices.Clone(v.Snapshot.Diagnostics), changes)
}

// selling reports whether an event has just changed or sold something. Records dated in the future do not count.
func (v *Evening) selling(e *figures.EventFigures) bool {
	since := v.At.Add(-quietSale)
	return e.Event.UpdatedAt.After(since) && !e.Event.UpdatedAt.After(v.Now) || v.lastSale(e).After(since)
}
