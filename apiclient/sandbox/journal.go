package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"housecount/apiclient/sandbox/idp"
)

// call runs all due tasks, makes the call and appends it to the journal.
func (s *service) call(name string, body []byte) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.callLocked(name, body)
}

// callLocked is call with s.mu held.
func (s *service) callLocked(name string, body []byte) (any, error) {
	now := s.catchUp()
	result, err := s.do(name, body)
	if err != nil {
		return nil, err
	}
	if err := s.appendJournal(now, name, body); err != nil {
		return nil, fmt.Errorf("the call was made, but the journal cannot store it: %w", err)
	}
	s.catchUp()
	return result, nil
}

// do makes a call at the house's current time.
func (s *service) do(name string, body []byte) (any, error) {
	if write, ok := writeCalls[name]; ok {
		return s.house.write(write, body)
	}
	if name != "advance" {
		return controlCalls[name](s.house, body)
	}
	in, err := decode[struct {
		Seconds float64 `json:"seconds"`
	}](body)
	if err != nil {
		return nil, err
	}
	if !(in.Seconds > 0 && in.Seconds <= 366*86400) {
		return nil, idp.BadRequest("seconds must be more than 0 and at most a year.")
	}
	s.clock.advance(time.Duration(in.Seconds * float64(time.Second)))
	return map[string]time.Time{"now": s.clock.now()}, nil
}

// appendJournal stores a completed call.
func (s *service) appendJournal(at time.Time, call string, body []byte) error {
	if s.journal == nil {
		return nil
	}
	var line bytes.Buffer
	if err := json.NewEncoder(&line).Encode(journalEntry{at, call, body}); err != nil {
		return err
	}
	_, err := s.journal.Write(line.Bytes())
	return err
}

// journalEntry is a line of the journal: a call or write with its sandbox time.
type journalEntry struct {
	At   time.Time       `json:"at"`
	Call string          `json:"call"`
	Body json.RawMessage `json:"body"`
}

// openJournal reads the stored calls and opens the journal for appending. It removes an incomplete last line, left
// by a crash before the call was answered.
func (s *service) openJournal() ([]journalEntry, error) {
	path := s.options.Journal
	if path == "" {
		return nil, nil
	}
	stored, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sandbox: journal: %w", err)
	}
	whole := bytes.LastIndexByte(stored, '\n') + 1
	if whole < len(stored) {
		s.log.Warn("sandbox journal: the last line was cut short and is left out", "path", path)
		if err := os.Truncate(path, int64(whole)); err != nil {
			return nil, fmt.Errorf("sandbox: journal: %w", err)
		}
	}
	var calls []journalEntry
	n := 0
	for line := range bytes.Lines(stored[:whole]) {
		n++
		var c journalEntry
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("sandbox: journal %s, line %d: %w", path, n, err)
		}
		_, control := controlCalls[c.Call]
		if _, write := writeCalls[c.Call]; !control && !write && c.Call != "advance" {
			return nil, fmt.Errorf("sandbox: journal %s, line %d: there is no call %q", path, n, c.Call)
		}
		calls = append(calls, c)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sandbox: journal: %w", err)
	}
	s.journal = f
	return calls, nil
}

// replay plans the stored calls for the times at which they were made.
func (s *service) replay(calls []journalEntry) {
	for _, c := range calls {
		s.house.atCall(c.At, func() {
			if _, err := s.do(c.Call, c.Body); err != nil {
				s.log.Warn("sandbox journal: a call cannot be made again; was it another house's?", "call", c.Call, "at", c.At, "error", err)
			}
		})
	}
}
