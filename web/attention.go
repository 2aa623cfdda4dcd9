package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// SeenPath is the address to which a page posts that somebody looks after an alert, or, with undo, does no longer. The form has the alert's key as
// alert and the id of its performance as event. Both are query-escaped, because they may contain any character.
const SeenPath = "/seen"

// Notice is an entry of the list of what needs attention.
type Notice struct {
	Level evening.Level
	Text  sentence
	Since string // empty if not known

	// For an alert: its key and the id of its performance, both escaped, and who looks after it since when. Seen is empty until somebody does.
	Key, Event, Seen string
	By               []string // the names of those who do
	// Taken is who took it on and when, if it has grown since; empty for nobody.
	Taken string
	Takes bool   // whether the viewer may take it on; never what calls for nothing
	Whose string // the role whose work it is, if it is not the viewer's
	Href  string // leads to details; empty for none
	Life  string // leads to what became of it so far; empty while that is not in the log

	first   bool // it is a sale that is to be stopped
	TooMany bool // more people are inside than are allowed
	rank    int  // of its alert; that of no alert comes last
	later   bool // it is not of now
}

// id returns the element id of the notice at a place of the list. An alert's follows from its key: other elements stay when it comes or goes.
func (n Notice) id(place int) string { return "notice-" + cmp.Or(n.Key, strconv.Itoa(place)) }

// HouseAlerts returns the alerts of the whole house that the access includes: figures that do not agree, worst first, a backup that is missing, then
// refunds, streams that do not answer, and screens. Those that the house has switched off are not among them.
func HouseAlerts(v *evening.Evening, a Access, screens []ScreenAlert) []evening.Alert {
	return slices.DeleteFunc(houseAlerts(v, a, screens), func(of evening.Alert) bool { return v.Off(of.Code) })
}

// houseAlerts is HouseAlerts with what the house has switched off.
func houseAlerts(v *evening.Evening, a Access, screens []ScreenAlert) []evening.Alert {
	all := v.Differing()
	slices.SortStableFunc(all, func(a, c evening.Alert) int { return a.Level.Loudness() - c.Level.Loudness() })
	if backup, ok := v.Backup(); ok {
		all = append(all, backup)
	}
	if refunds, ok := v.Refunds(); ok {
		all = append(all, refunds)
	}
	if failing, streams := v.Failing(a.seesFailing); len(streams) > 0 {
		all = append(all, failing)
	}
	if a.WholeHouse() { // anybody can switch a screen on
		for _, s := range screens {
			one := s.alert()
			one.Seen = v.SeenBy(&one)
			all = append(all, one)
		}
	}
	return a.Alerts(all)
}

// StandingAlerts returns the alerts that the access includes and that call for something: of the evening, of other days, and
// of the house. Those that the house has switched off are not among them.
func StandingAlerts(v *evening.Evening, a Access, screens []ScreenAlert) []evening.Alert {
	return slices.DeleteFunc(LoggedAlerts(v, a, screens), func(of evening.Alert) bool { return v.Off(of.Code) })
}

// LoggedAlerts is StandingAlerts with what the house has switched off, which the log of alerts has all the same: it is not over.
func LoggedAlerts(v *evening.Evening, a Access, screens []ScreenAlert) []evening.Alert {
	all := slices.Concat(a.Alerts(v.Standing()), houseAlerts(v, a, screens))
	return slices.DeleteFunc(all, func(a evening.Alert) bool { return a.Level == evening.Info })
}

// UnansweredAlerts returns the alerts of StandingAlerts that call for something now, that are the viewer's to take on, and that
// nobody has. What is about money can wait.
func UnansweredAlerts(v *evening.Evening, a Access, screens []ScreenAlert) []evening.Alert {
	return slices.DeleteFunc(StandingAlerts(v, a, screens), func(of evening.Alert) bool {
		return of.Seen != nil || v.IsLater(&of) || of.Sees() == evening.SeesMoney || !a.TakesOn(of.Code)
	})
}

// ofPeople reports whether an alert is about people inside.
func ofPeople(code string) bool {
	return code == evening.AlertCrowded || code == evening.AlertCrowdedBuilding || code == evening.AlertNearlyCrowded || code == evening.AlertRoomForFewer
}

// Notices returns the alerts that the access includes, in words.
func (b *Builder) Notices(alerts []evening.Alert) []Notice {
	var all []Notice
	for _, a := range b.Access.Alerts(alerts) {
		n := Notice{Level: a.Level, Text: alertWords[a.Code](b, &a), Since: b.since(b.Evening.Began(&a)), Key: url.QueryEscape(a.Key), Event: url.QueryEscape(a.Event), TooMany: a.TooMany(), first: a.SellsOn(), rank: a.Rank()}
		if a.CallsForAction() {
			n.Takes, n.Whose = b.Access.TakesOn(a.Code), b.whose(a.Code)
		}
		if a.Code == evening.AlertDiffers {
			n.Href = ReconcilePath + "#check-" + string(a.Check)
		}
		if ofPeople(a.Code) && !a.Show().AsOf.IsZero() {
			n.Text = words.Join(" ", n.Text, b.Say("alert.as_of", words.Text("time", b.Clock(a.Show().AsOf, b.Zone))))
		}
		if a.Show() != nil && (a.SellsOn() || b.Evening.Began(&a).Before(b.Calendar.Start(b.Evening.Day))) {
			n.Since = "" // it says since when, or has stood for days and is no news
		}
		if a.Code == evening.AlertHold && !b.At.Before(a.Show().Event.StartsAt) {
			n.Since = b.since(figures.Later(a.Since, a.Show().Event.StartsAt)) // before that nobody was late
		}
		if s := a.Show(); s != nil && b.Page != "event" && s.Date != b.Evening.Day {
			n.Href = EventHref(s.Event.ID)
		}
		if n.later = b.Evening.IsLater(&a); b.Evening.Open(&a) != nil {
			n.Life = AlertHref(b.Evening.Open(&a).RecordID())
		}
		if a.Seen != nil {
			key := "attention.seen_by"
			if n.By = a.Seen.Names(); len(n.By) > 1 {
				key = "attention.seen_by_all"
			}
			n.Seen = b.Text(key, words.Text("by", b.List(n.By)), words.Text("when", b.MomentShort(a.Seen.At)))
		} else if taken := b.Evening.TakenBy(&a); taken != nil {
			by, when := words.Text("by", b.List(taken.Names())), b.MomentShort(taken.At)
			if n.Taken = b.Text("attention.taken_by", by, words.Text("when", when)); when != b.Clock(taken.At, b.Zone) {
				n.Taken = b.Text("attention.taken_by_day", by, words.Text("when", when))
			}
		}
		all = append(all, n)
	}
	return all
}

