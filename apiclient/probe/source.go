package probe

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// Log keeps answers.
type Log interface {
	// Answer is what was stored under key; nil when nothing was.
	Answer(ctx context.Context, key string) ([]byte, error)
	// SetAnswer stores an answer under key.
	SetAnswer(ctx context.Context, key string, answer []byte) error
}

// Source reads a service by what was found out about it. It takes an answer from the log, or
// finds it out before, or while, a stream is first read; when the service contradicts it, the
// read fails and the next one begins by finding out anew. Its requests are within the budget of
// the Client. It may be used by many goroutines at once.
type Source struct {
	client *apiclient.Client
	log    Log
	logger *slog.Logger

	mu      sync.Mutex
	streams map[string]*answered
}

// answered is what is known about a stream.
type answered struct {
	turn chan struct{} // held by the one who finds it out
	// known says that the Client uses an answer; it is guarded by turn.
	known  bool
	answer apiclient.Answer
}

// NewSource returns a Source that reads by client. A nil logger discards.
func NewSource(client *apiclient.Client, log Log, logger *slog.Logger) *Source {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Source{client: client, log: log, logger: logger, streams: map[string]*answered{}}
}

// Streams are the lists of the service that give records.
func (s *Source) Streams() []apiclient.Stream { return s.client.Streams() }

// Paused is how long questions are still held back on our side.
func (s *Source) Paused() time.Duration { return s.client.Paused() }

// Limited is how long the service has asked us to hold questions back.
func (s *Source) Limited() time.Duration { return s.client.Limited() }

// Read yields the records of a stream as the Client does. What the service contradicts before
// a record has come is found out anew at once, and otherwise by the next read. A log that does
// not take an answer does not end a read: the next process finds it out again.
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
				if last = p; onPage != nil {
					onPage(p)
				}
			}
			for r, err := range s.client.Read(ctx, stream, query) {
				if _, refused := errors.AsType[*record.Refusal](err); err != nil && !refused {
					ended = false
				}
				if e, ok := errors.AsType[*apiclient.Error](err); ok {
					contradicted = s.failed(ctx, e, stream)
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
				s.honoured(ctx, stream)
			}
			if !contradicted || yielded || again {
				return
			}
		}
	}
}

// prepare sees that the Client has an answer about all that a read needs, and returns the
// query with which the read finds out the rest.
func (s *Source) prepare(ctx context.Context, stream string, q apiclient.Query) (apiclient.Query, error) {
	for _, other := range s.client.Needs(stream) {
		if err := s.ensure(ctx, other); err != nil {
			return q, err
		}
	}
	if whole := q.From == "" && q.UpdatedSince.IsZero() && q.EventID == "" && !q.Conditional; !whole {
		return q, s.ensure(ctx, stream)
	}
	known, err := s.recall(ctx, stream)
	if err == nil && !known { // a whole read from the beginning finds it out by itself
		q.Explore = true
		q.OnPage = s.learning(ctx, stream, q.OnPage)
	}
	return q, err
}

// of is what is known about a stream, with its turn taken.
func (s *Source) of(ctx context.Context, stream string) (a *answered, release func(), err error) {
	s.mu.Lock()
	if a = s.streams[stream]; a == nil {
		a = &answered{turn: make(chan struct{}, 1)}
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

// recall takes the answer about a stream from the log, if that has one.
func (s *Source) recall(ctx context.Context, stream string) (known bool, err error) {
	a, release, err := s.of(ctx, stream)
	if err != nil {
		return false, err
	}
	defer release()
	return s.recalled(ctx, a, stream), nil
}

func (s *Source) recalled(ctx context.Context, a *answered, stream string) bool {
	if a.known {
		return true
	}
	text, err := s.log.Answer(ctx, Key(s.client, stream))
	if err != nil {
		s.logger.Warn("what was found out about the service cannot be read", "stream", stream, "error", err)
		return false
	}
	if text == nil || json.Unmarshal(text, &a.answer) != nil || !a.answer.Found {
		return false
	}
	s.client.Use(stream, a.answer)
	a.known = true
	return true
}

// ensure has the Client use an answer about a stream.
func (s *Source) ensure(ctx context.Context, stream string) error {
	a, release, err := s.of(ctx, stream)
	if err != nil {
		return err
	}
	defer release()
	if s.recalled(ctx, a, stream) {
		return nil
	}
	found, err := Stream(ctx, s.client, stream)
	if err == nil && found.Found { // not where it has no list yet
		s.keep(ctx, a, stream, found)
	}
	return err
}

// keep makes found the answer about a stream, whose turn the caller has.
func (s *Source) keep(ctx context.Context, a *answered, stream string, found apiclient.Answer) {
	s.client.Use(stream, found)
	a.known, a.answer = true, found
	text, _ := json.Marshal(found) // cannot fail for texts and truths
	if err := s.log.SetAnswer(ctx, Key(s.client, stream), text); err != nil {
		s.logger.Warn("what was found out about the service cannot be stored", "stream", stream, "error", err)
	}
}

// learning is next, and keeps what the read of a stream finds out: at the page that shows how
// the list goes on, or that ends it.
func (s *Source) learning(ctx context.Context, stream string, next func(apiclient.Page)) func(apiclient.Page) {
	kept := false
	return func(p apiclient.Page) {
		if !kept && p.Found.Found && (p.Found.Paging != "" || p.Resume == "") {
			if a, release, err := s.of(ctx, stream); err == nil {
				s.keep(ctx, a, stream, p.Found)
				release()
				kept = true
			}
		}
		if next != nil {
			next(p)
		}
	}
}

// honoured notes that the service sent only changes though it is known to send everything: a
// read of them came to its end without anything older.
func (s *Source) honoured(ctx context.Context, stream string) {
	a, release, err := s.of(ctx, stream)
	if err != nil {
		return
	}
	defer release()
	if a.known && a.answer.IgnoresSince {
		s.logger.Info("the service sends only changes again", "stream", stream)
		a.answer.IgnoresSince = false
		s.keep(ctx, a, stream, a.answer)
	}
}

// failed has the next read of a stream find out anew what an error contradicts, and says
// whether it does. That changes are not told apart is found out by the contradiction itself.
func (s *Source) failed(ctx context.Context, e *apiclient.Error, stream string) (contradicted bool) {
	if e.Stream != "" { // it may be of one that this one needs
		stream = e.Stream
	}
	if e.Kind != apiclient.Contradicts && e.Kind != apiclient.NotOffered {
		return false
	}
	a, release, err := s.of(ctx, stream)
	if err != nil {
		return false
	}
	defer release()
	if errors.Is(e, apiclient.ErrIgnoresSince) {
		a.answer.IgnoresSince = true
		s.keep(ctx, a, stream, a.answer)
		return true
	}
	if !a.known {
		return false
	}
	a.known = false
	s.client.Forget(stream)
	if err := s.log.SetAnswer(ctx, Key(s.client, stream), nil); err != nil {
		s.logger.Warn("what was found out about the service cannot be taken back", "stream", stream, "error", err)
	}
	return e.Kind == apiclient.Contradicts
}
