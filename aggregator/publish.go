package aggregator

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Between publications during a first sync is publishEvery at least, and publishShare times as long as the last one took,
// so that a large house is not published over and over while it is read; publishLatest at most.
//
// Lists that are polled together are published together, because a sale is in several of them. What has come waits for the others,
// for roundLimit at most.
const (
	publishEvery  = 200 * time.Millisecond
	publishShare  = 20
	publishLatest = 3 * time.Second
	roundLimit    = 250 * time.Millisecond
)

// publication is a snapshot, and a channel that is closed when another has replaced it.
type publication struct {
	*figures.Snapshot
	coverage ledger.Coverage
	known    ledger.Knowledge
	replaced chan struct{}
}

// history returns versions beside what is published.
func (p *publication) history(versions []record.Version, now time.Time) *catalogue.History {
	return &catalogue.History{Snapshot: p.Snapshot, Coverage: p.coverage, Versions: versions, Now: now}
}

// pending is what was folded and is not published yet.
type pending struct {
	pace         time.Time // when to publish what is neither urgent nor the end of a poll
	any          bool
	since        time.Time       // when the first of it came
	polled       bool            // a list was polled: publish with the others of its round
	urgent       bool            // publish at once
	records      bool            // the ledger changed
	events       map[string]bool // the events whose figures changed
	unattributed bool            // money without an event changed
	all          bool
}

// record adds what a version changed in the ledger.
func (p *pending) record(c figures.Changes) {
	p.any, p.records = true, true
	if p.events == nil {
		p.events = map[string]bool{}
	}
	for _, id := range c.Events {
		p.events[id] = true
	}
	p.unattributed = p.unattributed || c.Unattributed
	p.all = p.all || c.All
	p.urgent = p.urgent || c.All
}

// everything marks everything that was published as possibly wrong.
func (p *pending) everything() { p.any, p.urgent, p.records, p.all = true, true, true, true }

// publisher publishes the figures of a ledger and the states of the streams. It belongs to the goroutine of
// Run, except for what others read: shown, ready, and the ledger under mu.
type publisher struct {
	shown     atomic.Pointer[publication]
	ready     atomic.Bool
	published func(figures.Changes) // nil for none

	mu       sync.Mutex // guards ledger and pastFrom
	ledger   *ledger.Ledger
	pastFrom int64 // the minute from which the past is known; math.MaxInt64 while it is not

	folded  figures.Position // the position of ledger and known
	known   known
	base    *figures.Snapshot // the ledger's snapshot of the last publication
	learned learned           // as of the last publication
	pending pending
}

// due returns when to publish what is pending.
func (p *publisher) due() time.Time {
	switch inRound := p.known.inRound(); {
	case p.pending.urgent, p.pending.polled && !inRound:
		return p.pending.since
	case p.pending.polled:
		return p.pending.since.Add(roundLimit)
	}
	return p.pending.pace
}

// publish publishes the present figures.
func (p *publisher) publish() {
	what, began := p.pending, time.Now()
	p.pending = pending{}
	defer func() {
		ended := time.Now()
		p.pending.pace = ended.Add(min(max(publishEvery, publishShare*ended.Sub(began)), publishLatest))
	}()
	before, old := p.learned, p.shown.Load()
	next := p.snapshotOf(what)
	p.shown.Store(&publication{next, p.learned.coverage, p.ledger.Known(), make(chan struct{})})
	p.ready.Store(true)
	close(old.replaced)
	if p.published == nil {
		return
	}
	// The first publication reports everything as changed, because pages that were opened before it have nothing
	// to compare with.
	p.published(figures.Changes{
		Events:       slices.Sorted(maps.Keys(what.events)),
		Unattributed: what.unattributed,
		Findings:     !slices.EqualFunc(old.Diagnostics, next.Diagnostics, figures.Diagnostic.Equal),
		All:          what.all || !reflect.DeepEqual(before.lasting, p.learned.lasting),
	})
}

// snapshotOf returns the present figures. If neither records nor known gaps changed, they are the last ones with
// new times.
func (p *publisher) snapshotOf(what pending) *figures.Snapshot {
	now := p.known.learned()
	if p.base == nil || what.records || !reflect.DeepEqual(now.coverage, p.learned.coverage) {
		p.mu.Lock()
		p.base = p.ledger.Snapshot(p.position(), now.coverage)
		p.mu.Unlock()
	}
	p.learned = now
	s := *p.base
	s.Position = p.position()
	s.AsOf = now.asOf
	s.Health = now.health
	if len(now.findings) > 0 {
		s.Diagnostics = slices.Concat(s.Diagnostics, now.findings)
	}
	return &s
}

// position returns the position of the published figures.
func (p *publisher) position() figures.Position {
	shown := p.folded
	shown.Tenure = ""
	return shown
}
