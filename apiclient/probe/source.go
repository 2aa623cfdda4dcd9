package probe

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// Log stores answers.
type Log interface {
	// Answer returns what is stored under key; nil if nothing is.
	Answer(ctx context.Context, key string) ([]byte, error)
	// SetAnswer stores an answer under key.
	SetAnswer(ctx context.Context, key string, answer []byte) error
}

// changesWindow is how far back the changes are requested that test the filter for changes.
const changesWindow = time.Minute

// Source reads a service with what was found out about it. It takes an answer from the log, or
// probes before or during the first read of a stream. Before it first uses a filter it tests
// whether the service honours it. If the service contradicts an answer, the read fails and the next
// one probes again. All requests count towards the Client's budget. A Source is safe for concurrent
// use.
type Source struct {
	client *apiclient.Client
	log    Log
	logger *slog.Logger
	skew   atomic.Int64 // the service's clock minus ours, by its last response

	mu      sync.Mutex
	streams map[string]*streamTurn
}

// streamTurn serialises probing one stream. The Client holds the answer.
type streamTurn struct {
	turn chan struct{} // holds a token while the stream is being probed
	// loaded reports that the log's answer, if any, is in use.
	loaded bool
}

// NewSource returns a Source that reads with client. A nil logger discards.
func NewSource(client *apiclient.Client, log Log, logger *slog.Logger) *Source {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Source{client: client, log: log, logger: logger, streams: map[string]*streamTurn{}}
}

// Streams returns the lists of the service that give records.
func (s *Source) Streams() []apiclient.Stream { return s.client.Streams() }

// Paused returns how long requests, for whichever stream, are still held back on our side.
func (s *Source) Paused(string) time.Duration { return s.client.Paused() }

// Limited returns how long the service has asked us to hold requests back.
func (s *Source) Limited(string) time.Duration { return s.client.Limited() }

// Read yields the records of a stream as the Client does. If the service contradicts an answer
// before the first record, Read probes again at once, otherwise the next read does. A log that
// fails to store an answer does not end a read: the next process probes again.
func (s *Source) Read(ctx context.Context, stream string, q apiclient.Query) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for again := false; ; again = true {
			query, err := s.prepare(ctx, stream, q)
			if err != nil {
				yield(nil, err)
				return
			}
			yielded, contradicted, ended := false, false, true
			var last apiclient.Page
			onPage := query.OnPage
			query.OnPage = func(p apiclient.Page) {
				last = p
				s.skew.Store(int64(p.Skew))
				if onPage != nil {
					onPage(p)
				}
			}
			for r, err := range s.client.Read(ctx, stream, query) {
				if _, refused := errors.AsType[*record.Refusal](err); err != nil && !refused {
					ended = false
				}
				if e, ok := errors.AsType[*apiclient.Error](err); ok {
					contradicted = s.noteContradiction(ctx, e, stream, q)
				}
				if contradicted && !yielded && !again {
					break
				}
				yielded = true
				if !yield(r, err) {
					return
				}
			}
			if ended && last.Unfiltered && !last.Older && !last.Unchanged && !q.UpdatedSince.IsZero() && q.EventID == "" {
				s.noteHonoured(ctx, stream)
			}
			if !contradicted || yielded || again {
				return
			}
		}
	}
}

// prepare makes sure that the Client has an answer about every stream that a read needs. It returns
// the query with which the read itself finds out the rest.
func (s *Source) prepare(ctx context.Context, stream string, q apiclient.Query) (apiclient.Query, error) {
	for _, other := range s.client.Needs(stream) {
		if err := s.ensure(ctx, other, apiclient.Query{}); err != nil {
			return q, err
		}
	}
	if whole := q.From == "" && q.UpdatedSince.IsZero() && q.EventID == "" && !q.Conditional; !whole {
		return q, s.ensure(ctx, stream, q)
	}
	known, err := s.load(ctx, stream)
	if err == nil && !known { // a whole read from the start can explore itself
		q.Explore = true
		q.OnPage = s.storingAnswer(ctx, stream, q.OnPage)
	}
	return q, err
}

