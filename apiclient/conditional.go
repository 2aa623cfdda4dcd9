package apiclient

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"housecount/apiclient/profile"
)

// noteTag remembers the ETag of the page at here until the read has completed.
func (r *listRead) noteTag(etag string) {
	if len(etag) > maxTag {
		etag = ""
	}
	if len(r.pageTags) <= maxTagged { // one more than maxTagged marks the list as too long
		r.pageTags = append(r.pageTags, tag{r.here, etag})
	}
}

// storeTags hands the ETags of a completed list to the stream read, if they cover every change. A
// Link header is not part of the body and of most services' ETags, so pages found by it do not
// count.
func (r *listRead) storeTags() {
	if !r.sr.usesTags() || len(r.pageTags) > maxTagged {
		return
	}
	for _, t := range r.pageTags {
		if t.etag == "" || t.at.Style == profile.PagingLinkHeader {
			return
		}
	}
	r.sr.tags[r.sr.listKey(r.parent.Key)] = tags{r.pageTags, r.sr.q.UpdatedSince}
}

// storeTags stores the ETags of a completed read. For a read of several lists it also stores which
// lists those were, unless one was missing: that list may exist next time.
func (sr *streamRead) storeTags() {
	if sr.s.OverStream != nil && len(sr.tags) == len(sr.lists) && !sr.changesOnly() {
		sr.tags[sr.listKey("")] = tags{pages: []tag{{etag: sr.digest()}}}
	}
	sr.c.tags.put(sr.tags)
}

// compareLists asks whether all pages of all lists are unchanged since they were last read whole,
// if q asks for that. Otherwise it removes their ETags. If the first page of a list has changed,
// its response is kept for the read.
func (sr *streamRead) compareLists(ctx context.Context) (unchanged bool, err error) {
	if sr.changesOnly() || sr.q.From != "" || sr.windows != nil {
		return false, nil
	}
	previous := map[listKey]tags{}
	if sr.s.OverStream != nil {
		previous[sr.listKey("")] = sr.c.tags.take(sr.listKey(""))
	}
	for _, l := range sr.lists {
		previous[sr.listKey(l.Key)] = sr.c.tags.take(sr.listKey(l.Key))
	}
	if !sr.q.Conditional || sr.s.OverStream != nil && !slices.Equal(previous[sr.listKey("")].pages, []tag{{etag: sr.digest()}}) {
		return false, nil
	}
	var first *fetchedPage
	for _, l := range sr.lists {
		r := sr.newListRead(l)
		got, same, err := r.comparePages(ctx, previous[sr.listKey(l.Key)].pages)
		if err != nil {
			sr.c.tags.put(previous) // nothing was read, so the stored ones are still right
			return false, err
		}
		if !same {
			sr.prefetched, sr.prefetchedKey = got, l.Key
			return false, nil
		}
		if first == nil {
			first = got
		}
	}
	if first == nil {
		return false, nil // no lists at all
	}
	sr.c.tags.put(previous)
	if sr.q.OnPage != nil {
		report := first.report
		if sr.s.OverStream != nil {
			report.ServerTime = sr.parentTime
		}
		sr.q.OnPage(report)
	}
	return true, nil
}

// comparePages asks whether the pages of a list are unchanged. If they are, got is the response to
// the first page. If the first page has changed, got is that page.
func (r *listRead) comparePages(ctx context.Context, were []tag) (got *fetchedPage, same bool, err error) {
	var first *fetchedPage
	for i, t := range were {
		got, err := r.fetchPage(ctx, t.at, t.etag)
		switch {
		case err != nil:
			return nil, false, err
		case got.page != nil && i == 0:
			return got, false, nil
		case got.page != nil:
			return nil, false, nil
		case i == 0:
			first = got
		}
	}
	return first, first != nil, nil
}

// prefetch returns the first page if a comparison has already fetched it. It also compares a list
// of changes that the service does not filter, on its own: the caller has stored the earlier read
// if it now asks for later changes.
func (r *listRead) prefetch(ctx context.Context) (got *fetchedPage, unchanged bool, err error) {
	sr := r.sr
	switch {
	case sr.prefetched != nil && sr.prefetchedKey == r.parent.Key:
		got, sr.prefetched = sr.prefetched, nil
	case sr.changesOnly() && sr.usesTags():
		were := sr.c.tags.take(sr.listKey(r.parent.Key))
		if !sr.q.UpdatedSince.After(were.since) {
			break
		}
		if got, unchanged, err = r.comparePages(ctx, were.pages); err != nil {
			return nil, false, err
		}
		if unchanged {
			sr.tags[sr.listKey(r.parent.Key)] = were
			sr.pages++
			if sr.q.OnPage != nil {
				sr.completeReport(r, &got.report, pagePosition{}, false)
				got.report.Unchanged = sr.s.OverStream == nil
				sr.q.OnPage(got.report)
			}
			return nil, true, nil
		}
	}
	if got != nil {
		r.here = got.at
	}
	return got, false, nil
}

// digest returns a hash of the keys of the read's lists.
func (sr *streamRead) digest() string {
	var h maphash.Hash
	h.SetSeed(keySeed)
	for _, k := range sr.lists {
		h.WriteString(k.Key)
		h.WriteByte(0)
	}
	return fmt.Sprintf("%x", h.Sum64())
}

// listKey returns the key under which the ETags of a list are stored.
func (sr *streamRead) listKey(key string) listKey {
	return listKey{sr.s, key, sr.q.EventID, sr.changesOnly(), sr.sharing}
}

// usesTags reports whether the ETags of the read are useful: it reads lists to their end, and an
// unchanged ETag means an unchanged list.
func (sr *streamRead) usesTags() bool {
	return sr.q.From == "" && sr.windows == nil && (!sr.changesOnly() || sr.since == "" || sr.found.IgnoresSince)
}
