package figures

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"housecount/apiclient/record"
)

// Alert is something that needs a person's attention.
type Alert struct {
	// Key names what the alert is about, and is the same for as long as that lasts: code, event
	// and, where there is one, gate; or code and check, or screen; or of the whole house the code.
	Key   string
	Code  string
	Event string // id; empty where it is about the whole house
	Level Level
	// Since is when it began; zero where the records do not say.
	Since time.Time
	AlertArgs
	// Seen is by whom it was seen, nil while nobody has or where it has grown since.
	Seen *Seen
	show *Show
}

// Seen says who saw an alert, and when by the venue's clock.
type Seen struct {
	By string
	At time.Time
}

// AlertArgs are what the words of an alert name; unused ones are zero.
type AlertArgs struct {
	Gate string
	// Count is how many: visitors still to come (quiet gate), or outside at curtain (hold),
	// people inside (crowded), places too many (oversold) or left (few left), or sold (cancelled, postponed),
	// or differences (differs), or streams (streams), or how far Sold is from the median of Usual (pace),
	// or of money as count does (owed, refunds).
	Count Figure[int]
	// Licensed is how many people may be inside (crowded).
	Licensed int
	// From and To are the minutes between which the last comes in (hold).
	From, To time.Time
	// Check is what does not agree, and Newest the id of the performance that was found last, empty for
	// none (differs).
	Check  Check
	Newest string
	// Amount is what is to be paid back (owed), or went back today (refunds).
	Amount Sums
	// Sold is how many places were sold by the end of the day before the running one, Usual what is usual,
	// so many days before the performance as the running day is (pace).
	Sold, Days int
	Usual      Band
	// Screen is the name of one (silent screens).
	Screen string
}

// Level is how loud an alert is.
type Level string

// The levels, loudest first.
const (
	Bad  Level = "bad"
	Warn Level = "warn"
	Info Level = "info"
)

// Loudness orders levels: 0 is the loudest, and an empty level comes last.
func (l Level) Loudness() int { return slices.Index([]Level{Bad, Warn, Info, ""}, l) }

// Acknowledgement is the record of an alert that was seen.
func (a *Alert) Acknowledgement(s Seen) *record.Acknowledgement {
	return &record.Acknowledgement{Alert: a.Key, At: s.At, By: s.By, Count: a.Count.Value}
}

// The codes of alerts.
const (
	AlertQuietGate = "quiet_gate" // a gate that was busy has gone quiet, and visitors are to come
	AlertHold      = "hold"       // the performance cannot start on time
	AlertOversold  = "oversold"
	// As many people as may be are in the hall of the performance, or in the whole building, or more.
	AlertCrowded         = "crowded"
	AlertCrowdedBuilding = "crowded_building"
	AlertFewLeft         = "few_left" // of the places, while they are on sale
	AlertCancelled       = "cancelled"
	AlertPostponed       = "postponed"
	AlertDiffers         = "differs" // figures do not agree that have to
	// No place is left, for certain, or nearly none: so many are sold, on any day to come.
	AlertSoldOut    = "sold_out"
	AlertNearlyFull = "nearly_full"
	AlertOwed       = "owed"    // a cancelled performance has money to pay back, on any day but its own
	AlertRefunds    = "refunds" // unusually much went back today, of a performance or of the whole house
	// Far fewer places are sold of a performance to come than of comparable ones, or far more.
	AlertBehindPace  = "behind_pace"
	AlertAheadOfPace = "ahead_of_pace"
	AlertStreams     = "streams" // of the service do not answer
	// A screen should be on and is not.
	AlertSilentScreen = "silent_screen"
)

// OfMoney says that the alert is about amounts, for those who see them.
func (a *Alert) OfMoney() bool { return a.Code == AlertOwed || a.Code == AlertRefunds }

// OfSales says that the alert is about how a sale goes, for those who see what is sold in a day.
func (a *Alert) OfSales() bool { return a.Code == AlertBehindPace || a.Code == AlertAheadOfPace }

// worstFirst are the codes of alerts in the order in which they are shown: people who are in danger or
// still outside, then money that is lost or wrong, then the rest.
var worstFirst = []string{
	AlertCrowdedBuilding, AlertCrowded, AlertQuietGate, AlertHold,
	AlertOversold, AlertDiffers, AlertRefunds, AlertOwed, AlertCancelled, AlertPostponed,
	AlertStreams, AlertFewLeft, AlertBehindPace, AlertSilentScreen,
	AlertSoldOut, AlertNearlyFull, AlertAheadOfPace,
}

// AlertRank is the place of a code in the order in which alerts are shown, 0 for the worst; what has
// no code of an alert comes last.
func AlertRank(code string) int {
	if i := slices.Index(worstFirst, code); i >= 0 {
		return i
	}
	return len(worstFirst)
}

// When something deserves attention.
const (
	// busyEntries is how many came in through a gate within busyIn up to its last entry, or it was
	// never busy.
	busyIn      = 15 * time.Minute
	busyEntries = 10
	// quietStill and quietPart are how many visitors, and which part of those expected, have
	// to be still to come for a quiet gate to matter.
	quietStill = 5
	quietPart  = .03
)

