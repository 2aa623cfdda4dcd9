package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"time"

	"housecount/apiclient/record"
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

// answerOnce makes a write, or tells again what came of it when it was made under the same
// Idempotency-Key. Keys belong to their holder and address; only writes that were made are
// remembered, so that one that was refused can be tried again.
func (s *Sandbox) answerOnce(r *http.Request, name string, body []byte) (answer, error) {
	text := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost || text == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.answerLocked(name, body)
	}
	if len(text) > maxRepeatKey {
		return answer{}, badRequest("Idempotency-Key is longer than 255 letters.")
	}
	key, digest := sha256.Sum256([]byte(s.holder(r)+"\x00"+name+"\x00"+text)), sha256.Sum256(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repeats.forget(s.catchUp().Add(-repeatsFor))
	if known, ok := s.repeats.byKey[key]; ok {
		if !bytes.Equal(known.body[:], digest[:]) {
			return answer{}, &problem{status: http.StatusUnprocessableEntity, detail: "This Idempotency-Key was used with another body."}
		}
		known.answer.replayed = true
		return known.answer, nil
	}
	a, err := s.answerLocked(name, body)
	if err == nil {
		s.repeats.keep(key, repeat{digest, a})
	}
	return a, err
}

func (s *Sandbox) answerLocked(name string, body []byte) (answer, error) {
	result, err := s.callLocked(name, body)
	if err != nil {
		return answer{}, err
	}
	made := result.(written)
	text, err := json.Marshal(struct {
		Data record.Record `json:"data"`
	}{made.record})
	return answer{at: made.at, id: made.record.RecordID(), body: text}, err
}

// holder is whose credential a request carries that was let through.
func (s *Sandbox) holder(r *http.Request) string {
	token := bearer(r)
	if c, err := s.login.tokens.check(token, s.issuer(r)); err == nil {
		return "client " + c.ClientID + " " + c.Subject
	}
	return "key " + token
}

// forget lets go of the writes of before a moment.
func (x *repeats) forget(before time.Time) {
	for len(x.order) > 0 && x.byKey[x.order[0]].answer.at.Before(before) {
		delete(x.byKey, x.order[0])
		x.order = x.order[1:]
	}
}

func (x *repeats) keep(key [sha256.Size]byte, r repeat) {
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
