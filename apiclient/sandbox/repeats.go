package sandbox

import (
	"crypto/sha256"
	"time"
)

const (
	// answerRetention is how long the answer to a write is stored, on the sandbox's clock. maxStoredAnswers limits
	// their number; the oldest is removed first.
	answerRetention  = 24 * time.Hour
	maxStoredAnswers = 10_000
	// maxIdempotencyKey is the maximum length of a key in bytes.
	maxIdempotencyKey = 255
)

// storedAnswers holds the answers to writes made with an Idempotency-Key, in the order of the writes. It is in
// memory only and guarded by service.mu.
type storedAnswers struct {
	byKey map[[sha256.Size]byte]storedAnswer
	order [][sha256.Size]byte
}

type storedAnswer struct {
	body   [sha256.Size]byte
	answer answer
}

// answer is the response to a write.
type answer struct {
	at       time.Time
	id       string
	body     []byte
	replayed bool
}

// forget removes the answers from before the given time.
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
