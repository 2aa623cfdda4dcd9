package compare

import (
	"cmp"
	"slices"
	"time"

	"housecount/aggregator/figures/evening"

	"housecount/aggregator/figures"
)

// Befores returns, for performances in a period, what moved in the period that it is compared with, up to the same
// point. If that is last year, it is what moved for the corresponding performance, which is the Event of its row.
// A performance without a corresponding one, or of which nothing was on sale before those days ended, has no entry, and there are no entries if those days are not all
// known.
func Befores(v *evening.Evening, c *Comparison, rows []evening.EventPeriod) map[*figures.EventFigures]evening.EventPeriod {
	if !c.Comparable() || c.KnownFrom != "" {
		return nil
	}
	all := map[*figures.EventFigures]evening.EventPeriod{}
	var lastYear map[*figures.EventFigures]*figures.EventFigures
	if c.Against == LastYear {
		lastYear = yearBefore(v, rows)
	}
	for i := range rows {
		e := rows[i].Event
		of := e
		if c.Against == LastYear {
			of = lastYear[e]
		}
		if of == nil || len(of.SaleDays) == 0 || of.SaleDays[0].Day > c.Before.To {
			continue
		}
		all[e] = evening.EventPeriod{Event: of, Flow: c.flowBefore(of.SaleDays)}
	}
	return all
}

// flowBefore returns what moved of some days in the period that c is compared with, up to the same point.
func (c *Comparison) flowBefore(days []*figures.DayFigures) (f figures.Flow) {
	for _, d := range evening.Between(days, c.Before.From, c.Before.To) {
		if d.Day == c.Before.To {
			f = f.Plus(d.UpTo(c.Before.Until.Add(-time.Minute)).Flow)
		} else {
			f = f.Plus(d.Flow)
		}
	}
	return f
}

// OnlyBefore adds to befores, of these rows, what else moved in the period that c is compared with: for performances of which nothing moved in
// this one, and without a performance. It returns rows with those that have to be added for that. Where rows have what moved for the
// corresponding performance a year before, a performance that is among them has nothing of its own.
func OnlyBefore(v *evening.Evening, c *Comparison, rows []evening.EventPeriod, befores map[*figures.EventFigures]evening.EventPeriod) []evening.EventPeriod {
	if befores == nil {
		return rows
	}
	counted, listed := map[*figures.EventFigures]bool{}, map[*figures.EventFigures]bool{}
	for _, f := range befores {
		counted[f.Event] = true
	}
	for i := range rows {
		listed[rows[i].Event] = true
	}
	add := func(e *figures.EventFigures, days []*figures.DayFigures) {
		f := c.flowBefore(days)
		if _, taken := befores[e]; taken || counted[e] || !f.Moved() || c.Against == LastYear && e != nil && listed[e] {
			return
		}
		befores[e] = evening.EventPeriod{Event: e, Flow: f}
		if listed[e] {
			return
		}
		at := len(rows)
		if listed[nil] {
			at-- // what belongs to none stays last
		}
		rows = slices.Insert(rows, at, evening.EventPeriod{Event: e})
	}
	for _, e := range v.Snapshot.Events {
		add(e, e.SaleDays)
	}
	add(nil, v.Snapshot.UnattributedDays)
	return rows
}

// aboutAYear is by how many days the distance of corresponding performances may differ from a year.
const aboutAYear = 60

// kinOf returns the keys by which performances correspond: series and title.
func kinOf(e *figures.EventFigures) (keys [][2]string) {
	if e.Date == "" {
		return nil
	}
	if e.Event.Series != "" {
		keys = append(keys, [2]string{"series", e.Event.Series})
	}
	if e.Event.Title != "" {
		keys = append(keys, [2]string{"title", e.Event.Title})
	}
	return keys
}

// yearBefore returns, for each performance of the rows, the corresponding one of about a year before: of the same
// series or else title, and not called off. Each corresponds to at most one performance: nearest by days come
// first, and of those nearest by time of day.
func yearBefore(v *evening.Evening, rows []evening.EventPeriod) map[*figures.EventFigures]*figures.EventFigures {
	kin := map[[2]string][]*figures.EventFigures{}
	var from, to figures.Day // days on which corresponding performances may have been
	for i := range rows {
		if e := rows[i].Event; e != nil {
			for _, key := range kinOf(e) {
				kin[key] = nil
				year := e.Date.Add(-7 * weeksOfYear)
				from, to = min(cmp.Or(from, year), year), max(to, year)
			}
		}
	}
	from, to = from.Add(-aboutAYear), to.Add(aboutAYear)
	for _, e := range v.Snapshot.Events {
		if e.Date < from || e.Date > to || !v.GoesAhead(e) {
			continue
		}
		for _, key := range kinOf(e) {
			if of, wanted := kin[key]; wanted {
				kin[key] = append(of, e)
			}
		}
	}
	for _, of := range kin {
		slices.SortStableFunc(of, func(a, b *figures.EventFigures) int { return cmp.Compare(a.Date, b.Date) })
	}
	type search struct {
		of   *figures.EventFigures
		year figures.Day             // the day a year before
		kin  []*figures.EventFigures // candidates of about that day, ascending
	}
	var open []search
	for i := range rows {
		e := rows[i].Event
		if e == nil {
			continue
		}
		for _, key := range kinOf(e) {
			year := e.Date.Add(-7 * weeksOfYear)
			if near := onDays(kin[key], year.Add(-aboutAYear), year.Add(aboutAYear)); len(near) > 0 {
				open = append(open, search{e, year, near})
				break
			}
		}
	}
	timeOfDay := func(e *figures.EventFigures) time.Duration { return timeOfDay(v.Snapshot, e) }
	found, taken := map[*figures.EventFigures]*figures.EventFigures{}, map[*figures.EventFigures]bool{}
	type pair struct {
		of, before *figures.EventFigures
		apart      time.Duration // difference in time of day
	}
	for far := 0; far <= aboutAYear && len(open) > 0; far++ {
		var pairs []pair
		for i := range open {
			for _, day := range slices.Compact([]figures.Day{open[i].year.Add(-far), open[i].year.Add(far)}) {
				for _, o := range onDays(open[i].kin, day, day) {
					pairs = append(pairs, pair{open[i].of, o, (timeOfDay(open[i].of) - timeOfDay(o)).Abs()})
				}
			}
		}
		slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Or(cmp.Compare(a.apart, b.apart), cmp.Compare(a.of.Date, b.of.Date)) })
		for _, p := range pairs {
			if found[p.of] == nil && !taken[p.before] {
				found[p.of], taken[p.before] = p.before, true
			}
		}
		open = slices.DeleteFunc(open, func(s search) bool { return found[s.of] != nil })
	}
	return found
}

// onDays returns the events of the days from..to; events must be ascending by day.
func onDays(events []*figures.EventFigures, from, to figures.Day) []*figures.EventFigures {
	after := func(day figures.Day) int {
		i, _ := slices.BinarySearchFunc(events, day, func(e *figures.EventFigures, day figures.Day) int { return cmp.Compare(e.Date, day) })
		return i
	}
	return events[after(from):after(to.Add(1))]
}

// timeOfDay returns how long after the beginning of its day a performance starts; 0 if that is not known.
func timeOfDay(s *figures.Snapshot, e *figures.EventFigures) time.Duration {
	if e.Event.StartsAt.IsZero() {
		return 0
	}
	return e.Event.StartsAt.Sub(s.Calendar.Start(e.Date))
}
