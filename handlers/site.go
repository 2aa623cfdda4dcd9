package handlers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/admission"
	"housecount/handlers/hooks"
	"housecount/handlers/outage"
	"housecount/handlers/outbox"
	"housecount/handlers/presence"
	"housecount/handlers/screens"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/manual"
	"housecount/web/words"
)

// site holds what the handlers share; handlers are its methods.
type site struct {
	Options
	public   *url.URL // PublicURL, only scheme and host
	mux      *http.ServeMux
	manual   *manual.Book
	pages    map[string]bool // patterns of the pages that a login may return to
	csrf     *http.CrossOriginProtection
	headers  map[string]string // headers are sent with every answer.
	sessions *sessions.Sessions
	attempts *signin.Attempts
	provider *signin.Provider
	// signIns is the queue of those who return from the sign-in service, and known who of them go first.
	signIns admission.SignInQueue
	known   *admission.KnownBrowsers
	// heldBack is how many sign-ins that found no place in the queue are about to be sent there again.
	heldBack atomic.Int64
	// customPeriods holds a token for each request about days of its own that is answered.
	customPeriods chan struct{}
	// proxies tell where a request comes from.
	proxies *admission.Proxies
	// logouts limits logout tokens. It is separate, so that logout tokens and sign-ins do not delay each other.
	logouts admission.AddressLimiter
	// codes limits requests with a screen's code, including guesses.
	codes admission.AddressLimiter
	// director knows what the screens with a socket on this replica show.
	director *screens.Director
	// confirmations are changes of the connection that are still to be confirmed.
	confirmations pending[confirmation]
	// allowances are what sessions are asked to allow at the ticketing service.
	allowances pending[*Allowance]
	// walkOutMu is locked while people without a ticket are counted out.
	walkOutMu sync.Mutex
	// readySince is when the figures were first seen to be read; nil before.
	readySince atomic.Pointer[time.Time]
	// outage knows whether the database answers.
	outage *outage.Outage[*sessions.Staff]
	// refusals are refused logins that are still to be recorded.
	refusals admission.Refusals
	// chain is what was last found of the audit's acts; nil before the first time.
	chain atomic.Pointer[store.Chain]
	// walkIns are walk-ins that are still to be recorded.
	walkIns  walkInCounts
	webhooks *hooks.Handler
	messages hooks.Held  // those of services, as last read
	told     outbox.Held // who was told of alerts, as last read

	ctx context.Context // the context given to New
	// presence is who watches what, on all replicas.
	presence *presence.Seen
	// alerts are the alerts about screens. began is when this process started.
	alerts atomic.Pointer[[]web.ScreenAlert]
	began  time.Time
	// own maps pages to the parameter that holds the session of the person who asks.
	own map[string]string
}

// visit is what is known about one request. Handlers on the way fill it in.
type visit struct {
	id    string          // names the request in the log and on an error page
	staff *sessions.Staff // nil when nobody is logged in, or the route does not ask
	// request is what is asked for, on a page's route.
	request web.Request
}

type visitKey struct{}

func visitOf(r *http.Request) *visit { return r.Context().Value(visitKey{}).(*visit) }

// fault is an error that is shown to the visitor, except its cause.
type fault struct {
	status      int
	code        string   // the title and text are error_title.CODE and error_text.CODE
	text        string   // replaces the text of the code
	signIn      bool     // offer the login
	another     bool     // offer the login with another account
	back        string   // the path of the link back; empty for the first page
	user        string   // the person who was refused, if shown
	role, needs web.Role // the visitor's role, and the role that would be let in
	cause       error
}

func (f *fault) Error() string {
	if f.cause == nil {
		return f.code
	}
	return f.code + ": " + f.cause.Error()
}

func (f *fault) Unwrap() error { return f.cause }

// answer is a response in memory. Its zero value is an empty 200.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	// stream, if set, writes the body while it is sent. Its error cuts the connection, so that a browser takes nothing for a whole file.
	stream func(io.Writer) error
	sent   int // bytes of stream
}

func (a *answer) Header() http.Header {
	if a.header == nil {
		a.header = make(http.Header)
	}
	return a.header
}

