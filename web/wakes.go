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
	wakePast    = "past"    // figures of performances of days before whose people may still be in the building
	wakeHealth  = "health"  // the state of the streams, which every strip shows
)

// wakeEvent returns the subject of a performance's figures.
func wakeEvent(id string) string { return "event " + id }

// Wakes returns the subjects that changes between two snapshots wake. What is usual by past performances wakes none: a single sale
// of one hardly changes it, and every page wakes each minute.
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
	if evening.PastInside(before, s, c.Events, now) {
		subjects = append(subjects, wakePast)
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
	return []string{wakeEvent(p.Values().Get("event")), wakePast}
}

// Failed returns the text of a page that cannot be rendered.
func Failed(l Locale) string { return words.Of(l).Text("strip.failed") }
