package figures

import (
	"time"

	"housecount/apiclient/record"
)

// Event returns the figures of one event, nil when there are none.
func (s *Snapshot) Event(id string) *EventFigures {
	for _, e := range s.Events {
		if e.Event.ID == id {
			return e
		}
	}
	return nil
}

// Tonight returns the events of the venue day of now, and those of the day before that
// have not ended, ordered by curtain. Cancelled ones are among them: their status says so.
func (s *Snapshot) Tonight(now time.Time) []*EventFigures {
	today := s.Calendar.Day(now)
	yesterday := today.Add(-1)
	var tonight []*EventFigures
	for _, e := range s.Events {
		running := e.Date == yesterday && !e.Hours().End.IsZero() && !e.over(now) &&
			e.Event.Status != record.EventCancelled && e.Event.Status != record.EventPostponed
		if e.Date == today || running {
			tonight = append(tonight, e)
		}
	}
	return tonight
}

// Next returns up to n coming events after the venue day of now, without cancelled ones,
// ordered by curtain.
func (s *Snapshot) Next(now time.Time, n int) []*EventFigures {
	today := s.Calendar.Day(now)
	var next []*EventFigures
	for _, e := range s.Events {
		if len(next) >= n {
			break
		}
		if e.Date > today && e.Event.Status != record.EventCancelled {
			next = append(next, e)
		}
	}
	return next
}
