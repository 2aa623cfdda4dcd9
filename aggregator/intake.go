package aggregator

import (
	"context"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

const (
	// maxRefused is the most refused records that are remembered, so that one that comes
	// with every look counts once; shownRefused the most that are published.
	maxRefused   = 1000
	shownRefused = 20
)

// restore folds the log into the ledger and takes up the marks.
func (a *Aggregator) restore(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	began := time.Now()
	if err := a.fold(ctx); err != nil {
		return err
	}
	marks, err := a.log.Marks(ctx)
	if err != nil {
		return err
	}
	for _, s := range a.streams {
		if m, ok := marks[s.Name]; ok {
			s.mark = m
			s.health.Complete = !m.Since.IsZero()
			s.readAt = m.Since
		}
	}
	a.logger.Info("log replayed", "revision", a.revision, "took", time.Since(began))
	a.publish()
	return nil
}

// fold applies what the log has and the ledger has not.
func (a *Aggregator) fold(ctx context.Context) error {
	for e, err := range a.log.Replay(ctx, a.revision) {
		if err != nil {
			return err
		}
		a.ledger.Apply(e)
		a.revision = e.Revision
		a.unpublished = true
	}
	return nil
}

// take appends records and a mark (or nil) to the log and applies what was kept.
func (a *Aggregator) take(ctx context.Context, records []record.Record, mark *Mark) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.behind {
		if err := a.fold(ctx); err != nil {
			return &logError{err}
		}
		a.behind = false
	}
	kept, revision, err := a.log.Append(ctx, records, mark)
	if err != nil {
		a.behind = true // it may have been kept all the same
		return &logError{err}
	}
	seen := time.Now()
	for i, r := range kept {
		a.ledger.Apply(record.Version{Revision: revision - int64(len(kept)-1-i), SeenAt: seen, Head: true, Record: r})
	}
	a.revision = revision
	a.accept(records)
	a.unpublished = a.unpublished || len(kept) > 0
	a.publishSoon()
	return nil
}

// refuse counts a record that the client refused, and lists it. The first refusal of a
// record is logged, but of no more records of a stream than are remembered.
func (a *Aggregator) refuse(s *stream, e *record.Refusal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	d := figures.Diagnostic{Code: "refused_record", Kind: e.Kind, ID: e.ID, Text: strings.TrimSpace(e.Field + " " + e.Why), Count: 1}
	if e.Kind == "" {
		d.Text = rowOf(s) + d.Text
	}
	if i := a.refusedAt(e.Kind, e.ID); i >= 0 { // again, as the overlap has it
		d.Count += a.refused[i].Count
		a.refused = slices.Delete(a.refused, i, i+1)
	} else {
		s.health.Refused++
		if s.health.Refused <= maxRefused {
			a.logger.Warn("record refused", "stream", s.Name, "kind", e.Kind, "id", e.ID, "field", e.Field, "why", e.Why)
		}
		if s.health.Refused == maxRefused {
			a.logger.Warn("further refused records are not logged", "stream", s.Name, "refused", s.health.Refused)
		}
	}
	a.refused = append(a.refused, d)
	a.refused = a.refused[max(0, len(a.refused)-maxRefused):]
	a.unpublished = true
}

func rowOf(s *stream) string { return "a row of " + s.Name + " " }

// forgetRows takes the rows of s that became no record off the list of the refused, at the
// beginning of a whole read, with which they come again: no record says that they were
// mended.
func (a *Aggregator) forgetRows(s *stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refused = slices.DeleteFunc(a.refused, func(d figures.Diagnostic) bool { return d.Kind == "" && strings.HasPrefix(d.Text, rowOf(s)) })
}

// accept takes records off the list of the refused.
func (a *Aggregator) accept(records []record.Record) {
	if len(a.refused) == 0 {
		return
	}
	for _, r := range records {
		if i := a.refusedAt(r.RecordKind(), r.RecordID()); i >= 0 {
			a.refused = slices.Delete(a.refused, i, i+1)
			a.unpublished = true
		}
	}
}

func (a *Aggregator) refusedAt(kind record.Kind, id string) int {
	return slices.IndexFunc(a.refused, func(d figures.Diagnostic) bool { return d.Kind == kind && d.ID == id })
}
