package night

import (
	"cmp"
	"slices"
	"strings"
	"time"

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
	Href  string // leads to what became of it; empty for none
	Level evening.Level
	What  words.Sentence
	By    string // who took it on, and when
}

// passedWhile returns the time in which more people were inside than are allowed while an alert stood that a place was too full, of
// several the one with most people; nil for other alerts and where that is not known.
func passedWhile(code string, e *figures.EventFigures, r *record.RaisedAlert, over []licence.Passed) (most *licence.Passed) {
	hall := ""
	if code == evening.AlertCrowded && e != nil {
		hall = e.Event.Hall
	} else if code != evening.AlertCrowdedBuilding {
		return nil
	}
	for i := range over {
		p := &over[i]
		if p.Hall != hall || most != nil && p.Most.Value <= most.Most.Value || !p.To.IsZero() && p.To.Before(r.Raised) || !r.Cleared.IsZero() && r.Cleared.Before(p.From) {
			continue
		}
		most = p
	}
	return most
}

// happened returns the alerts that were raised on a day, and those that people took on without one, as they did before alerts
// were in the log. Of those that the house has switched off, it has what people took on. Those about money and of other days are in it if somebody took them on.
// What was too full has how many were inside at most, and when, of what was passed on the day.
func (b builder) happened(day figures.Day, over []licence.Passed) (h happened) {
	var all []record.RaisedAlert
	logged := map[string]bool{}
	for _, r := range b.Snapshot.Alerts {
		if b.Calendar.Day(r.Raised) == day || b.stoodOn(day, r) {
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
		return cmp.Or(b.beganOn(day, &x).Compare(b.beganOn(day, &y)), cmp.Compare(x.Alert, y.Alert), slices.Compare(x.By, y.By))
	})
	for _, r := range all {
		code, id, _ := strings.Cut(r.Alert, ":")
		a, e, taken := evening.Alert{Code: code}, b.eventOf(id), len(r.By)+len(r.Took) > 0
		if b.Evening.Off(code) && !taken || !b.Access.SeesAlert(&a) || !b.within(r.Alert) || !taken && (a.Sees() != evening.SeesPlaces || e != nil && e.Date != day) {
			continue
		}
		row := happenedRow{Level: evening.Level(r.Level), By: b.takenOn(day, &r), What: b.alertTitle(code, id)}
		from, to := b.beganOn(day, &r), r.Cleared
		if p := passedWhile(code, b.eventOf(id), &r, over); p != nil { // at the top of the report stands when it was, not when it was noticed
			from, to = p.From, p.To
			row.What = words.Join(" · ", row.What, b.Say("report.passed_most", words.Fig("n", b.Number(p.Most)), words.Int("licensed", p.Licensed), words.Text("time", b.Clock(p.MostAt, b.Zone))))
		}
		row.What = words.Join(" · ", row.What, b.grew(code, &r))
		if row.Time = b.happenedTime(day, from, to); r.Number > 0 { // it is in the log
			row.Href = web.AlertHref(r.RecordID())
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// grew returns from what to what the number of an alert about places has grown from when it was raised to its end; nothing if it has not.
func (b builder) grew(code string, r *record.RaisedAlert) words.Sentence {
	first, last := words.Int("first", r.First), words.Int("last", r.Last)
	switch {
	case r.First == 0 || r.Last <= r.First:
	case code == evening.AlertOverLicensed:
		return b.Say("report.grew_sold", first, last)
	case code == evening.AlertOversold:
		return b.Say("report.grew_seatless", first, last)
	case code == evening.AlertBlockedSold:
		return b.Say("report.grew_blocked", first, last)
	}
	return nil
}

// takenOn returns who took an alert of a day on, and when the first of them did, where that is known; empty for nobody.
func (b builder) takenOn(day figures.Day, r *record.RaisedAlert) string {
	by := strings.Join(slices.Concat(r.By, r.Took), ", ")
	if by == "" || r.Taken.IsZero() {
		return by
	}
	at := b.Clock(r.Taken, b.Zone)
	if on := b.Calendar.Day(r.Taken); on != day {
		at = b.DayShortOf(on) + " " + at
	}
	return at + " " + by
}

// stoodOn reports whether an alert about a performance of the day was raised before it and stood on it.
func (b builder) stoodOn(day figures.Day, r *record.RaisedAlert) bool {
	_, id, _ := strings.Cut(r.Alert, ":")
	e := b.eventOf(id)
	return e != nil && e.Date == day && b.Calendar.Day(r.Raised) < day && (r.Cleared.IsZero() || b.Calendar.Day(r.Cleared) >= day)
}

// beganOn returns when an alert of a day began, or when it was raised if it began on a day before: sales of weeks may lead to one.
func (b builder) beganOn(day figures.Day, r *record.RaisedAlert) time.Time {
	if at := r.Began(); b.Calendar.Day(at) == day {
		return at
	}
	return r.Raised
}

// happenedTime returns from when to when an alert of a day stood; to is zero while it does.
func (b builder) happenedTime(day figures.Day, from, to time.Time) string {
	first, on := b.Clock(from, b.Zone), b.Calendar.Day(from)
	if on != day {
		first = b.DayShortOf(on)
	}
	switch {
	case to.IsZero():
		return b.Text("report.since", words.Text("time", first))
	case b.Calendar.Day(to) != day:
		return b.Text("time.span", words.Text("from", first), words.Text("to", b.DayShortOf(b.Calendar.Day(to))))
	}
	if on == day {
		return b.Span(from, to)
	}
	return b.Text("time.span", words.Text("from", first), words.Text("to", b.Clock(to, b.Zone)))
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
