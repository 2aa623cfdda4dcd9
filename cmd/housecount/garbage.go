package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// usualGarbage is how much garbage Go lets gather before it collects, in percent of what
	// is in use.
	usualGarbage = 100
	// mostGarbage is how much it is at most while a log is folded.
	mostGarbage = 300
	// spareGarbage is as much as may gather where that is more than usual, in bytes.
	spareGarbage = 512 << 20
	// garbageEvery is how often it is set anew.
	garbageEvery = 100 * time.Millisecond
)

// setsGarbage is held by who has set how much garbage may gather, until it is set back.
var setsGarbage sync.Mutex

// foldWithGarbage lets more garbage gather until await returns, and returns what that did. It is
// for the first fold of a log: the heap only grows then, so that each collection frees
// little of what it walks, and collections take a third of a cold start. A large house
// needs no more memory by it than it needs later, at twice of what is in use. Where
// GOGC is set that holds, and GOMEMLIMIT always does. While somebody else has set it that stays.
func foldWithGarbage(ctx context.Context, await func(context.Context) error) error {
	if os.Getenv("GOGC") != "" || !setsGarbage.TryLock() {
		return await(ctx)
	}
	defer setsGarbage.Unlock()
	defer debug.SetGCPercent(debug.SetGCPercent(mostGarbage))
	ended := make(chan error, 1)
	go func() { ended <- await(ctx) }()
	tick := time.NewTicker(garbageEvery)
	defer tick.Stop()
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for {
		metrics.Read(live)
		debug.SetGCPercent(garbage(live[0].Value.Uint64()))
		select {
		case err := <-ended:
			return err
		case <-tick.C:
		}
	}
}

// littleGarbage is how much garbage gathers while figures are recomputed, in percent of what is in use.
// With less, collections hold up who publishes; with more, memory is needed that is never needed else.
const littleGarbage = 50

// withLittleGarbage lets little garbage gather while f runs: a recompute holds the figures a second time,
// and is to need no more than that. It collects more often for it, which is what the night is for. It
// waits for a first fold.
func withLittleGarbage(f func()) {
	if os.Getenv("GOGC") == "" {
		setsGarbage.Lock()
		defer setsGarbage.Unlock()
		before := debug.SetGCPercent(littleGarbage)
		defer func() {
			debug.SetGCPercent(before)
			debug.FreeOSMemory()
		}()
	}
	f()
}

// garbage is how much may gather while a log is folded and so many bytes are in use, in
// percent of these.
func garbage(live uint64) int {
	return int(min(mostGarbage, max(usualGarbage, 100*spareGarbage/max(live, 1))))
}
