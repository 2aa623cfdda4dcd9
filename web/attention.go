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

// missedPolls of a stream are mentioned.
const missedPolls = 2

// notices are alerts in words.
func (b *builder) notices(alerts []figures.Alert) []notice {
	var all []notice
	for _, a := range alerts {
		n := notice{Level: a.Level, Text: b.alertWords(&a), Since: b.since(a.Since), Key: url.QueryEscape(a.Key), Event: url.QueryEscape(a.Event), code: a.Code}
		if a.Code == figures.AlertDiffers {
			n.Href = reconcilePath + "#check-" + string(a.Check)
		}
		if a.Code == figures.AlertFewLeft && b.Calendar.Day(a.Since) != b.today {
			n.Since = "" // since then they are few, not as many as now
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

// shownAhead is how many performances to come are named that need attention.
const shownAhead = 3

// attention is what needs a person's attention: of this evening, of the performances to come the
// soonest that are oversold and how many more, and of the house, its screens and the service.
func (b *builder) attention() attention {
	ahead := b.evening.Ahead()
	slices.SortStableFunc(ahead, func(a, c figures.Alert) int { // those that nobody has seen are named first
		switch {
		case a.Seen == nil && c.Seen != nil:
			return -1
		case a.Seen != nil && c.Seen == nil:
			return 1
		}
		return 0
	})
	shown := ahead[:min(len(ahead), shownAhead)]
	all := b.notices(slices.Concat(b.evening.Alerts, shown))
	if more := len(ahead) - len(shown); more > 0 {
		all = append(all, notice{Level: figures.Bad, Text: b.Say("alert.more_oversold", words.Int("n", more)), code: figures.AlertOversold})
	}
	return attention{worstFirst(slices.Concat(all, b.differing(), b.screenAlerts(), b.service()))}
}

// alertWords says what an alert is about.
func (b *builder) alertWords(a *figures.Alert) sentence {
	s := a.Show()
	if s == nil {
		return b.differsWords(a)
	}
	title, n := words.Name("title", b.title(s.EventFigures)), a.Count.Value
	switch a.Code {
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
		text := b.Say("alert.oversold", title, words.Int("n", n))
		if s.Date > b.evening.Day {
			text = b.Say("alert.oversold_on", title, words.Text("day", b.day(s.Date)), words.Int("n", n))
		}
		sold, capacity := words.Plain("sold", b.number(s.Sold)), words.Plain("capacity", b.number(s.Capacity))
		switch {
		case !s.Sold.Known() || !s.Capacity.Known():
			return text
		case s.Blocked.Known() && s.Blocked.Value > 0:
			return words.Join(" ", text, b.Say("alert.sold_of_blocked", sold, capacity, words.Int("blocked", s.Blocked.Value)))
		}
		return words.Join(" ", text, b.Say("alert.sold_of", sold, capacity))
	case figures.AlertFewLeft:
		text := b.Say("alert.few_left", title, words.Int("n", n))
		if sold := s.SoldLastHour; sold.Known() && sold.Value > 0 {
			text = b.Say("alert.few_left_sold", title, words.Int("n", n), words.Plain("sold", b.number(sold)))
		}
		if r := s.Reserved; r.Known() && r.Value > 0 {
			text = words.Join(" ", text, b.Say("alert.unpaid", words.Int("n", r.Value)))
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
		// A stream from which no figure is counted concerns only those who see money.
		if !b.Access.seesStream(h) || !h.Counts() && !b.Access.seesMoney() {
			continue
		}
		rows := words.Text("rows", b.rows(h))
		switch {
		case h.Fault == figures.FaultNotOffered && !named(h), h.Fault == figures.FaultForbidden && !named(h):
			fault := b.Code("fault", string(h.Fault))
			none[fault] = append(none[fault], b.rows(h))
		case h.Counts() && !h.Complete && !h.LastGood.IsZero() && h.Total < 0:
			add(b.Say("service.reading", rows, words.Int("read", h.Read)))
		case h.Counts() && !h.Complete && !h.LastGood.IsZero():
			add(b.Say("service.reading_of", rows, words.Int("read", h.Read), words.Int("total", max(h.Total, h.Read))))
		case !h.Counts() && h.Missed >= missedPolls && b.Health.Light() == figures.Green:
			add(b.Say("service.no_answer", rows, words.Int("n", h.Missed), words.Text("fault", b.faultText(h))))
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
