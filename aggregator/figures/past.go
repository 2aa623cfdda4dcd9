package figures

import "slices"

// MinuteFigures are the figures of a performance at the end of a minute in which they changed, as far as they were known
// then: by when versions were seen, not by the times in the records.
type MinuteFigures struct {
	Minute    int64 // Unix time / 60
	Available *int  // as the service reports it; nil if it does not
	Sold      int   // places
	Present   int   // places, with people who were counted by hand
	Net       Sums  // received less refunded and charged back
	// NetUnknown is true if Net is not known, because payments are split over more performances than were
	// folded.
	NetUnknown bool
}

// Same reports whether both have the same figures, in whichever minute.
func (m MinuteFigures) Same(o MinuteFigures) bool {
	if (m.Available == nil) != (o.Available == nil) || m.Available != nil && *m.Available != *o.Available {
		return false
	}
	return m.Sold == o.Sold && m.Present == o.Present && slices.Equal(m.Net, o.Net)
}

// OnlyAvailableKnown reports whether the service reports the places that are left of the event, and no tickets: its
// sales curve is then made of what was left at the end of each minute of the past.
func (e *EventFigures) OnlyAvailableKnown() bool { return !e.Sold.Known() && e.Available.Known() }
