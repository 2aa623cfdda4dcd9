package admission

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"housecount/aggregator/store"
)

// A browser in which somebody has signed in has a cookie that says so and names nobody. It lets the browser go first
// where many sign in at once, and gives no other right.

const (
	// knownLasts is how long a browser is known after a sign-in.
	knownLasts = 180 * 24 * time.Hour
	// A known browser goes first knownBurst times at once, and then once every knownEvery: one that is used to fill the
	// queue waits with all others.
	knownBurst = 5
	knownEvery = 30 * time.Second
	// knownMost is how many known browsers are remembered; they are forgotten once they have all their turns again.
	knownMost = 10_000

	knownPurpose = "known browser"
)

// KnownBrowser is what the cookie holds, sealed.
type KnownBrowser struct {
	Name   string `json:"name"` // random
	Expiry int64  `json:"expiry"`
}

// KnownBrowsers counts how often each known browser has gone first. Seal and Secure are set before use.
type KnownBrowsers struct {
	Seal   *store.Seal // seals the cookies
	Secure bool        // the address for browsers is https

	mu     sync.Mutex
	limits map[string]*rate.Limiter
}

// GoesFirst takes one of a browser's turns, and reports whether it had one.
func (k *KnownBrowsers) GoesFirst(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.limits[name]
	if l == nil {
		for other, l := range k.limits {
			if len(k.limits) < knownMost {
				break
			}
			if l.Tokens() >= knownBurst {
				delete(k.limits, other)
			}
		}
		if len(k.limits) >= knownMost {
			return false
		}
		if k.limits == nil {
			k.limits = make(map[string]*rate.Limiter)
		}
		l = rate.NewLimiter(rate.Every(knownEvery), knownBurst)
		k.limits[name] = l
	}
	return l.Allow()
}

// Cookie returns the name of the cookie.
func (k *KnownBrowsers) Cookie() string {
	if k.Secure {
		return "__Host-known"
	}
	return "housecount_known" // a browser refuses __Host- on plain http
}

// Of returns what a request's cookie says of the browser; nil if nobody signed in there before.
func (k *KnownBrowsers) Of(r *http.Request) *KnownBrowser {
	c, err := r.Cookie(k.Cookie())
	if err != nil {
		return nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return nil
	}
	data, err := k.Seal.Open(knownPurpose, sealed)
	if err != nil {
		return nil
	}
	var b KnownBrowser
	if json.Unmarshal(data, &b) != nil || time.Now().UnixMilli() > b.Expiry {
		return nil
	}
	return &b
}

// MakeKnown notes in the browser that somebody signed in there.
func (k *KnownBrowsers) MakeKnown(w http.ResponseWriter, r *http.Request) error {
	b := k.Of(r)
	if b == nil {
		b = &KnownBrowser{Name: rand.Text()}
	}
	b.Expiry = time.Now().Add(knownLasts).UnixMilli()
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: k.Cookie(), Value: base64.RawURLEncoding.EncodeToString(k.Seal.Seal(knownPurpose, data)),
		Path: "/", MaxAge: int(knownLasts / time.Second), Secure: k.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return nil
}
