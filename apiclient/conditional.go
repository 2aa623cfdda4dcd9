package apiclient

import (
	"context"
	"slices"
	"sync"
	"time"

	"housecount/apiclient/profile"
)

const (
	// maxTagged is the number of pages of a list of which the ETags are kept, and of lists.
	maxTagged = 1000
	// maxTag is the longest ETag that is kept.
	maxTag = 1 << 10
)

// listKey names a list that is read to its end, and what for.
type listKey struct {
	stream           *profile.Stream
	key, eventID     string
	changes, keeping bool
}

// tag is the ETag of the page at a place.
type tag struct {
	at   pagePosition
	etag string
}

// tags are those of a list.
type tags struct {
	pages []tag
	since time.Time // the UpdatedSince of the read
}

// tagStore keeps the ETags of the pages of lists, as of the last read to the end. It may be
// used by many goroutines at once.
type tagStore struct {
	mu     sync.Mutex
	byList map[listKey]tags
}

// take returns the tags of a list and forgets them: a read that comes to its end keeps
// the new ones, and one that does not must not leave the old.
func (k *tagStore) take(key listKey) tags {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.byList[key]
	delete(k.byList, key)
	return t
}

func (k *tagStore) put(all map[listKey]tags) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byList == nil || len(k.byList)+len(all) > maxTagged {
		k.byList = map[listKey]tags{}
	}
	if len(all) > maxTagged {
		return
	}
	for key, t := range all {
		if len(t.pages) > 0 {
			k.byList[key] = t
		}
	}
}

// key names the list of the read that belongs to the row with a key.
func (w *streamRead) key(key string) listKey {
	return listKey{w.s, key, w.q.EventID, w.changes(), w.keeping}
}

// tagged says that the ETags of a read are of use: it reads lists to their ends, and tells
// of every change of them.
func (w *streamRead) tagged() bool {
	return w.q.From == "" && (!w.changes() || w.since == "" || w.found.IgnoresSince)
}

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
