package main

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"
	"time"
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

// More garbage gathers for as long as the log is folded, and not afterwards.
func TestFoldWithGarbage(t *testing.T) {
	now := func() int {
		percent := debug.SetGCPercent(usualGarbage)
		debug.SetGCPercent(percent)
		return percent
	}
	folded := errors.New("folded")
	for _, c := range []struct {
		gogc string
		want int
	}{{"", mostGarbage}, {"100", usualGarbage}} {
		t.Setenv("GOGC", c.gogc)
		err := foldWithGarbage(t.Context(), func(ctx context.Context) error {
			for deadline := time.Now().Add(patience); now() != c.want && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
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
