package sandbox

import (
	"crypto/sha256"
	"time"
)

const (
	// repeatsFor is how long, on the sandbox's clock, a write is remembered by its
	// Idempotency-Key, and maxRepeats how many are: the oldest is forgotten first.
	repeatsFor = 24 * time.Hour
	maxRepeats = 10_000
	// maxRepeatKey is the longest key.
	maxRepeatKey = 255
)

// repeats are the writes that were done under a key, in the order in which they were. They
// do not outlive the sandbox. Its lock is that of the books.
type repeats struct {
	byKey map[[sha256.Size]byte]repeat
	order [][sha256.Size]byte
}

type repeat struct {
	body   [sha256.Size]byte
	answer answer
}

// answer is that of a write.
type answer struct {
	at       time.Time
	id       string
	body     []byte
	replayed bool
}

// forget removes the writes before a moment.
func (x *repeats) forget(before time.Time) {
	for len(x.order) > 0 && x.byKey[x.order[0]].answer.at.Before(before) {
		delete(x.byKey, x.order[0])
		x.order = x.order[1:]
	}
}

func (x *repeats) add(key [sha256.Size]byte, r repeat) {
	if x.byKey == nil {
		x.byKey = map[[sha256.Size]byte]repeat{}
	}
	if len(x.order) == maxRepeats {
		delete(x.byKey, x.order[0])
		x.order = x.order[1:]
	}
	x.byKey[key] = r
	x.order = append(x.order, key)
}
