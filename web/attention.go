package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// SeenPath is where a page sends that somebody has seen an alert: a form with its key as alert
// and the id of its performance as event, each escaped as in a query, for they may hold anything.
const SeenPath = "/seen"

// notice is something that needs a person's attention.
type notice struct {
	Level figures.Level
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

// SeesAlert says that the access includes what an alert is about, of a performance that it includes or
// of the whole house.
func (a Access) SeesAlert(of *figures.Alert) bool {
	switch {
	case of.OfMoney():
		return a.seesMoney()
	case of.OfSales():
		return a.seesToday()
	case of.Code == figures.AlertDiffers:
		return mayReconcile(a, "")
	}
	return true
}

// HouseAlerts are what needs attention of the whole house and is included in the access: figures that
// do not agree, worst first, refunds, streams that do not answer, and screens.
func HouseAlerts(v *figures.Evening, a Access, screens []ScreenAlert) []figures.Alert {
	all := v.Differing()
	slices.SortStableFunc(all, func(a, c figures.Alert) int { return a.Level.Loudness() - c.Level.Loudness() })
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
func (a Access) alerts(alerts []figures.Alert) []figures.Alert {
	return slices.DeleteFunc(slices.Clone(alerts), func(of figures.Alert) bool { return !a.SeesAlert(&of) })
}

// notices are alerts in words, as far as the access includes them.
func (b *builder) notices(alerts []figures.Alert) []notice {
	var all []notice
	for _, a := range b.Access.alerts(alerts) {
		n := notice{Level: a.Level, Text: b.alertWords(&a), Since: b.since(a.Since), Key: url.QueryEscape(a.Key), Event: url.QueryEscape(a.Event), code: a.Code}
		if a.Code == figures.AlertDiffers {
			n.Href = reconcilePath + "#check-" + string(a.Check)
		}
		if a.Code == figures.AlertFewLeft && b.Calendar.Day(a.Since) != b.today {
			n.Since = "" // since then they are few, not as many as now
		}
		if a.Code == figures.AlertHold && !b.at.Before(a.Show().Event.StartsAt) {
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
		return cmp.Or(cmp.Compare(min(1, len(a.Seen)), min(1, len(c.Seen))), cmp.Compare(figures.AlertRank(a.code), figures.AlertRank(c.code)))
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
	days := slices.DeleteFunc(b.Access.alerts(b.evening.OtherDays()), func(a figures.Alert) bool { return a.Level == figures.Info || a.Seen != nil })
	shown := days[:min(len(days), shownDays)]
	all := b.notices(slices.Concat(b.evening.Alerts, shown))
	if more := days[len(shown):]; len(more) > 0 { // they are in the order in which they are shown
		all = append(all, notice{Level: more[0].Level, Text: b.Say("alert.more_days", words.Int("n", len(more))), code: more[0].Code})
	}
	screens, _ := b.beside.([]ScreenAlert)
	return attention{worstFirst(slices.Concat(all, b.notices(HouseAlerts(b.evening, b.Access, screens)), b.service()))}
}

// alertWords says what an alert is about.
func (b *builder) alertWords(a *figures.Alert) sentence {
	s := a.Show()
	if s == nil {
		return b.houseWords(a)
	}
	title, n := words.Name("title", b.title(s.EventFigures)), a.Count.Value
	onDay := words.Part("title", words.NameAlone(b.title(s.EventFigures)))
	if s.Date != b.evening.Day && s.Date != "" {
		onDay = words.Part("title", b.Say("alert.title_on", title, words.Text("day", b.day(s.Date))))
	}
	switch a.Code {
	case figures.AlertSoldOut:
		return b.Say("alert.sold_out", onDay)
	case figures.AlertNearlyFull:
		return words.Join(" ", b.Say("alert.nearly_full", onDay, words.Text("share", b.wholeShare(b.evening.NearlyFull()))), b.takenOf(s))
	case figures.AlertOwed:
		return b.Say("alert.owed", onDay, words.Text("amount", b.sums(a.Amount)))
	case figures.AlertRefunds:
		return b.Say("alert.refunds", onDay, words.Text("amount", b.sums(a.Amount)), words.Text("share", b.wholeShare(b.evening.RefundPart())))
	case figures.AlertBehindPace, figures.AlertAheadOfPace:
		key, equal := "alert.behind_pace", "alert.behind_pace_equal"
		if a.Code == figures.AlertAheadOfPace {
			key, equal = "alert.ahead_of_pace", "alert.ahead_of_pace_equal"
		}
		if a.Usual.Low == a.Usual.High {
			return b.Say(equal, onDay, words.Int("sold", a.Sold), words.Int("usual", a.Usual.Median), words.Int("days", a.Days))
		}
		return b.Say(key, onDay, words.Int("sold", a.Sold), words.Int("low", a.Usual.Low), words.Int("high", a.Usual.High), words.Int("days", a.Days))
	case figures.AlertQuietGate:
		quiet, still := words.Int("minutes", words.MinutesBetween(a.Since, b.at)), words.Fig("n", b.of(s, figures.KeyStill))
		if a.Gate == "" {
			return b.Say("alert.quiet_gate_unnamed", quiet, still, title)
		}
		return b.Say("alert.quiet_gate", words.Name("gate", a.Gate), quiet, still, title)
	case figures.AlertHold:
		v := s.Verdict
		if curtain := s.Event.StartsAt; b.at.Before(curtain) {
			return b.Say("alert.hold", title, words.Int("n", v.Outside.Value), words.Text("curtain", b.Clock(curtain, b.zone)), words.Text("last", b.span(v.From, v.To)))
		}
		return b.Say("alert.hold_after_curtain", title, words.Int("n", v.Outside.Value), words.Int("still", max(v.Outside.Value, s.Still.Value)))
	case figures.AlertCrowded, figures.AlertCrowdedBuilding:
		return b.crowdedWords(a)
	case figures.AlertOversold:
		return words.Join(" ", b.Say("alert.oversold", onDay, words.Int("n", n)), b.takenOf(s))
	case figures.AlertFewLeft:
		left := words.Plain("n", b.number(a.Count))
		text := b.Say("alert.few_left", title, left)
		if sold := s.SoldLastHour; sold.Known() && sold.Value > 0 {
			text = b.Say("alert.few_left_sold", title, left, words.Plain("sold", b.number(sold)))
		}
		if r := s.Reserved; r.Known() && r.Value > 0 {
			text = words.Join(" ", text, b.Say("alert.unpaid", words.Plain("n", b.number(r))))
		}
		return text
	}
	sold := a.Count.Known() && n > 0
	switch owed := words.Text("amount", b.amounts(s.EventFigures, s.ToPayBack.Value)); {
	case s.Phase == figures.Postponed && sold:
		return b.Say("alert.postponed_sold", title, words.Int("n", n))
	case s.Phase == figures.Postponed:
		return b.Say("alert.postponed", title)
	case b.Access.seesMoney() && s.ToPayBack.Known() && len(s.ToPayBack.Value) > 0 && sold:
		return b.Say("alert.cancelled_sold_owed", title, words.Int("n", n), owed)
	case b.Access.seesMoney() && s.ToPayBack.Known() && len(s.ToPayBack.Value) > 0:
		return b.Say("alert.cancelled_owed", title, owed)
	case sold:
		return b.Say("alert.cancelled_sold", title, words.Int("n", n))
	}
	return b.Say("alert.cancelled", title)
}

// takenOf is how many places are sold of how many; nothing where that is not known.
func (b *builder) takenOf(s *figures.Show) sentence {
	sold, capacity := words.Plain("sold", b.number(s.Sold)), words.Plain("capacity", b.number(s.Capacity))
	switch {
	case !s.Sold.Known() || !s.Capacity.Known():
		return nil
	case s.Blocked.Known() && s.Blocked.Value > 0:
		return b.Say("alert.sold_of_blocked", sold, capacity, words.Int("blocked", s.Blocked.Value))
	}
	return b.Say("alert.sold_of", sold, capacity)
}

// wholeShare is a part of WholeRate.
func (b *builder) wholeShare(part int64) string {
	return b.Text("number.percent", words.Text("n", b.Fixed(part, 2)))
}

// houseWords says what an alert of the whole house is about.
func (b *builder) houseWords(a *figures.Alert) sentence {
	switch a.Code {
	case figures.AlertRefunds:
		return b.Say("alert.refunds_house", words.Text("amount", b.sums(a.Amount)), words.Text("share", b.wholeShare(b.evening.RefundPart())))
	case figures.AlertStreams:
		return b.failingWords()
	case figures.AlertSilentScreen:
		return b.Say("alert.silent_screen", words.Name("name", a.Screen))
	}
	return b.differsWords(a)
}

// failingWords says which streams do not answer, by why.
func (b *builder) failingWords() sentence {
	_, streams := b.evening.Failing(b.Access.seesFailing)
	faulty := map[string][]string{}
	for _, h := range streams {
		fault := b.faultText(h)
		faulty[fault] = append(faulty[fault], b.rows(h))
	}
	var all []sentence
	for _, fault := range slices.Sorted(maps.Keys(faulty)) {
		all = append(all, b.Say("alert.streams", words.Text("rows", b.List(faulty[fault])), words.Text("fault", fault)))
	}
	return words.Join(" ", all...)
}

// differsWords says what does not agree.
func (b *builder) differsWords(a *figures.Alert) sentence {
	check, n := words.Text("check", b.Code("check_differs", string(a.Check))), words.Int("n", a.Count.Value)
	if e := b.Event(a.Newest); e != nil {
		return b.Say("alert.differs_in", check, n, words.Name("title", b.title(e)))
	}
	return b.Say("alert.differs", check, n)
}

// crowdedWords says that as many people are inside as may be, or more.
func (b *builder) crowdedWords(a *figures.Alert) sentence {
	hall := a.Show().Event.Hall
	if a.Code == figures.AlertCrowdedBuilding {
		hall = ""
	}
	l, ok := b.evening.LoadOf(hall)
	if !ok {
		return nil // its alert comes of it
	}
	n, licensed := words.Fig("n", b.ofHall(l, figures.KeyInside)), words.Int("licensed", l.Licensed)
	name, over := words.Name("hall", hall), words.Text("over", b.tooMany(l.Inside, l.Licensed))
	switch {
	case hall == "" && l.Inside.Value > l.Licensed:
		return b.Say("alert.building_over", over, n, licensed)
	case hall == "":
		return b.Say("alert.building_full", n, licensed)
	case l.Inside.Value > l.Licensed:
		return b.Say("alert.crowded_over", over, name, n, licensed)
	}
	return b.Say("alert.crowded", name, n, licensed)
}

// tooMany says by how many there are more people inside than may be, as well as that is known.
func (b *builder) tooMany(inside figures.Figure[int], licensed int) string {
	over := words.Int("n", inside.Value-licensed)
	if inside.Quality != figures.Exact {
		switch qualityCode(inside.Quality, inside.Reasons) {
		case "at_most":
			return b.Text("alert.too_many_at_most", over)
		case "at_least":
			return b.Text("alert.too_many_at_least", over)
		}
		return b.Text("alert.too_many_estimated", over)
	}
	return b.Text("alert.too_many", over)
}

// verdict is a performance's start in words; empty where nothing is said. After curtain it says
// no more when the last comes, for those who are left are too few to tell, but of how many who are
// not in yet they are: the others will not come.
func (b *builder) verdict(s *figures.Show) sentence {
	v := s.Verdict
	switch v.Call {
	case figures.OnTime:
		return b.Say("verdict.on_time")
	case figures.Hold:
		if curtain := s.Event.StartsAt; b.at.Before(curtain) {
			return b.Say("verdict.hold", words.Int("n", v.Outside.Value), words.Text("curtain", b.Clock(curtain, b.zone)), words.Text("last", b.span(v.From, v.To)))
		}
		return b.Say("verdict.hold_after_curtain", words.Int("n", v.Outside.Value), words.Int("still", max(v.Outside.Value, s.Still.Value)))
	}
	return nil
}

// verdictShort is verdict in a row, beside the curtain's time.
func (b *builder) verdictShort(s *figures.Show) sentence {
	if v := s.Verdict; v.Call == figures.Hold && b.at.Before(s.Event.StartsAt) {
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
	add := func(text sentence) { all = append(all, notice{Level: figures.Info, Text: text}) }
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
