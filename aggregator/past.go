package aggregator

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/replay"
	"housecount/apiclient/record"
)

const (
	// mostPasts is the most performances whose past is cached.
	mostPasts = 1000
	// pastRetry is for how long the log is not asked again after it did not answer.
	pastRetry = time.Minute
)

// pasts caches the past of performances until their versions or the current minute change.
type pasts struct {
	asking sync.Mutex // one caller asks the log at a time
	failed time.Time  // when the log last did not answer

	mu      sync.Mutex
	byEvent map[string]past
}

type past struct {
	revision, from, until int64
	minutes               []figures.MinuteFigures
}

// PastFrom returns the moment from which the past is known; zero if it is not known at all. Before it the versions
// are no longer stored (they are stored for storedFor, 0 for ever), or a list was still being read for the first
// time.
func (f *Figures) PastFrom(storedFor time.Duration, now time.Time) time.Time {
	f.mu.Lock()
	minute := f.pastFrom
	f.mu.Unlock()
	if storedFor > 0 {
		minute = max(minute, now.Add(-storedFor).Unix()/60+1)
	}
	if minute == math.MaxInt64 || f.shown.Load().Position.Revision == 0 {
		return time.Time{}
	}
	return time.Unix(minute*60, 0)
}

// Past returns the figures of a performance at the end of each minute in which they changed, up to the current
// minute, by folding its versions again. It returns none if there are too many versions.
func (f *Figures) Past(ctx context.Context, event string, storedFor time.Duration, at time.Time) ([]figures.MinuteFigures, error) {
	from := f.PastFrom(storedFor, at)
	if from.IsZero() {
		return nil, nil
	}
	shown := f.shown.Load()
	f.mu.Lock()
	want := past{revision: min(f.ledger.LastOf(event), shown.Position.Revision), from: from.Unix() / 60, until: at.Unix() / 60}
	f.mu.Unlock()
	if held, fresh := f.pasts.held(event, want); fresh {
		return held, nil
	}
	versions, err := f.versionsOf(ctx, shown, event)
	if err != nil {
		return nil, err
	}
	minutes, now := replay.Past(f.calendar, versions, event, want.from, want.until)
	if e := shown.Event(event); e != nil && !sameAmounts(now.Net, e.Revenue.NetReceived()) {
		for i := range minutes {
			minutes[i].NetUnknown = true
		}
	}
	want.minutes = minutes
	f.pasts.store(event, want)
	return want.minutes, nil
}

// sameAmounts reports whether sums equal a figure, or the figure is not known.
func sameAmounts(sums figures.Sums, shown figures.Figure[figures.Sums]) bool {
	difference := sums.PlusAll(shown.Value, -1)
	return !shown.Known() || !slices.ContainsFunc(difference, func(m record.Money) bool { return m.Amount != 0 })
}

// PastSoon returns what Past returns, if that takes no longer than patience. Otherwise it returns the last result,
// and does not ask the log for a minute, for this or any other performance, because rendering waits for it.
func (f *Figures) PastSoon(ctx context.Context, event string, storedFor time.Duration, now time.Time, patience time.Duration) []figures.MinuteFigures {
	p := &f.pasts
	p.asking.Lock()
	defer p.asking.Unlock()
	if time.Since(p.failed) >= pastRetry {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		minutes, err := f.Past(ctx, event, storedFor, now)
		if err == nil {
			return minutes
		}
		p.failed = time.Now()
	}
	minutes, _ := p.held(event, past{})
	return minutes
}

// held returns the cached past of a performance, and whether it is the past of the same versions and minutes as want.
func (p *pasts) held(event string, want past) (minutes []figures.MinuteFigures, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held, ok := p.byEvent[event]
	return held.minutes, ok && held.revision == want.revision && held.from == want.from && held.until == want.until
}

func (p *pasts) store(event string, of past) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byEvent == nil || len(p.byEvent) > mostPasts {
		p.byEvent = map[string]past{}
	}
	p.byEvent[event] = of
}

// pastFrom returns the minute in which the last first sync ended of the lists that make up the past. While such a
// sync is in progress or waits for its turn, but not if it fails, it is later than any minute.
func (k *known) pastFrom(states []StreamState) (minute int64) {
	for _, stream := range k.streams {
		if !(figures.StreamHealth{Kinds: stream.Kinds}).Counts() {
			continue
		}
		i := slices.IndexFunc(states, func(s StreamState) bool { return s.Name == stream.Name })
		if i < 0 && len(states) > 0 || i >= 0 && states[i].syncing() {
			return math.MaxInt64
		}
		if i >= 0 && !states[i].Synced.IsZero() {
			minute = max(minute, states[i].Synced.Unix()/60)
		}
	}
	return minute
}

func (s *StreamState) syncing() bool {
	return !s.Complete() && !s.Withdrawn && s.Missed < figures.FailingPolls
}