// Show is the performance of the evening that the alert is about, nil where it is the whole house.
func (a *Alert) Show() *Show { return a.show }

// anyDay are the codes of what needs attention also where the performance is not of the evening.
var anyDay = []string{AlertOversold, AlertSoldOut, AlertNearlyFull, AlertRefunds}

// alerts is what needs attention in shows, which are in the order of their time: the worst first, then
// the soonest. Those that are not of the evening need it where something can still be mended, or is good
// to know.
func (v *Evening) alerts(shows []*Show, ofEvening bool) []Alert {
	var all []Alert
	add := func(alerts []Alert) {
		for _, a := range alerts {
			a.Seen = v.SeenBy(&a)
			all = append(all, a)
		}
	}
	for _, s := range shows {
		if ofEvening {
			add(v.crowded(s))
			add(slices.DeleteFunc(slices.Clone(s.alerts), func(a Alert) bool { return a.Code == AlertNearlyFull && s.FewLeft() }))
			continue
		}
		if !v.behind(record.KindPayment) {
			add(owed(s))
		}
		add(v.offPace(s))
		add(slices.DeleteFunc(slices.Clone(s.alerts), func(a Alert) bool { return !slices.Contains(anyDay, a.Code) }))
	}
	slices.SortStableFunc(all, func(a, b Alert) int { return cmp.Compare(AlertRank(a.Code), AlertRank(b.Code)) })
	return all
}

// SeenBy is by whom an alert was seen as it is, nil where nobody has.
func (v *Evening) SeenBy(a *Alert) *Seen { return v.snapshot.acknowledged[a.Key].of(a) }

// alertsOf finds what needs attention in a show, in no order. While what came since a poll of long ago is
// being read, nothing is told from it.
func (v *Evening) alertsOf(s *Show) []Alert {
	all := v.calledOff(s)
	if !v.behind(record.KindEvent, record.KindTicket) {
		all = slices.Concat(all, oversoldPlaces(s), fewPlaces(s), fullPlaces(s))
	}
	if !v.behind(record.KindTicket, record.KindScan) {
		all = slices.Concat(all, v.quietGates(s), v.hold(s))
	}
	if !v.behind(record.KindTicket, record.KindPayment) {
		all = append(all, v.refunds(s)...)
	}
	return all
}

func (v *Evening) behind(kinds ...record.Kind) bool { return v.snapshot.Health.Behind(kinds...) }

// AlertsOf are the alerts of one performance: those among Alerts or OtherDays.
func (v *Evening) AlertsOf(s *Show) []Alert {
	ofEvening := slices.ContainsFunc(v.Shows, func(o *Show) bool { return o.EventFigures == s.EventFigures })
	return v.alerts([]*Show{s}, ofEvening)
}

// elsewhen are the alerts of OtherDays, found when they are first asked for, with the shows that were made
// for them; before are those of an evening that goes on in this one.
type elsewhen struct {
	once   sync.Once
	all    []Alert
	before map[*EventFigures]*Show
	shows  atomic.Pointer[[]*Show]
}

// OtherDays are the alerts of performances that are not among Shows, by the time of these: of those to
// come what can still be mended before somebody stands at the door, or is good to know, and of any the
// money that is to go back, or goes back today.
func (v *Evening) OtherDays() []Alert {
	v.elsewhen.once.Do(func() {
		shown := make(map[*EventFigures]bool, len(v.Shows))
		for _, s := range v.Shows {
			shown[s.EventFigures] = true
		}
		var shows []*Show
		for _, e := range v.snapshot.Events {
			if shown[e] || !v.mayNeedAttention(e) {
				continue
			}
			show := v.elsewhen.before[e]
			if show == nil {
				show = v.Show(e)
			}
			shows = append(shows, show)
		}
		v.elsewhen.all = v.alerts(shows, false)
		v.elsewhen.shows.Store(&shows)
	})
	return v.elsewhen.all
}

// mayNeedAttention says that there may be an alert of a performance that is not of the evening: of most
// there is none, and a Show costs something.
func (v *Evening) mayNeedAttention(e *EventFigures) bool {
	switch status := e.Event.Status; {
	case status == record.EventCancelled:
		return len(e.Revenue.NetReceived().Value) > 0
	case len(between(e.SaleDays, v.Today, v.Today)) > 0 && len(v.BookedToday(e.SaleDays).back()) > 0:
		return true
	case e.Date <= v.Day:
		return false
	case e.Oversold > 0, status == record.EventSoldOut, e.Available.Known() && e.Available.Value <= 0:
		return true
	}
	return nearlyFull(e, v.NearlyFull()) || v.paceOf(e).off(v.threshold(record.SettingOffPace))
}

// Differing are the checks that found differences, but for open items, each with the newest: one that was seen is raised
// again when another is found. Differences that are not stored yet raise nothing.
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
			AlertArgs: AlertArgs{Check: r.Check, Newest: newest.Event, Count: Figure[int]{Value: r.Differ}}}
		a.Seen = v.SeenBy(&a)
		all = append(all, a)
	}
	return all
}

