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

// SeenPath is where a page sends that somebody has seen an alert: a form with its key as alert
// and the id of its performance as event, each escaped as in a query, for they may hold anything.
const SeenPath = "/seen"

// notice is something that needs a person's attention.
type notice struct {
	Level evening.Level
	Text  sentence
	Since string // empty when nobody can say

	// Of an alert: its key and the performance that it is about, escaped, and who has seen it and
	// when, empty while nobody has.
	Key, Event, Seen string
	// Href leads to more about it; empty for nowhere.
	Href string

	code string // of its alert, empty where it is of none
}

// id is the id of the notice at a place of the list: that of its alert, so that the others stay when
// one comes or goes.
func (n notice) id(place int) string { return "notice-" + cmp.Or(n.Key, strconv.Itoa(place)) }

// SeesAlert reports whether the access includes what an alert is about, of a performance that it includes or
// of the whole house.
func (a Access) SeesAlert(of *evening.Alert) bool {
	switch of.Sees() {
	case evening.SeesMoney:
		return a.seesMoney()
	case evening.SeesSalesOfDay:
		return a.seesToday()
	case evening.SeesReconciliation:
		return mayReconcile(a, "")
	}
	return true
}

// HouseAlerts are what needs attention of the whole house and is included in the access: figures that
// do not agree, worst first, refunds, streams that do not answer, and screens.
func HouseAlerts(v *evening.Evening, a Access, screens []ScreenAlert) []evening.Alert {
	all := v.Differing()
	slices.SortStableFunc(all, func(a, c evening.Alert) int { return a.Level.Loudness() - c.Level.Loudness() })
	if refunds, ok := v.Refunds(); ok {
		all = append(all, refunds)
	}
	if failing, streams := v.Failing(a.seesFailing); len(streams) > 0 {
		all = append(all, failing)
	}
	if a.wholeHouse() { // anybody can switch a screen on
		for _, s := range screens {
			one := s.alert()
			one.Seen = v.SeenBy(&one)
			all = append(all, one)
		}
	}
	return a.alerts(all)
}

// seesFailing says that it is shown that a stream does not answer. One from which no figure is counted
// concerns only those who see money.
func (a Access) seesFailing(h figures.StreamHealth) bool {
	return a.seesStream(h) && (h.Counts() || a.seesMoney())
}

// alerts are those among alerts that the access includes.
func (a Access) alerts(alerts []evening.Alert) []evening.Alert {
	return slices.DeleteFunc(slices.Clone(alerts), func(of evening.Alert) bool { return !a.SeesAlert(&of) })
}

// notices are alerts in words, as far as the access includes them.
func (b *builder) notices(alerts []evening.Alert) []notice {
	var all []notice
	for _, a := range b.Access.alerts(alerts) {
		n := notice{Level: a.Level, Text: alertWords[a.Code](b, &a), Since: b.since(a.Since), Key: url.QueryEscape(a.Key), Event: url.QueryEscape(a.Event), code: a.Code}
		if a.Code == evening.AlertDiffers {
			n.Href = reconcilePath + "#check-" + string(a.Check)
		}
		if a.Code == evening.AlertFewLeft && b.Calendar.Day(a.Since) != b.today {
			n.Since = "" // since then they are few, not as many as now
		}
		if a.Code == evening.AlertHold && !b.at.Before(a.Show().Event.StartsAt) {
			n.Since = b.since(later(a.Since, a.Show().Event.StartsAt)) // before that nobody was late
		}
		if s := a.Show(); s != nil && b.Page != "event" && s.Date != b.evening.Day {
			n.Href = eventHref(s.Event.ID)
		}
		if a.Seen != nil {
			n.Seen = b.Text("attention.seen_by", words.Text("by", a.Seen.By), words.Text("when", b.momentShort(a.Seen.At)))
		}
		all = append(all, n)
	}
	return all
}

// worstFirst are notices in the order of the page: the worst first, and what somebody has seen after
// the others.
func worstFirst(all []notice) []notice {
	slices.SortStableFunc(all, func(a, c notice) int {
		return cmp.Or(cmp.Compare(min(1, len(a.Seen)), min(1, len(c.Seen))), cmp.Compare(evening.AlertRank(a.code), evening.AlertRank(c.code)))
	})
	return all
}

// shownDays is how many alerts of other days are named.
const shownDays = 3

// attention is what needs a person's attention: of this evening, of other days, of the house, its screens
// and the service. Of other days are named the few that are worst of what somebody has to do something
// about and nobody has seen; what is only good to know is on Events and on the performance's own page, and
// so is what was seen.
func (b *builder) attention() attention {
	days := slices.DeleteFunc(b.Access.alerts(b.evening.OtherDays()), func(a evening.Alert) bool { return a.Level == evening.Info || a.Seen != nil })
	shown := days[:min(len(days), shownDays)]
	all := b.notices(slices.Concat(b.evening.Alerts, shown))
	if more := days[len(shown):]; len(more) > 0 { // they are in the order in which they are shown
		all = append(all, notice{Level: more[0].Level, Text: b.Say("alert.more_days", words.Int("n", len(more))), code: more[0].Code})
	}
	screens, _ := b.beside.([]ScreenAlert)
	return attention{worstFirst(slices.Concat(all, b.notices(HouseAlerts(b.evening, b.Access, screens)), b.service()))}
}

// verdict is a performance's start in words; empty where nothing is said. After curtain it says
// no more when the last comes, for those who are left are too few to tell, but of how many who are
// not in yet they are: the others will not come.
func (b *builder) verdict(s *evening.Show) sentence {
	v := s.Verdict
	switch v.Call {
	case evening.OnTime:
		return b.Say("verdict.on_time")
	case evening.Hold:
		if curtain := s.Event.StartsAt; b.at.Before(curtain) {
			return b.Say("verdict.hold", words.Int("n", v.Outside.Value), words.Text("curtain", b.Clock(curtain, b.zone)), words.Text("last", b.span(v.From, v.To)))
		}
		return b.Say("verdict.hold_after_curtain", words.Int("n", v.Outside.Value), words.Int("still", max(v.Outside.Value, s.Still.Value)))
	}
	return nil
}

// verdictShort is verdict in a row, beside the curtain's time.
func (b *builder) verdictShort(s *evening.Show) sentence {
	if v := s.Verdict; v.Call == evening.Hold && b.at.Before(s.Event.StartsAt) {
		return b.Say("verdict.hold_short", words.Int("n", v.Outside.Value), words.Text("last", b.span(v.From, v.To)))
	}
	return b.verdict(s)
}

// span is from one time of day to another.
func (b *builder) span(from, to time.Time) string {
	first, last := b.Clock(from, b.zone), b.Clock(to, b.zone)
	if first == last {
		return first
	}
	return b.Text("time.span", words.Text("from", first), words.Text("to", last))
}

// service says what the service does not offer, how far the first sync has come, and which
// failures the truth strip does not show.
func (b *builder) service() []notice {
	var all []notice
	add := func(text sentence) { all = append(all, notice{Level: evening.Info, Text: text}) }
	none := map[string][]string{} // the lists that are not offered, by the fault
	// While the light is not green, the strip names what fails of the streams that it is about.
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

// since names a moment of today by its time and an older one by its day.
func (b *builder) since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return b.Text("time.since", words.Text("when", b.momentShort(t)))
}

// momentShort is a moment of today by its time and an older one by its day.
func (b *builder) momentShort(t time.Time) string {
	if d := b.Calendar.Day(t); d != b.evening.Day && d != b.today {
		return b.dayShort(d)
	}
	return b.Clock(t, b.zone)
}