// lock waits for the turn of a stream and holds it until release is called.
func (s *Source) lock(ctx context.Context, stream string) (a *streamTurn, release func(), err error) {
	s.mu.Lock()
	if a = s.streams[stream]; a == nil {
		a = &streamTurn{turn: make(chan struct{}, 1)}
		s.streams[stream] = a
	}
	s.mu.Unlock()
	select {
	case a.turn <- struct{}{}:
		return a, func() { <-a.turn }, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// load makes the Client use the log's answer about a stream, if there is one, and reports whether
// the Client knows how to read the stream.
func (s *Source) load(ctx context.Context, stream string) (known bool, err error) {
	a, release, err := s.lock(ctx, stream)
	if err != nil {
		return false, err
	}
	defer release()
	return s.loadLocked(ctx, a, stream), nil
}

// loadLocked is load for callers that hold the stream's turn.
func (s *Source) loadLocked(ctx context.Context, a *streamTurn, stream string) (known bool) {
	if !a.loaded {
		text, err := s.log.Answer(ctx, Key(s.client, stream))
		if a.loaded = err == nil; err != nil {
			s.logger.Warn("what was found out about the service cannot be read", "stream", stream, "error", err)
		}
		var found apiclient.Answer
		if text != nil && json.Unmarshal(text, &found) == nil {
			s.client.Use(stream, found)
		}
	}
	_, known = s.client.Answer(stream)
	return known
}

// ensure makes the Client use an answer about a stream and about the filters of a query.
func (s *Source) ensure(ctx context.Context, stream string, q apiclient.Query) error {
	a, release, err := s.lock(ctx, stream)
	if err != nil {
		return err
	}
	defer release()
	if !s.loadLocked(ctx, a, stream) {
		found, err := Stream(ctx, s.client, stream)
		if err != nil || !found.Found { // the list does not exist yet
			return err
		}
		s.store(ctx, stream, found)
	}
	found, _ := s.client.Answer(stream)
	since, event := s.client.Filters(stream)
	if since && !q.UpdatedSince.IsZero() && !found.AskedSince {
		err = s.probeFilter(ctx, stream, apiclient.Query{UpdatedSince: time.Now().Add(time.Duration(s.skew.Load()) - changesWindow)})
	}
	if err == nil && event && q.EventID != "" && !found.AskedEvent {
		err = s.probeFilter(ctx, stream, apiclient.Query{EventID: q.EventID})
	}
	return err
}

// probeFilter tests whether the service honours the filter of q, and stores the result. The caller
// holds the stream's turn. If the service rejects the request, the read that follows reports it.
func (s *Source) probeFilter(ctx context.Context, stream string, q apiclient.Query) error {
	_, ignored, err := askFilter(ctx, s.client, stream, q)
	if e, ok := errors.AsType[*apiclient.Error](err); err != nil && !(ok && (e.Kind == apiclient.Rejected || e.Kind == apiclient.Contradicts)) {
		return err
	}
	s.storeFilter(ctx, stream, q, ignored)
	return nil
}

// storeFilter stores the result of a test of the filter of q. The caller holds the stream's turn.
func (s *Source) storeFilter(ctx context.Context, stream string, q apiclient.Query, ignored bool) {
	if ignored {
		s.logger.Warn("the service ignores a filter", "stream", stream, "filter", map[bool]string{true: "changes", false: "event"}[q.EventID == ""])
	}
	found, _ := s.client.Answer(stream)
	s.store(ctx, stream, filtered(found, q, ignored))
}

// store makes found the answer about a stream. The caller holds the stream's turn.
func (s *Source) store(ctx context.Context, stream string, found apiclient.Answer) {
	s.client.Use(stream, found)
	text, _ := json.Marshal(found) // cannot fail for strings and booleans
	if err := s.log.SetAnswer(ctx, Key(s.client, stream), text); err != nil {
		s.logger.Warn("what was found out about the service cannot be stored", "stream", stream, "error", err)
	}
}

// storingAnswer returns an OnPage that calls next and stores the answer that the read of a stream
// finds out, once a page shows the paging or ends the list.
func (s *Source) storingAnswer(ctx context.Context, stream string, next func(apiclient.Page)) func(apiclient.Page) {
	stored := false
	return func(p apiclient.Page) {
		if !stored && p.Found.Found && (p.Found.Paging != "" || p.Resume == "") {
			if _, release, err := s.lock(ctx, stream); err == nil {
				s.store(ctx, stream, p.Found)
				release()
				stored = true
			}
		}
		if next != nil {
			next(p)
		}
	}
}

// noteHonoured records that the service sent only changes although it was known to ignore the
// filter: a read of changes completed without an older row.
func (s *Source) noteHonoured(ctx context.Context, stream string) {
	_, release, err := s.lock(ctx, stream)
	if err != nil {
		return
	}
	defer release()
	if found, _ := s.client.Answer(stream); found.IgnoresSince {
		s.logger.Info("the service sends only changes again", "stream", stream)
		s.storeFilter(ctx, stream, apiclient.Query{}, false)
	}
}

// noteContradiction makes the next read of a stream probe again if e contradicts its answer, and
// reports whether it does. An ignored filter needs no new probe: the contradiction is the answer.
func (s *Source) noteContradiction(ctx context.Context, e *apiclient.Error, stream string, q apiclient.Query) (contradicted bool) {
	if e.Stream != "" { // the error may be about a stream that this one needs
		stream = e.Stream
	}
	if e.Kind != apiclient.Contradicts && e.Kind != apiclient.NotOffered {
		return false
	}
	_, release, err := s.lock(ctx, stream)
	if err != nil {
		return false
	}
	defer release()
	switch {
	case errors.Is(e, apiclient.ErrIgnoresSince):
		s.storeFilter(ctx, stream, apiclient.Query{UpdatedSince: q.UpdatedSince}, true)
		return true
	case errors.Is(e, apiclient.ErrIgnoresEvent):
		s.storeFilter(ctx, stream, apiclient.Query{EventID: q.EventID}, true)
		return true
	case !s.client.Forget(stream):
		return false
	}
	if err := s.log.SetAnswer(ctx, Key(s.client, stream), nil); err != nil {
		s.logger.Warn("what was found out about the service cannot be taken back", "stream", stream, "error", err)
	}
	return e.Kind == apiclient.Contradicts
}
