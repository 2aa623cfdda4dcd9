package handlers

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"housecount/aggregator/store"

	"golang.org/x/oauth2"
)

const (
	attemptLifetime = 10 * time.Minute
	// attemptMemory is how long the browser stores an attempt, so that somebody who leaves the sign-in
	// service's page open overnight still gets to the page that they wanted.
	attemptMemory = 24 * time.Hour
	// openAttempts is how many bytes the cookies of a browser's open attempts may have, one in
	// each tab; the oldest are forgotten, so that they do not outgrow a proxy's limit for
	// headers, which is 8 KB as a rule.
	openAttempts = 5000
	// usedAttempts is how many used states a process remembers by itself.
	usedAttempts = 20_000
)

// Attempts is what the replicas share of the sign-ins under way, so that a callback may reach
// another replica than the login did; *store.Attempts is one.
type Attempts interface {
	// Use notes that a state, which is good until expiry, was used. It is true once for each
	// state, of all replicas.
	Use(ctx context.Context, state string, expiry time.Time) (first bool, err error)
}

// attempt is one login under way.
type attempt struct {
	State    string `json:"-"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // PKCE
	Return   string `json:"return"`   // checked when the login began
	Again    bool   `json:"again"`    // it began because another could not be completed
	Anew     bool   `json:"anew"`     // it is to ask for the password
	Unasked  bool   `json:"unasked"`  // the sign-in service was not asked for it, because it had refused that
	Expiry   int64  `json:"expiry"`   // Unix milliseconds
}

// began returns when the login began.
func (at *attempt) began() time.Time { return time.UnixMilli(at.Expiry).Add(-attemptLifetime) }

// attempts are the logins under way. Each has a cookie of its own, so that tabs do not disturb
// each other. The cookie holds the attempt, which is sealed: nobody can read or make one. The
// state is the cookie's hash: no other browser can complete the attempt or use it up. To begin
// a login writes nothing, so that strangers cannot fill the database.
type attempts struct {
	shared Attempts
	seal   *store.Seal
	prefix string // of the cookies' names
	secure bool

	mu   sync.Mutex
	used map[string]int64 // expiry of states that this process has seen used: to come back with them costs nothing
}

func newAttempts(shared Attempts, seal *store.Seal, secure bool) *attempts {
	a := &attempts{shared: shared, seal: seal, secure: secure, prefix: "housecount_login_", used: make(map[string]int64)}
	if secure {
		a.prefix = "__Host-login_"
	}
	return a
}

// attemptPurpose is what attempts are sealed for.
const attemptPurpose = "sign-in"

// begin starts a login: at, with its secrets and its expiry added.
func (a *attempts) begin(w http.ResponseWriter, r *http.Request, at attempt) (attempt, error) {
	a.forgetOldest(w, r)
	at.Nonce, at.Verifier = rand.Text(), oauth2.GenerateVerifier()
	at.Expiry = time.Now().Add(attemptLifetime).UnixMilli()
	data, err := json.Marshal(at)
	if err != nil {
		return attempt{}, fmt.Errorf("handlers: begin login: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(a.seal.Seal(attemptPurpose, data))
	at.State = stateOf(value)
	http.SetCookie(w, a.cookie(a.name(at.State), value, int(attemptMemory.Seconds())))
	return at, nil
}

// forgetOldest makes room for another attempt among those that the browser has open.
func (a *attempts) forgetOldest(w http.ResponseWriter, r *http.Request) {
	type open struct {
		name string
		size int
		attempt
	}
	var all []open
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, a.prefix) {
			at, _ := a.unseal(c.Value) // what is none of ours is the oldest
			all = append(all, open{c.Name, len(c.Name) + len(c.Value), at})
		}
	}
	slices.SortFunc(all, func(x, y open) int { return cmp.Compare(y.Expiry, x.Expiry) })
	size := 0
	for _, o := range all {
		if size += o.size; size > openAttempts {
			http.SetCookie(w, a.cookie(o.name, "", -1))
		}
	}
}

func (a *attempts) unseal(value string) (attempt, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return attempt{}, errNoAttempt
	}
	data, err := a.seal.Open(attemptPurpose, sealed)
	if err != nil {
		return attempt{}, errNoAttempt
	}
	at := attempt{State: stateOf(value)}
	if json.Unmarshal(data, &at) != nil {
		return attempt{}, errNoAttempt
	}
	return at, nil
}

var (
	errNoAttempt      = errors.New("this browser began no login with this state")
	errAttemptExpired = errors.New("this login took too long")
	errAttemptUsed    = errors.New("this state has been used")
)

// check returns the attempt that the browser began with a state, of which there has to be one. It
// is errNoAttempt when there is none, and with the attempt errAttemptExpired or, as far as this
// process knows, errAttemptUsed. It reads no database, and writes nothing.
func (a *attempts) check(r *http.Request, states []string) (attempt, error) {
	if len(states) != 1 || states[0] == "" {
		return attempt{}, errNoAttempt
	}
	state := states[0]
	c, err := r.Cookie(a.name(state))
	if err != nil || subtle.ConstantTimeCompare([]byte(stateOf(c.Value)), []byte(state)) != 1 {
		return attempt{}, errNoAttempt
	}
	at, err := a.unseal(c.Value)
	if err != nil {
		return attempt{}, err
	}
	if time.Now().UnixMilli() > at.Expiry {
		return at, errAttemptExpired
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, used := a.used[state]; used {
		return at, errAttemptUsed
	}
	return at, nil
}

// end ends an attempt, once on all replicas: then it is errAttemptUsed.
func (a *attempts) end(ctx context.Context, w http.ResponseWriter, at attempt) error {
	first, err := a.shared.Use(ctx, at.State, time.UnixMilli(at.Expiry))
	if err != nil {
		return fmt.Errorf("handlers: end login: %w", err)
	}
	a.remember(at)
	http.SetCookie(w, a.cookie(a.name(at.State), "", -1))
	if !first {
		return errAttemptUsed
	}
	return nil
}

// remember notes a used attempt; what it cannot hold, the database still knows.
func (a *attempts) remember(at attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.used) >= usedAttempts {
		now := time.Now().UnixMilli()
		maps.DeleteFunc(a.used, func(_ string, expiry int64) bool { return expiry < now })
	}
	if len(a.used) < usedAttempts {
		a.used[at.State] = at.Expiry
	}
}

// stateOf returns the state of the attempt whose cookie has the value.
func stateOf(value string) string {
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// name returns the name of an attempt's cookie; the beginning of the state distinguishes the tabs.
func (a *attempts) name(state string) string { return a.prefix + state[:min(8, len(state))] }

func (a *attempts) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: a.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}
