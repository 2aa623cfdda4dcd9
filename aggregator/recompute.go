package aggregator

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/figures/ledger/replay"
	"housecount/apiclient/record"
)

const (
	// recomputeApply is how many versions a recompute applies at once, and recomputeRest how long it rests after
	// that, so that it uses only a fraction of one core. A slice rests longer, because it is recomputed by day.
	recomputeApply = 256
	recomputeRest  = 10 * time.Millisecond
	sliceRest      = 50 * time.Millisecond // 5,000 versions a second at most

	// recordsOfFound is for how many differences record ids are stored, and recordsInFound how many ids for each.
	recordsOfFound = 20
	recordsInFound = 10
)

// errReplaced is returned if the log got another epoch during a recompute.
var errReplaced = errors.New("the log was replaced meanwhile")

// Recompute folds all stored versions into a second ledger and compares the result with the figures
// published at the same position. It holds no lock, works in one goroutine alongside those that read the
// log, and pauses so that they are hardly slowed down. It needs as much memory again as the ledger. It
// changes no figure. at is the venue's time of the returned record, which is to be entered.
func (f *Figures) Recompute(ctx context.Context, at time.Time) (*record.Reconciliation, error) {
	began := time.Now()
	first, err := f.log.Position(ctx)
	if err != nil {
		return nil, err
	}
	ledger := ledger.New(f.calendar)
	before, err := f.read(ctx, 0, first.Revision, recomputeRest, ledger.Apply)
	if err != nil {
		return nil, err
	}
	// Versions that were folded away in the meantime are in versions that the log has now.
	now, err := f.log.Position(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.Await(ctx, now.Revision); err != nil {
		return nil, err
	}
	shown := f.shown.Load()
	if shown.Position.Epoch != first.Epoch {
		return nil, errReplaced
	}
	since, err := f.read(ctx, first.Revision, shown.Position.Revision, recomputeRest, ledger.Apply)
	if err != nil {
		return nil, err
	}
	return f.differences(ctx, shown, ledger.Snapshot(shown.Position, shown.coverage),
		record.Reconciliation{At: at, Compared: len(shown.Events), Versions: before + since}, began)
}

// RecomputeSlice is Recompute for the performances of one slice out of several. It also reads all versions, more
// slowly and two or three times, but needs memory only for these performances. Its result is about them only.
func (f *Figures) RecomputeSlice(ctx context.Context, at time.Time, number, of int) (*record.Reconciliation, error) {
	r, err := f.recomputeSlice(ctx, at, number, of)
	if err == nil && r.Differ > 0 {
		// Versions that were folded away after the figures were published may have been missing.
		return f.recomputeSlice(ctx, at, number, of)
	}
	return r, err
}

func (f *Figures) recomputeSlice(ctx context.Context, at time.Time, number, of int) (*record.Reconciliation, error) {
	began, shown, versions := time.Now(), f.shown.Load(), 0
	slice := replay.NewSlice(f.calendar, number, of)
	for {
		n, err := f.read(ctx, 0, shown.Position.Revision, sliceRest, slice.Offer)
		if err != nil {
			return nil, err
		}
		versions += n
		if slice.Whole() {
			break
		}
	}
	proper, compared := slice.Proper(shown.Snapshot, shown.coverage, shown.known)
	return f.differences(ctx, shown, proper, record.Reconciliation{At: at, Compared: compared, Versions: versions}, began)
}

// RecomputeFrom is Recompute from versions that are kept elsewhere, such as those of a backup, instead of those of the
// log. It does not rest. counted, if set, is called after every few versions with how many there were.
func (f *Figures) RecomputeFrom(ctx context.Context, at time.Time, versions iter.Seq2[record.Version, error], counted func(versions int)) (*record.Reconciliation, error) {
	began, shown, n := time.Now(), f.shown.Load(), 0
	ledger := ledger.New(f.calendar)
	for v, err := range versions {
		if err != nil {
			return nil, err
		}
		if v.Revision > shown.Position.Revision {
			break
		}
		ledger.Apply(v)
		if n++; n%recomputeApply != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if counted != nil {
			counted(n)
		}
	}
	return f.differences(ctx, shown, ledger.Snapshot(shown.Position, shown.coverage),
		record.Reconciliation{At: at, Compared: len(shown.Events), Versions: n}, began)
}

// differences completes a recompute of the published figures, if the log is still the same.
func (f *Figures) differences(ctx context.Context, shown *publication, proper *figures.Snapshot, r record.Reconciliation, began time.Time) (*record.Reconciliation, error) {
	if now, err := f.log.Position(ctx); err != nil {
		return nil, err
	} else if now.Epoch != shown.Position.Epoch { // versions of two logs were read
		return nil, errReplaced
	}
	r.Check, r.Revision = string(figures.CheckRecompute), shown.Position.Revision
	r.Found, r.Differ = catalogue.Unequal(shown.Snapshot, proper, r.At)
	err := f.addRecords(ctx, shown, r.Found, r.At)
	r.Took = time.Since(began).Round(time.Millisecond)
	return &r, err
}

// addRecords adds to the first differences the newest records from which a differing figure is counted.
func (f *Figures) addRecords(ctx context.Context, shown *publication, found []record.Found, now time.Time) error {
	for i := range found[:min(len(found), recordsOfFound)] {
		d := &found[i]
		if d.Event == "" || shown.Event(d.Event) == nil {
			continue
		}
		versions, err := f.versionsOf(ctx, shown, d.Event)
		if err != nil {
			return err
		}
		h := shown.history(versions, now)
		for _, of := range d.Figures {
			behind := h.Behind(figures.Key(of.Figure), figures.Scope{Event: d.Event})
			for _, r := range behind.Records {
				if d.Kind = cmp.Or(d.Kind, r.Kind); r.Kind == d.Kind && len(d.Records) < recordsInFound {
					d.Records = append(d.Records, r.ID)
				}
			}
			if len(d.Records) > 0 {
				break
			}
		}
	}
	return nil
}

// read calls take with the versions after one revision and up to another, and rests after every few.
func (f *Figures) read(ctx context.Context, after, upTo int64, rest time.Duration, take func(record.Version)) (versions int, err error) {
	for v, err := range f.log.Versions(ctx, after) {
		if err != nil {
			return versions, err
		}
		if v.Revision > upTo {
			break
		}
		take(v)
		if versions++; versions%recomputeApply == 0 {
			select {
			case <-time.After(rest):
			case <-ctx.Done():
				return versions, ctx.Err()
			}
		}
	}
	return versions, nil
}
