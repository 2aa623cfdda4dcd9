package ledger

import (
	"housecount/aggregator/figures"
)

// Reading is what an event comes to now; ok is false where it is not shown.
func (l *Ledger) Reading(event string) (r figures.Reading, ok bool) {
	e := l.accounts[event]
	if e == nil || !e.listed() {
		return r, false
	}
	return l.read(e), true
}

// Readings are those of all events that are shown, by their ids.
func (l *Ledger) Readings() map[string]figures.Reading {
	all := map[string]figures.Reading{}
	for id, e := range l.accounts {
		if e.listed() {
			all[id] = l.read(e)
		}
	}
	return all
}

func (l *Ledger) read(e *eventAccount) figures.Reading {
	r := figures.Reading{Event: e.id, Sold: e.sold.all(), Present: e.present, Net: e.amounts.publish(&l.names).Net()}
	if n, known := figures.Within(e.record.Available); known {
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
