package evening

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// Night returns the performances of a day in order of time.
func (v *Evening) Night(day figures.Day) (shows []*Show) {
	made := map[*figures.EventFigures]*Show{}
	for _, s := range slices.Concat(v.LastNight, v.Shows) {
		made[s.EventFigures] = s
	}
	for _, e := range v.Snapshot.Events {
		if e.Date != day || day == "" {
			continue
		}
		show := made[e]
		if show == nil {
			show = v.Show(e)
		}
		shows = append(shows, show)
	}
	return shows
}

// LastFinished returns the last day, up to Day, on which a performance took place and all are finished; empty for none.
func (v *Evening) LastFinished() figures.Day {
	v.finished.once.Do(func() {
		for day := v.lastDay(v.Day.Add(1)); day != ""; day = v.lastDay(day) {
			night := v.Night(day)
			if ResultOf(night).Shows > 0 && !slices.ContainsFunc(night, func(s *Show) bool { return !s.Finished(v.Now) }) {
				v.finished.day = day
				return
			}
		}
	})
	return v.finished.day
}

// lastFinished holds the result of LastFinished, which is computed on first use.
type lastFinished struct {
	once sync.Once
	day  figures.Day
}

// lastDay returns the last day before another that has performances; empty for none.
func (v *Evening) lastDay(before figures.Day) (last figures.Day) {
	for _, e := range v.Snapshot.Events {
		if e.Date < before {
			last = max(last, e.Date)
		}
	}
	return last
}

// Finished reports whether a performance is over and nobody is inside any more, or it was called off and its curtain is past.
func (s *Show) Finished(now time.Time) bool {
	curtain := s.Hours().Curtain
	return s.Phase == Over && !s.Leaving || !s.Phase.GoesAhead() && !curtain.IsZero() && now.After(curtain)
}

// GoesOnUntil returns when the last people of a day's performances leave, at the latest: by emptyBy, and with the
// day where an end is not known. ok is false unless some of them are over and others are not finished.
func (v *Evening) GoesOnUntil(day figures.Day) (until time.Time, ok bool) {
	over, goesOn := false, false
	for _, s := range v.Night(day) {
		end := s.Hours().End
		switch {
		case s.Finished(v.Now):
		case end.IsZero():
			goesOn, until = true, figures.Later(until, v.Snapshot.Calendar.Start(day.Add(1)))
		default:
			goesOn, until = true, figures.Later(until, v.emptyBy(s.EventFigures))
		}
		over = over || s.Phase == Over
	}
	return until, over && goesOn
}

// Crowd is how many people were in the building over a day, by hall.
type Crowd struct {
	From  time.Time // of the first step; zero if nobody was scanned
	Halls []HallCrowd
	// Most is the highest number of people in the building in one minute, and MostAt the first such minute.
	// Most is Estimated if by then people left without a scan.
	Most   figures.Figure[int]
	MostAt time.Time
}

// HallCrowd is how many people were in a hall at each step of CrowdStep.
type HallCrowd struct {
	Hall   string
	Inside []int
}

// CrowdStep is the time between two numbers of a Crowd. longestCrowd is the longest time it covers: times of scans may be absurd.
const (
	CrowdStep    = 5 * time.Minute
	longestCrowd = 30 * time.Hour
)

