package aggregator

import (
	"cmp"
	"context"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// mostBehind is the most versions that are read to explain a figure of one performance. For several performances,
// mostTogether is the most versions and mostParts the most performances that are read. mostShared is the most
// other events whose tickets are read because they share payments.
const (
	mostBehind   = 50_000
	mostTogether = 1_000
	mostParts    = 6
	mostShared   = 8
)

// Behind returns what is behind an explained figure: its records and its last changes, read from the log. For a
// figure of several events it covers those that changed last, as many as can be read quickly. It is empty for a
// figure that is not a sum of events, and for an event with too many versions.
func (f *Figures) Behind(ctx context.Context, x catalogue.Explanation, now time.Time) (b catalogue.Behind, err error) {
	shown := f.shown.Load()
	if x.Scope.Event != "" {
		if shown.Event(x.Scope.Event) == nil {
			return b, nil
		}
		b, _, err = f.behindOne(ctx, shown, x.Key, x.Scope, now)
		return b, err
	}
	if b.Parts = len(x.Parts); b.Parts == 0 {
		return b, nil
	}
	for _, part := range f.newest(x.Parts) {
		one, ok, err := f.behindOne(ctx, shown, part.Key, part.Scope, now)
		if err != nil {
			return b, err
		}
		if ok {
			b.Join(one)
		}
	}
	if b.Read < b.Parts {
		b.Today = nil
	}
	return b, nil
}

// newest returns the parts whose performances changed last, the newest first: at most mostParts, with at most
// mostTogether versions together, but at least one.
func (f *Figures) newest(parts []catalogue.ExplainedPart) []catalogue.ExplainedPart {
	type changed struct {
		catalogue.ExplainedPart
		last int64
	}
	var all []changed
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range parts {
		if p.Event != nil {
			all = append(all, changed{p, f.ledger.LastOf(p.Event.Event.ID)})
		}
	}
	slices.SortStableFunc(all, func(a, b changed) int { return cmp.Compare(b.last, a.last) })
	var out []catalogue.ExplainedPart
	versions := 0
	for _, p := range all {
		if versions += f.ledger.VersionsOf(p.Event.Event.ID); len(out) == mostParts || len(out) > 0 && versions > mostTogether {
			break
		}
		out = append(out, p.ExplainedPart)
	}
	return out
}

// behindOne returns what is behind a figure of one event; ok is false if its versions are too many.
func (f *Figures) behindOne(ctx context.Context, shown *publication, k figures.Key, scope figures.Scope, now time.Time) (b catalogue.Behind, ok bool, err error) {
	versions, err := f.versionsOf(ctx, shown, scope.Event)
	if err != nil || versions == nil {
		return b, false, err
	}
	h := shown.history(versions, now)
	h.Synced = f.readBy(now)
	h.Whole = func(use func(*ledger.Ledger)) {
		f.mu.Lock()
		defer f.mu.Unlock()
		use(f.ledger)
	}
	return h.Behind(k, scope), true, nil
}

// versionsOf returns the versions of an event up to what is published, with those of the tickets of other
// events over which its payments are split, ascending. They are nil if they are too many.
func (f *Figures) versionsOf(ctx context.Context, shown *publication, event string) ([]record.Version, error) {
	f.mu.Lock()
	revisions := f.ledger.Trail(event)
	f.mu.Unlock()
	revisions = slices.DeleteFunc(revisions, func(r int64) bool { return r > shown.Position.Revision })
	if len(revisions) > mostBehind {
		return nil, nil
	}
	versions, err := f.log.At(ctx, revisions)
	if err != nil {
		return nil, err
	}
	if shared := f.shared(event, versions, shown.Position.Revision); len(shared) > 0 {
		others, err := f.log.At(ctx, shared)
		if err != nil {
			return nil, err
		}
		orders := map[string]bool{}
		for _, v := range versions {
			if p, ok := v.Record.(*record.Payment); ok {
				orders[p.OrderID] = true
			}
		}
		for _, v := range others {
			if t, ok := v.Record.(*record.Ticket); ok && orders[t.OrderID] {
				versions = append(versions, v)
			}
		}
		slices.SortFunc(versions, func(a, b record.Version) int { return int(a.Revision - b.Revision) })
	}
	return versions, nil
}

// shared returns the revisions of the other events over which payments of an event are split; none if they are too
// many.
func (f *Figures) shared(event string, versions []record.Version, upTo int64) (all []int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	others := map[string]bool{}
	for _, v := range versions {
		if p, ok := v.Record.(*record.Payment); ok && p.EventID == "" {
			for _, id := range f.ledger.EventsOf(p) {
				if id != event {
					others[id] = true
				}
			}
		}
	}
	if len(others) > mostShared {
		return nil
	}
	for id := range others {
		all = append(all, f.ledger.Trail(id)...)
	}
	all = slices.DeleteFunc(all, func(r int64) bool {
		return r > upTo || slices.ContainsFunc(versions, func(v record.Version) bool { return v.Revision == r })
	})
	slices.Sort(all)
	if len(all) > mostBehind {
		return nil
	}
	return slices.Compact(all)
}
