package evening

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/apiclient/record"
)

// Alert is something that needs a person's attention.
type Alert struct {
	// Key identifies the alert for as long as it lasts. It is made of the code and what the alert is about: the
	// event and the gate if there is one, the check, or the screen.
	Key   string
	Code  string
	Event string // id; empty if it is about the whole house
	Level Level
	// Since is when it began; zero if the records do not show that.
	Since time.Time
	AlertArgs
	// Seen is who looks after it, nil while nobody does or where it has grown since.
	Seen *Seen
	show *Show
	// sellsOn is SellsOn.
	sellsOn bool
}

// Seen is who looks after an alert, and since when by the venue's clock.
type Seen struct {
	By string
	At time.Time
	// With are the others who do, in the order in which they took it on.
	With []string

	records []*record.Acknowledgement
}

// Has reports whether a person is among those who look after an alert; nobody is among nil.
func (s *Seen) Has(name string) bool {
	return s != nil && (s.By == name || slices.Contains(s.With, name))
}

// Last returns when it was taken on last, and the alert's count then.
func (s *Seen) Last() (time.Time, int) {
	r := s.records[len(s.records)-1]
	return r.At, r.Count
}

// Names returns the names of those who look after an alert; of nil there are none.
func (s *Seen) Names() []string {
	if s == nil {
		return nil
	}
	return append([]string{s.By}, s.With...)
}

// AlertArgs are the values in the words of an alert; unused ones are zero.
type AlertArgs struct {
	Gate string
	// Count is, by code: the visitors still to come (quiet gate), people outside at curtain (hold), people inside
	// (crowded), people who may still enter (nearly_crowded, room_for_fewer), places too many (oversold), blocked places sold (blocked_sold), places left (few left), places sold (cancelled, postponed),
	// differences (differs), streams (streams), how far Sold is from the median of Usual (pace), or an amount as
	// returned by count (owed, refunds).
	Count figures.Figure[int]
	// Licensed is how many people may be inside (crowded, nearly_crowded, room_for_fewer, over_licensed, near_licensed).
	Licensed int
	// Hall is the hall that is nearly full; empty for the building (nearly_crowded, room_for_fewer).
	Hall string
	// Until is the minute to which to hold (hold).
	Until time.Time
	// Check is the check that found differences, and Newest the id of the performance that it found last; empty for none (differs).
	Check  figures.Check
	Newest string
	// Amount is what is to be paid back (owed), or was paid back today (refunds).
	Amount figures.Sums
	// Sold is the number of places sold by the end of yesterday, and Usual the usual number at the same number of
	// days before a performance (see Pace).
	Sold, Days int
	Usual      figures.Band
	// Screen is the name of a screen (silent screens).
	Screen string
}

// Level is the severity of an alert.
type Level string

// The levels, the most severe first.
const (
	Bad  Level = "bad"
	Warn Level = "warn"
	Info Level = "info"
)

// Loudness orders levels: 0 is the most severe, and an empty level comes last.
func (l Level) Loudness() int { return slices.Index([]Level{Bad, Warn, Info, ""}, l) }

// Acknowledgement returns the record of a person who takes an alert on.
func (a *Alert) Acknowledgement(s Seen) *record.Acknowledgement {
	return &record.Acknowledgement{Alert: a.Key, At: s.At, By: s.By, Personal: true, Count: a.Count.Value}
}

// HandedBack returns the records of a person who no longer looks after an alert; none if they did not.
func (a *Alert) HandedBack(s Seen) (all []record.Record) {
	if a.Seen == nil {
		return nil
	}
	for _, r := range a.Seen.records {
		if r.By == s.By {
			back := *r
			back.At, back.Undone = figures.Later(s.At, r.At), true
			all = append(all, &back)
		}
	}
	return all
}

// The limits of alerts.
const (
	// A gate was busy if busyEntries came in within busyIn up to its last entry.
	busyIn      = 15 * time.Minute
	busyEntries = 10
	// quietStill and quietPart are how many visitors, and what part of the expected, must still be to come for a
	// quiet gate to be an alert.
	quietStill = 5
	quietPart  = .03
	// quietMissed is how many visitors come through the gate in the time in which nobody did, as on past nights, or in the time
	// after which it is quiet, as in its last busyIn. People come in twos: by chance nobody does one time in four hundred.
	quietMissed = 12
)

// IsLater reports whether an alert is not of now: it is about another day or, if it is about no performance, only to be known or
// about money.
func (v *Evening) IsLater(a *Alert) bool {
	if a.show != nil {
		return a.show.Date != v.Day
	}
	return !a.CallsForAction() || a.Sees() == SeesMoney || a.Sees() == SeesReconciliation
}

