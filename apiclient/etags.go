package apiclient

import (
	"sync"
	"time"

	"housecount/apiclient/profile"
)

const (
	// maxTagged is the most pages of a list whose ETags are stored, and the most lists.
	maxTagged = 1000
	// maxTag is the longest ETag that is stored, in bytes.
	maxTag = 1 << 10
)

// listKey identifies a list that is read to its end and the purpose of the read.
type listKey struct {
	stream           *profile.Stream
	key, eventID     string
	changes, keeping bool
}

// tag is the ETag of the page at a position.
type tag struct {
	at   pagePosition
	etag string
}

// tags are the ETags of a list.
type tags struct {
	pages []tag
	since time.Time // the UpdatedSince of the read
}

// tagStore holds the ETags of lists as of the last completed read. It is safe for concurrent use.
type tagStore struct {
	mu     sync.Mutex
	byList map[listKey]tags
}

// take returns the tags of a list and removes them: a read that completes stores new ones, and one
// that does not must leave none.
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