// whose returns the role whose work the alerts of a code are; empty if it is the viewer's, or for a screen.
func (b *Builder) whose(code string) string {
	if b.Access.role() < 0 || b.Access.TakesOn(code) {
		return ""
	}
	return b.Text("attention.whose", words.Text("role", b.Code("role", string(RoleFor(code)))))
}

// WorstFirst sorts notices in place: those last that somebody is on, that are not bad and no sale to stop, and among these and among the
// others by their rank.
func WorstFirst(all []Notice) []Notice {
	last := func(n Notice) (place int) {
		if n.Seen != "" && n.Level != evening.Bad && !n.first {
			place = 1
		}
		return place
	}
	slices.SortStableFunc(all, func(a, c Notice) int {
		return cmp.Or(last(a)-last(c), cmp.Compare(a.rank, c.rank))
	})
	return all
}

// shownDays is the most alerts of other days that are listed.
const shownDays = 3

// attention returns what needs attention: of this evening, of other days, of the house, its screens and the
// service. Of other days it lists only the worst few alerts that call for action and that nobody has seen.
// The rest is on Events and on the page of the performance. What is not of now comes later.
func (b *Builder) attention() Attention {
	days := slices.DeleteFunc(b.Access.Alerts(b.Evening.OtherDays()), func(a evening.Alert) bool { return a.Level == evening.Info || a.Seen != nil })
	shown := days[:min(len(days), shownDays)]
	all := b.Notices(slices.Concat(b.Evening.Alerts, shown))
	if more := days[len(shown):]; len(more) > 0 { // they are in the order in which they are shown
		all = append(all, Notice{Level: more[0].Level, Text: b.Say("alert.more_days", words.Int("n", len(more))), rank: more[0].Rank(), later: true})
	}
	screens, _ := b.Source.([]ScreenAlert)
	var out Attention
	for _, n := range WorstFirst(slices.Concat(all, b.Notices(HouseAlerts(b.Evening, b.Access, screens)), b.service())) {
		switch {
		case n.later:
			out.Later = append(out.Later, n)
		case n.Level != evening.Info: // what only has to be known of a performance of tonight is in its row
			out.Notices = append(out.Notices, n)
		}
	}
	return out
}

// Span returns two times of day as a range.
func (b *Builder) Span(from, to time.Time) string {
	first, last := b.Clock(from, b.Zone), b.Clock(to, b.Zone)
	if first == last {
		return first
	}
	return b.Text("time.span", words.Text("from", first), words.Text("to", last))
}

// service returns notices about the service: what it does not offer, how far the first sync has come, and faults that the strip does not show.
func (b *Builder) service() []Notice {
	var all []Notice
	add := func(text sentence) {
		all = append(all, Notice{Level: evening.Info, Text: text, rank: evening.AlertRank(""), later: true})
	}
	none := map[string][]string{} // the lists that are not offered, by the fault
	// While the light is not green, the strip names the failing streams it covers.
	named := func(h figures.StreamHealth) bool {
		if b.Health.Light() == figures.Green {
			return false
		}
		for asked := range b.Health.Asked() {
			if asked.Name == h.Name {
				return true
			}
		}
		return false
	}
	for _, h := range b.Health.Streams {
		if !b.Access.seesFailing(h) {
			continue
		}
		switch {
		case h.Fault == figures.FaultNotOffered && !named(h), h.Fault == figures.FaultForbidden && !named(h):
			fault := b.Code("fault", string(h.Fault))
			none[fault] = append(none[fault], b.rows(h))
		case h.Counts() && !h.Complete && !h.LastGood.IsZero(): // how far it is stands in the strip
			add(b.Say("service.reading", words.Text("rows", b.rows(h))))
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(none)) {
		add(b.Say("service.none", words.Text("rows", b.List(none[fault])), words.Text("fault", fault)))
	}
	return all
}

// since returns the word since with momentShort of t; empty for the zero time.
func (b *Builder) since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return b.Text("time.since", words.Text("when", b.MomentShort(t)))
}

// MomentShort returns the time of a moment of today or of the last 24 hours, and the day of an older one.
func (b *Builder) MomentShort(t time.Time) string {
	if d := b.Calendar.Day(t); d != b.Evening.Day && d != b.Today && b.Now.Sub(t) >= 24*time.Hour {
		return b.DayShortOf(d)
	}
	return b.Clock(t, b.Zone)
}
