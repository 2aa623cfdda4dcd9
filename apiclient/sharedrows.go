package apiclient

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/profile"
)

const (
	// maxSharedRows is the most rows of a stream that are held for others.
	maxSharedRows = 100_000
	// maxSharedSize is the most bytes of JSON that those rows may have together.
	maxSharedSize = 64 << 20
	// sharedMaxAge is how long the rows are used before they are read again. For a stream that
	// gives no records its Every applies if it is longer.
	sharedMaxAge = time.Minute
	// sharedWholeEvery is how often all lists behind the rows are read again. In between, only
	// recent lists are read, as the stream's Recent says.
	sharedWholeEvery = 24 * time.Hour
)

// sharedRows holds the rows of a stream that other streams need.
type sharedRows struct {
	turn    chan struct{}       // holds a token while the rows are being read
	readAt  time.Time           // zero before the first read
	wholeAt time.Time           // when all lists were last read
	rows    []profile.SharedRow // sorted by key
	// hash is a hash of all rows.
	hash uint64
	// byKey holds the same rows as programs see them.
	byKey      map[string]any
	serverTime time.Time
	// missing counts rows without a usable key and lists that do not exist, those of the parent
	// stream included.
	missing int
}

// readShared returns the rows of s that other streams need. It reads them again once they are older
// than sharedMaxAge, exploring if explore is set and nothing is known about s. The result is never
// modified.
func (c *service) readShared(ctx context.Context, s *profile.Stream, explore bool) (sharedRows, error) {
	shared := c.shared[s]
	select {
	case shared.turn <- struct{}{}:
		defer func() { <-shared.turn }()
	case <-ctx.Done():
		return sharedRows{}, contextError(ctx, s.Name)
	}
	maxAge := time.Duration(sharedMaxAge)
	if len(s.Gives) == 0 {
		maxAge = max(maxAge, s.Every)
	}
	if !shared.readAt.IsZero() && time.Since(shared.readAt) < maxAge {
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
	shared.set(byKey)
	return *shared, nil
}

// set replaces the rows. It leaves the old slice and map unchanged: earlier reads still use them.
func (r *sharedRows) set(byKey map[string]profile.SharedRow) {
	r.rows, r.byKey, r.hash = make([]profile.SharedRow, 0, len(byKey)), make(map[string]any, len(byKey)), 0
	for key, one := range byKey {
		r.rows = append(r.rows, one)
		r.byKey[key] = one.Row
	}
	slices.SortFunc(r.rows, func(a, b profile.SharedRow) int { return strings.Compare(a.Key, b.Key) })
	for _, one := range r.rows {
		r.hash = r.hash*31 + one.Hash
	}
}
