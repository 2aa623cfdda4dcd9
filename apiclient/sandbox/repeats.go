package sandbox

import (
	"crypto/sha256"
	"time"
)

const (
	// repeatsFor is how long, on the sandbox's clock, a write is remembered by its
	// Idempotency-Key, and maxRepeats how many are: the oldest is forgotten first.
	answerRetention  = 24 * time.Hour
	maxStoredAnswers = 10_000
	// maxRepeatKey is the longest key.
	maxIdempotencyKey = 255
)

// repeats are the writes that were done under a key, in the order in which they were. They
// do not outlive the sandbox. Its lock is that of the books.
type storedAnswers struct {
	byKey map[[sha256.Size]byte]storedAnswer
	order [][sha256.Size]byte
}

type storedAnswer struct {
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

// forget lets go of the writes of before a moment.
func (x *storedAnswers) forget(before time.Time) {
	for len(x.order) > 0 && x.byKey[x.order[0]].answer.at.Before(before) {
		delete(x.byKey, x.order[0])
		x.order = x.order[1:]
	}
}

func (x *storedAnswers) add(key [sha256.Size]byte, r storedAnswer) {
	if x.byKey == nil {
		x.byKey = map[[sha256.Size]byte]storedAnswer{}
	}
	if len(x.order) == maxStoredAnswers {
		delete(x.byKey, x.order[0])
		x.order = x.order[1:]
	}
	x.byKey[key] = r
	x.order = append(x.order, key)
}
