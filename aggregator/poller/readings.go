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

// thinning is how readings are thinned out with age: a minute for five weeks, so that a night of last
// month can be seen again as it went, then a quarter, an hour, and in the end a day.
var thinning = []struct {
	days   int
	bucket time.Duration // 0 for a day, however long it is
}{{400, 0}, {100, time.Hour}, {35, 15 * time.Minute}}

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

// thinReadings thins readings out that are old, day by day: the days that have any, and were not thinned
// out so far already.
func (t *tenure) thinReadings(ctx context.Context, now time.Time) {
	err := func() error {
		c, today := t.Calendar, t.Calendar.Day(now)
		for after := (time.Time{}); ; {
			next, err := t.Log.FirstReading(ctx, after)
			if err != nil || next.IsZero() {
				return err
			}
			day := c.Day(next)
			if day >= today.Add(-thinning[len(thinning)-1].days) {
				return nil
			}
			from, until := c.Start(day), c.Start(day.Add(1))
			after = until
			bucket := bucketOf(day, today, until.Sub(from))
			if t.thinned[day] == bucket {
				continue
			}
			if err := t.Log.ThinReadings(ctx, t.term, from, until, bucket); err != nil {
				return err
			}
			t.thinned[day] = bucket
		}
	}()
	if err != nil && ctx.Err() == nil {
		t.Logger.Error("old readings were not thinned out", "error", err)
	}
}

// bucketOf is of how long a time one reading is left on a day that is so long.
func bucketOf(day, today figures.Day, length time.Duration) time.Duration {
	for _, t := range thinning {
		if day < today.Add(-t.days) {
			if t.bucket == 0 {
				return length
			}
			return t.bucket
		}
	}
	return time.Minute
}
