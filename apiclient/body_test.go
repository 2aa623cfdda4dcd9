package apiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"housecount/apiclient"
)

// countedBody is a body of left bytes that counts how many bytes of all bodies are held.
type countedBody struct {
	left, read int
	held, most *atomic.Int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), b.left)
	b.left, b.read = b.left-n, b.read+n
	now := b.held.Add(int64(n))
	for most := b.most.Load(); now > most && !b.most.CompareAndSwap(most, now); most = b.most.Load() {
	}
	runtime.Gosched()
	return n, nil
}

// Lists that answer without an end take little more memory than one such answer, and as many large bodies that end and are
// decoded little more than two. In the bubble no time passes while a body is read, so that none waits too long.
func TestLargeBodiesShareMemory(t *testing.T) {
	const bodies, limit = 8, 64 << 20
	for name, size := range map[string]int{"endless": limit + apiclient.ChunkSize, "large": limit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var held, most atomic.Int64
				var all sync.WaitGroup
				for range bodies {
					all.Go(func() {
						body := &countedBody{left: size, held: &held, most: &most}
						read, done, tooLarge, err := apiclient.ReadBody(t.Context(), body, limit)
						for range 1000 { // while it is decoded, if it was not too large
							if runtime.Gosched(); tooLarge {
								break
							}
						}
						held.Add(-int64(body.read))
						done()
						if want := size > limit; tooLarge != want || err != nil || !want && len(read) != size {
							t.Errorf("%d bytes, too large %t, %v", len(read), tooLarge, err)
						}
					})
				}
				all.Wait()
				if want := int64(bodies*apiclient.SmallBody + apiclient.SharedBody + 2*limit + 2*apiclient.ChunkSize); most.Load() > want {
					t.Errorf("%d MB of bodies were held at once, want %d at most", most.Load()>>20, want>>20)
				}
			})
		})
	}
}

// What is read of bodies in pieces is what was sent, also beside others that are too large.
func TestBodyIsWhatWasSent(t *testing.T) {
	for _, size := range []int{0, 1, apiclient.ChunkSize - 1, apiclient.ChunkSize, apiclient.ChunkSize + 1, apiclient.SmallBody + 1, 3*apiclient.SmallBody + 7} {
		sent := make([]byte, size)
		for i := range sent {
			sent[i] = byte(i >> 8 * i)
		}
		for _, c := range []struct {
			limit    int64
			tooLarge bool
		}{{int64(size), false}, {int64(size) - 1, size > 0}, {64 << 20, false}} {
			read, done, tooLarge, err := apiclient.ReadBody(t.Context(), iotest.HalfReader(bytes.NewReader(sent)), max(c.limit, 0))
			done()
			if tooLarge != c.tooLarge || err != nil || !tooLarge && !bytes.Equal(read, sent) {
				t.Errorf("of %d bytes %d are read with limit %d, too large %t, %v", size, len(read), c.limit, tooLarge, err)
			}
		}
	}
	fault := errors.New("cut")
	if read, _, tooLarge, err := apiclient.ReadBody(t.Context(), io.MultiReader(io.LimitReader(zeros{}, 5), iotest.ErrReader(fault)), 10); len(read) != 5 || tooLarge || err != fault {
		t.Errorf("a body that is cut: %d bytes, too large %t, %v", len(read), tooLarge, err)
	}
}

// A call that waits for memory ends with its own time, and one that has much and comes slowly does not hold up the others for
// long.
func TestLargeBodyWaitsNoLongerThanItsCall(t *testing.T) {
	const much = apiclient.SmallBody + apiclient.SharedBody + 1 // with the turn
	block, entered := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, done, _, _ := apiclient.ReadBody(t.Context(), io.MultiReader(io.LimitReader(zeros{}, much), blocking{entered, block}), 2*much)
		done()
	})
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := apiclient.ReadBody(ctx, zeros{}, 2*apiclient.SmallBody); !errors.Is(err, context.Canceled) {
		t.Errorf("the second ends with %v", err)
	}
	if read, _, tooLarge, err := apiclient.ReadBody(ctx, io.LimitReader(zeros{}, 100), 2*apiclient.SmallBody); len(read) != 100 || tooLarge || err != nil {
		t.Errorf("a small one: %d bytes, too large %t, %v", len(read), tooLarge, err)
	}
	for range 2 { // the turn is taken from the slow one, and given back
		read, done, tooLarge, err := apiclient.ReadBody(t.Context(), io.LimitReader(zeros{}, apiclient.SmallBody+2), 2*apiclient.SmallBody)
		done()
		if len(read) != apiclient.SmallBody+2 || tooLarge || err != nil {
			t.Errorf("a large one beside a slow one: %d bytes, too large %t, %v", len(read), tooLarge, err)
		}
	}
	close(block)
	all.Wait()
	if chunks, turns := apiclient.TakenForBodies(); chunks+turns != 0 {
		t.Errorf("after all are read, %d chunks and %d turns are taken", chunks, turns)
	}
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
