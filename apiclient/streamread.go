package apiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/profile"
)

// setOut prepares a read of s, and reads what it needs of other streams.
func (c *service) setOut(ctx context.Context, s *profile.Stream, q Query) (*streamRead, error) {
	q.UpdatedSince = q.UpdatedSince.UTC().Truncate(time.Second)
	if s.ByEvent == "" && !s.OverEvents() {
		q.EventID = ""
	}
	if q.Seen != nil {
		q.Seen.pending = nil // of a read that ended early
	}
	w := &streamRead{c: c, s: s, q: q, rule: ready(s.Paging, c.paging), lists: []profile.Kept{{}}, tags: map[listKey]tags{}}
	if w.exploring = q.Explore; !w.exploring {
		w.found, w.known = c.answer(s)
	}
	if w.filtersEvents() && w.found.IgnoresEvent {
		return nil, &Error{Kind: Rejected, Stream: s.Name, Err: ErrIgnoresEvent}
	}
	err := w.ask()
	if err == nil && q.From != "" {
		err = w.resume(q.From)
	}
	if err != nil {
		return nil, &Error{Kind: Rejected, Stream: s.Name, Err: err}
	}
	for i, other := range s.WithStreams {
		with, err := c.kept(ctx, other, q.Explore)
		if err != nil {
			return nil, err
		}
		w.beside = w.beside*31 + with.sum
		if i == 0 {
			w.with = with.byKey
		} else {
			w.with = maps.Clone(w.with)
			maps.Copy(w.with, with.byKey)
		}
	}
	if s.OverStream != nil {
		over, err := c.kept(ctx, s.OverStream, q.Explore)
		if err != nil {
			return nil, err
		}
		w.began, w.missing = over.serverTime, over.missing
		w.lists = w.choose(over.rows)
	}
	return w, nil
}

// choose takes those rows of which the lists are of interest to the query.
func (w *streamRead) choose(rows []profile.Kept) (chosen []profile.Kept) {
	for _, k := range rows {
		switch {
		case k.Key < w.from.Key: // they are in the order of their keys
		case w.q.EventID != "" && w.s.OverEvents():
			if k.Key == w.q.EventID {
				chosen = append(chosen, k)
			}
		case w.changes() && w.s.Recent > 0 && !k.At.IsZero() && k.At.Before(time.Now().Add(-w.s.Recent)):
		default:
			chosen = append(chosen, k)
		}
	}
	return chosen
}

// ask puts UpdatedSince in the words of the service.
func (w *streamRead) ask() (err error) {
	rule := w.s.Since
	if !w.changes() || rule.Param == "" {
		return nil
	}
	w.since, w.asked, err = rule.Ask(w.q.UpdatedSince, w.c.profile.Time.Zone)
	return err
}

// run reads the lists in turn. The error is an *Error, what ended ctx, or errLeft.
func (w *streamRead) run(ctx context.Context) error {
	if len(w.lists) > 0 && !w.exploring && !w.known {
		return w.c.unknown(w.s)
	}
	if unchanged, err := w.compare(ctx); unchanged || err != nil {
		return err
	}
	read := 0
	for i, k := range w.lists {
		r := w.list(k)
		if i+1 < len(w.lists) {
			r.following = w.lists[i+1].Key
		}
		if i == 0 && k.Key == w.from.Key && w.from.Version != 0 {
			r.goOn(w.from)
		}
		err := r.run(ctx)
		e, _ := errors.AsType[*Error](err)
		switch {
		case w.s.OverStream != nil && absent(err) && r.number == 1 && (read > 0 || i+1 < len(w.lists) || w.q.From != ""):
			if !w.miss(k.Key, e) {
				return errLeft
			}
		case err != nil:
			return err
		default:
			read++
		}
	}
	if len(w.lists) == 0 && w.q.OnPage != nil {
		w.q.OnPage(Page{Number: w.pages + 1, ServerTime: w.began})
	}
	w.finish()
	return nil
}

// absent says that there is no such list, or not for us.
func absent(err error) bool {
	return hasStatus(err, http.StatusNotFound, http.StatusForbidden, http.StatusGone)
}

// kept returns the kept rows of s, read anew when the last time is more than keptFor ago, and
// explored if explore says so and nothing is known of s. What it returns is not changed
// afterwards.
func (c *service) kept(ctx context.Context, s *profile.Stream, explore bool) (keptRows, error) {
	k := c.rows[s]
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return keptRows{}, ended(ctx, s.Name)
	}
	good := time.Duration(keptFor)
	if len(s.Gives) == 0 {
		good = max(good, s.Every)
	}
	if !k.read.IsZero() && time.Since(k.read) < good {
		return *k, nil
	}
	start := time.Now()
	unchanged := false
	var serverTime time.Time
	_, known := c.answer(s)
	q := Query{Explore: explore && !known, Conditional: !k.read.IsZero(), OnPage: func(p Page) {
		unchanged = p.Unchanged
		if p.Number == 1 {
			serverTime = p.ServerTime
		}
	}}
	byKey := map[string]profile.Kept{}
	size := 0
	if s.OverStream != nil && s.Recent > 0 && start.Sub(k.whole) < keptWhole {
		q.UpdatedSince = k.whole
		for _, one := range k.rows {
			byKey[one.Key] = one
			size += one.Size
		}
	}
	w, err := c.setOut(ctx, s, q)
	if err != nil {
		return keptRows{}, err
	}
	missing := w.missing
	w.keeping = true
	w.miss = func(string, *Error) bool { missing++; return true }
	w.take = func(_ *listRead, p *page) bool {
		missing += p.Unkept
		for _, k := range p.Kept {
			size += k.Size - byKey[k.Key].Size
			byKey[k.Key] = k
		}
		return len(byKey) <= c.maxKept && size <= maxKeptSize
	}
	err = w.run(ctx)
	switch {
	case err == errLeft:
		return keptRows{}, &Error{Kind: TooLarge, Stream: s.Name, Err: fmt.Errorf("more than %d rows, or %d bytes of them, to keep", c.maxKept, maxKeptSize)}
	case err != nil:
		return keptRows{}, err
	}
	k.read, k.serverTime = start, serverTime
	if q.UpdatedSince.IsZero() {
		k.whole = start
	} else {
		missing = max(missing, k.missing)
	}
	if unchanged {
		return *k, nil
	}
	if missing > 0 && missing != k.missing {
		c.log.Warn("what other streams need is not whole", "stream", s.Name, "missing", missing)
	}
	k.missing = missing
	k.rows, k.byKey = make([]profile.Kept, 0, len(byKey)), make(map[string]any, len(byKey))
	for key, one := range byKey {
		k.rows = append(k.rows, one)
		k.byKey[key] = one.Row
	}
	slices.SortFunc(k.rows, func(a, b profile.Kept) int { return strings.Compare(a.Key, b.Key) })
	k.sum = 0
	for _, one := range k.rows {
		k.sum = k.sum*31 + one.Sum
	}
	return *k, nil
}
