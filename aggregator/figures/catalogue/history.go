package catalogue

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// History is the versions of a performance and of what shares payments with it, ascending, beside the published figures.
type History struct {
	Snapshot *figures.Snapshot
	Coverage ledger.Coverage
	Versions []record.Version
	Now      time.Time
	// Synced is the end of the minute in which the first sync ended; zero if that is not known, and far ahead while it goes on.
	Synced time.Time
	// Whole calls use with the ledger of all performances, which nothing changes meanwhile. It is nil if there is none: then
	// what depends on other performances is counted from Versions.
	Whole func(use func(*ledger.Ledger))
}

// ledger returns a ledger that the versions can be applied to.
func (h *History) ledger() *ledger.Ledger {
	l := ledger.New(h.Snapshot.Calendar)
	l.Settings = h.Snapshot.House
	return l
}

// folded returns a ledger of the versions.
func (h *History) folded() *ledger.Ledger {
	l := h.ledger()
	for _, v := range h.Versions {
		l.Apply(v)
	}
	return l
}

// read returns the figures of the versions that a ledger has, as they would be published now.
func (h *History) read(l *ledger.Ledger) *evening.Evening {
	s := l.Snapshot(h.Snapshot.Position, h.Coverage)
	s.AsOf, s.Health = h.Snapshot.AsOf, h.Snapshot.Health
	return evening.At(s, h.Now)
}
