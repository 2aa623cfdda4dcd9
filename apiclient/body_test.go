package apiclient_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"housecount/apiclient"
)

// countedBody is a body of left bytes that counts how many bodies are being read beyond a size.
type countedBody struct {
	left, read, beyond int
	large              bool
	reading, most      *atomic.Int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	if b.read > b.beyond && !b.large {
		b.large = true
		now := b.reading.Add(1)
		for most := b.most.Load(); now > most && !b.most.CompareAndSwap(most, now); most = b.most.Load() {
		}
	}
	if b.left == 0 {
		if b.large {
			b.reading.Add(-1)
		}
		return 0, io.EOF
	}
	n := min(len(p), b.left)
	b.left, b.read = b.left-n, b.read+n
	runtime.Gosched()
	return n, nil
}

// Lists that answer without an end take the memory of one such answer: the part of a body beyond the size of a page
// is read of one at a time, and whole. In the bubble no time passes while a body is read, so that none waits too long.
func TestLargeBodiesAreReadOneAtATime(t *testing.T) { synctest.Test(t, largeBodiesAreReadOneAtATime) }

func largeBodiesAreReadOneAtATime(t *testing.T) {
	const size = apiclient.SmallBody + 4<<20
	var reading, most atomic.Int64
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			body := &countedBody{left: size, beyond: apiclient.SmallBody + 1, reading: &reading, most: &most}
			read, tooLarge, err := apiclient.ReadBody(t.Context(), body, size)
			if len(read) != size || tooLarge || err != nil {
				t.Errorf("%d bytes, too large %t, %v", len(read), tooLarge, err)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d large bodies were read at once", most.Load())
	}
}

// A call that waits for another's large body ends with its own time, and one that comes slowly does not hold up the others for
// long.
func TestLargeBodyWaitsNoLongerThanItsCall(t *testing.T) {
	block, entered := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		apiclient.ReadBody(t.Context(), io.MultiReader(io.LimitReader(zeros{}, apiclient.SmallBody+1), blocking{entered, block}), 2*apiclient.SmallBody)
	})
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := apiclient.ReadBody(ctx, zeros{}, 2*apiclient.SmallBody); !errors.Is(err, context.Canceled) {
		t.Errorf("the second ends with %v", err)
	}
	if read, tooLarge, err := apiclient.ReadBody(ctx, io.LimitReader(zeros{}, 100), 2*apiclient.SmallBody); len(read) != 100 || tooLarge || err != nil {
		t.Errorf("a small one: %d bytes, too large %t, %v", len(read), tooLarge, err)
	}
	if read, tooLarge, err := apiclient.ReadBody(t.Context(), io.LimitReader(zeros{}, apiclient.SmallBody+2), 2*apiclient.SmallBody); len(read) != apiclient.SmallBody+2 || tooLarge || err != nil {
		t.Errorf("a large one beside a slow one: %d bytes, too large %t, %v", len(read), tooLarge, err)
	}
	close(block)
	all.Wait()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// blocking reports that it is read, and then waits.
type blocking struct{ entered, end chan struct{} }

func (b blocking) Read([]byte) (int, error) {
	close(b.entered)
	<-b.end
	return 0, io.EOF
}
