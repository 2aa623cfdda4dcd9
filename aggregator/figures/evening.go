package figures

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Event returns the figures of one event, nil when there are none.
func (s *Snapshot) Event(id string) *EventFigures {
	for _, e := range s.Events {
		if e.Event.ID == id {
			return e
		}
	}
	return nil
}

// Evening is a snapshot at a moment, as every page shows it: what depends on the time of day is
// defined here and nowhere else. It is immutable.
type Evening struct {
	// Now is the minute that is shown.
	Now time.Time
	// At is the minute of the figures: the earliest of Now and the last answers about tickets
	// and scans. Rates and silences are measured there, because after an hour without answers
	// it is not the gates that are quiet. It is zero before the first answer.
	At time.Time
	// Today is the running day of sale: the venue day of Now.
	Today Day
	// Day is the day of the performances that are shown: Today, or the day before for as long
	// as one of its performances runs or empties.
	Day Day
	// Shows are the performances of Day in the order of time, cancelled ones among them; before
	// them those of any day before that run or empty, and after them those of the day after that
	// have opened their doors.
	Shows []*Show
	// LastNight are the performances of the day before Day, from its beginning until noon, and then until the first
	// performance of Day that goes ahead opens its doors.
	LastNight []*Show
	House     House
	// Loads are how full the building and its halls are, of those for which the venue has set how many
	// people may be there.
	Loads []Load
	// Alerts are what needs attention in Shows, the worst first, then the soonest performance.
	Alerts []Alert

	snapshot    *Snapshot
	history     *history
	reconciling *reconciling
	elsewhen    *elsewhen
	returned    *returned
	paces       *paces
}

// heldFor is how far into a new day the evening before stays while it has not ended.
const heldFor = 6 * time.Hour

// Evening returns the snapshot at a moment.
func (s *Snapshot) Evening(now time.Time) *Evening { return s.EveningAfter(nil, now) }

// EveningAfter is Evening for who has one already, of whatever snapshot and moment, nil for none:
// performances that are the same in both share their Show.
func (s *Snapshot) EveningAfter(last *Evening, now time.Time) *Evening {
	v := &Evening{Now: now.Truncate(time.Minute), snapshot: s, history: new(history), paces: new(paces), reconciling: new(reconciling), elsewhen: new(elsewhen), returned: new(returned)}
	v.At = s.MinuteOfFigures(v.Now)
	v.Today = s.Calendar.Day(v.Now)
	v.Day = v.Today
	before := v.Today.Add(-1)
	held := v.Now.Before(s.Calendar.Start(v.Today).Add(heldFor))
	var made map[*EventFigures]*Show
	if last != nil && v.goesOn(last) {
		v.history, v.paces = last.history.after(v.Now), last.paces.after(v.Now)
		made = v.takeOver(last)
	}
	v.elsewhen.before = made
	showOf := func(e *EventFigures) *Show {
		if show, ok := made[e]; ok {
			return show
		}
		return v.Show(e)
	}
	var lasting, today []*Show
	for _, e := range s.Events {
		switch {
		case e.Date == before:
			show := showOf(e)
			v.LastNight = append(v.LastNight, show)
			if show.peopled() {
				lasting = append(lasting, show)
				if held {
					v.Day = before
				}
			}
		case e.Date == v.Today:
			today = append(today, showOf(e))
		case e.Date < before && v.reaches(e):
			if show := showOf(e); show.peopled() {
				lasting = append(lasting, show)
			}
		}
	}
	if v.Day == before {
		lasting = slices.DeleteFunc(lasting, func(show *Show) bool { return show.Date == before })
		today = slices.DeleteFunc(today, func(show *Show) bool { return !show.peopled() })
		v.Shows, v.LastNight = slices.Concat(lasting, v.LastNight, today), nil
	} else {
		v.Shows = slices.Concat(lasting, today)
		if v.Afternoon() && slices.ContainsFunc(today, (*Show).begun) {
			v.LastNight = nil
		}
	}
	v.House = v.HouseOf(v.Shows)
	v.Loads = v.loads()
	v.Alerts = v.alerts(v.Shows, true)
	return v
}

// goesOn says that what is usual at another evening is so at v too, for as long as no other performance
// is over, and so is what the venue has set.
func (v *Evening) goesOn(last *Evening) bool {
	return v.Today == last.Today && !v.Now.Before(last.Now) && v.snapshot.Calendar == last.snapshot.Calendar &&
		v.snapshot.settings == last.snapshot.settings && v.snapshot.SamePast(last.snapshot, v.Today)
}