// Began returns since when an alert stands: as the log of alerts has it, so that it is one moment everywhere, or else by its records;
// zero if these do not show it.
func (v *Evening) Began(a *Alert) time.Time {
	if a.Since.IsZero() {
		return a.Since
	}
	for _, r := range v.Snapshot.Alerts {
		if r.Alert == a.Key && r.Cleared.IsZero() {
			return r.Began()
		}
	}
	return a.Since
}

// CallsForAction reports whether somebody has to do something about the alert; else it is only to be known.
func (a *Alert) CallsForAction() bool { return a.Level != Info }

// SellsOn reports whether it is about too many sold for a performance of the evening whose sale goes on: places were sold in the last
// hour or, where somebody took it on, since.
func (a *Alert) SellsOn() bool { return a.sellsOn }

func (v *Evening) sellsOn(a *Alert) bool {
	if s := a.show; a.Code != AlertOverLicensed || s.Sale != SaleOpen || s.SoldLastHour.Value <= 0 || s.Date != v.Day {
		return false
	}
	taken := v.TakenBy(a)
	if taken == nil {
		return true
	}
	_, sold := taken.Last()
	return a.show.Sold.Value > sold
}

// TooMany reports whether it is about more people inside than are allowed.
func (a *Alert) TooMany() bool {
	return (a.Code == AlertCrowded || a.Code == AlertCrowdedBuilding) && a.Count.Value > a.Licensed
}

// Show returns the performance that the alert is about; nil if it is about the whole house.
func (a *Alert) Show() *Show { return a.show }

// SeenBy returns who looks after an alert as it is, nil if nobody does.
func (v *Evening) SeenBy(a *Alert) *Seen { return v.takers(a, holds) }

// TakenBy returns who has taken an alert on since it began, also if it has grown since; nil if nobody has.
func (v *Evening) TakenBy(a *Alert) *Seen { return v.takers(a, isOf) }

// takers returns those whose acknowledgements of an alert count, the first one first; nil if there are none.
func (v *Evening) takers(a *Alert, counts func(figures.Acknowledgement, *Alert) bool) *Seen {
	var records []*record.Acknowledgement
	for _, k := range v.Snapshot.Acknowledged[a.Key] {
		if counts(k, a) {
			records = append(records, k.Acknowledgement)
		}
	}
	if len(records) == 0 {
		return nil
	}
	slices.SortStableFunc(records, func(a, b *record.Acknowledgement) int { return a.At.Compare(b.At) })
	seen := &Seen{By: records[0].By, At: records[0].At, records: records}
	for _, r := range records[1:] {
		if !seen.Has(r.By) {
			seen.With = append(seen.With, r.By)
		}
	}
	return seen
}

func (v *Evening) behind(kinds ...record.Kind) bool { return v.Snapshot.Health.Behind(kinds...) }

// Unjudged reports whether it is not known at present if alerts of a code stand: a list that they depend on is behind.
func (v *Evening) Unjudged(code string) bool { return v.behind(ruleOf(code).from...) }

// otherDayAlerts holds the result of OtherDays, which is computed on first use, and the shows that were made for
// it. before is that of the previous evening, whose shows can be reused.
type otherDayAlerts struct {
	once   sync.Once
	all    []Alert // with what the house has switched off
	shown  []Alert
	before map[*figures.EventFigures]*Show
	shows  atomic.Pointer[[]*Show]
}

// OtherDays returns the alerts of performances that are not in Shows, in order of time. For performances to come
// they are what can still be mended before people arrive, or is good to know; for all performances, the money that
// is to be paid back or is being paid back today. Those that the house has switched off are not among them.
func (v *Evening) OtherDays() []Alert {
	v.findOtherDays()
	return v.otherDayAlerts.shown
}

// Standing returns the alerts of performances, of the evening and of other days, also those that the house has switched off:
// an alert that is not shown is not over.
func (v *Evening) Standing() []Alert {
	v.findOtherDays()
	return slices.Concat(v.standing, v.otherDayAlerts.all)
}

