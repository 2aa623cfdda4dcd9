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
}

// ledger returns a ledger that the versions can be applied to.
func (h *History) ledger() *ledger.Ledger {
	l := ledger.New(h.Snapshot.Calendar)
	l.Settings = h.Snapshot.House
	return l
}

// read returns the figures of the versions that a ledger has, as they would be published now.
func (h *History) read(l *ledger.Ledger) *evening.Evening {
	s := l.Snapshot(h.Snapshot.Position, h.Coverage)
	s.AsOf, s.Health = h.Snapshot.AsOf, h.Snapshot.Health
	return evening.At(s, h.Now)
}
