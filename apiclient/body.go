package apiclient

import (
	"context"
	"io"
	"math"
	"sync"
	"time"
)

const (
	// defaultMaxBody is Options.MaxBody unless that is set.
	defaultMaxBody = 64 << 20
	// chunkSize is the number of bytes in which the memory for a body is taken while it is read.
	chunkSize = 256 << 10
	// smallBody is the size in bytes, after decompression, up to which any number of bodies is read at once. A page of a
	// thousand rows is smaller.
	smallBody = 2 << 20
	// sharedBody is how many bytes beyond smallBody all bodies that are being read may have together.
	sharedBody = 32 << 20
)

// largeTurn is taken by the one body in the process that goes on when sharedBody is used up, so that a body as large as its
// limit can be read. Lists of several services that all answer without an end would otherwise take a multiple of
// Options.MaxBody.
var largeTurn = make(chan struct{}, 1)

// wholeTurn is taken by the one body in the process that is larger than smallBody and read whole, until its rows are decoded:
// several of them, which are not in chunks any more, would take a multiple of Options.MaxBody too.
var wholeTurn = make(chan struct{}, 1)

// largeWait is how long a chunk may take before the turn goes to another body: a service that sends a large body slowly does
// not hold up others.
const largeWait = 2 * time.Second

var (
	// sharedChunks has an element for each chunk that is taken of sharedBody.
	sharedChunks = make(chan struct{}, sharedBody/chunkSize)
	// chunks are used again: bodies that are too large come one after another, faster than garbage is collected.
	chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}
)

// bodyMemory is the memory for one body. It is used by one goroutine.
type bodyMemory struct {
	chunks []*[chunkSize]byte
	shared int // chunks of sharedChunks
	// turn is stopped to take largeTurn back before it is given away; nil without the turn.
	turn *time.Timer
}

// add gets another chunk. Beyond smallBody it waits until there is one, or ctx ends.
func (m *bodyMemory) add(ctx context.Context) error {
	if len(m.chunks) >= smallBody/chunkSize && !m.keepTurn() {
		select {
		case sharedChunks <- struct{}{}:
			m.shared++
		default:
			select {
			case sharedChunks <- struct{}{}:
				m.shared++
			case largeTurn <- struct{}{}:
				m.turn = time.AfterFunc(largeWait, func() { <-largeTurn })
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	m.chunks = append(m.chunks, chunks.Get().(*[chunkSize]byte))
	return nil
}

// keepTurn reports whether m has the turn, and has it for another largeWait.
func (m *bodyMemory) keepTurn() bool {
	if m.turn == nil || !m.turn.Stop() {
		m.turn = nil
		return false
	}
	m.turn.Reset(largeWait)
	return true
}

// holdTurn keeps the turn, if m has it, until release: nothing more is read.
func (m *bodyMemory) holdTurn() {
	if m.keepTurn() {
		m.turn.Reset(math.MaxInt64)
	}
}

// release returns the memory to the pool. Text that was copied from it stays valid.
func (m *bodyMemory) release() {
	for _, c := range m.chunks {
		chunks.Put(c)
	}
	for range m.shared {
		<-sharedChunks
	}
	if m.turn != nil && m.turn.Stop() {
		<-largeTurn
	}
}

// readBody reads a body up to the byte after limit, which tells that it is too large; such a body is not returned. What is
// beyond smallBody waits until there is memory for it, or reading ends. A body larger than that is returned when it has its
// turn, for which it waits until ctx ends; done, which may be nil, is to be called when it is needed no more.
func readBody(ctx, reading context.Context, body io.Reader, limit int64) (read []byte, done func(), tooLarge bool, err error) {
	var m bodyMemory
	defer m.release()
	size := 0
	for err == nil && int64(size) <= limit {
		if size == len(m.chunks)*chunkSize {
			if err := m.add(reading); err != nil {
				return nil, nil, false, err
			}
		}
		n := 0
		n, err = body.Read(m.chunks[len(m.chunks)-1][size%chunkSize:])
		size += n
	}
	if int64(size) > limit {
		return nil, nil, true, nil
	}
	if err == io.EOF {
		err = nil
	}
	if size > smallBody {
		m.holdTurn()
		select {
		case wholeTurn <- struct{}{}:
			done = func() { <-wholeTurn }
		case <-ctx.Done():
			return nil, nil, false, ctx.Err()
		}
	}
	read = make([]byte, 0, size)
	for i, c := range m.chunks {
		read = append(read, c[:min(chunkSize, size-i*chunkSize)]...)
	}
	return read, done, false, err
}