// findOtherDays finds the alerts of performances that are not in Shows, once.
func (v *Evening) findOtherDays() {
	v.otherDayAlerts.once.Do(func() {
		shown := make(map[*figures.EventFigures]bool, len(v.Shows))
		for _, s := range v.Shows {
			shown[s.EventFigures] = true
		}
		var shows []*Show
		for _, e := range v.Snapshot.Events {
			if shown[e] || !v.mayNeedAttention(e) {
				continue
			}
			show := v.otherDayAlerts.before[e]
			if show == nil {
				show = v.Show(e)
			}
			shows = append(shows, show)
		}
		v.otherDayAlerts.all = v.alerts(shows, ofOthers)
		v.otherDayAlerts.shown = v.shown(v.otherDayAlerts.all)
		v.otherDayAlerts.shows.Store(&shows)
	})
}

// mayNeedAttention reports whether a performance of another day can have an alert. It is a cheap test that avoids
// making a Show for most performances.
func (v *Evening) mayNeedAttention(e *figures.EventFigures) bool {
	switch status := e.Event.Status; {
	case status == record.EventCancelled:
		return len(e.Revenue.NetReceived().Value) > 0
	case len(Between(e.SaleDays, v.Today, v.Today)) > 0 && len(backOf(v.BookedToday(e.SaleDays))) > 0:
		return true
	case e.Date <= v.Day:
		return false
	case e.Oversold > 0, e.BlockedSold() > 0, status == record.EventSoldOut, e.Available.Known() && e.Available.Value <= 0:
		return true
	case e.Capacity.Known() && e.Sold.Value+e.Reserved.Value+e.Blocked.Value >= e.Capacity.Value: // what the service says is left may be older
		return true
	}
	_, over := v.OverLicensedBy(e)
	_, limited := v.leftToAllowed(e)
	return over || limited && v.nearAllowed(e) || nearlyFull(e, v.NearlyFull()) || v.paceOf(e).off(v.threshold(record.SettingOffPace))
}

// Differing returns an alert for each check that found differences, except open items. The alert names the newest difference, so
// that one that was seen is raised again when another is found. Differences that are not stored yet raise nothing.
func (v *Evening) Differing() (all []Alert) {
	for _, r := range v.comparing() {
		var newest *Difference
		for i := range r.Differences {
			if d := &r.Differences[i]; !d.Since.IsZero() && (newest == nil || d.Since.After(newest.Since)) {
				newest = d
			}
		}
		if newest == nil {
			continue
		}
		a := Alert{Key: AlertDiffers + ":" + string(r.Check), Code: AlertDiffers, Level: CheckLevel(r.Check), Since: newest.Since,
			AlertArgs: AlertArgs{Check: r.Check, Newest: newest.Event, Count: figures.Figure[int]{Value: r.Differ}}}
		a.Seen = v.SeenBy(&a)
		all = append(all, a)
	}
	return all
}

// CheckLevel returns the severity of a difference.
func CheckLevel(c figures.Check) Level {
	switch c {
	case figures.CheckRecompute:
		return Bad
	case figures.CheckOpenItems:
		return Info
	}
	return Warn
}

// alert returns an alert of a performance with the level of its rule.
func alert(code string, s *Show, since time.Time, args AlertArgs) Alert {
	key := code + ":" + s.Event.ID
	if args.Gate != "" {
		key += ":" + args.Gate
	}
	return Alert{Key: key, Code: code, Event: s.Event.ID, Since: since, AlertArgs: args, show: s}
}

// quietGates finds gates that were busy and have become quiet while visitors are still to come, without as many as stay away
// on nine of ten past nights, and while it is not usual that nobody comes. It ends with the curtain: people who are missing
// after it are more likely no-shows than in front of a closed gate. Where no curtain is known nothing says when they should come.
func (v *Evening) quietGates(s *Show) []Alert {
	if v.At.IsZero() || s.Phase != Arriving || Untimed(s.EventFigures) || !s.Still.Known() || s.manyUncounted() {
		return nil
	}
	expected, usual := float64(s.Expected.Value), v.usualArrivals(s.EventFigures)
	if float64(s.Still.Value)-expected*usual.LeastAway < max(quietStill, math.Floor(quietPart*expected)) {
		return nil
	}
	quietAfter := time.Duration(v.threshold(record.SettingQuietGate)) * time.Minute
	var all []Alert
	for i := range s.Gates {
		g := &s.Gates[i]
		last := g.LastEntry()
		if last.IsZero() || !last.Before(v.At) || g.EntriesIn(v.At, quietAfter) > 0 || g.EntriesIn(last.Add(time.Minute), busyIn) < busyEntries {
			continue
		}
		asUsual := expected * (1 - usual.NoShow) * usual.Through(s.EventFigures, g, v.gates(s.Event.Hall)[g.Gate], last, v.At)
		asBefore := float64(g.EntriesIn(last.Add(time.Minute), busyIn)) * float64(quietAfter) / float64(busyIn)
		if usual.Known() && max(asUsual, asBefore) < quietMissed {
			continue
		}
		all = append(all, alert(AlertQuietGate, s, last, AlertArgs{Gate: g.Gate, Count: s.Still}))
	}
	return all
}

