package poller

import (
	"context"
	"time"
)

// retireEvery is how often old records are retired. Followers of the log fold it again after that.
const retireEvery = 7 * 24 * time.Hour

// maintainLog removes from the log, in quiet hours, what is too old to be stored as it came. It
// runs until ctx ends.
func (t *tenure) maintainLog(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := t.Now()
		if !t.quiet(now) {
			continue
		}
		t.foldVersions(ctx, now)
		t.retire(ctx, now)
	}
}

// foldVersions folds old versions.
func (t *tenure) foldVersions(ctx context.Context, now time.Time) {
	if t.KeepVersions == 0 {
		return
	}
	if n, err := t.Log.Fold(ctx, t.term, now.Add(-t.KeepVersions)); err != nil && ctx.Err() == nil {
		t.Logger.Error("old versions were not folded", "error", err)
	} else if n > 0 {
		t.Logger.Info("old versions were folded", "versions", n)
	}
}

// retire retires scans and contacts once some have been due for retireEvery, so that everything due
// is retired at once and rarely. It also continues a retirement that an earlier tenure left
// unfinished.
func (t *tenure) retire(ctx context.Context, now time.Time) {
	old := func(keep, more time.Duration) time.Time {
		if keep == 0 {
			return time.Time{}
		}
		return now.Add(-keep - more)
	}
	due := t.Figures.Retirement(now, old(t.KeepScans, retireEvery), old(t.KeepContacts, retireEvery))
	if !due.Empty() {
		due = t.Figures.Retirement(now, old(t.KeepScans, 0), old(t.KeepContacts, 0))
	}
	n, err := t.Log.Retire(ctx, t.term, due)
	switch {
	case err != nil && ctx.Err() == nil:
		t.Logger.Error("old scans and contacts were not retired; it is gone on with", "error", err)
	case err == nil && n > 0:
		t.Logger.Info("old scans and contacts were retired", "performances", len(due.Admissions), "contacts", len(due.Contacts), "versions", n)
	}
}
