package aggregator

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

const (
	// followAgain is how long to wait before an unreadable log is read again.
	followAgain = 2 * time.Second
	// maxApply is the most versions that are applied while the ledger is locked once.
	maxApply = 256
)

// errRenewed is returned if the log got another epoch while it was folded.
var errRenewed = errors.New("the log was renewed while it was read")

// follower folds a log and publishes the result. It belongs to the goroutine of Run.
type follower struct {
	log      Log
	calendar figures.Calendar
	logger   *slog.Logger
	fault    string           // why the log could not be read the last time; empty if it could
	room     []record.Version // of fold, without versions in between
	publisher
}

// follow folds what is new in the log and publishes it: at once, or a moment later if many records come in or the poll of another
// list brings more.
func (f *follower) follow(ctx context.Context) {
	f.logTransition(ctx, f.catchUp(ctx))
	if now := time.Now(); f.pending.any {
		if f.pending.since.IsZero() {
			f.pending.since = now
		}
		if !now.Before(f.due()) {
			f.publish()
		}
	}
}

// logTransition logs once that the log cannot be read, and once that it can be read again.
func (f *follower) logTransition(ctx context.Context, err error) {
	switch {
	case err != nil:
		if text := err.Error(); ctx.Err() == nil && text != f.fault {
			f.fault = text
			f.logger.Error("the log cannot be read; it is tried again, and the last figures stay", "error", err)
		}
	case f.fault != "":
		f.fault = ""
		f.logger.Info("the log can be read again")
	}
}

func (f *follower) catchUp(ctx context.Context) error {
	p, err := f.log.Position(ctx)
	switch {
	case err != nil:
		return err
	case p == f.folded:
		return nil
	case p.Epoch != f.folded.Epoch:
		f.logger.Warn("the log is another one; it is folded anew", "epoch", p.Epoch)
		return f.foldAnew(ctx)
	}
	continues := p.Revision >= f.folded.Revision && p.Streams >= f.folded.Streams
	if continues && p.Tenure != f.folded.Tenure {
		if continues, err = f.log.Continues(ctx, f.folded); err != nil {
			return err
		}
	}
	if !continues {
		f.logger.Warn("the log has lost what it had; it is folded anew", "revision", p.Revision, "folded", f.folded.Revision)
		if err := f.log.Renew(ctx, p.Epoch); err != nil {
			return err
		}
		return f.foldAnew(ctx)
	}
	f.folded.Tenure = p.Tenure
	// The states are read before the position, so that the log has the records that the states mention.
	if p.Streams != f.folded.Streams {
		if err := f.takeStates(ctx); err != nil {
			return err
		}
		now, err := f.log.Position(ctx)
		if err != nil {
			return err
		}
		if now.Epoch != p.Epoch || now.Tenure != p.Tenure || now.Revision < f.folded.Revision {
			return f.catchUp(ctx)
		}
		p = now
	}
	if p.Revision == f.folded.Revision {
		return nil
	}
	f.folded.Revision, err = f.fold(ctx, f.ledger, f.folded.Revision, p.Revision, f.pending.record)
	return err
}

// foldAnew folds the whole log into a new ledger. What was published stays until that is done.
func (f *follower) foldAnew(ctx context.Context) error {
	began := time.Now()
	before, err := f.log.Position(ctx)
	if err != nil {
		return err
	}
	states, counter, err := f.log.Streams(ctx)
	if err != nil {
		return err
	}
	p, err := f.log.Position(ctx) // it has the records that the states mention
	if err != nil {
		return err
	}
	anew := ledger.New(f.calendar)
	if err := f.preallocate(ctx, anew, p.Revision); err != nil {
		return err
	}
	if _, err = f.fold(ctx, anew, 0, p.Revision, nil); err != nil {
		return err
	}
	if now, err := f.log.Position(ctx); err != nil {
		return err
	} else if before.Epoch != p.Epoch || now.Epoch != p.Epoch {
		return errRenewed
	}
	f.mu.Lock()
	f.ledger = anew
	f.mu.Unlock()
	f.known.states = nil
	f.learn(states)
	f.folded = figures.Position{Epoch: p.Epoch, Revision: p.Revision, Streams: counter, Tenure: p.Tenure}
	f.pending.everything()
	f.logger.Info("log folded", "epoch", p.Epoch, "revision", p.Revision, "took", time.Since(began))
	return nil
}

// A log of at least sampledFrom versions is sampled before it is folded.
const (
	sampledFrom = 100_000
	samples     = 500
)

// preallocate makes room in an empty ledger for about as many records as the log has, estimated from a sample of
// its versions.
func (f *follower) preallocate(ctx context.Context, empty *ledger.Ledger, revision int64) error {
	if revision < sampledFrom {
		return nil
	}
	sample := make([]int64, samples)
	for i := range sample {
		sample[i] = int64(i)*revision/samples + 1
	}
	versions, err := f.log.At(ctx, sample)
	if err != nil {
		return err
	}
	records := map[record.Kind]int{}
	for _, v := range versions {
		if v.Head {
			records[v.Record.RecordKind()] += int(revision / samples)
		}
	}
	empty.Preallocate(records)
	return nil
}

// fold applies to a ledger the versions after one revision and up to another. It calls note, unless nil, with the
// changes of each batch, and returns the last revision that was applied. After an error, what was applied before
// it stays.
func (f *follower) fold(ctx context.Context, l *ledger.Ledger, after, upTo int64, note func(figures.Changes)) (revision int64, err error) {
	versions := f.room[:0]
	apply := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, v := range versions {
			l.Apply(v)
			after = v.Revision
		}
		clear(versions)
		versions = versions[:0]
		if note != nil {
			note(l.Changes())
		}
	}
	for v, failed := range f.log.Versions(ctx, after) {
		if failed != nil {
			err = failed
			break
		}
		if v.Revision > upTo {
			break // it belongs to a tenure that is not known yet
		}
		if note != nil && !slices.Contains(record.Kinds, v.Record.RecordKind()) { // somebody waits for what was entered
			f.pending.urgent = true
		}
		if versions = append(versions, v); len(versions) == maxApply {
			apply()
		}
	}
	apply()
	f.room = versions
	if err == nil {
		after = upTo
	}
	return after, err
}

// takeStates reads what is known of the streams.
func (f *follower) takeStates(ctx context.Context) error {
	states, counter, err := f.log.Streams(ctx)
	if err != nil {
		return err
	}
	f.learn(states)
	f.folded.Streams = counter
	return nil
}

// learn stores states. The progress of a first sync is not urgent: it is published with the records.
func (f *follower) learn(states []StreamState) {
	f.mu.Lock()
	f.pastFrom = f.known.pastFrom(states)
	f.mu.Unlock()
	urgent, polled := f.known.take(states)
	f.pending.any, f.pending.urgent, f.pending.polled = true, f.pending.urgent || urgent, f.pending.polled || polled
}
