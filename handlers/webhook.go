package handlers

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"housecount/web"
)

// Hooks is how a service says that there is news. What it sends is never read as data: it has the lists polled, so
// that a forged or repeated message costs a poll at most.
type Hooks struct {
	// Service and Secret are the two parts of the address, /hooks/SERVICE/SECRET. Without a Secret there are no hooks. No
	// two services have the same name.
	Service, Secret string
	// Key checks the signature; without one only the address keeps strangers out.
	Key string
	// Header carries the signature, an HMAC-SHA256 in hex or, with Base64, in base64.
	Header string
	Base64 bool
	// Timed means that the header has the form t=SECONDS,v1=SIGNATURE and covers the time, Separator and the body.
	Timed     bool
	Separator string
	// Lists are the names that ?list= may have.
	Lists []string
	// Nudge has a list of the service polled, all of them where it is empty.
	Nudge func(ctx context.Context, list string) error

	guard *hookGuard
}

const (
	hooksPath = "/hooks/{service}/{secret}"

	// hookAge is how far a signed time may be from ours, and for how long a signature is remembered.
	hookAge = 5 * time.Minute
	// hookBurst messages are accepted at once, and then hookRate a second. What is beyond is refused: the lists are
	// polled already.
	hookBurst = 50
	hookRate  = 10
	// mostHooks is the most signatures that are remembered.
	mostHooks = 10_000
)

// The reasons for which a message is refused, as in the log.
var (
	errHookUnsigned = errors.New("no signature")
	errHookForged   = errors.New("another signature")
	errHookTime     = errors.New("signed at another time")
	errHookRepeated = errors.New("repeated")
)

// hookGuard limits messages and remembers signatures.
type hookGuard struct {
	limit *rate.Limiter

	mu   sync.Mutex
	seen map[[sha256.Size]byte]time.Time // when to forget a signature
	// failure is why the last message was refused, or could not be noted.
	failure lastFailure
}

func newHookGuard() *hookGuard {
	return &hookGuard{limit: rate.NewLimiter(hookRate, hookBurst), seen: make(map[[sha256.Size]byte]time.Time)}
}

// repeated reports whether a signature was taken before.
func (g *hookGuard) repeated(signature []byte, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return now.Before(g.seen[sha256.Sum256(signature)])
}

// take remembers a signature whose message was noted. None is remembered where the service signs no time: two messages
// may well be alike.
func (g *hookGuard) take(signature []byte, now time.Time) {
	if signature == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.seen) >= mostHooks {
		for old, until := range g.seen {
			if !now.Before(until) || len(g.seen) >= mostHooks {
				delete(g.seen, old)
			}
		}
	}
	g.seen[sha256.Sum256(signature)] = now.Add(2 * hookAge)
}

// failed reports whether a failure is to be logged: the first of its kind.
func (g *hookGuard) failed(err error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failure.isNew(err)
}

// hooksOf returns the hooks of a service, nil if it has none or the secret is another.
func (s *site) hooksOf(service, secret string) *Hooks {
	for i := range s.Hooks {
		h := &s.Hooks[i]
		if h.Service == service && h.Secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(h.Secret)) == 1 {
			return h
		}
	}
	return nil
}

// hook answers a message of a service. A wrong address is answered as one that does not exist.
func (s *site) hook(w http.ResponseWriter, r *http.Request) {
	h := s.hooksOf(r.PathValue("service"), r.PathValue("secret"))
	if h == nil {
		plain(w, http.StatusNotFound, "not found")
		return
	}
	list := r.URL.Query().Get("list")
	if list != "" && !slices.Contains(h.Lists, list) {
		plain(w, http.StatusNotFound, "there is no such list: give one of "+strings.Join(h.Lists, ", ")+", or none for all")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		plain(w, http.StatusRequestEntityTooLarge, "more than 64 kB, or cut short")
		return
	}
	if !h.guard.limit.Allow() {
		w.Header().Set("Retry-After", "1")
		plain(w, http.StatusTooManyRequests, "too many: the lists are being polled")
		return
	}
	now := time.Now()
	signature, err := h.check(r.Header.Get(h.Header), body, now)
	status, text := http.StatusNoContent, ""
	switch {
	case err != nil:
		status, text = http.StatusForbidden, err.Error()
	default:
		if err = h.Nudge(r.Context(), list); err != nil {
			w.Header().Set("Retry-After", "10")
			status, text = http.StatusServiceUnavailable, "try again"
			break
		}
		h.guard.take(signature, now)
	}
	if h.guard.failed(err) {
		s.Log.Warn("a message of the service was not taken", "service", h.Service, "address", s.from(r), "err", err)
	}
	if text == "" {
		w.WriteHeader(status)
		return
	}
	plain(w, status, text)
}

// check checks a message's signature. It returns it where it is good for once; of several one has to be right, because a
// service signs with two keys while it changes them.
func (h *Hooks) check(header string, body []byte, now time.Time) (once []byte, err error) {
	if h.Key == "" {
		return nil, nil
	}
	mac, given := hmac.New(sha256.New, []byte(h.Key)), []string{strings.TrimPrefix(header, "sha256=")}
	if h.Timed {
		var stamp string
		given = nil
		for part := range strings.SplitSeq(header, ",") {
			switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
			case "t":
				stamp = value
			case "v1":
				given = append(given, value)
			}
		}
		seconds, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			return nil, errHookUnsigned
		}
		if now.Sub(time.Unix(seconds, 0)).Abs() > hookAge {
			return nil, errHookTime
		}
		mac.Write([]byte(stamp + h.Separator))
	}
	mac.Write(body)
	right := mac.Sum(nil)
	decode := hex.DecodeString
	if h.Base64 {
		decode = base64.StdEncoding.DecodeString
	}
	err = errHookUnsigned
	for _, text := range given {
		signature, wrong := decode(text)
		switch {
		case text == "" || wrong != nil:
		case !hmac.Equal(signature, right):
			err = errHookForged
		case !h.Timed:
			return nil, nil
		case h.guard.repeated(signature, now):
			return nil, errHookRepeated
		default:
			return signature, nil
		}
	}
	return nil, err
}

// loggedPath returns the path of a request for the log, without the secret that one of the service's, or of the link in a
// letter, has in it.
func loggedPath(r *http.Request) string {
	for _, before := range []string{"/hooks/", web.StopPath + "/"} {
		if strings.HasPrefix(r.URL.Path, before) {
			return before + "…"
		}
	}
	return clip(r.URL.Path)
}
