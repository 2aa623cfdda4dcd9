package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// writer returns the handler of a write, or nil if there is no such write.
func (s *service) writer(name string) streamHandler {
	if writeCalls[name] == nil {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request, st *stream) {
		fields, err := readFields(w, r)
		if err != nil {
			idp.WriteError(w, err)
			return
		}
		body, err := json.Marshal(writeBody{r.PathValue("id"), fields})
		if err != nil {
			idp.WriteError(w, err)
			return
		}
		a, err := s.writeOnce(r, name, body)
		if err != nil {
			idp.WriteError(w, err)
			return
		}
		w.Header().Set("Date", a.at.Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		status := http.StatusOK
		if r.Method == http.MethodPost {
			status = http.StatusCreated
			w.Header().Set("Location", strings.TrimRight(r.URL.Path, "/")+"/"+a.id)
		}
		if a.replayed {
			w.Header().Set("Idempotency-Replayed", "true")
		}
		w.WriteHeader(status)
		w.Write(a.body)
	}
}

// readFields reads the JSON object of a write.
func readFields(w http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" && (r.Method != http.MethodPatch || kind != "application/merge-patch+json") {
		return nil, &idp.Problem{Status: http.StatusUnsupportedMediaType, Detail: "The body must be application/json."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, &idp.Problem{Status: http.StatusRequestEntityTooLarge, Detail: "The body is larger than 64 KiB."}
	}
	if err != nil {
		return nil, idp.BadRequest("The body cannot be read.")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, idp.BadRequest("The body must be one JSON object.")
	}
	return json.Marshal(fields) // normalizes spaces and the order of fields
}

// writeOnce makes a write. If a write with the same Idempotency-Key was made before, it returns the stored answer.
// Keys are separate for each credential and kind of write. Refused writes are not stored, so they can be tried
// again.
func (s *service) writeOnce(r *http.Request, name string, body []byte) (answer, error) {
	text := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost || text == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.writeLocked(name, body)
	}
	if len(text) > maxIdempotencyKey {
		return answer{}, idp.BadRequest("Idempotency-Key is longer than 255 letters.")
	}
	key, digest := sha256.Sum256([]byte(s.credentialHolder(r)+"\x00"+name+"\x00"+text)), sha256.Sum256(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repeats.forget(s.catchUp().Add(-answerRetention))
	if known, ok := s.repeats.byKey[key]; ok {
		if !bytes.Equal(known.body[:], digest[:]) {
			return answer{}, &idp.Problem{Status: http.StatusUnprocessableEntity, Detail: "This Idempotency-Key was used with another body."}
		}
		known.answer.replayed = true
		return known.answer, nil
	}
	a, err := s.writeLocked(name, body)
	if err == nil {
		s.repeats.add(key, storedAnswer{digest, a})
	}
	return a, err
}

func (s *service) writeLocked(name string, body []byte) (answer, error) {
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

// credentialHolder identifies whose valid credential a request carries.
func (s *service) credentialHolder(r *http.Request) string {
	token := idp.Bearer(r)
	if c, err := s.login.Check(r); err == nil {
		return "client " + c.ClientID + " " + c.Subject
	}
	return "key " + token
}
