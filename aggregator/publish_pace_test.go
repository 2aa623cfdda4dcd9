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

// What a person enters is shown at once, however long the last publication took: the person waits for it.
func TestWhatPeopleEnterIsPublishedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := logtest.New().Open()
		f, err := aggregator.New(aggregator.Options{Log: log, Streams: streams, Published: func(figures.Changes) { time.Sleep(400 * time.Millisecond) }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- f.Run(ctx) }()
		enter := func(r record.Record) (took time.Duration) {
			t.Helper()
			began := time.Now()
			a, err := log.Append(ctx, aggregator.Batch{SeenAt: began, Records: []record.Record{r}})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Await(ctx, a.Revision); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		enter(event("evt", 5, 0))
		time.Sleep(time.Minute)
		for i, r := range []record.Record{&record.WalkIn{ID: "w", EventID: "evt", Count: 2, At: began}, &record.Acknowledgement{Alert: "hold:evt", At: began, By: "Mia"},
			&record.ScreenMessage{ID: "m", Text: "No bags", At: began}, &record.Setting{Name: record.SettingLicensed, Of: "Zaal", Value: new(int64(5)), At: began}} {
			enter(event("evt", 6+i, time.Duration(i+1)*time.Minute))
			if took := enter(r); took > time.Second {
				t.Errorf("a %s is shown after %v", r.RecordKind(), took)
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
