package handlers

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	attemptLifetime = 10 * time.Minute
	// openAttempts is how many attempts a browser may have open, one in each tab; more
	// are forgotten, so that the cookies do not outgrow a proxy's limit.
	openAttempts = 8
)

// Attempts stores sign-ins under way, so that a callback may reach another replica than the
// login did; *store.Attempts is one.
type Attempts interface {
	// Put stores data under a state until it expires.
	Put(ctx context.Context, state string, data []byte, expiry time.Time) error
	// Take returns what is stored under a state, once: ok is false when nothing is, when it
	// was taken before, on any replica, and when it has expired.
	Take(ctx context.Context, state string) (data []byte, ok bool, err error)
}

// attempt is one login under way.
type attempt struct {
	State    string `json:"-"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // PKCE
	Return   string `json:"return"`   // checked when the login began
}

// attempts are the logins under way. Each has a cookie of its own, so that tabs do not disturb
// each other. The cookie holds a secret and the time at which the attempt expires, and the
// state is its hash: no other browser can complete the attempt or use it up.
type attempts struct {
	stored Attempts
	prefix string // of the cookies' names
	secure bool
}

func newAttempts(stored Attempts, secure bool) *attempts {
	a := &attempts{stored: stored, secure: secure, prefix: "housecount_login_"}
	if secure {
		a.prefix = "__Host-login_"
	}
	return a
}

// begin starts a login that will end at the path returnTo.
func (a *attempts) begin(w http.ResponseWriter, r *http.Request, returnTo string) (attempt, error) {
	open := 0
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, a.prefix) {
			if open++; open >= openAttempts {
				http.SetCookie(w, a.cookie(c.Name, "", -1))
			}
		}
	}
	expiry := time.Now().Add(attemptLifetime)
	secret := rand.Text() + "." + strconv.FormatInt(expiry.Unix(), 10)
	at := attempt{
		State:    stateOf(secret),
		Nonce:    rand.Text(),
		Verifier: oauth2.GenerateVerifier(),
		Return:   returnTo,
	}
	data, err := json.Marshal(at)
	if err != nil {
		return attempt{}, fmt.Errorf("handlers: begin login: %w", err)
	}
	if err := a.stored.Put(r.Context(), at.State, data, expiry); err != nil {
		return attempt{}, fmt.Errorf("handlers: begin login: %w", err)
	}
	http.SetCookie(w, a.cookie(a.name(at.State), secret, int(attemptLifetime.Seconds())))
	return at, nil
}

var (
	errNoAttempt      = errors.New("this browser began no login with this state")
	errAttemptExpired = errors.New("this login took too long")
	errAttemptUsed    = errors.New("this state has been used")
)

// check returns what is wrong with a state: that the browser did not begin a login with it, or
// too long ago. It asks nobody.
func (a *attempts) check(r *http.Request, state string) error {
	if state == "" {
		return errNoAttempt
	}
	c, err := r.Cookie(a.name(state))
	if err != nil || subtle.ConstantTimeCompare([]byte(stateOf(c.Value)), []byte(state)) != 1 {
		return errNoAttempt
	}
	_, end, _ := strings.Cut(c.Value, ".")
	if expiry, err := strconv.ParseInt(end, 10, 64); err != nil || time.Now().Unix() > expiry {
		return errAttemptExpired
	}
	return nil
}

// take ends an attempt that the browser began and returns it, once: then it is
// errAttemptUsed.
func (a *attempts) take(ctx context.Context, w http.ResponseWriter, state string) (attempt, error) {
	data, ok, err := a.stored.Take(ctx, state)
	if err != nil {
		return attempt{}, fmt.Errorf("handlers: end login: %w", err)
	}
	http.SetCookie(w, a.cookie(a.name(state), "", -1))
	if !ok {
		return attempt{}, errAttemptUsed
	}
	at := attempt{State: state}
	if err := json.Unmarshal(data, &at); err != nil {
		return attempt{}, fmt.Errorf("handlers: end login: %w", err)
	}
	return at, nil
}

// stateOf is the state of the attempt whose cookie holds the secret.
func stateOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// name is the name of an attempt's cookie; the beginning of the state distinguishes the tabs.
func (a *attempts) name(state string) string { return a.prefix + state[:min(8, len(state))] }

func (a *attempts) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: a.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}
