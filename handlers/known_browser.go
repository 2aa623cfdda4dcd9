package handlers

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A browser in which somebody has signed in has a cookie that says so and names nobody. It lets the browser go first
// where many sign in at once, and gives no other right.

const (
	// knownLasts is how long a browser is known after a sign-in.
	knownLasts = 180 * 24 * time.Hour
	// knownBurst is how often a known browser goes first at once, and knownEvery when it does again: one that is used
	// to fill the queue waits with all others.
	knownBurst = 5
	knownEvery = 30 * time.Second
	// knownMost is how many known browsers are remembered; they are forgotten once they have all their turns again.
	knownMost = 10_000

	knownPurpose = "known browser"
)

// knownBrowser is what the cookie holds, sealed.
type knownBrowser struct {
	Name   string `json:"name"` // random
	Expiry int64  `json:"expiry"`
}

// knownBrowsers counts how often each known browser has gone first.
type knownBrowsers struct {
	mu     sync.Mutex
	limits map[string]*rate.Limiter
}

// goesFirst takes one of a browser's turns, and reports whether it had one.
func (k *knownBrowsers) goesFirst(name string) bool {
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

func (s *site) knownCookie() string {
	if s.public.Scheme == "https" {
		return "__Host-known"
	}
	return "housecount_known" // a browser refuses __Host- on plain http
}

// knownOf returns what a request's cookie says of the browser; nil if nobody signed in there before.
func (s *site) knownOf(r *http.Request) *knownBrowser {
	c, err := r.Cookie(s.knownCookie())
	if err != nil {
		return nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil {
		return nil
	}
	data, err := s.Seal.Open(knownPurpose, sealed)
	if err != nil {
		return nil
	}
	var k knownBrowser
	if json.Unmarshal(data, &k) != nil || time.Now().UnixMilli() > k.Expiry {
		return nil
	}
	return &k
}

// makeKnown notes in the browser that somebody signed in there.
func (s *site) makeKnown(w http.ResponseWriter, r *http.Request) error {
	k := s.knownOf(r)
	if k == nil {
		k = &knownBrowser{Name: rand.Text()}
	}
	k.Expiry = time.Now().Add(knownLasts).UnixMilli()
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: s.knownCookie(), Value: base64.RawURLEncoding.EncodeToString(s.Seal.Seal(knownPurpose, data)),
		Path: "/", MaxAge: int(knownLasts / time.Second), Secure: s.public.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return nil
}
