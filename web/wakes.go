package web

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/live"
	"housecount/web/query"
	"housecount/web/words"
)

// Subjects that wake pages, besides live.Minute and those of single performances.
const (
	wakeFigures = "figures" // figures of any performance, money, or findings
	wakePast    = "past"    // figures of many performances of days before: what is usual is computed from them
	wakeHealth  = "health"  // the state of the streams, which every strip shows
)

// wakeEvent returns the subject of a performance's figures.
func wakeEvent(id string) string { return "event " + id }

// wakeUsual returns the subject of the figures of past performances that a performance is compared with.
func wakeUsual(id string) string { return "usual " + id }

// Wakes returns the subjects that changes between two snapshots wake.
func Wakes(c figures.Changes, before, s *figures.Snapshot, now time.Time) []string {
	var subjects []string
	if c.All {
		subjects = append(subjects, wakeHealth)
	}
	if c.All || c.Findings || c.Unattributed || len(c.Events) > 0 {
		subjects = append(subjects, wakeFigures)
	}
	for _, id := range c.Events {
		subjects = append(subjects, wakeEvent(id))
	}
	rely, all := evening.RelyOnPast(before, s, c.Events, now)
	if all {
		subjects = append(subjects, wakePast)
	}
	for _, id := range rely {
		subjects = append(subjects, wakeUsual(id))
	}
	return subjects
}

// Wakes returns the subjects that wake the request's topic. Every page wakes each minute, for its clock,
// and with its source; a page with a strip also wakes when the state of a stream changes.
func (q Request) Wakes() []string {
	p := PageNamed(q.Page)
	subjects := append([]string{live.Minute}, p.WokenBy(q.Params)...)
	if !p.Bare {
		subjects = append(subjects, wakeHealth)
	}
	if p.Source != nil {
		subjects = append(subjects, p.Source.Subject)
	}
	return subjects
}

func ByNothing(query.Params) []string { return nil }

func ByFigures(query.Params) []string { return []string{wakeFigures} }

func ByOneEvent(p query.Params) []string {
	id := p.Values().Get("event")
	return []string{wakeEvent(id), wakeUsual(id), wakePast}
}

// Failed returns the text of a page that cannot be rendered.
func Failed(l Locale) string { return words.Of(l).Text("strip.failed") }
