package figures

import (
	"cmp"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Alert is something that needs a person's attention.
type Alert struct {
	// Key names what the alert is about, and is the same for as long as that lasts: code, event
	// and, where there is one, gate; or code and check.
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
	// or differences (differs).
	Count Figure[int]
	// Licensed is how many people may be inside (crowded).
	Licensed int
	// From and To are the minutes between which the last comes in (hold).
	From, To time.Time
	// Check is what does not agree, and Newest the id of the performance that was found last, empty for
	// none (differs).
	Check  Check
	Newest string
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
)

// worstFirst are the codes of alerts in the order in which they are shown: people who are in danger or
// still outside, then money that is lost or wrong, then the rest.
var worstFirst = []string{
	AlertCrowdedBuilding, AlertCrowded, AlertQuietGate, AlertHold,
	AlertOversold, AlertDiffers, AlertCancelled, AlertPostponed,
	AlertFewLeft,
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

// alerts is what needs attention in shows, which are in the order of their time: the worst first, then
// the soonest. Those that are not of the evening need it only where they are oversold, which can still
// be mended.
func (v *Evening) alerts(shows []*Show, ofEvening bool) []Alert {
	var all []Alert
	for _, s := range shows {
		for _, a := range slices.Concat(v.crowded(s), s.alerts) {
			if ofEvening || a.Code == AlertOversold {
				a.Seen = v.snapshot.acknowledged[a.Key].of(&a)
				all = append(all, a)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Alert) int { return cmp.Compare(AlertRank(a.Code), AlertRank(b.Code)) })
	return all
}

// alertsOf finds what needs attention in a show, in no order.
func (v *Evening) alertsOf(s *Show) []Alert {
	return slices.Concat(oversoldPlaces(s), v.quietGates(s), v.hold(s), fewPlaces(s), v.calledOff(s))
}

// AlertsOf are the alerts of one performance: those among Alerts or Ahead, or of one that is past.
func (v *Evening) AlertsOf(s *Show) []Alert {
	ofEvening := slices.ContainsFunc(v.Shows, func(o *Show) bool { return o.EventFigures == s.EventFigures })
	return v.alerts([]*Show{s}, ofEvening)
}

// Ahead are the performances after those of Shows that are oversold, soonest first: what can still
// be mended before somebody stands at the door.
func (v *Evening) Ahead() []Alert {
	return v.alerts(slices.Collect(v.next(func(e *EventFigures) bool { return e.Oversold > 0 })), false)
}

// Differing are the checks that found differences, but for open items, each with the newest: one that was seen is raised
// again when another is found. Differences that are not stored yet raise nothing.
func (v *Evening) Differing() (all []Alert) {
	for _, r := range v.Reconcile() {
		if r.Check == CheckOpenItems { // an order grows old every day
			continue
		}
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
		a.Seen = v.snapshot.acknowledged[a.Key].of(&a)
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
	quietAfter := time.Duration(v.snapshot.settings.value(record.SettingQuietGate, "")) * time.Minute
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
