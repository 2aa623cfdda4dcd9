package evening

import (
	"slices"
	"time"
)

// When a hall, or the building, is nearly full.
const (
	// nearlyFullFrom is the percentage of the people allowed from which it is nearly full, and nearlyFullBelow the one below
	// which it no longer is: people who go out and come in again do not raise the alert each time.
	nearlyFullFrom  = 90
	nearlyFullBelow = 87
	// It fills up, however many are inside, if at the rate of the last fillRateOver the people allowed are reached within fillsWithin, and no longer does
	// if that takes longer than fillsNoMore.
	fillRateOver = 5 * time.Minute
	// rushRateOver is the time of the rate by which it is full, where that is higher, in the first minutes.
	rushRateOver = 2 * time.Minute
	// fullTrend is how much of a trend goes on, and fullChance how much a number varies by chance, in the square. fullStands is by how much the time at which it is full may be off at least before another
	// is said, and fullOff by what part of the time until then.
	fullTrend  = .35
	fullChance = 2.5
	fullStands = 90 * time.Second
	// burstSure is by how much the last minutes are above the rate where that is no chance: two times what a number varies by, in the square.
	burstSure   = 4
	fullOff     = .25
	fillsWithin = 10 * time.Minute
	fillsNoMore = 20 * time.Minute
)

// filling is whether a hall, or the building, is nearly full while people may come in, and whether it is urgent: more people are
// to come, or out, than may enter and, at the present rate, the people allowed are soon reached; and since when either is.
type filling struct {
	near, urgent       bool
	since, urgentSince time.Time
	full               time.Time // when it is full at the present rate, while it is urgent
	wasFull            bool      // as many were inside as are allowed, and since then nobody comes
}

// FullAt returns the minute in which as many are inside as are allowed, at the rate of the last ten minutes with its
// trend; zero unless that is soon and more are to come than may enter. It stands from minute to minute until it is off by more than it may be.
func (l *Load) FullAt() time.Time { return l.filling.full }

// nearlyCrowded returns an alert if the hall of the performance, or the building, is nearly full while people may come in: of
// the two the one that is more urgent, then the one that fewer more may enter. The alert is of the performance that began last.
func (v *Evening) nearlyCrowded(s *Show) []Alert {
	var least *Load
	for i := range v.Loads {
		l := &v.Loads[i]
		if !l.filling.near || l.last.EventFigures != s.EventFigures {
			continue
		}
		if least == nil || l.filling.urgent && !least.filling.urgent || l.filling.urgent == least.filling.urgent && l.Left().Value < least.Left().Value {
			least = l
		}
	}
	if least == nil {
		return nil
	}
	a := alert(AlertNearlyCrowded, s, least.filling.since, AlertArgs{Count: least.Left(), Licensed: least.Licensed, Hall: least.Hall})
	if a.Level = Warn; least.filling.urgent {
		a.Level, a.Since = Bad, least.filling.urgentSince
	}
	return []Alert{a}
}

// roomForFewer returns an alert if more are sold of what is on than the hall of the performance, or the building, may hold while doors are
// open: some find no room. It is of the place that fewer more may enter.
func (v *Evening) roomForFewer(s *Show) []Alert {
	var least *Load
	for i := range v.Loads {
		l := &v.Loads[i]
		if l.Hall == "" && len(v.House.Unscanned) > 0 {
			continue // how many may enter is not known
		}
		if s.Phase == Arriving && l.last != nil && l.last.EventFigures == s.EventFigures && l.Level() == "" && l.oversold() && l.Overflows() && (least == nil || l.Left().Value < least.Left().Value) {
			least = l
		}
	}
	if least == nil {
		return nil
	}
	return []Alert{alert(AlertRoomForFewer, s, time.Time{}, AlertArgs{Count: least.Left(), Licensed: least.Licensed, Hall: least.Hall})}
}

// oversold reports whether more are sold of what is on at one time in a place than are allowed there: not of what has ended by the
// curtain of another.
func (l *Load) oversold() bool {
	sold := 0
	for _, s := range l.shows {
		ends := ended(s.EventFigures)
		before := func(o *Show) bool { return o.Phase.Open() && !o.Hours().Curtain.Before(ends) }
		if s.Phase.Open() && s.SellsTonight() && !slices.ContainsFunc(l.shows, before) {
			sold += s.Sold.Value
		}
	}
	return sold > l.Licensed
}

