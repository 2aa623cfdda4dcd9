package aggregator

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// publishEvery keeps a first sync from publishing after every page.
const publishEvery = 200 * time.Millisecond

// Changes says what a publication changed since the one before.
type Changes struct {
	// Events are the ids of the events whose figures changed, sorted.
	Events []string
	// Money says that money moved, of whatever event or of none.
	Money bool
	// Strip says that the truth strip's times changed: as of, answered in, asked next.
	Strip bool
	// All says that anything may have changed: the health or gaps of a stream, findings, or
	// the whole log.
	All bool
}

// pending is what was folded and is not published.
type pending struct {
	last    time.Time // when the last publication was
	any     bool
	urgent  bool            // publish at once
	records bool            // the ledger changed
	events  map[string]bool // whose figures changed
	loose   bool            // money without an event changed
	all     bool
}

// record takes up what a version changed in the ledger.
func (p *pending) record(c figures.Changes) {
	p.any, p.records = true, true
	if p.events == nil {
		p.events = map[string]bool{}
	}
	for _, id := range c.Events {
		p.events[id] = true
	}
	p.loose = p.loose || c.Unattributed
}

// everything says that whatever was published may be wrong.
func (p *pending) everything() { p.any, p.urgent, p.records, p.all = true, true, true, true }

// publish makes the figures as they are now those that everybody reads.
func (f *Figures) publish() {
	p := f.pending
	f.pending = pending{last: time.Now()}
	before, old := f.learned, f.shown.Load()
	next := f.snapshotOf(p)
	f.shown.Store(&publication{next, make(chan struct{})})
	f.ready.Store(true)
	close(old.replaced)
	if f.published == nil {
		return
	}
	f.published(Changes{
		Events: slices.Sorted(maps.Keys(p.events)),
		Money:  len(p.events) > 0 || p.loose,
		Strip:  !before.sameTimes(&f.learned),
		All: p.all || !reflect.DeepEqual(before.lasting, f.learned.lasting) ||
			!slices.Equal(old.Diagnostics, next.Diagnostics),
	})
}

// snapshot is the figures as they are now, of a ledger of which anything may be new.
func (f *Figures) snapshot() *figures.Snapshot { return f.snapshotOf(pending{records: true}) }

// snapshotOf is the figures as they are now. Where neither records nor what is known to be
// missing changed, they are those of before with other times.
func (f *Figures) snapshotOf(p pending) *figures.Snapshot {
	now := f.learnedNow()
	if f.base == nil || p.records || !reflect.DeepEqual(now.coverage, f.learned.coverage) {
		f.mu.Lock()
		f.base = f.ledger.Snapshot(f.folded, now.coverage)
		f.mu.Unlock()
	}
	f.learned = now
	s := *f.base
	s.Position = f.folded
	s.AsOf = now.asOf
	s.Health = now.health
	if len(now.findings) > 0 {
		s.Diagnostics = slices.Concat(s.Diagnostics, now.findings)
	}
	return &s
}
