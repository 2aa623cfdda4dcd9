package handlers

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

const (
	attemptLifetime = 10 * time.Minute
	// openAttempts is how many attempts a browser may have open, one in each tab; more
	// are forgotten, so that the cookies do not outgrow a proxy's limit.
	openAttempts = 8
)

// attempt is one login under way.
type attempt struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"` // PKCE
	Return   string    `json:"return"`   // checked when the login began
	Expires  time.Time `json:"expires"`
}

// attempts keeps logins under way in cookies of the browser, sealed, one for each: tabs
// do not disturb each other, and strangers who begin logins take up no memory. A
// restart makes a new key, and whoever is half-way begins again.
type attempts struct {
	seal   cipher.AEAD
	prefix string // of the cookies' names
	secure bool

	mu sync.Mutex
	// used holds the states that came back, until they expire anyway; the limit on
	// callbacks bounds it.
	used map[string]time.Time
}

func newAttempts(secure bool) (*attempts, error) {
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("handlers: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("handlers: %w", err)
	}
	a := &attempts{seal: seal, secure: secure, prefix: "housecount_login_", used: make(map[string]time.Time)}
	if secure {
		a.prefix = "__Host-login_"
	}
	return a, nil
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
	at := attempt{
		State:    rand.Text(),
		Nonce:    rand.Text(),
		Verifier: oauth2.GenerateVerifier(),
		Return:   returnTo,
		Expires:  time.Now().Add(attemptLifetime),
	}
	b, err := json.Marshal(at)
	if err != nil {
		return attempt{}, fmt.Errorf("handlers: begin login: %w", err)
	}
	sealed := base64.RawURLEncoding.EncodeToString(a.seal.Seal(nil, nil, b, nil))
	http.SetCookie(w, a.cookie(a.name(at.State), sealed, int(attemptLifetime.Seconds())))
	return at, nil
}

var (
	errNoAttempt      = errors.New("no login under way has this state")
	errAttemptUsed    = errors.New("this state has been used")
	errAttemptExpired = errors.New("this login took too long")
)

// find returns the attempt that the browser began with this state.
func (a *attempts) find(r *http.Request, state string) (attempt, error) {
	if state == "" {
		return attempt{}, errNoAttempt
	}
	c, err := r.Cookie(a.name(state))
	if err != nil {
		return attempt{}, errNoAttempt
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return attempt{}, errNoAttempt
	}
	b, err := a.seal.Open(nil, nil, sealed, nil)
	if err != nil {
		return attempt{}, errNoAttempt
	}
	var at attempt
	if err := json.Unmarshal(b, &at); err != nil {
		return attempt{}, errNoAttempt
	}
	if subtle.ConstantTimeCompare([]byte(at.State), []byte(state)) != 1 {
		return attempt{}, errNoAttempt
	}
	if time.Now().After(at.Expires) {
		return attempt{}, errAttemptExpired
	}
	return at, nil
}

// use makes sure that the attempt is used once.
func (a *attempts) use(w http.ResponseWriter, at attempt) error {
	http.SetCookie(w, a.cookie(a.name(at.State), "", -1))
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	for state, expires := range a.used {
		if now.After(expires) {
			delete(a.used, state)
		}
	}
	if _, used := a.used[at.State]; used {
		return errAttemptUsed
	}
	a.used[at.State] = at.Expires
	return nil
}

// name is the name of an attempt's cookie; the beginning of the state tells the tabs
// apart.
func (a *attempts) name(state string) string { return a.prefix + state[:min(8, len(state))] }

func (a *attempts) cookie(name, value string, maxAge int) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: maxAge,
		Secure: a.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}