// fill returns whether a place is nearly full at the minute of the figures. It follows the people inside from the first who
// came, so that an alert that has stood falls at nearlyFullBelow. Where people who left were not scanned, it is never urgent:
// those inside are the most that there may be.
func (v *Evening) fill(l *Load) (f filling) {
	open := slices.ContainsFunc(l.shows, func(s *Show) bool { return s.Phase.Open() })
	left := l.Licensed - l.Inside.Value
	if !open || !l.Inside.Known() || left <= 0 || l.Inside.Value*100 < nearlyFullBelow*l.Licensed && !l.Overflows() {
		return f
	}
	first, now := v.firstMinute(l.shows), v.Now.Unix()/60
	inside := make([]int, now-first+1)
	for _, s := range l.shows {
		for i, n := range v.insideByMinute(s, first, int64(len(inside))) {
			inside[i] += n
		}
	}
	last := len(inside) - 1
	uncounted, complete := l.Inside.Value-inside[last], int(v.At.Unix()/60-first) // people without a ticket, and the minutes that are complete
	over, lately := int(fillRateOver/time.Minute), int(rushRateOver/time.Minute)
	for i := range inside {
		in, until := inflow{}, min(i, complete-1)
		if until >= over {
			in.rate = inside[until] - inside[until-over]
			in.fast = max(in.rate, (inside[until]-inside[until-lately])*over/lately)
		}
		if until >= 2*over {
			in.fast, in.trend = in.rate, in.rate-inside[until-over]+inside[until-2*over]
			in.burst = burst(inside[until]-inside[until-lately], max(1, float64(in.rate*lately)/float64(over))) * over / lately
		}
		f = f.next(l, inside[i]+uncounted, in, time.Unix((first+int64(i))*60, 0))
	}
	return f
}

// inflow is how many came in over fillRateOver, less those who went out, and by how many that is more than in the same time before. Until
// that is known, fast is as many as came in rushRateOver, where they are more for the time; then it is rate. burst is that, too, from then on
// where it is no chance.
type inflow struct{ rate, fast, trend, burst int }

// burst returns n where so many are more than chance makes of as many as are usual; else 0.
func burst(n int, usual float64) int {
	if over := float64(n) - usual; over > 0 && over*over > burstSure*fullChance*usual {
		return n
	}
	return 0
}

// next returns f at a minute in which inside people are there. It is urgent, and stands, also long before nearlyFullFrom where the rate fills the place within fillsWithin. It begins
// anew once the place was full, and then only while people come.
func (f filling) next(l *Load, inside int, in inflow, at time.Time) filling {
	left := l.Licensed - inside
	if left <= 0 {
		return filling{wasFull: true}
	}
	reached := func(within time.Duration) bool { // left in whole people over fillRateOver
		return l.Overflows() && in.rate > 0 && int64(left)*int64(fillRateOver) <= int64(in.rate)*int64(within)
	}
	urgent := l.certain == l.Inside.Value && (reached(fillsWithin) || f.urgent && reached(fillsNoMore))
	switch {
	case !urgent && (inside*100 < nearlyFullBelow*l.Licensed || !f.near && !f.wasFull && inside*100 < nearlyFullFrom*l.Licensed):
		return filling{}
	case f.wasFull && !urgent && (in.rate <= 0 && !l.comeAt(at) || inside*100 < nearlyFullFrom*l.Licensed): // it only empties
		return f
	case !f.near:
		f = filling{near: true, since: at}
	}
	if urgent != f.urgent {
		f.urgent, f.urgentSince = urgent, at
	}
	if !urgent {
		f.full = time.Time{}
		return f
	}
	// A time stands until it is off by more than it may well be, so that nobody plans by a time that is another one each minute.
	if full := at.Add(in.fills(left)); f.full.IsZero() || !at.Before(f.full) || full.Sub(f.full).Abs() > max(fullStands, time.Duration(fullOff*float64(full.Sub(at)))) {
		f.full = full.Round(time.Minute)
	}
	return f
}

// fills returns in what time so many more come in. A trend counts the more the less it may be chance, as people come in groups; without
// one it goes on as in both times.
func (f inflow) fills(left int) (in time.Duration) {
	over, change := fillRateOver.Minutes(), float64(f.trend*f.trend)
	sure := change / (change + fullChance*float64(max(1, 2*f.rate-f.trend)))
	perMinute, grows := (float64(f.fast)-(1-sure)*float64(f.trend)/2)/over, sure*fullTrend*float64(f.trend)/over/over
	for n := 0.; n < float64(left) && in < time.Hour; in += 30 * time.Second {
		n += max(float64(f.rate)/over/2, perMinute+grows*(over/2+min(in.Minutes(), over)), float64(f.burst)/over) / 2
	}
	return in
}

// comeAt reports whether the curtain of a performance with people inside was ahead at a time.
func (l *Load) comeAt(at time.Time) bool {
	return slices.ContainsFunc(l.shows, func(s *Show) bool { return s.Phase == Arriving || at.Before(s.Hours().Curtain) })
}

// firstMinute returns the minute in which the first visitor of shows came, longestCrowd ago at most; the present one if nobody has.
func (v *Evening) firstMinute(shows []*Show) (first int64) {
	first = v.Now.Unix() / 60
	for _, s := range shows {
		if len(s.ArrivalMinutes) > 0 {
			first = min(first, s.ArrivalMinutes[0].Minute)
		}
	}
	return max(first, v.Now.Add(-longestCrowd).Unix()/60)
}