// takeOver returns the shows of an evening that goes on in v that are the same there, by their figures. A
// Show is made of the figures of its performance, the moment, and what is usual.
func (v *Evening) takeOver(last *Evening) map[*EventFigures]*Show {
	if !v.Now.Equal(last.Now) || !v.At.Equal(last.At) || v.history != last.history {
		return nil
	}
	made := make(map[*EventFigures]*Show, len(last.Shows)+len(last.LastNight))
	all := [][]*Show{last.Shows, last.LastNight}
	if others := last.elsewhen.shows.Load(); others != nil {
		all = append(all, *others)
	}
	for _, shows := range all {
		for _, show := range shows {
			made[show.EventFigures] = show
		}
	}
	return made
}

// SamePast reports whether both have the same performances of days before today, of which comes
// what is usual, in the whole house. It is false where any performance was added or has gone.
func (s *Snapshot) SamePast(o *Snapshot, today Day) bool {
	a, b := cmp.Or(s.whole, s).Events, cmp.Or(o.whole, o).Events
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (a[i].Date < today || b[i].Date < today) {
			return false
		}
	}
	return true
}

// peopled says that people come in, are inside, or are on their way out.
func (s *Show) peopled() bool { return s.Phase.Open() || s.Leaving }

// begun says that a performance goes ahead and has opened its doors.
func (s *Show) begun() bool { return s.Phase.GoesAhead() && s.Phase != Before }

// Afternoon says that it is noon or later on the date of the running day.
func (v *Evening) Afternoon() bool { return !v.Now.Before(v.snapshot.Calendar.noon(v.Today)) }

// reaches says that the hours of a performance, or the grace after them, are not past.
func (v *Evening) reaches(e *EventFigures) bool {
	end := e.Hours().End
	return !end.IsZero() && v.Now.Before(end.Add(v.snapshot.Calendar.grace()))
}

// MinuteOfFigures is Evening.At of a moment, without the evening.
func (s *Snapshot) MinuteOfFigures(now time.Time) time.Time {
	at, asked := now, false
	for h := range s.Health.Asked() {
		if h.Gives(record.KindTicket, record.KindScan) {
			asked = true
			at = earlier(at, cmp.Or(h.LastGood, s.AsOf))
		}
	}
	if !asked {
		at = earlier(at, s.AsOf)
	}
	return at.Truncate(time.Minute)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// noon is twelve o'clock on the date of a day.
func (c Calendar) noon(d Day) time.Time {
	n, _ := d.number()
	return time.Unix(c.moment(int64(n)*daySeconds+12*60*60), 0)
}

// LastEnd is when the last performance of the evening that goes ahead ends; zero where none does.
func (v *Evening) LastEnd() (last time.Time) {
	for _, s := range v.Shows {
		if end := s.Hours().End; s.Phase.GoesAhead() && end.After(last) {
			last = end
		}
	}
	return last
}

// Next yields the performances after those of Day that are not among Shows, ordered by curtain.
// Those that are cancelled or postponed are among them: their phase says so.
func (v *Evening) Next() iter.Seq[*Show] {
	return func(yield func(*Show) bool) {
		for _, e := range v.snapshot.Events {
			if e.Date > v.Day && !v.shows(e) && !yield(v.Show(e)) {
				return
			}
		}
	}
}

// shows says that a performance is among Shows.
func (v *Evening) shows(e *EventFigures) bool {
	return slices.ContainsFunc(v.Shows, func(s *Show) bool { return s.EventFigures == e })
}

// quietSale is how long an event must not have changed before its places have to add up.
const quietSale = 2 * time.Minute

// Findings are the snapshot's diagnostics without those of events whose places do not add up
// while they are being sold: what is left and what is sold are reported by two lists, read at
// different moments.
func (v *Evening) Findings() []Diagnostic {
	changes := func(d Diagnostic) bool {
		if d.Code != CodePartition {
			return false
		}
		e := v.snapshot.Event(d.ID)
		return e != nil && v.selling(e)
	}
	return slices.DeleteFunc(slices.Clone(v.snapshot.Diagnostics), changes)
}

// selling says that an event changes or is being sold.
func (v *Evening) selling(e *EventFigures) bool {
	since := v.At.Add(-quietSale)
	return e.Event.UpdatedAt.After(since) || e.lastSale().After(since)
}