// Crowd returns how many people were in the building while performances of one day took place: those who were scanned
// in for the first time, less those who were scanned out as far as they had not come back. After the end nobody is inside any more
// from emptyBy on; where no exits are scanned, people leave as Left says. People without a ticket are
// not in it, as nothing says when they left. Halls are in the order in which people first came.
func (v *Evening) Crowd(shows []*Show) (c Crowd) {
	shows = slices.DeleteFunc(slices.Clone(shows), func(s *Show) bool { return len(s.ArrivalMinutes) == 0 })
	if len(shows) == 0 {
		return c
	}
	step := int64(CrowdStep / time.Minute)
	first, last := int64(math.MaxInt64), int64(0)
	for _, s := range shows {
		first = min(first, s.ArrivalMinutes[0].Minute)
		last = max(last, v.emptyBy(s.EventFigures).Unix()/60, s.ArrivalMinutes[len(s.ArrivalMinutes)-1].Minute)
	}
	first -= first % step
	last = min(last, first+int64(longestCrowd/time.Minute), v.Now.Unix()/60)
	slices.SortStableFunc(shows, func(a, b *Show) int { return cmp.Compare(a.ArrivalMinutes[0].Minute, b.ArrivalMinutes[0].Minute) })
	all := make([]int, max(0, last-first)+1)
	steps := (int64(len(all)) + step - 1) / step
	for _, s := range shows {
		i := slices.IndexFunc(c.Halls, func(h HallCrowd) bool { return h.Hall == s.Event.Hall })
		if i < 0 {
			i = len(c.Halls)
			c.Halls = append(c.Halls, HallCrowd{s.Event.Hall, make([]int, steps)})
		}
		for at, n := range v.insideByMinute(s, first, int64(len(all))) {
			all[at] += n
			if int64(at)%step == 0 {
				c.Halls[i].Inside[int64(at)/step] += n
			}
		}
	}
	c.From = time.Unix(first*60, 0)
	for at, n := range all {
		if n > c.Most.Value || c.MostAt.IsZero() {
			c.Most.Value, c.MostAt = n, time.Unix((first+int64(at))*60, 0)
		}
	}
	var caveat figures.Caveat
	for _, s := range shows {
		scanned := v.exitsOf(s)
		switch after := c.MostAt.After(v.endOf(s.EventFigures)); {
		case !scanned.leaving && after:
			caveat.Add(figures.Estimated, figures.ReasonLeft)
		case s.Attendance.Value > 0 && !scanned.counted:
			caveat.Add(figures.Estimated, figures.ReasonNoExits)
		}
	}
	c.Most = figures.New(c.Most.Value, caveat)
	return c
}

// insideByMinute returns how many people were inside a performance at the end of each of n minutes.
func (v *Evening) insideByMinute(s *Show, first, n int64) []int {
	all := make([]int, n)
	add := func(minutes []figures.MinuteCount, sign int) {
		for _, m := range minutes {
			if at := max(0, m.Minute-first); at < n {
				all[at] += sign * m.Count
			}
		}
	}
	add(s.ArrivalMinutes, 1)
	add(s.DepartureMinutes, -1)
	add(s.OutMinutes, -1)
	end, empty, scanned := v.endOf(s.EventFigures), v.emptyBy(s.EventFigures), v.exitsOf(s)
	inside, atEnd := 0, 0
	for at := range all {
		inside += all[at]
		all[at] = max(0, inside)
		t := time.Unix((first+int64(at))*60, 0)
		switch past := t.Sub(end); {
		case !t.Before(empty):
			all[at] = 0
		case past <= 0:
			atEnd = all[at]
		case !scanned.leaving:
			all[at] -= model.Unscanned(all[at], max(0, atEnd-all[at]), v.gone(past).Median)
		}
	}
	return all
}

// CountedByMinute returns those of insideByMinute who are counted: nobody where people are not scanned out, and after the end
// where those who leave are not.
func (v *Evening) CountedByMinute(s *Show, first, n int64) []int {
	scanned := v.exitsOf(s)
	if !scanned.counted {
		return nil
	}
	all := v.insideByMinute(s, first, n)
	if !scanned.leaving {
		clear(all[min(n, max(0, v.endOf(s.EventFigures).Unix()/60-first)):])
	}
	return all
}

// exitsOf returns how far people are or, once everybody has left, were scanned out of a performance.
func (v *Evening) exitsOf(s *Show) exits {
	if s.HasPeople() {
		return s.exits
	}
	return v.exits(s.EventFigures)
}
