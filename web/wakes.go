package web

import (
	"housecount/aggregator/figures"
	"housecount/web/live"
	"housecount/web/words"
)

// Subjects that wake pages, beside live.Minute and those of single performances.
const (
	wakeFigures = "figures" // figures of any performance, or money
	wakePast    = "past"    // figures of a performance of a day before: they say what is usual
	wakeHealth  = "health"  // how the service is read: every strip says it
)

// wakeEvent is the subject of a performance's figures.
func wakeEvent(id string) string { return "event " + id }

// Changes are what has changed in the figures.
type Changes struct {
	// Events are the ids of the performances whose figures changed.
	Events []string
	// Money says that money moved, of whatever performance or of none.
	Money bool
	// All says that anything may have changed, also how the service is read.
	All bool
}

// Wakes are the subjects that changes wake, s being the figures as they are now.
func (c Changes) Wakes(s *figures.Snapshot, today figures.Day) []string {
	var subjects []string
	if c.All {
		subjects = append(subjects, wakeHealth)
	}
	if c.All || c.Money || len(c.Events) > 0 {
		subjects = append(subjects, wakeFigures)
	}
	past := false
	for _, id := range c.Events {
		subjects = append(subjects, wakeEvent(id))
		e := s.Event(id)
		past = past || e == nil || e.Date < today
	}
	if past {
		subjects = append(subjects, wakePast)
	}
	return subjects
}

// Wakes are the subjects that wake the request's topic. Every page wakes with the minute, which
// its clock shows, and with its source; one with a strip when it changes how the service is read.
func (q Request) Wakes() []string {
	p := PageNamed(q.Page)
	subjects := append([]string{live.Minute}, p.wakes(q.Params)...)
	if !p.Bare {
		subjects = append(subjects, wakeHealth)
	}
	if p.source != nil {
		subjects = append(subjects, p.source.subject)
	}
	return subjects
}

func nothing(Params) []string { return nil }

func anyFigures(Params) []string { return []string{wakeFigures} }

func oneEvent(p Params) []string { return []string{wakeEvent(p.values().Get("event")), wakePast} }

// Failed is what a page says while it cannot be rendered.
func Failed(l Locale) string { return words.Of(l).Text("strip.failed") }
