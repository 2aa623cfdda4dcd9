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
	since          string
	effectiveSince time.Time
	from           resumePoint // where to go on; zero for the beginning
	lookup         map[string]any
	// beside stands for with.
	parentHash uint64
	// found is what the read obeys or, where it explores, what it has found out so far.
	found     Answer
	exploring bool
	// known says that it need not explore.
	known bool
	// keeping says that the rows are read for other streams.
	sharing bool
	// take gets each page after OnPage was called, miss what a list that is not there for us
	// was for; false ends the read.
	onPage    func(*listRead, *page) bool
	onMissing func(key string, e *Error) bool

	lists      []profile.SharedRow // one without a key for a stream with one list
	parentTime time.Time           // when the stream that this is over was read, by its ServerTime
	// missing counts the parent rows without a usable key; their lists are skipped.
	missingParents int
	pages          int // read so far
	// older says that a row came that had not changed since the time asked for.
	olderCame      bool
	totalsReported int // lists that said their total
	total          int // of those
	tags           map[listKey]tags
	// early is the first page of the list of earlyKey, that a comparison has brought.
	prefetched    *fetchedPage
	prefetchedKey string
}

// errLeft ends a read that take has ended.
var errStopped = errors.New("the reader has left")

// listRead is one list under way.
type listRead struct {
	pager
	sr           *streamRead
	c            *service
	parent       profile.SharedRow // the row that it belongs to
	nextKey      string            // key of the list after this one, empty when there is none
	number       int               // of the page at here, from 1
	size         int               // rows asked for a page
	pageTags     []tag
	order        newestFirst
	droppedScans int // scans
}

// fetched is a page with what came beside it.
type fetchedPage struct {
	page   *page // nil for one that is as it was
	report Page
	etag   string
	at     pagePosition
	from   *url.URL
}

// list begins the read of a list.
func (sr *streamRead) newListRead(of profile.SharedRow) *listRead {
	r := &listRead{sr: sr, c: sr.c, parent: of, number: 1, size: sr.c.pageSize}
	r.rule = sr.rule
	if r.rule.Size > 0 {
		r.size = min(r.size, r.rule.Size)
	}
	r.auto, r.here, r.credentialParam = r.rule.Style == profile.PagingAuto, firstPosition(r.rule), signer(sr.c.profile.Auth).credentialParam()
	if r.exploring = sr.exploring; r.auto && sr.found.Found {
		r.here = sr.found.firstPosition(r.here)
		r.answered = sr.found.Paging
	}
	r.order.since = sr.q.UpdatedSince
	return r
}

// changes says that only changes are wanted, whether or not the service can be asked so.
func (sr *streamRead) changesOnly() bool { return !sr.q.UpdatedSince.IsZero() }

// sifts says that records are to be left out by the time of their last change.
func (sr *streamRead) filtersByTime() bool {
	return sr.changesOnly() && sr.s.Since.Basis != profile.BasisCreated && !sr.sharing
}

// filtersEvents says that the service is asked for the records of one event only.
func (sr *streamRead) filtersByEvent() bool { return sr.q.EventID != "" && sr.s.ByEvent != "" }

// key names the list of the read that belongs to the row with a key.
func (sr *streamRead) listKey(key string) listKey {
	return listKey{sr.s, key, sr.q.EventID, sr.changesOnly(), sr.sharing}
}

// tagged says that the ETags of a read are of use: it reads lists to their ends, and tells
// of every change of them.
func (sr *streamRead) usesTags() bool {
	return sr.q.From == "" && (!sr.changesOnly() || sr.since == "" || sr.found.IgnoresSince)
}

// recognises is what recognises the rows of the read; nil where nothing does.
func (sr *streamRead) seenRows() *SeenRows {
	if sr.sharing || sr.q.EventID != "" {
		return nil
	}
	return sr.q.Seen
}

// mark is a place in a stream to go on from, with the query that it belongs to.
type resumePoint struct {
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
