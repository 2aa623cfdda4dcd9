package apiclient

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"housecount/apiclient/profile"
)

// note remembers the ETag of the page at here until the read has come to its end.
func (r *listRead) noteTag(etag string) {
	if len(etag) > maxTag {
		etag = ""
	}
	if len(r.pageTags) <= maxTagged { // one more is too many, whatever follows
		r.pageTags = append(r.pageTags, tag{r.here, etag})
	}
}

// keepTags keeps the ETags of a list that was read to its end until the whole read has come to
// its own, if they tell of every change of it. What a Link header says is no part of a body
// and of most services' ETags.
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

// finish keeps the ETags of a read that has come to its end. Where it consists of several
// lists, it also keeps which; not if one was missing, which may be there the next time.
func (sr *streamRead) storeTags() {
	if sr.s.OverStream != nil && len(sr.tags) == len(sr.lists) && !sr.changesOnly() {
		sr.tags[sr.listKey("")] = tags{pages: []tag{{etag: sr.digest()}}}
	}
	sr.c.tags.put(sr.tags)
}

// compare asks whether all pages of all lists are as they were when they were last read
// whole, if q says so. What they were is forgotten otherwise. Of a first page that is not
// as it was, the answer is kept: it need not be asked again.
func (sr *streamRead) compareLists(ctx context.Context) (unchanged bool, err error) {
	if sr.changesOnly() || sr.q.From != "" {
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
			sr.c.tags.put(previous) // nothing was read: the old ones hold
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
		said := first.report
		if sr.s.OverStream != nil {
			said.ServerTime = sr.parentTime
		}
		sr.q.OnPage(said)
	}
	return true, nil
}

// compare asks whether the pages of a list are as they were. If they are, got is the answer
// to the first; if the first is not, got is it.
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

// early is a page that was fetched on the way to finding out that the list is not as it was.
// A list of changes that the service does not filter is compared by itself: the reader has
// kept an earlier read if it now asks for later changes.
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

// digest stands for the keys of the lists of a read.
func (sr *streamRead) digest() string {
	var h maphash.Hash
	h.SetSeed(keySeed)
	for _, k := range sr.lists {
		h.WriteString(k.Key)
		h.WriteByte(0)
	}
	return fmt.Sprintf("%x", h.Sum64())
}
