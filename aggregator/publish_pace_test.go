package aggregator_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// During a first sync publications take a small part of the time, however long one takes, and the last is of all.
func TestPublicationsKeepTheirPace(t *testing.T) {
	for _, c := range []struct{ takes, between time.Duration }{
		{time.Millisecond, 200 * time.Millisecond}, {50 * time.Millisecond, time.Second}, {400 * time.Millisecond, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			log := logtest.New().Open()
			var at []time.Time
			f, err := aggregator.New(aggregator.Options{Log: log, Streams: streams, Published: func(figures.Changes) {
				at = append(at, time.Now())
				time.Sleep(c.takes)
			}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- f.Run(ctx) }()
			const appends = 300
			for i := range appends {
				if _, err := log.Append(ctx, aggregator.Batch{SeenAt: time.Now(), Records: []record.Record{event(fmt.Sprint("evt_", i), 5, 0)}}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(4 * time.Second)
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			for i := range at[1:] {
				if got := at[i+1].Sub(at[i]); got < c.between || got > c.between+c.takes+100*time.Millisecond {
					t.Errorf("where one takes %v, %v between publications, want %v", c.takes, got, c.between)
				}
			}
			if got := len(f.Snapshot().Events); got != appends {
				t.Errorf("%d of %d events are published in the end", got, appends)
			}
		})
	}
}
