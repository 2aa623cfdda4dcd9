package apiclient

import (
	"errors"
	"net/url"
	"time"

	"housecount/apiclient/profile"
)

// streamRead is one read of a stream: of its one list, or of one list for each kept row of the
// stream that it is over.
type streamRead struct {
	c    *service
	s    *profile.Stream
	q    Query
	rule profile.PagingRule
	// since is UpdatedSince as the service is asked for it, empty when it is not, and asked
	// the time that this means to the service.
	since string
	asked time.Time
	from  mark // where to go on; zero for the beginning
	with  map[string]any
	// beside stands for with.
	beside uint64
	// found is what the read obeys or, where it explores, what it has found out so far.
	found     Answer
	exploring bool
	// known says that it need not explore.
	known bool
	// keeping says that the rows are read for other streams.
	keeping bool
	// take gets each page after OnPage was called, miss what a list that is not there for us
	// was for; false ends the read.
	take func(*listRead, *page) bool
	miss func(key string, e *Error) bool

	lists []profile.Kept // one without a key for a stream with one list
	began time.Time      // when the stream that this is over was read, by its ServerTime
	// missing counts the parent rows without a usable key; their lists are skipped.
	missing int
	pages   int // read so far
	// older says that a row came that had not changed since the time asked for.
	older  bool
	totals int // lists that said their total
	total  int // of those
	tags   map[listKey]tags
	// early is the first page of the list of earlyKey, that a comparison has brought.
	early    *fetched
	earlyKey string
}

// errLeft ends a read that take has ended.
var errLeft = errors.New("the reader has left")

// listRead is one list under way.
type listRead struct {
	pager
	w         *streamRead
	c         *service
	list      profile.Kept // the row that it belongs to
	following string       // key of the list after this one, empty when there is none
	number    int          // of the page at here, from 1
	size      int          // rows asked for a page
	seenTags  []tag
	order     newestFirst
	dropped   int // scans
}

// fetched is a page with what came beside it.
type fetched struct {
	page *page // nil for one that is as it was
	said Page
	etag string
	at   pagePosition
	from *url.URL
}

// list begins the read of a list.
func (w *streamRead) list(of profile.Kept) *listRead {
	r := &listRead{w: w, c: w.c, list: of, number: 1, size: w.c.pageSize}
	r.rule = w.rule
	if r.rule.Size > 0 {
		r.size = min(r.size, r.rule.Size)
	}
	r.auto, r.here, r.hidden = r.rule.Style == profile.PagingAuto, begin(r.rule), signer(w.c.profile.Auth).hidden()
	if r.exploring = w.exploring; r.auto && w.found.Found {
		r.here = w.found.begin(r.here)
		r.answered = w.found.Paging
	}
	r.order.since = w.q.UpdatedSince
	return r
}

// changes says that only changes are wanted, whether or not the service can be asked so.
func (w *streamRead) changes() bool { return !w.q.UpdatedSince.IsZero() }

// sifts says that records are to be left out by the time of their last change.
func (w *streamRead) sifts() bool {
	return w.changes() && w.s.Since.Basis != profile.BasisCreated && !w.keeping
}

// filtersEvents says that the service is asked for the records of one event only.
func (w *streamRead) filtersEvents() bool { return w.q.EventID != "" && w.s.ByEvent != "" }

// key names the list of the read that belongs to the row with a key.
func (w *streamRead) key(key string) listKey {
	return listKey{w.s, key, w.q.EventID, w.changes(), w.keeping}
}

// tagged says that the ETags of a read are of use: it reads lists to their ends, and tells
// of every change of them.
func (w *streamRead) tagged() bool {
	return w.q.From == "" && (!w.changes() || w.since == "" || w.found.IgnoresSince)
}

// recognises is what recognises the rows of the read; nil where nothing does.
func (w *streamRead) recognises() *SeenRows {
	if w.keeping || w.q.EventID != "" {
		return nil
	}
	return w.q.Seen
}

// mark is a place in a stream to go on from, with the query that it belongs to.
type mark struct {
	Version int          `json:"v"`
	Profile string       `json:"f"`
	Stream  string       `json:"k"`
	Since   int64        `json:"u"` // Unix seconds
	EventID string       `json:"e,omitempty"`
	Size    int          `json:"l"`
	Pages   int          `json:"n"`           // read of the whole stream
	Key     string       `json:"y,omitempty"` // of the list; what follows is of that
	Seen    int          `json:"r"`
	Number  int          `json:"i"`
	FromOne bool         `json:"o,omitempty"`
	Place   pagePosition `json:"w"`
}