// hold returns an alert if the performance cannot start on time, and as long as its start is held.
func (v *Evening) hold(s *Show) []Alert {
	switch {
	case !s.Held.IsZero() && s.Verdict.Call != arriving.Hold:
		return []Alert{alert(AlertHold, s, s.Hours().Curtain.Add(-arriving.VerdictFrom*time.Minute), AlertArgs{Count: s.Verdict.Outside, Until: s.Held})}
	case !s.Held.IsZero():
		return []Alert{alert(AlertHold, s, s.Verdict.Since, AlertArgs{Count: s.Verdict.Outside, Until: s.Held})}
	case s.Verdict.Call == arriving.Hold:
		return []Alert{alert(AlertHold, s, s.Verdict.Since, AlertArgs{Count: s.Verdict.Outside, Until: s.Verdict.Until})}
	}
	return nil
}

// oversold returns an alert if the performance is oversold and not over.
func (v *Evening) oversold(s *Show) []Alert {
	if s.Oversold <= 0 || !s.Phase.GoesAhead() || s.Phase == Over {
		return nil
	}
	return []Alert{alert(AlertOversold, s, s.crossed(-s.Oversold, 0), AlertArgs{Count: figures.Figure[int]{Value: s.Oversold}})}
}

// blockedSold returns an alert if blocked places of a performance are sold that is not over.
func (v *Evening) blockedSold(s *Show) []Alert {
	n := s.BlockedSold()
	if n == 0 || !s.Phase.GoesAhead() || s.Phase == Over {
		return nil
	}
	return []Alert{alert(AlertBlockedSold, s, s.crossed(-n, 0), AlertArgs{Count: figures.Figure[int]{Value: n}})}
}

// crossed returns the minute in which a sale brought the free places below limit; left is how many there are now.
// It is zero if that is older than the counts by minute, or dated after the minute of the figures.
func (s *Show) crossed(left, limit int) time.Time {
	for _, m := range slices.Backward(s.SoldMinutes) {
		left += m.Count
		if left < limit {
			continue
		}
		if m.Minute > figures.StampOf(s.at).Minute() {
			break
		}
		return time.Unix(m.Minute*60, 0)
	}
	return time.Time{}
}

// cancelled returns an alert if the performance is cancelled, and postponed if it is postponed.
func (v *Evening) cancelled(s *Show) []Alert { return calledOff(AlertCancelled, Cancelled, s) }
func (v *Evening) postponed(s *Show) []Alert { return calledOff(AlertPostponed, Postponed, s) }

func calledOff(code string, p Phase, s *Show) []Alert {
	if s.Phase != p {
		return nil
	}
	return []Alert{alert(code, s, time.Time{}, AlertArgs{Count: s.Sold})}
}

// Failing returns one alert for all streams that do not answer and that a viewer may see, and these streams. It is
// more severe if places or money are counted from one of them. It began with the last answer of the stream that
// has been silent longest, and grows when another stream fails.
func (v *Evening) Failing(sees func(figures.StreamHealth) bool) (a Alert, streams []figures.StreamHealth) {
	a = Alert{Key: AlertStreams, Code: AlertStreams, Level: Info}
	asked := map[string]bool{}
	for h := range v.Snapshot.Health.Asked() {
		asked[h.Name] = true
	}
	for _, h := range v.Snapshot.Health.Streams {
		elsewhere := !h.Counts() && h.Fault != figures.FaultNotOffered && h.Fault != figures.FaultForbidden
		if h.Missed < figures.FailingPolls || !asked[h.Name] && !elsewhere || !sees(h) {
			continue
		}
		if streams = append(streams, h); h.Counts() {
			a.Level = Warn
		}
		if len(streams) == 1 || h.LastGood.Before(a.Since) {
			a.Since = h.LastGood
		}
	}
	a.Count.Value = len(streams)
	a.Seen = v.SeenBy(&a)
	return a, streams
}

// Open returns the log's record of an alert that stands, nil while it is not in the log.
func (v *Evening) Open(a *Alert) *record.RaisedAlert {
	for _, r := range slices.Backward(v.Snapshot.Alerts) {
		if r.Alert == a.Key && r.Cleared.IsZero() {
			return r
		}
	}
	return nil
}
