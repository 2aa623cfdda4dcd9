package figures

import "slices"

// MinuteFigures are the figures of a performance at the end of a minute in which they changed, as known at that
// time: by when versions were seen, not by the times in the records.
type MinuteFigures struct {
	Minute    int64 // Unix time / 60
	Available *int  // as reported by the service; nil if it is not
	Sold      int   // places
	Present   int   // places, including people who were counted by hand
	Net       Sums  // received less refunded and charged back
	// NetUnknown is true if Net is not known, because payments are split over performances that were not folded.
	NetUnknown bool
}

// Same reports whether both have the same figures, regardless of the minute.
func (m MinuteFigures) Same(o MinuteFigures) bool {
	if (m.Available == nil) != (o.Available == nil) || m.Available != nil && *m.Available != *o.Available {
		return false
	}
	return m.Sold == o.Sold && m.Present == o.Present && slices.Equal(m.Net, o.Net)
}

// OnlyAvailableKnown reports whether the service reports the event's available places but no tickets. Its sales
// curve is then derived from the places available at the end of each past minute.
func (e *EventFigures) OnlyAvailableKnown() bool { return !e.Sold.Known() && e.Available.Known() }
