package limits

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"
)

func TestGarbage(t *testing.T) {
	for _, c := range []struct {
		live uint64 // MiB
		want int    // percent
	}{{0, 300}, {1, 300}, {170, 300}, {171, 299}, {256, 200}, {511, 100}, {512, 100}, {100_000, 100}} {
		if got := garbage(c.live << 20); got != c.want {
			t.Errorf("with %d MiB in use %d %% of garbage may gather, want %d", c.live, got, c.want)
		}
	}
}

// A recompute waits for a first fold, and each sets back what was before it.
func TestGarbageIsSetByOne(t *testing.T) {
	t.Setenv("GOGC", "")
	percent := func() int {
		now := debug.SetGCPercent(usualGarbage)
		debug.SetGCPercent(now)
		return now
	}
	defer debug.SetGCPercent(debug.SetGCPercent(80))
	began, end := make(chan struct{}), make(chan struct{})
	folding, recomputing := make(chan struct{}), make(chan int, 1)
	go func() {
		defer close(folding)
		FoldWithGarbage(t.Context(), func(context.Context) error {
			close(began)
			<-end
			return nil
		})
	}()
	<-began
	go LowMemory(func() { recomputing <- percent() })
	FoldWithGarbage(t.Context(), func(context.Context) error { // of another program
		if len(recomputing) > 0 {
			t.Error("it is recomputed during a first fold")
		}
		return nil
	})
	close(end)
	<-folding
	if got := <-recomputing; got != lowMemoryPercent {
		t.Errorf("%d %% of garbage may gather during a recompute, want %d", got, lowMemoryPercent)
	}
	setsGarbage.Lock() // it has ended
	defer setsGarbage.Unlock()
	if got := percent(); got != 80 {
		t.Errorf("afterwards %d %% may gather, and it was 80 before", got)
	}
}

// More garbage gathers for as long as the log is folded, and not afterwards.
func TestFoldWithGarbage(t *testing.T) {
	now := func() int {
		percent := debug.SetGCPercent(usualGarbage)
		debug.SetGCPercent(percent)
		return percent
	}
	defer debug.SetGCPercent(debug.SetGCPercent(usualGarbage)) // whatever the tests run with
	folded := errors.New("folded")
	for _, c := range []struct {
		gogc string
		want int
	}{{"", mostGarbage}, {"100", usualGarbage}} {
		t.Setenv("GOGC", c.gogc)
		err := FoldWithGarbage(t.Context(), func(ctx context.Context) error {
			if got := now(); got != c.want {
				t.Errorf("with GOGC=%q %d %% of garbage may gather, want %d", c.gogc, got, c.want)
			}
			return folded
		})
		if got := now(); err != folded || got != usualGarbage {
			t.Errorf("with GOGC=%q it ends with %v and %d %%", c.gogc, err, got)
		}
	}
}
