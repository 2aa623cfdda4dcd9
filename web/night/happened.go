package night

import (
	"cmp"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// passed lists when more people were inside than are allowed.
type passed struct{ Rows []words.Sentence }

// happened lists the alerts of a day, and who took them on.
type happened struct{ Rows []happenedRow }

type happenedRow struct {
	Time  string // from when to when
	Level evening.Level
	What  words.Sentence
	By    string
}

// passed says of each time in which more people were in a hall, or in the building, than are allowed how many they were at most, how
// many too many, and from when to when.
func (b builder) passed(over []licence.Passed) (all []words.Sentence) {
	for i := range over {
		p, key := &over[i], "report.passed"
		to := words.Text("to", b.Clock(p.To, b.Zone))
		if p.To.IsZero() {
			key = "report.passed_since"
		}
		place := words.NameAlone(p.Hall)
		if p.Hall == "" {
			place = b.Say("alert.building")
		}
		all = append(all, b.Say(key, words.Part("place", place), words.Fig("n", b.Number(p.Most)), words.Int("licensed", p.Licensed), words.Text("time", b.Clock(p.MostAt, b.Zone)),
			words.Text("over", b.Number(p.TooMany()).Text), words.Text("from", b.Clock(p.From, b.Zone)), to))
	}
	return all
}

// mostOf returns how many people were inside at most while an alert stood that a place was too full; empty for other alerts and
// where that is not known.
func (b builder) mostOf(code string, e *figures.EventFigures, r *record.RaisedAlert, over []licence.Passed) (most words.Sentence) {
	hall := ""
	if code == evening.AlertCrowded && e != nil {
		hall = e.Event.Hall
	} else if code != evening.AlertCrowdedBuilding {
		return nil
	}
	n := 0
	for i := range over {
		p := &over[i]
		if p.Hall != hall || p.Most.Value <= n || !p.To.IsZero() && p.To.Before(r.Raised) || !r.Cleared.IsZero() && r.Cleared.Before(p.From) {
			continue
		}
		n = p.Most.Value
		most = b.Say("report.passed_most", words.Fig("n", b.Number(p.Most)), words.Int("licensed", p.Licensed), words.Text("time", b.Clock(p.MostAt, b.Zone)))
	}
	return most
}

// happened returns the alerts that were raised on a day, and those that people took on without one, as they did before alerts
// were in the log. Of those that the house has switched off, it has what people took on. Those about money and of other days are in it if somebody took them on.
// What was too full has how many were inside at most, of what was passed on the day.
func (b builder) happened(day figures.Day, over []licence.Passed) (h happened) {
	var all []record.RaisedAlert
	logged := map[string]bool{}
	for _, r := range b.Snapshot.Alerts {
		if b.Calendar.Day(r.Raised) == day {
			all, logged[r.Alert] = append(all, *r), true
		}
	}
	for _, key := range b.Snapshot.Acknowledged {
		for _, k := range key {
			if !k.Undone && b.Calendar.Day(k.At) == day && !logged[k.Alert] {
				all = append(all, record.RaisedAlert{Alert: k.Alert, By: []string{k.By}, Raised: k.At, Cleared: k.At})
			}
		}
	}
	slices.SortFunc(all, func(x, y record.RaisedAlert) int {
		return cmp.Or(x.Raised.Compare(y.Raised), cmp.Compare(x.Alert, y.Alert), slices.Compare(x.By, y.By))
	})
	for _, r := range all {
		code, id, _ := strings.Cut(r.Alert, ":")
		a, e, taken := evening.Alert{Code: code}, b.eventOf(id), len(r.By)+len(r.Took) > 0
		if b.Evening.Off(code) && !taken || !b.Access.SeesAlert(&a) || !b.within(r.Alert) || !taken && (a.Sees() != evening.SeesPlaces || e != nil && e.Date != day) {
			continue
		}
		row := happenedRow{Time: b.Clock(r.Raised, b.Zone), Level: evening.Level(r.Level), By: b.List(slices.Concat(r.By, r.Took)), What: words.Join(" · ", b.alertTitle(code, id), b.mostOf(code, b.eventOf(id), &r, over))}
		switch {
		case r.Cleared.IsZero():
			row.Time = b.Text("report.since", words.Text("time", row.Time))
		case b.Calendar.Day(r.Cleared) != day:
			row.Time = b.Text("time.span", words.Text("from", row.Time), words.Text("to", b.DayShortOf(b.Calendar.Day(r.Cleared))))
		default:
			row.Time = b.Span(r.Raised, r.Cleared)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// alertTitle names an alert of the log by its code and what it is about: a performance, and a gate of it.
func (b builder) alertTitle(code, id string) words.Sentence {
	what := words.Sentence{{Text: web.Capital(b.Code("alert_code", code))}}
	e := b.eventOf(id)
	if e == nil {
		return what
	}
	what = words.Join(" · ", what, words.NameAlone(b.TitleOf(e)))
	if gate, ok := strings.CutPrefix(id, e.Event.ID+":"); ok {
		what = words.Join(" · ", what, words.Sentence{{Text: b.GateName(gate)}})
	}
	return what
}

// eventOf returns the performance that the rest of an alert's key names: its id, alone or before a gate.
func (b builder) eventOf(id string) *figures.EventFigures {
	if e := b.Event(id); e != nil {
		return e
	}
	id, _, _ = strings.Cut(id, ":")
	return b.Event(id)
}

// within reports whether the access includes what an alert is about: everything of the whole house, or a performance of
// its halls.
func (b builder) within(key string) bool {
	_, id, _ := strings.Cut(key, ":")
	return b.Access.WholeHouse() || b.eventOf(id) != nil
}
