package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Subject is a part of the store that changes on its own.
type Subject string

// SubjectSessions are the sessions.
const SubjectSessions Subject = "sessions"

// shared is what handlers over one Store share in this process.
type shared struct {
	mu       sync.Mutex
	watchers map[chan struct{}]bool
	attempts map[string]storedAttempt
}

type storedAttempt struct {
	data   []byte
	expiry time.Time
}

var sharedByStore sync.Map // *Store to *shared

func (s *Store) shared() *shared {
	v, _ := sharedByStore.LoadOrStore(s, &shared{watchers: map[chan struct{}]bool{}, attempts: map[string]storedAttempt{}})
	return v.(*shared)
}

// Watch returns a channel that receives after the subject may have changed.
func (s *Store) Watch(Subject) (hints <-chan struct{}, stop func()) {
	x, c := s.shared(), make(chan struct{}, 1)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.watchers[c] = true
	return c, func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.watchers, c)
	}
}

func (x *shared) hint() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for c := range x.watchers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Sessions are the logins.
type Sessions struct{ *Store }

// Sessions returns the logins.
func (s *Store) Sessions() *Sessions { return &Sessions{s} }

// CommitCtx is Store.CommitCtx with a hint.
func (s *Sessions) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	defer s.shared().hint()
	return s.Store.CommitCtx(ctx, token, b, expiry)
}

// DeleteCtx is Store.DeleteCtx with a hint.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	defer s.shared().hint()
	return s.Store.DeleteCtx(ctx, token)
}

// SetSubject notes whose a session is.
func (s *Sessions) SetSubject(ctx context.Context, token, subject, sid string) error { return nil }

// Alive holds true for those of the tokens whose session has not ended.
func (s *Sessions) Alive(ctx context.Context, tokens []string) (map[string]bool, error) {
	byHash := make(map[string]string, len(tokens))
	hashes := make([]string, len(tokens))
	for i, token := range tokens {
		hashes[i] = hex.EncodeToString(hash(token))
		byHash[hashes[i]] = token
	}
	list, err := json.Marshal(hashes)
	if err != nil {
		return nil, fmt.Errorf("store: sessions alive: %w", err)
	}
	rows, err := s.reader.QueryContext(ctx, `SELECT lower(hex(token_hash)) FROM session
		WHERE token_hash IN (SELECT unhex(value) FROM json_each(?)) AND expiry > ? AND revoked_at IS NULL`,
		string(list), s.now().UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("store: sessions alive: %w", err)
	}
	defer rows.Close()
	alive := make(map[string]bool, len(tokens))
	for rows.Next() {
		var h string
		if err := rows.Scan(&h); err != nil {
			return nil, fmt.Errorf("store: sessions alive: %w", err)
		}
		alive[byHash[h]] = true
	}
	return alive, rows.Err()
}

// Attempts are sign-ins under way.
type Attempts struct{ s *Store }

// Attempts returns the sign-ins under way.
func (s *Store) Attempts() *Attempts { return &Attempts{s} }

// Put stores data under a state until it expires.
func (a *Attempts) Put(_ context.Context, state string, data []byte, expiry time.Time) error {
	x, now := a.s.shared(), a.s.now()
	x.mu.Lock()
	defer x.mu.Unlock()
	for old, at := range x.attempts {
		if !at.expiry.After(now) {
			delete(x.attempts, old)
		}
	}
	x.attempts[state] = storedAttempt{data, expiry}
	return nil
}

// Take returns what is stored under a state, once.
func (a *Attempts) Take(_ context.Context, state string) (data []byte, ok bool, err error) {
	x := a.s.shared()
	x.mu.Lock()
	defer x.mu.Unlock()
	at, ok := x.attempts[state]
	delete(x.attempts, state)
	return at.data, ok && at.expiry.After(a.s.now()), nil
}