// CheckLevel is how loud a difference is.
func CheckLevel(c Check) Level {
	switch c {
	case CheckRecompute:
		return Bad
	case CheckOpenItems:
		return Info
	}
	return Warn
}

func alert(code string, level Level, s *Show, since time.Time, args AlertArgs) Alert {
	key := code + ":" + s.Event.ID
	if args.Gate != "" {
		key += ":" + args.Gate
	}
	return Alert{Key: key, Code: code, Event: s.Event.ID, Level: level, Since: since, AlertArgs: args, show: s}
}

// quietGates finds gates that were busy and have gone quiet while visitors are still to come.
// After curtain who is missing is more likely not to come than to stand at a closed gate.
func (v *Evening) quietGates(s *Show) []Alert {
	if v.At.IsZero() || s.Phase != Arriving || !s.Still.Known() ||
		s.Still.Value < max(quietStill, int(quietPart*float64(s.Expected.Value))) {
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
		all = append(all, alert(AlertQuietGate, Bad, s, last, AlertArgs{Gate: g.Gate, Count: s.Still}))
	}
	return all
}

// hold says that a performance cannot start on time.
func (v *Evening) hold(s *Show) []Alert {
	if s.Verdict.Call != Hold {
		return nil
	}
	return []Alert{alert(AlertHold, Warn, s, s.Verdict.Since,
		AlertArgs{Count: s.Verdict.Outside, From: s.Verdict.From, To: s.Verdict.To})}
}

// oversoldPlaces finds performances that are oversold and not over.
func oversoldPlaces(s *Show) []Alert {
	if s.Oversold <= 0 || !s.Phase.GoesAhead() || s.Phase == Over {
		return nil
	}
	return []Alert{alert(AlertOversold, Bad, s, s.crossed(-s.Oversold, 0), AlertArgs{Count: Figure[int]{Value: s.Oversold}})}
}

// fewPlaces finds performances that are nearly sold out while they are on sale.
func fewPlaces(s *Show) []Alert {
	if !s.FewLeft() || s.Oversold > 0 {
		return nil
	}
	few := int((s.fewLeft*int64(s.Capacity.Value) + WholeRate - 1) / WholeRate)
	return []Alert{alert(AlertFewLeft, Warn, s, s.crossed(s.Free.Value, few), AlertArgs{Count: s.Free})}
}

// fullPlaces finds performances that are sold out, or of which most places are sold while the others
// are on sale.
func fullPlaces(s *Show) []Alert {
	switch {
	case s.Oversold > 0 || s.Sale == SaleNotOpen || !s.Phase.GoesAhead() || s.Phase == Over:
		return nil
	case s.SoldOut:
		return []Alert{alert(AlertSoldOut, Info, s, s.crossed(0, 1), AlertArgs{})}
	case s.NearlyFull():
		since := s.crossed(s.Capacity.Value-s.Sold.Value, s.Capacity.Value-s.fullAt()+1)
		return []Alert{alert(AlertNearlyFull, Info, s, since, AlertArgs{})}
	}
	return nil
}

// NearlyFull says that as many places are sold as the venue calls nearly full, while others are on sale.
func (s *Show) NearlyFull() bool { return s.Sale == SaleOpen && nearlyFull(s.EventFigures, s.full) }

func nearlyFull(e *EventFigures, part int64) bool {
	return !e.Event.Unlimited && e.Occupancy().Known() && int64(e.Sold.Value)*WholeRate >= part*int64(e.Capacity.Value)
}

// fullAt is how many places are sold of a performance that has just become nearly full.
func (s *Show) fullAt() int {
	return int((s.full*int64(s.Capacity.Value) + WholeRate - 1) / WholeRate)
}

// FewLeft says that the performance is nearly sold out while it is on sale.
func (s *Show) FewLeft() bool { return s.few(s.Free, s.Capacity) }

func (s *Show) few(free, capacity Figure[int]) bool {
	return free.Known() && capacity.Known() && free.Value > 0 && int64(free.Value)*WholeRate < s.fewLeft*int64(capacity.Value)
}

// crossed is the minute in which a sale brought the free places below limit; left is how many
// there are now. It is zero when that is older than the counts by minute, or dated after the
// minute of the figures.
func (s *Show) crossed(left, limit int) time.Time {
	for _, m := range slices.Backward(s.SoldMinutes) {
		left += m.Count
		if left < limit {
			continue
		}
		if m.Minute > stampOf(s.at).minute() {
			break
		}
		return time.Unix(m.Minute*60, 0)
	}
	return time.Time{}
}

// calledOff finds performances that are cancelled or postponed.
func (v *Evening) calledOff(s *Show) []Alert {
	switch s.Phase {
	case Cancelled:
		return []Alert{alert(AlertCancelled, Warn, s, time.Time{}, AlertArgs{Count: s.Sold})}
	case Postponed:
		return []Alert{alert(AlertPostponed, Warn, s, time.Time{}, AlertArgs{Count: s.Sold})}
	}
	return nil
}
