package handlers

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"
)

const (
	attemptLifetime = 10 * time.Minute
	// openAttempts is how many attempts a browser may have open, one in each tab; more
	// are forgotten, so that the cookies do not outgrow a proxy's limit.
	openAttempts = 8
)

// Attempts is what the replicas share of the sign-ins under way, so that a callback may reach
// another replica than the login did; *store.Attempts is one.
type Attempts interface {
	// Key is 32 bytes, always the same.
	Key(ctx context.Context) ([]byte, error)
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
	Expiry   int64  `json:"expiry"`   // Unix seconds
}

// attempts are the logins under way. Each has a cookie of its own, so that tabs do not disturb
// each other. The cookie holds the attempt, which is sealed: nobody can read or make one. The
// state is the cookie's hash: no other browser can complete the attempt or use it up. To begin
// a login writes nothing, so that strangers cannot fill the database.
type attempts struct {
	shared Attempts
	prefix string // of the cookies' names
	secure bool
	sealed atomic.Pointer[cipher.AEAD] // nil until the key is known
}

func newAttempts(shared Attempts, secure bool) *attempts {
	a := &attempts{shared: shared, secure: secure, prefix: "housecount_login_"}
	if secure {
		a.prefix = "__Host-login_"
	}
	return a
}

// seal is what seals attempts and opens them.
func (a *attempts) seal(ctx context.Context) (cipher.AEAD, error) {
	if known := a.sealed.Load(); known != nil {
		return *known, nil
	}
	key, err := a.shared.Key(ctx)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	a.sealed.Store(&seal)
	return seal, nil
}

// begin starts a login that will end at the path returnTo.
func (a *attempts) begin(w http.ResponseWriter, r *http.Request, returnTo string) (attempt, error) {
	seal, err := a.seal(r.Context())
	if err != nil {
		return attempt{}, fmt.Errorf("handlers: begin login: %w", err)
	}
	open := 0
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, a.prefix) {
			if open++; open >= openAttempts {
				http.SetCookie(w, a.cookie(c.Name, "", -1))
			}
		}
	}
	at := attempt{
		Nonce:    rand.Text(),
		Verifier: oauth2.GenerateVerifier(),
		Return:   returnTo,
		Expiry:   time.Now().Add(attemptLifetime).Unix(),
	}
	data, err := json.Marshal(at)
	if err != nil {
		return attempt{}, fmt.Errorf("handlers: begin login: %w", err)
	}
	value := base64.RawURLEncoding.EncodeToString(seal.Seal(nil, nil, data, nil))
	at.State = stateOf(value)
	http.SetCookie(w, a.cookie(a.name(at.State), value, int(attemptLifetime.Seconds())))
	return at, nil
}

var (
	errNoAttempt      = errors.New("this browser began no login with this state")
	errAttemptExpired = errors.New("this login took too long")
	errAttemptUsed    = errors.New("this state has been used")
)

// check returns the attempt that the browser began with a state, or what is wrong with that:
// errNoAttempt, or errAttemptExpired. It writes nothing.
func (a *attempts) check(r *http.Request, state string) (attempt, error) {
	if state == "" {
		return attempt{}, errNoAttempt
	}
	c, err := r.Cookie(a.name(state))
	if err != nil || subtle.ConstantTimeCompare([]byte(stateOf(c.Value)), []byte(state)) != 1 {
		return attempt{}, errNoAttempt
	}
	seal, err := a.seal(r.Context())
	if err != nil {
		return attempt{}, fmt.Errorf("handlers: end login: %w", err)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return attempt{}, errNoAttempt
	}
	data, err := seal.Open(nil, nil, sealed, nil)
	if err != nil {
		return attempt{}, errNoAttempt
	}
	at := attempt{State: state}
	if err := json.Unmarshal(data, &at); err != nil {
		return attempt{}, fmt.Errorf("handlers: end login: %w", err)
	}
	if time.Now().Unix() > at.Expiry {
		return attempt{}, errAttemptExpired
	}
	return at, nil
}

// end ends an attempt, once: then it is errAttemptUsed.
func (a *attempts) end(ctx context.Context, w http.ResponseWriter, at attempt) error {
	first, err := a.shared.Use(ctx, at.State, time.Unix(at.Expiry, 0))
	if err != nil {
		return fmt.Errorf("handlers: end login: %w", err)
	}
	http.SetCookie(w, a.cookie(a.name(at.State), "", -1))
	if !first {
		return errAttemptUsed
	}
	return nil
}

// stateOf is the state of the attempt whose cookie has the value.
func stateOf(value string) string {
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// name is the name of an attempt's cookie; the beginning of the state distinguishes the tabs.
func (a *attempts) name(state string) string { return a.prefix + state[:min(8, len(state))] }

func (a *attempts) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: a.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}
