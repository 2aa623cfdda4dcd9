package aggregator_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// gapped is a log to which somebody appends between a reader's question for its position and
// that for the states of its streams.
type gapped struct {
	*logtest.Log
	between func() // the next time, nil for nothing
}

func (g *gapped) Streams(ctx context.Context) ([]aggregator.StreamState, int64, error) {
	if do := g.between; do != nil {
		g.between = nil
		do()
	}
	return g.Log.Streams(ctx)
}

// What a state says of records, the figures have: a list that is read whole never shows fewer
// records than came with that word, at the start nor later.
func TestStatesComeWithTheirRecords(t *testing.T) {
	for name, first := range map[string]bool{"at the start": true, "while following": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &gapped{Log: logtest.New().Open()}
				add := func(states []aggregator.StreamState, records ...record.Record) {
					if _, err := log.Append(t.Context(), aggregator.Batch{SeenAt: time.Now(), Records: records, Streams: states}); err != nil {
						t.Error(err)
					}
				}
				end := func() {
					add([]aggregator.StreamState{synced("events"), synced("tickets")}, ticket("tkt_1", "evt"), ticket("tkt_2", "evt"))
				}
				add([]aggregator.StreamState{{Name: "events"}, {Name: "tickets"}}, event("evt", 5, 0))
				var f *aggregator.Figures
				f, err := aggregator.New(aggregator.Options{Log: log, Streams: streams, Published: func(figures.Changes) {
					if e := f.Snapshot().Event("evt"); e.Sold.Quality == figures.Exact && e.Sold.Value != 2 {
						t.Errorf("%d tickets are shown as all", e.Sold.Value)
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
				if first {
					log.between = end
				}
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- f.Run(ctx) }()
				synctest.Wait()
				if !first {
					log.between = end
					add([]aggregator.StreamState{{Name: "tickets", Read: 1}})
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if got := f.Snapshot().Event("evt").Sold; got.Quality != figures.Exact || got.Value != 2 {
					t.Errorf("sold %+v, want exactly 2", got)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
