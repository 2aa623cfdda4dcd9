package apiclient

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"housecount/apiclient/profile"
)

// errStopped ends a read that onPage or onMissing has stopped.
var errStopped = errors.New("stopped by the caller")

// streamRead is one read of a stream: of its one list, or of one list for each row of its parent
// stream.
type streamRead struct {
	c    *service
	s    *profile.Stream
	q    Query
	rule profile.PagingRule
	// since is UpdatedSince as sent to the service, empty if it is not sent. effectiveSince is the
	// time that the service takes it for, which may be earlier.
	since          string
	effectiveSince time.Time
	from           resumePoint // where to continue; zero means from the beginning
	// lookup holds the rows of other streams that the profile's program sees as $with, by key.
	lookup map[string]any
	// parentHash is a hash of lookup.
	parentHash uint64
	// found is the answer that the read uses or, if it explores, what it has found out so far.
	found     Answer
	exploring bool
	// known reports whether the stream can be read without exploring.
	known bool
	// sharing reports whether the rows are read for other streams.
	sharing bool
	// onPage receives each page after Query.OnPage was called; onMissing receives the key of a list
	// that does not exist or that we may not read. Either ends the read by returning false.
	onPage    func(*listRead, *page) bool
	onMissing func(key string, e *Error) bool

	lists      []profile.SharedRow // the parent rows; one without a key for a stream with one list
	parentTime time.Time           // when the parent stream was read, by its ServerTime
	// windows are the windows of time of the lists, by their keys; nil without.
	windows map[string]profile.Window
	// missingParents counts parent rows without a usable key; their lists are skipped.
	missingParents int
	pages          int // read so far
	// olderCame reports that a row came that had not changed since effectiveSince.
	olderCame      bool
	totalsReported int // lists that reported their total
	total          int // the sum of those totals
	tags           map[listKey]tags
	// prefetched is the first page of the list of prefetchedKey, already fetched by a comparison of
	// ETags.
	prefetched    *fetchedPage
	prefetchedKey string
}

// newStreamRead prepares a read of s and reads the rows of other streams that it needs.
func (c *service) newStreamRead(ctx context.Context, s *profile.Stream, q Query) (*streamRead, error) {
	q.UpdatedSince = q.UpdatedSince.UTC().Truncate(time.Second)
	if s.ByEvent == "" && !s.OverEvents() {
		q.EventID = ""
	}
	if q.Seen != nil {
		q.Seen.pending = nil // left by a read that ended early
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
	if err := sr.setWindows(time.Now()); err != nil {
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

// selectLists returns the parent rows whose lists the query needs.
func (sr *streamRead) selectLists(rows []profile.SharedRow) (chosen []profile.SharedRow) {
	for _, k := range rows {
		switch {
		case k.Key < sr.from.Key: // read before the point to resume from: rows are sorted by key
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

// formatSince formats UpdatedSince as the service expects it.
func (sr *streamRead) formatSince() (err error) {
	rule := sr.s.Since
	if !sr.changesOnly() || rule.Param == "" {
		return nil
	}
	sr.since, sr.effectiveSince, err = rule.Ask(sr.q.UpdatedSince, sr.c.profile.Time.Zone)
	return err
}

// setWindows makes a list of each window of time, for a stream that is read so.
func (sr *streamRead) setWindows(now time.Time) error {
	if !sr.s.Windows() {
		return nil
	}
	all, err := sr.s.Window.Between(sr.q.UpdatedSince, now, sr.c.profile.Time.Zone)
	if err != nil {
		return err
	}
	sr.windows, sr.lists = map[string]profile.Window{}, nil
	for _, w := range all {
		if key := w.Key(); key >= sr.from.Key {
			sr.windows[key] = w
			sr.lists = append(sr.lists, profile.SharedRow{Key: key})
		}
	}
	return nil
}

// run reads the lists in turn. The error is an *Error, the cause that ended ctx, or errStopped.
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

// isAbsent reports whether err means that a list does not exist, or that we may not read it.
func isAbsent(err error) bool {
	return hasStatus(err, http.StatusNotFound, http.StatusForbidden, http.StatusGone)
}

// changesOnly reports whether only changes are wanted, whether or not the service can filter them.
func (sr *streamRead) changesOnly() bool { return !sr.q.UpdatedSince.IsZero() }

// filtersByTime reports whether records are dropped here by the time of their last change. If the list is read whole anyway and
// its rows are recognised, they are not: a row may come back as it was.
func (sr *streamRead) filtersByTime() bool {
	basis := sr.s.ChangesBasis()
	recognises := basis == "" && sr.seenRows() != nil
	return sr.changesOnly() && basis != profile.BasisCreated && !sr.sharing && !recognises
}

// filtersByEvent reports whether the service is asked for the records of one event only.
func (sr *streamRead) filtersByEvent() bool { return sr.q.EventID != "" && sr.s.ByEvent != "" }

// seenRows returns what recognises the rows of the read, nil if nothing does.
func (sr *streamRead) seenRows() *SeenRows {
	if sr.sharing || sr.q.EventID != "" {
		return nil
	}
	return sr.q.Seen
}
