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
func (c *service) newStreamRead(ctx context.Context, s *profile.Stream, q Query) (*streamRead, error) {
	q.UpdatedSince = q.UpdatedSince.UTC().Truncate(time.Second)
	if s.ByEvent == "" && !s.OverEvents() {
		q.EventID = ""
	}
	if q.Seen != nil {
		q.Seen.pending = nil // of a read that ended early
	}
	sr := &streamRead{c: c, s: s, q: q, rule: withStyle(s.Paging, c.paging), lists: []profile.SharedRow{{}}, tags: map[listKey]tags{}}
	if sr.exploring = q.Explore; !sr.exploring {
		sr.found, sr.known = c.answer(s)
	}
	if sr.filtersByEvent() && sr.found.IgnoresEvent {
		return nil, &Error{Kind: Rejected, Stream: s.Name, Err: ErrIgnoresEvent}
	}
	err := sr.formatSince()
	if err == nil && q.From != "" {
		err = sr.resume(q.From)
	}
	if err != nil {
		return nil, &Error{Kind: Rejected, Stream: s.Name, Err: err}
	}
	for i, other := range s.WithStreams {
		with, err := c.readShared(ctx, other, q.Explore)
		if err != nil {
			return nil, err
		}
		sr.parentHash = sr.parentHash*31 + with.hash
		if i == 0 {
			sr.lookup = with.byKey
		} else {
			sr.lookup = maps.Clone(sr.lookup)
			maps.Copy(sr.lookup, with.byKey)
		}
	}
	if s.OverStream != nil {
		over, err := c.readShared(ctx, s.OverStream, q.Explore)
		if err != nil {
			return nil, err
		}
		sr.parentTime, sr.missingParents = over.serverTime, over.missing
		sr.lists = sr.selectLists(over.rows)
	}
	return sr, nil
}

// choose takes those rows of which the lists are of interest to the query.
func (sr *streamRead) selectLists(rows []profile.SharedRow) (chosen []profile.SharedRow) {
	for _, k := range rows {
		switch {
		case k.Key < sr.from.Key: // they are in the order of their keys
		case sr.q.EventID != "" && sr.s.OverEvents():
			if k.Key == sr.q.EventID {
				chosen = append(chosen, k)
			}
		case sr.changesOnly() && sr.s.Recent > 0 && !k.At.IsZero() && k.At.Before(time.Now().Add(-sr.s.Recent)):
		default:
			chosen = append(chosen, k)
		}
	}
	return chosen
}

// ask puts UpdatedSince in the words of the service.
func (sr *streamRead) formatSince() (err error) {
	rule := sr.s.Since
	if !sr.changesOnly() || rule.Param == "" {
		return nil
	}
	sr.since, sr.effectiveSince, err = rule.Ask(sr.q.UpdatedSince, sr.c.profile.Time.Zone)
	return err
}

// run reads the lists in turn. The error is an *Error, what ended ctx, or errLeft.
func (sr *streamRead) run(ctx context.Context) error {
	if len(sr.lists) > 0 && !sr.exploring && !sr.known {
		return sr.c.notProbed(sr.s)
	}
	if unchanged, err := sr.compareLists(ctx); unchanged || err != nil {
		return err
	}
	read := 0
	for i, k := range sr.lists {
		r := sr.newListRead(k)
		if i+1 < len(sr.lists) {
			r.nextKey = sr.lists[i+1].Key
		}
		if i == 0 && k.Key == sr.from.Key && sr.from.Version != 0 {
			r.resumeAt(sr.from)
		}
		err := r.run(ctx)
		e, _ := errors.AsType[*Error](err)
		switch {
		case sr.s.OverStream != nil && isAbsent(err) && r.number == 1 && (read > 0 || i+1 < len(sr.lists) || sr.q.From != ""):
			if !sr.onMissing(k.Key, e) {
				return errStopped
			}
		case err != nil:
			return err
		default:
			read++
		}
	}
	if len(sr.lists) == 0 && sr.q.OnPage != nil {
		sr.q.OnPage(Page{Number: sr.pages + 1, ServerTime: sr.parentTime})
	}
	sr.storeTags()
	return nil
}

// absent says that there is no such list, or not for us.
func isAbsent(err error) bool {
	return hasStatus(err, http.StatusNotFound, http.StatusForbidden, http.StatusGone)
}

// kept returns the kept rows of s, read anew when the last time is more than keptFor ago, and
// explored if explore says so and nothing is known of s. What it returns is not changed
// afterwards.
func (c *service) readShared(ctx context.Context, s *profile.Stream, explore bool) (sharedRows, error) {
	shared := c.shared[s]
	select {
	case shared.turn <- struct{}{}:
		defer func() { <-shared.turn }()
	case <-ctx.Done():
		return sharedRows{}, contextError(ctx, s.Name)
	}
	good := time.Duration(sharedMaxAge)
	if len(s.Gives) == 0 {
		good = max(good, s.Every)
	}
	if !shared.readAt.IsZero() && time.Since(shared.readAt) < good {
		return *shared, nil
	}
	start := time.Now()
	unchanged := false
	var serverTime time.Time
	_, known := c.answer(s)
	q := Query{Explore: explore && !known, Conditional: !shared.readAt.IsZero(), OnPage: func(p Page) {
		unchanged = p.Unchanged
		if p.Number == 1 {
			serverTime = p.ServerTime
		}
	}}
	byKey := map[string]profile.SharedRow{}
	size := 0
	if s.OverStream != nil && s.Recent > 0 && start.Sub(shared.wholeAt) < sharedWholeEvery {
		q.UpdatedSince = shared.wholeAt
		for _, one := range shared.rows {
			byKey[one.Key] = one
			size += one.Size
		}
	}
	sr, err := c.newStreamRead(ctx, s, q)
	if err != nil {
		return sharedRows{}, err
	}
	missing := sr.missingParents
	sr.sharing = true
	sr.onMissing = func(string, *Error) bool { missing++; return true }
	sr.onPage = func(_ *listRead, p *page) bool {
		missing += p.Unusable
		for _, k := range p.Shared {
			size += k.Size - byKey[k.Key].Size
			byKey[k.Key] = k
		}
		return len(byKey) <= c.maxShared && size <= maxSharedSize
	}
	err = sr.run(ctx)
	switch {
	case err == errStopped:
		return sharedRows{}, &Error{Kind: TooLarge, Stream: s.Name, Err: fmt.Errorf("more than %d rows, or %d bytes of them, to keep", c.maxShared, maxSharedSize)}
	case err != nil:
		return sharedRows{}, err
	}
	shared.readAt, shared.serverTime = start, serverTime
	if q.UpdatedSince.IsZero() {
		shared.wholeAt = start
	} else {
		missing = max(missing, shared.missing)
	}
	if unchanged {
		return *shared, nil
	}
	if missing > 0 && missing != shared.missing {
		c.log.Warn("what other streams need is not whole", "stream", s.Name, "missing", missing)
	}
	shared.missing = missing
	shared.rows, shared.byKey = make([]profile.SharedRow, 0, len(byKey)), make(map[string]any, len(byKey))
	for key, one := range byKey {
		shared.rows = append(shared.rows, one)
		shared.byKey[key] = one.Row
	}
	slices.SortFunc(shared.rows, func(a, b profile.SharedRow) int { return strings.Compare(a.Key, b.Key) })
	shared.hash = 0
	for _, one := range shared.rows {
		shared.hash = shared.hash*31 + one.Hash
	}
	return *shared, nil
}
