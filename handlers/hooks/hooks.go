// Package hooks answers the messages by which services report that there is news.
//
// What a message holds is never read as data: it has the lists polled, so that a forged or repeated message costs a
// poll at most. Everything here may be used by many goroutines at once.
package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"housecount/aggregator/store"
)

// Service is how one service reports that there is news.
type Service struct {
	// Name and Secret are the two parts of the address, /hooks/NAME/SECRET. Without a Secret no message is taken. No two
	// services have the same name.
	Name, Secret string
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
	// Note counts a message of the service that was taken, or refused because of its signature, unless that was taken before, and Noted
	// returns what was counted since a moment, by name. They may be left out.
	Note func(ctx context.Context, name string, taken bool) error
	// NoteRefused counts messages that came with another name or secret; it is called by Run. It may be left out.
	NoteRefused func(ctx context.Context, name string, n int) error
	Noted       func(ctx context.Context, since time.Time) (map[string][]store.Messages, error)
}

// Path is the pattern of the services' addresses in a mux, and PathStart what all of them begin with.
const (
	Path      = PathStart + "{service}/{secret}"
	PathStart = "/hooks/"
)

const (
	// maxBody is the most that a message may have, in bytes.
	maxBody = 64 << 10
	// longestAge is how far a signed time may be from ours, and for how long a signature is remembered.
	longestAge = 5 * time.Minute
	// burst messages are accepted at once, and then perSecond a second. What is beyond is refused: the lists are
	// polled already.
	burst     = 50
	perSecond = 10
	// mostSignatures is the most signatures that are remembered.
	mostSignatures = 10_000
	// countPatience is how long a message may take to be counted.
	countPatience = 2 * time.Second
)

// The reasons for which a message is refused, as in the log.
var (
	errUnsigned = errors.New("no signature")
	errForged   = errors.New("another signature")
	errTime     = errors.New("signed at another time")
	errRepeated = errors.New("repeated")
)

// guard limits messages and remembers signatures.
type guard struct {
	limit *rate.Limiter

	mu   sync.Mutex
	seen map[[sha256.Size]byte]time.Time // when to forget a signature
	// failure is why the last message was refused, or could not be noted; empty if it was taken.
	failure string
}

func newGuard() *guard {
	return &guard{limit: rate.NewLimiter(perSecond, burst), seen: make(map[[sha256.Size]byte]time.Time)}
}

// repeated reports whether a signature was taken before.
func (g *guard) repeated(signature []byte, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return now.Before(g.seen[sha256.Sum256(signature)])
}

// take remembers a signature whose message was noted. None is remembered where the service signs no time: two messages
// may well be alike.
func (g *guard) take(signature []byte, now time.Time) {
	if signature == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.seen) >= mostSignatures {
		for old, until := range g.seen {
			if !now.Before(until) || len(g.seen) >= mostSignatures {
				delete(g.seen, old)
			}
		}
	}
	g.seen[sha256.Sum256(signature)] = now.Add(2 * longestAge)
}

// failed reports whether a failure is to be logged: the first of its kind.
func (g *guard) failed(err error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := g.failure
	g.failure = ""
	if err != nil {
		g.failure = err.Error()
	}
	return err != nil && g.failure != last
}

// guarded is a service with the guard of its messages.
type guarded struct {
	Service
	guard *guard
}

// Handler answers the messages of all services, at Path. It is an http.Handler. Run stores how many came to a wrong address.
type Handler struct {
	services []guarded
	log      *slog.Logger
	from     func(*http.Request) string
	wrong    wrong
}

// New returns the handler for services. It logs to log why a message was refused, with what from returns as the address
// that the message came from.
func New(services []Service, log *slog.Logger, from func(*http.Request) string) *Handler {
	h := &Handler{log: log, from: from, wrong: wrong{some: make(chan struct{}, 1)}}
	for _, s := range services {
		h.services = append(h.services, guarded{s, newGuard()})
	}
	return h
}

// find returns a service, nil if there is none with that name or the secret is another.
func (h *Handler) find(name, secret string) *guarded {
	for i := range h.services {
		s := &h.services[i]
		if s.Name == name && s.Secret != "" && subtle.ConstantTimeCompare([]byte(secret), []byte(s.Secret)) == 1 {
			return s
		}
	}
	return nil
}

// ServeHTTP answers a message of a service. A wrong address is answered as one that does not exist.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := h.find(r.PathValue("service"), r.PathValue("secret"))
	if s == nil {
		h.refuse(w, r)
		return
	}
	list := r.URL.Query().Get("list")
	if list != "" && !slices.Contains(s.Lists, list) {
		plain(w, http.StatusNotFound, "there is no such list: give one of "+strings.Join(s.Lists, ", ")+", or none for all")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		plain(w, http.StatusRequestEntityTooLarge, "more than 64 kB, or cut short")
		return
	}
	if !s.guard.limit.Allow() {
		w.Header().Set("Retry-After", "1")
		plain(w, http.StatusTooManyRequests, "too many: the lists are being polled")
		return
	}
	now := time.Now()
	signature, err := s.check(r.Header.Get(s.Header), body, now)
	status, text := http.StatusNoContent, ""
	switch {
	case err != nil:
		status, text = http.StatusForbidden, err.Error()
	default:
		if err = s.Nudge(r.Context(), list); err != nil {
			w.Header().Set("Retry-After", "10")
			status, text = http.StatusServiceUnavailable, "try again"
			break
		}
		s.guard.take(signature, now)
	}
	if s.guard.failed(err) {
		h.log.Warn("a message of the service was not taken", "service", s.Name, "address", h.from(r), "err", err)
	}
	if text == "" {
		w.WriteHeader(status)
	} else {
		plain(w, status, text)
	}
	if s.Note != nil && status != http.StatusServiceUnavailable && !errors.Is(err, errRepeated) {
		s.count(w, r, err == nil)
	}
}

// count counts a message that was answered, also if who sent it has hung up. Whoever did not is sent the answer first.
func (s *guarded) count(w http.ResponseWriter, r *http.Request, taken bool) {
	_ = http.NewResponseController(w).Flush() // otherwise the answer goes out afterwards
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), countPatience)
	defer cancel()
	_ = s.Note(ctx, s.Name, taken) // a message is not refused because it cannot be counted
}

// check checks a message's signature. It returns it where it is good for once; of several one has to be right, because a
// service signs with two keys while it changes them.
func (s *guarded) check(header string, body []byte, now time.Time) (once []byte, err error) {
	if s.Key == "" {
		return nil, nil
	}
	mac, given := hmac.New(sha256.New, []byte(s.Key)), []string{strings.TrimPrefix(header, "sha256=")}
	if s.Timed {
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
			return nil, errUnsigned
		}
		if now.Sub(time.Unix(seconds, 0)).Abs() > longestAge {
			return nil, errTime
		}
		mac.Write([]byte(stamp + s.Separator))
	}
	mac.Write(body)
	right := mac.Sum(nil)
	decode := hex.DecodeString
	if s.Base64 {
		decode = base64.StdEncoding.DecodeString
	}
	err = errUnsigned
	for _, text := range given {
		signature, wrong := decode(text)
		switch {
		case text == "" || wrong != nil:
		case !hmac.Equal(signature, right):
			err = errForged
		case !s.Timed:
			return nil, nil
		case s.guard.repeated(signature, now):
			return nil, errRepeated
		default:
			return signature, nil
		}
	}
	return nil, err
}

// plain answers with a text. It says how long that is, so that an answer is whole before its request ends.
func plain(w http.ResponseWriter, status int, text string) {
	text += "\n"
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}
