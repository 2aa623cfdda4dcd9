package aggregator_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
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

// What lists that are polled together bring is one publication, once all have answered; nothing else waits, and none waits long.
func TestARoundIsOnePublication(t *testing.T) {
	type step struct {
		after time.Duration // of the moment in which the lists are polled
		list  string        // that answers; empty for what a person enters
		fails bool
	}
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		apart time.Duration // payments are planned later than the others by this
		steps []step
		want  []time.Duration
	}{
		{"all answer", 0, []step{{20 * ms, "events", false}, {50 * ms, "payments", false}, {80 * ms, "tickets", false}}, []time.Duration{80 * ms}},
		{"planned a moment apart", 5 * ms, []step{{0, "events", false}, {2 * ms, "tickets", false}, {40 * ms, "payments", false}}, []time.Duration{40 * ms}},
		{"one takes long", 0, []step{{20 * ms, "events", false}, {50 * ms, "tickets", false}, {900 * ms, "payments", false}}, []time.Duration{270 * ms, 900 * ms}},
		{"one hangs", 0, []step{{20 * ms, "events", false}, {50 * ms, "tickets", false}, {3 * time.Second, "tickets", false}}, []time.Duration{270 * ms, 3 * time.Second}},
		{"one is another time", 20 * time.Second, []step{{20 * ms, "events", false}, {50 * ms, "tickets", false}, {20*time.Second + 30*ms, "payments", false}}, []time.Duration{50 * ms, 20*time.Second + 30*ms}},
		{"polled before its time", 0, []step{{-10 * time.Second, "tickets", false}}, []time.Duration{-10 * time.Second}},
		{"one fails", 0, []step{{20 * ms, "events", false}, {50 * ms, "payments", true}, {80 * ms, "tickets", false}}, []time.Duration{50 * ms, 80 * ms}},
		{"a person enters something", 0, []step{{20 * ms, "events", false}, {50 * ms, "", false}, {80 * ms, "tickets", false}, {90 * ms, "payments", false}}, []time.Duration{50 * ms, 90 * ms}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := logtest.New().Open()
				moment := time.Now().Add(time.Minute)
				var mu sync.Mutex
				var at []time.Duration
				lists := append(slices.Clone(streams), aggregator.Stream{Name: "payments", Kinds: []record.Kind{record.KindPayment}})
				f, err := aggregator.New(aggregator.Options{Log: log, Streams: lists, Published: func(figures.Changes) {
					mu.Lock()
					defer mu.Unlock()
					at = append(at, time.Since(moment))
				}})
				if err != nil {
					t.Fatal(err)
				}
				state := func(list string, next time.Time) aggregator.StreamState {
					return aggregator.StreamState{Name: list, Since: time.Now(), Whole: time.Now(), LastGood: time.Now(), Next: next, Wait: time.Until(next)}
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- f.Run(ctx) }()
				appended := func(b aggregator.Batch) {
					t.Helper()
					b.SeenAt = time.Now()
					if _, err := log.Append(ctx, b); err != nil {
						t.Fatal(err)
					}
				}
				appended(aggregator.Batch{Streams: []aggregator.StreamState{state("events", moment), state("tickets", moment), state("payments", moment.Add(c.apart))}})
				time.Sleep(time.Second)
				mu.Lock()
				at = nil
				mu.Unlock()
				for i, s := range c.steps {
					time.Sleep(time.Until(moment.Add(s.after)))
					one := state(s.list, time.Now().Add(time.Minute))
					if s.fails {
						one.LastGood, one.Missed, one.Fault = moment.Add(-time.Minute), 1, figures.FaultServer
					}
					b := aggregator.Batch{Records: []record.Record{event("evt", 5+i, time.Duration(i)*time.Second)}, Streams: []aggregator.StreamState{one}}
					if s.list == "" {
						b = aggregator.Batch{Records: []record.Record{&record.WalkIn{ID: "w", EventID: "evt", Count: 2, At: began}}}
					}
					appended(b)
				}
				time.Sleep(5 * time.Second)
				mu.Lock()
				defer mu.Unlock()
				if !slices.Equal(at, c.want) {
					t.Errorf("published at %v of the round, want %v", at, c.want)
				}
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}
