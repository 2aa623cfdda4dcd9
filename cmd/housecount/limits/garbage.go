package limits

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// usualGarbage is Go's default GC percentage.
	usualGarbage = 100
	// mostGarbage is the highest GC percentage while a log is folded.
	mostGarbage = 300
	// spareGarbage is how much garbage may gather while a log is folded, in bytes, within those percentages.
	spareGarbage = 512 << 20
	// garbageEvery is how often the GC percentage is set from the size of the live heap.
	garbageEvery = 100 * time.Millisecond
)

// setsGarbage is held by the function that has changed the GC percentage, until it has restored it.
var setsGarbage sync.Mutex

// FoldWithGarbage runs await with a raised GC percentage and returns its error. It is for the first fold
// of a log: the heap only grows then, so each collection frees little, and collections take a third of a
// cold start. The peak stays below what the program needs later, which is twice the live heap. It leaves the
// GC percentage alone where GOGC is set or LowMemory is running; GOMEMLIMIT always holds.
func FoldWithGarbage(ctx context.Context, await func(context.Context) error) error {
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

// lowMemoryPercent is the GC percentage while figures are recomputed. A lower one delays the publishing of
// figures by collections; a higher one needs more memory than the program needs at any other time.
const lowMemoryPercent = 50

// LowMemory runs f with a low GC percentage and then returns memory to the operating system. A recompute
// holds the figures a second time; collecting more often keeps the peak at that. LowMemory waits until a
// first fold has ended. It leaves the GC percentage alone where GOGC is set.
func LowMemory(f func()) {
	if os.Getenv("GOGC") == "" {
		setsGarbage.Lock()
		defer setsGarbage.Unlock()
		before := debug.SetGCPercent(lowMemoryPercent)
		defer func() {
			debug.SetGCPercent(before)
			debug.FreeOSMemory()
		}()
	}
	f()
}

// garbage returns the GC percentage for folding a log with live bytes on the heap.
func garbage(live uint64) int {
	return int(min(mostGarbage, max(usualGarbage, 100*spareGarbage/max(live, 1))))
}
