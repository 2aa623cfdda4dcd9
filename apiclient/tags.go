package apiclient

import (
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
func (s *tagStore) take(key listKey) tags {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.byList[key]
	delete(s.byList, key)
	return t
}

func (s *tagStore) put(all map[listKey]tags) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byList == nil || len(s.byList)+len(all) > maxTagged {
		s.byList = map[listKey]tags{}
	}
	if len(all) > maxTagged {
		return
	}
	for key, t := range all {
		if len(t.pages) > 0 {
			s.byList[key] = t
		}
	}
}
