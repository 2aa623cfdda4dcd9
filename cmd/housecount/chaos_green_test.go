package main

import (
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/poller"
)

// lightsOut are the faults that leave a service without a sound answer, so that pages are no longer green. Those that say
// when to ask again are not among them: they are believed.
var lightsOut = []string{"stall", "error", "truncate", "reset", "reset-body", "endless", "huge", "garbage"}

// TestChaosEndsInGreen has each fault that leaves no sound answer for a minute and for half an hour. Within two polls after it pages
// are green, and every list has answered.
func TestChaosEndsInGreen(t *testing.T) {
	t.Parallel()
	const poll = 5 * time.Second
	const twoPolls = 2*poll*11/10 + time.Second // a poll comes up to a tenth late, and takes some time
	for i, kind := range lightsOut {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(time.Date(2000, 3, 23, 17, 0, 0, 0, time.UTC)))
				h := newChaoticHouse(t, sqlite(t), uint64(i+1), poller.Cadence{Busy: poll, OnSale: poll, Idle: poll}, false)
				stop := h.watch()
				defer stop()
				light := func() figures.Light { return h.watching.Snapshot().Health.Light() }
				time.Sleep(10 * time.Minute)
				for _, lasting := range []time.Duration{time.Minute, 30 * time.Minute} {
					if got := light(); got != figures.Green {
						t.Fatalf("before the fault it is %s: %+v", got, h.watching.Snapshot().Health)
					}
					h.control("fault", trouble{Kind: kind, For: 3600, Rate: 1})
					time.Sleep(lasting)
					if got := light(); got == figures.Green {
						t.Errorf("after %s of the fault it is green", lasting)
					}
					h.control("fault", trouble{})
					ended := time.Now()
					for light() != figures.Green && time.Since(ended) < time.Hour {
						time.Sleep(100 * time.Millisecond)
					}
					t.Logf("%s of it: green %s after it ended", lasting, time.Since(ended))
					if took := time.Since(ended); took > twoPolls {
						t.Errorf("after %s of the fault it takes %s to be green, more than two polls", lasting, took)
					}
					time.Sleep(5 * time.Minute)
				}
			})
		})
	}
}
