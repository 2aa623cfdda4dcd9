package signin

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
	// attemptMemory is how long the browser keeps an attempt, so that a person who leaves the sign-in page open
	// overnight still gets to the page that they wanted.
	attemptMemory = 24 * time.Hour
	// openAttempts is the most bytes of cookies for a browser's open attempts, of which each tab may have one. The
	// oldest are deleted, because proxies usually limit headers to 8 KB.
	openAttempts = 5000
	// usedAttempts is how many used states a process remembers itself.
	usedAttempts = 20_000
)

// UsedStates is shared by the replicas, because a callback may reach another replica than the login did;
// *store.Attempts is one.
type UsedStates interface {
	// Use stores that a state, valid until expiry, was used. It returns true once for each state, over all
	// replicas.
	Use(ctx context.Context, state string, expiry time.Time) (first bool, err error)
}

// Attempt is one login in progress.
type Attempt struct {
	State    string `json:"-"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // PKCE
	Return   string `json:"return"`   // checked when the login began
	Again    bool   `json:"again"`    // it began because another attempt could not be completed
	Anew     bool   `json:"anew"`     // the password is to be asked for
	Unasked  bool   `json:"unasked"`  // the sign-in service was not asked for the password, because it had refused that
	Expiry   int64  `json:"expiry"`   // Unix milliseconds
}

// Began returns when the login began.
func (at *Attempt) Began() time.Time { return time.UnixMilli(at.Expiry).Add(-attemptLifetime) }

// Attempts are the logins in progress. Each has its own cookie, so that tabs do not disturb each other. The cookie
// holds the sealed attempt, so nobody else can read or make one. The state is the cookie's hash, so no other
// browser can complete the attempt or use it up. Beginning a login writes nothing, so that strangers cannot fill
// the database.
type Attempts struct {
	shared UsedStates
	seal   *store.Seal
	prefix string // of the cookies' names
	secure bool

	mu   sync.Mutex
	used map[string]int64 // expiry of the states that this process has seen used, so that using them again costs no query
}

func NewAttempts(shared UsedStates, seal *store.Seal, secure bool) *Attempts {
	a := &Attempts{shared: shared, seal: seal, secure: secure, prefix: "housecount_login_", used: make(map[string]int64)}
	if secure {
		a.prefix = "__Host-login_"
	}
	return a
}

// attemptPurpose is what attempts are sealed for.
const attemptPurpose = "sign-in"

// Begin starts a login. It returns at with its secrets and expiry set.
func (a *Attempts) Begin(w http.ResponseWriter, r *http.Request, at Attempt) (Attempt, error) {
	a.forgetOldest(w, r)
	at.Nonce, at.Verifier = rand.Text(), oauth2.GenerateVerifier()
	at.Expiry = time.Now().Add(attemptLifetime).UnixMilli()
	data, err := json.Marshal(at)
	if err != nil {
		return Attempt{}, fmt.Errorf("signin: begin login: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(a.seal.Seal(attemptPurpose, data))
	at.State = stateOf(value)
	http.SetCookie(w, a.cookie(a.name(at.State), value, int(attemptMemory.Seconds())))
	return at, nil
}

// forgetOldest deletes the browser's oldest attempts until there is room for another.
func (a *Attempts) forgetOldest(w http.ResponseWriter, r *http.Request) {
	type open struct {
		name string
		size int
		Attempt
	}
	var all []open
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, a.prefix) {
			at, _ := a.unseal(c.Value) // what cannot be unsealed counts as the oldest
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

func (a *Attempts) unseal(value string) (Attempt, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return Attempt{}, ErrNoAttempt
	}
	data, err := a.seal.Open(attemptPurpose, sealed)
	if err != nil {
		return Attempt{}, ErrNoAttempt
	}
	at := Attempt{State: stateOf(value)}
	if json.Unmarshal(data, &at) != nil {
		return Attempt{}, ErrNoAttempt
	}
	return at, nil
}

var (
	ErrNoAttempt      = errors.New("this browser began no login with this state")
	ErrAttemptExpired = errors.New("this login took too long")
	ErrAttemptUsed    = errors.New("this state has been used")
)

// Check returns the attempt that the browser began with the state of a request. The error is ErrNoAttempt if there
// is none; with an attempt it is ErrAttemptExpired or, if this process knows, ErrAttemptUsed. It reads no database
// and writes nothing.
func (a *Attempts) Check(r *http.Request, states []string) (Attempt, error) {
	if len(states) != 1 || states[0] == "" {
		return Attempt{}, ErrNoAttempt
	}
	state := states[0]
	c, err := r.Cookie(a.name(state))
	if err != nil || subtle.ConstantTimeCompare([]byte(stateOf(c.Value)), []byte(state)) != 1 {
		return Attempt{}, ErrNoAttempt
	}
	at, err := a.unseal(c.Value)
	if err != nil {
		return Attempt{}, err
	}
	if time.Now().UnixMilli() > at.Expiry {
		return at, ErrAttemptExpired
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, used := a.used[state]; used {
		return at, ErrAttemptUsed
	}
	return at, nil
}

// End ends an attempt. The second time, on any replica, it returns ErrAttemptUsed.
func (a *Attempts) End(ctx context.Context, w http.ResponseWriter, at Attempt) error {
	first, err := a.shared.Use(ctx, at.State, time.UnixMilli(at.Expiry))
	if err != nil {
		return fmt.Errorf("signin: end login: %w", err)
	}
	a.remember(at)
	http.SetCookie(w, a.cookie(a.name(at.State), "", -1))
	if !first {
		return ErrAttemptUsed
	}
	return nil
}

// remember stores a used attempt in memory. If there is no room, the database still knows it.
func (a *Attempts) remember(at Attempt) {
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

// stateOf returns the state of the attempt with this cookie value.
func stateOf(value string) string {
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// name returns the name of an attempt's cookie, with the beginning of its state, so that tabs differ.
func (a *Attempts) name(state string) string { return a.prefix + state[:min(8, len(state))] }

func (a *Attempts) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: a.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}
