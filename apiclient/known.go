package apiclient

import (
	"context"
	"sync"
)

const (
	// maxTagged is the number of pages of a list of which the ETags are kept, and of lists.
	maxTagged = 1000
	// maxTag is the longest ETag that is kept.
	maxTag = 1 << 10
)

// known is what was learnt of the service on the way.
type known struct {
	mu sync.Mutex
	// plain are the streams that refuse parameters that they do not know.
	plain map[Kind]bool
	// tags are the ETags of the pages of lists, as of the last read to the end.
	tags map[listKey][]tag
}

// listKey names a list that is read whole.
type listKey struct {
	kind    Kind
	eventID string
}

// tag is the ETag of the page at a place.
type tag struct {
	at   place
	etag string
}

func (k *known) isPlain(kind Kind) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.plain[kind]
}

func (k *known) plainIs(kind Kind) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.plain == nil {
		k.plain = map[Kind]bool{}
	}
	k.plain[kind] = true
}

// take returns the tags of a list and forgets them: a read that comes to its end keeps
// the new ones, and one that does not must not leave the old.
func (k *known) take(key listKey) []tag {
	k.mu.Lock()
	defer k.mu.Unlock()
	tags := k.tags[key]
	delete(k.tags, key)
	return tags
}

func (k *known) put(key listKey, tags []tag) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tags == nil || len(k.tags) >= maxTagged {
		k.tags = map[listKey][]tag{}
	}
	k.tags[key] = tags
}

// whole says that r reads a list from its beginning with nothing left out.
func (r *reading) whole() bool { return r.q.UpdatedSince.IsZero() && r.q.From == "" }

func (r *reading) key() listKey { return listKey{r.kind, r.q.EventID} }

// note remembers the ETag of the page at here until the read has come to its end.
func (r *reading) note(etag string) {
	if len(etag) > maxTag {
		etag = ""
	}
	r.tags = append(r.tags, tag{r.here, etag})
	if len(r.tags) > maxTagged {
		r.tags = r.tags[:maxTagged+1] // too many, whatever follows
	}
}

// keep keeps the ETags of a list that was read to its end, if they tell of every change
// of it. What a Link header says is no part of a body and of most services' ETags.
func (r *reading) keep() {
	if !r.whole() || len(r.tags) > maxTagged {
		return
	}
	for _, t := range r.tags {
		if t.etag == "" || t.at.Style == PagingLinkHeader {
			return
		}
	}
	r.c.known.put(r.key(), r.tags)
}

// compare asks whether the pages of a list that was read before are as they were, if q
// says so. Of a first page that is not, the answer is early: it need not be asked again.
func compare[T any, P record[T]](ctx context.Context, r *reading) (early *fetched[P], unchanged bool, err error) {
	if !r.whole() {
		return nil, false, nil
	}
	tags := r.c.known.take(r.key())
	if !r.q.Conditional || len(tags) == 0 {
		return nil, false, nil
	}
	var first *fetched[P]
	for i, t := range tags {
		got, err := fetchPage[T, P](ctx, r, t.at, t.etag)
		switch {
		case err != nil:
			r.c.known.put(r.key(), tags) // nothing was read: the old ones hold
			return nil, false, err
		case got.page != nil && i == 0:
			r.here = t.at
			return got, false, nil
		case got.page != nil:
			return nil, false, nil
		case i == 0:
			first = got
		}
	}
	r.c.known.put(r.key(), tags)
	if r.q.OnPage != nil {
		r.q.OnPage(first.said)
	}
	return nil, true, nil
}
