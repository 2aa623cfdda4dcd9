package figures

import "slices"

// Reading is what a performance came to at the end of a minute in which that changed, as far as was
// known then: by when versions were seen, not by what they say happened.
type Reading struct {
	Event     string
	Minute    int64 // Unix time / 60
	Available *int  // as the service reports it; nil where it does not
	Sold      int   // places
	Present   int   // places, with people who were counted by hand
	Net       Sums  // received less refunded and charged back
}

// Same says that two readings are of the same figures, whenever they were made.
func (r Reading) Same(o Reading) bool {
	if (r.Available == nil) != (o.Available == nil) || r.Available != nil && *r.Available != *o.Available {
		return false
	}
	return r.Sold == o.Sold && r.Present == o.Present && slices.Equal(r.Net, o.Net)
}

// Reading is what an event comes to now; ok is false where it is not shown.
func (l *Ledger) Reading(event string) (r Reading, ok bool) {
	e := l.accounts[event]
	if e == nil || !e.listed() {
		return r, false
	}
	return l.read(e), true
}

// Readings are those of all events that are shown, by their ids.
func (l *Ledger) Readings() map[string]Reading {
	all := map[string]Reading{}
	for id, e := range l.accounts {
		if e.listed() {
			all[id] = l.read(e)
		}
	}
	return all
}

func (l *Ledger) read(e *eventAccount) Reading {
	r := Reading{Event: e.id, Sold: e.sold.all(), Present: e.present, Net: e.amounts.publish(&l.names).Net()}
	if n, known := within(e.record.Available); known {
		r.Available = &n
	}
	if sums := e.sums(); sums != nil {
		r.Present = sums.Present
	}
	for _, n := range e.walkIns {
		r.Present += max(0, n)
	}
	return r
}
