package poller

import (
	"context"
	"errors"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
)

// recordEvery is how often readings are stored. Those that are not are made again from the log.
const recordEvery = 10 * time.Second

// record stores readings until ctx ends.
func (t *tenure) record(ctx context.Context) {
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	for failed := false; ; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := t.storeReadings(ctx)
		if err != nil && !failed && ctx.Err() == nil && !errors.Is(err, aggregator.ErrLeaseLost) {
			t.Logger.Error("readings were not stored; it is tried again", "error", err)
		}
		failed = err != nil
	}
}

// storeReadings stores those that the log may not have.
func (t *tenure) storeReadings(ctx context.Context) error {
	rows, upTo := t.Figures.Readings()
	if len(rows) == 0 {
		return nil
	}
	if err := t.Log.Record(ctx, t.term, rows, upTo); err != nil {
		return err
	}
	t.Figures.Recorded(upTo)
	return nil
}

// thinReadings thins readings out that are old, once a day, since they grow old by days: the days that have
// any, and were not thinned out so far already.
func (t *tenure) thinReadings(ctx context.Context, now time.Time) {
	c, today := t.Calendar, t.Calendar.Day(now)
	if today == t.thinnedOn {
		return
	}
	err := func() error {
		for after := (time.Time{}); ; {
			next, err := t.Log.FirstReading(ctx, after)
			if err != nil || next.IsZero() {
				return err
			}
			day := c.Day(next)
			bucket := figures.ReadingsEvery(day, today)
			if bucket == time.Minute {
				return nil
			}
			from, until := c.Start(day), c.Start(day.Add(1))
			after = until
			if bucket == 0 {
				bucket = until.Sub(from)
			}
			if t.thinned[day] == bucket {
				continue
			}
			if err := t.Log.ThinReadings(ctx, t.term, from, until, bucket); err != nil {
				return err
			}
			t.thinned[day] = bucket
		}
	}()
	switch {
	case err == nil:
		t.thinnedOn = today
	case ctx.Err() == nil:
		t.Logger.Error("old readings were not thinned out", "error", err)
	}
}
