package apiclient

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"housecount/apiclient/profile"
)

// note remembers the ETag of the page at here until the read has come to its end.
func (r *listRead) note(etag string) {
	if len(etag) > maxTag {
		etag = ""
	}
	if len(r.seenTags) <= maxTagged { // one more is too many, whatever follows
		r.seenTags = append(r.seenTags, tag{r.here, etag})
	}
}

// keepTags keeps the ETags of a list that was read to its end until the whole read has come to
// its own, if they tell of every change of it. What a Link header says is no part of a body
// and of most services' ETags.
func (r *listRead) keepTags() {
	if !r.w.tagged() || len(r.seenTags) > maxTagged {
		return
	}
	for _, t := range r.seenTags {
		if t.etag == "" || t.at.Style == profile.PagingLinkHeader {
			return
		}
	}
	r.w.tags[r.w.key(r.list.Key)] = tags{r.seenTags, r.w.q.UpdatedSince}
}

// finish keeps the ETags of a read that has come to its end. Where it consists of several
// lists, it also keeps which; not if one was missing, which may be there the next time.
func (w *streamRead) finish() {
	if w.s.OverStream != nil && len(w.tags) == len(w.lists) && !w.changes() {
		w.tags[w.key("")] = tags{pages: []tag{{etag: w.digest()}}}
	}
	w.c.tags.put(w.tags)
}

// compare asks whether all pages of all lists are as they were when they were last read
// whole, if q says so. What they were is forgotten otherwise. Of a first page that is not
// as it was, the answer is kept: it need not be asked again.
func (w *streamRead) compare(ctx context.Context) (unchanged bool, err error) {
	if w.changes() || w.q.From != "" {
		return false, nil
	}
	were := map[listKey]tags{}
	if w.s.OverStream != nil {
		were[w.key("")] = w.c.tags.take(w.key(""))
	}
	for _, l := range w.lists {
		were[w.key(l.Key)] = w.c.tags.take(w.key(l.Key))
	}
	if !w.q.Conditional || w.s.OverStream != nil && !slices.Equal(were[w.key("")].pages, []tag{{etag: w.digest()}}) {
		return false, nil
	}
	var first *fetched
	for _, l := range w.lists {
		r := w.list(l)
		got, same, err := r.compare(ctx, were[w.key(l.Key)].pages)
		if err != nil {
			w.c.tags.put(were) // nothing was read: the old ones hold
			return false, err
		}
		if !same {
			w.early, w.earlyKey = got, l.Key
			return false, nil
		}
		if first == nil {
			first = got
		}
	}
	if first == nil {
		return false, nil // no lists at all
	}
	w.c.tags.put(were)
	if w.q.OnPage != nil {
		said := first.said
		if w.s.OverStream != nil {
			said.ServerTime = w.began
		}
		w.q.OnPage(said)
	}
	return true, nil
}

// compare asks whether the pages of a list are as they were. If they are, got is the answer
// to the first; if the first is not, got is it.
func (r *listRead) compare(ctx context.Context, were []tag) (got *fetched, same bool, err error) {
	var first *fetched
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
func (r *listRead) early(ctx context.Context) (got *fetched, unchanged bool, err error) {
	w := r.w
	switch {
	case w.early != nil && w.earlyKey == r.list.Key:
		got, w.early = w.early, nil
	case w.changes() && w.tagged():
		were := w.c.tags.take(w.key(r.list.Key))
		if !w.q.UpdatedSince.After(were.since) {
			break
		}
		if got, unchanged, err = r.compare(ctx, were.pages); err != nil {
			return nil, false, err
		}
		if unchanged {
			w.tags[w.key(r.list.Key)] = were
			w.pages++
			if w.q.OnPage != nil {
				w.say(r, &got.said, pagePosition{}, false)
				got.said.Unchanged = w.s.OverStream == nil
				w.q.OnPage(got.said)
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
func (w *streamRead) digest() string {
	var h maphash.Hash
	h.SetSeed(keySeed)
	for _, k := range w.lists {
		h.WriteString(k.Key)
		h.WriteByte(0)
	}
	return fmt.Sprintf("%x", h.Sum64())
}
