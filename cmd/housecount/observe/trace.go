package observe

import (
	"context"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"housecount/aggregator"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// Trace follows the new versions of one ticket through this process: a line of log for each step, with the milliseconds
// since the service said it. It is nil, and its methods do nothing, where nobody asked for one. Any goroutine may
// call it.
//
// The first step is by the service's clock and the others by ours. Storing is traced by the replica that polls, what
// pages get by each that has pages; where the lines are of two replicas, those after appended are missing from the one
// and all are from the other.
type Trace struct {
	Ticket   string
	Now      func() time.Time // the venue's clock
	Versions func(ctx context.Context, revisions []int64) ([]record.Version, error)
	Log      *slog.Logger

	appending sync.Mutex // held by append, so that versions are followed in the order in which they are stored
	mu        sync.Mutex // of what is below; never held while the database is waited for
	// appended is closed when the batch that is being appended is stored and followed; nil while there is none.
	appended chan struct{}
	// publishedAt is the last revision of which figures were published.
	publishedAt int64
	// seen is when a poll last read the ticket, and seenAt what the venue's clock showed then.
	seen, seenAt time.Time
	// said is when the service said the version that is followed, as our clock showed then; mark counts the versions.
	said     time.Time
	mark     int
	revision int64           // in which it is stored
	steps    map[string]bool // that are logged; nil while none is followed
	// drawn has how each topic was last rendered.
	drawn map[string]drawing
}

// drawing is how a topic was rendered: from which revision, from which one before if it is known, and when.
type drawing struct {
	before, revision int64
	known            bool
	at               time.Time
}

const (
	// forgetDrawing is how long a topic is remembered that is no longer rendered, as nobody has it open.
	forgetDrawing = time.Hour
	// orderPatience is how long figures wait to be published for a version that is being appended, so that the steps come in
	// their order. Where the database takes longer than that, steps may be missing.
	orderPatience = time.Second
)

// step logs a step of the version that is followed, the first time; t.mu is held.
func (t *Trace) step(name string, more ...any) {
	if t.steps == nil || t.steps[name] {
		return
	}
	t.steps[name] = true
	t.Log.Info("trace", slices.Concat([]any{"ticket", t.Ticket, "step", name, "ms", time.Since(t.said).Milliseconds()}, more)...)
}

// Source returns a source that notes when the ticket is read.
func (t *Trace) Source(of apiclient.Source) apiclient.Source {
	if t == nil {
		return of
	}
	return tracedSource{of, t}
}

type tracedSource struct {
	apiclient.Source
	trace *Trace
}

// Read implements apiclient.Source.
func (s tracedSource) Read(ctx context.Context, stream string, q apiclient.Query) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		for r, err := range s.Source.Read(ctx, stream, q) {
			if s.trace.is(r) {
				s.trace.mu.Lock()
				s.trace.seen, s.trace.seenAt = time.Now(), s.trace.Now()
				s.trace.mu.Unlock()
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func (t *Trace) is(r record.Record) bool {
	k, ok := r.(*record.Ticket)
	return ok && k.ID == t.Ticket
}

// append appends a batch, and follows the ticket if that stores a new version of it.
func (t *Trace) append(ctx context.Context, b aggregator.Batch, appendTo func(context.Context, aggregator.Batch) (aggregator.Appended, error)) (aggregator.Appended, error) {
	if t == nil || !slices.ContainsFunc(b.Records, t.is) {
		return appendTo(ctx, b)
	}
	t.appending.Lock()
	defer t.appending.Unlock()
	done := make(chan struct{})
	t.setAppended(done)
	defer close(done)
	defer t.setAppended(nil)
	a, err := appendTo(ctx, b)
	if err != nil || a.New == 0 {
		return a, err
	}
	revisions := make([]int64, a.New)
	for i := range revisions {
		revisions[i] = a.Revision - int64(a.New-1-i)
	}
	stored, failed := t.Versions(ctx, revisions)
	if failed != nil {
		t.Log.Warn("a ticket cannot be traced", "ticket", t.Ticket, "error", failed)
		return a, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, v := range stored {
		if t.is(v.Record) {
			t.follow(v)
		}
	}
	return a, err
}

func (t *Trace) setAppended(to chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.appended = to
}

// follow logs the first steps of a version that is stored; t.mu is held. One that this process has not read
// itself, as it was appended for another reason, has no times to be followed by.
func (t *Trace) follow(v record.Version) {
	if t.seen.IsZero() {
		return
	}
	at := v.Record.(*record.Ticket).UpdatedAt
	t.said = t.seen.Add(at.Sub(t.seenAt))
	t.revision, t.steps = v.Revision, map[string]bool{}
	t.mark++
	t.steps["said"], t.steps["seen"] = true, true
	t.Log.Info("trace", "ticket", t.Ticket, "step", "said", "ms", 0, "at", at.UTC().Format(time.RFC3339Nano))
	t.Log.Info("trace", "ticket", t.Ticket, "step", "seen", "ms", t.seen.Sub(t.said).Milliseconds())
	t.step("appended", "revision", v.Revision)
	if t.publishedAt >= v.Revision {
		t.step("folded")
	}
}

// Published notes that figures of a revision are published. It waits for a version that is being appended, but not for long.
func (t *Trace) Published(revision int64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if appended := t.appended; appended != nil {
		t.mu.Unlock()
		select {
		case <-appended:
		case <-time.After(orderPatience):
		}
		t.mu.Lock()
	}
	t.publishedAt = max(t.publishedAt, revision)
	if revision >= t.revision {
		t.step("folded")
	}
}

// rendering notes from which revision a topic is rendered now.
func (t *Trace) rendering(topic string, revision int64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.drawn == nil {
		t.drawn = map[string]drawing{}
	}
	last, known := t.drawn[topic]
	if !known {
		maps.DeleteFunc(t.drawn, func(_ string, d drawing) bool { return time.Since(d.at) > forgetDrawing })
	}
	t.drawn[topic] = drawing{last.revision, revision, known, time.Now()}
}

// gained reports whether a topic had the version the first time when it was last rendered; what is rendered from then on
// changes for another reason. t.mu is held.
func (t *Trace) gained(topic string) bool {
	d := t.drawn[topic]
	return d.known && d.before < t.revision && d.revision >= t.revision
}

// Rendered implements live.Tracer.
func (t *Trace) Rendered(topic string) (mark int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.steps["folded"] || t.steps["shown"] || !t.gained(topic) {
		return 0
	}
	t.step("rendered", "topic", topic)
	return t.mark
}

// Sent implements live.Tracer.
func (t *Trace) Sent(mark, pages int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mark == t.mark && pages > 0 {
		t.step("sent", "pages", pages)
	}
}

// Shown implements live.Tracer.
func (t *Trace) Shown(mark int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mark == t.mark && t.steps["rendered"] {
		t.step("shown")
	}
}