func (a *answer) WriteHeader(status int) { a.status = cmp.Or(a.status, status) }

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// send sends the answer. Its error is that of stream.
func (a *answer) send(w http.ResponseWriter) error {
	maps.Copy(w.Header(), a.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(cmp.Or(a.status, http.StatusOK))
	if a.stream != nil {
		return a.stream(&streamed{w, &a.sent})
	}
	w.Write(a.body.Bytes()) // an error means that the visitor has gone
	return nil
}

// streamed writes a stream and counts its bytes.
type streamed struct {
	http.ResponseWriter
	n *int
}

func (s *streamed) Write(b []byte) (int, error) {
	n, err := s.ResponseWriter.Write(b)
	*s.n += n
	return n, err
}

// Flush sends what was written so far.
func (s *streamed) Flush() { http.NewResponseController(s.ResponseWriter).Flush() }

// ServeHTTP handles every request.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v := &visit{id: rand.Text()[:10]}
	r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
	for name, value := range s.headers {
		w.Header().Set(name, value)
	}
	w.Header().Set("X-Request-Id", v.id)
	s.proxies.NoteForwarder(r)

	if err := s.csrf.Check(r); err != nil {
		s.serve(func(http.ResponseWriter, *http.Request) error {
			return &fault{status: http.StatusForbidden, code: "other_site", cause: err}
		}, w, r)
		return
	}
	h, pattern := s.mux.Handler(r)
	if pattern == "" {
		s.serve(unmatched(h), w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// served reports a request that began at start.
func (s *site) served(r *http.Request, status int, start time.Time) {
	if s.Served != nil {
		s.Served(r.Pattern, cmp.Or(status, http.StatusOK), time.Since(start))
	}
}

// unmatched answers requests for which the mux has no route.
func unmatched(h http.Handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		var a answer
		h.ServeHTTP(&a, r)
		switch a.status {
		case http.StatusNotFound:
			return errNotFound()
		case http.StatusMethodNotAllowed:
			w.Header().Set("Allow", a.Header().Get("Allow"))
			return &fault{status: a.status, code: "method"}
		}
		a.send(w) // a redirect to the clean form of the path
		return nil
	}
}

func errNotFound() error { return &fault{status: http.StatusNotFound, code: "not_found"} }

// handler answers a request. What it wrote is sent only when it returns nil; an error becomes a page and a log line instead, of
// which a *fault chooses status and words and every other error is a 500 that reveals nothing. Set-Cookie, Allow, Retry-After and
// Refresh are sent with the error's page.
type handler func(w http.ResponseWriter, r *http.Request) error

// serve is the one adapter from a handler to a response and a log line.
func (s *site) serve(h handler, w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	v := visitOf(r)
	a := &answer{}
	err := protect(h, a, r)
	if err != nil && r.Context().Err() != nil && errors.Is(err, r.Context().Err()) { // it failed of that
		a, err = &answer{status: statusClientGone}, nil
	}
	if err != nil && !errors.As(err, new(*fault)) && (!s.outage.State().Since.IsZero() || errors.Is(err, store.ErrUnwritable)) {
		err = s.errAway(a, err)
	}
	if err != nil {
		a = s.errorPage(r, err, a)
	}
	cut := protect(func(w http.ResponseWriter, _ *http.Request) error { return a.send(w) }, w, r)
	s.served(r, a.status, start)
	err = cmp.Or(err, cut)

	level := slog.LevelInfo
	if (a.status >= 500 || cut != nil) && (r.Context().Err() == nil || errors.As(err, new(panicked))) { // if the context has ended, the visitor has gone
		level = slog.LevelError
		if f, ok := errors.AsType[*fault](err); ok && f.aboutDatabase() {
			level = slog.LevelDebug // that it is away is in the log
		} else if ok { // a stranger may have caused it, and its text
			level = slog.LevelWarn
		}
	}
	// Only the path, because a query may contain a code.
	attrs := []slog.Attr{
		slog.String("request", v.id),
		slog.String("method", r.Method),
		slog.String("path", loggedPath(r)),
		slog.Int("status", cmp.Or(a.status, http.StatusOK)),
		slog.Int("bytes", a.body.Len()+a.sent),
		slog.Duration("took", time.Since(start)),
	}
	attrs = append(attrs, slog.String("address", s.from(r)))
	if v.staff != nil {
		attrs = append(attrs, slog.String("person", v.staff.Subject), slog.String("role", string(v.staff.Role)), slog.String("session", shortID(v.staff.ID)))
	}
	if err != nil {
		attrs = append(attrs, slog.String("err", err.Error()))
	}
	s.Log.LogAttrs(r.Context(), level, "request", attrs...)
	if cut != nil {
		panic(http.ErrAbortHandler)
	}
}

// statusClientGone is logged and counted of a request whose visitor went away before the answer, as nginx does.
const statusClientGone = 499

// panicked is a panic of a handler.
type panicked struct{ error }

// protect turns a panic into an error.
func protect(h handler, w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked{fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	return h(w, r)
}

// errorPage returns the page about err, which replaces a.
func (s *site) errorPage(r *http.Request, err error, a *answer) *answer {
	f, ok := errors.AsType[*fault](err)
	if !ok {
		f = &fault{status: http.StatusInternalServerError, code: "internal"}
	}
	id := visitOf(r).id
	page := &answer{status: f.status}
	for _, name := range []string{"Set-Cookie", "Allow", "Retry-After", "Refresh"} {
		if values := a.Header().Values(name); len(values) > 0 {
			page.Header()[name] = values
		}
	}
	language := s.language(r)
	w := words.Of(language)
	m := web.Message{Locale: language, Title: w.Code("error_title", f.code), Text: cmp.Or(f.text, w.Code("error_text", f.code)),
		User: f.user, Role: f.role, Needs: f.needs, RequestID: id, SignIn: f.signIn, Help: web.MessageHelp(f.code), Another: f.another, Return: f.back}
	err = protect(func(w http.ResponseWriter, r *http.Request) error { return s.message(w, m) }, page, r)
	if err != nil {
		s.Log.Error("error page failed", "request", id, "err", err)
		page.body.Reset()
		page.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintf(&page.body, "%s (%s)\n", m.Title, id)
	}
	return page
}

// message writes a page with one message.
func (s *site) message(w http.ResponseWriter, m web.Message) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.Renderer.Message(w, m)
}

// redirect sends the visitor to an address of ours or one that was checked.
func redirect(w http.ResponseWriter, to string) error {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// loggedPath returns the path of a request for the log, without the secret in the address of a service's messages or in
// the link of a letter.
func loggedPath(r *http.Request) string {
	for _, before := range []string{hooks.PathStart, web.StopPath + "/"} {
		if strings.HasPrefix(r.URL.Path, before) {
			return before + "…"
		}
	}
	return clip(r.URL.Path)
}

// clip bounds text from outside.
func clip(s string) string { return strings.ToValidUTF8(s[:min(len(s), 300)], "") }
