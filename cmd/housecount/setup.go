package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"housecount/assets"
	"housecount/cmd/housecount/options"
	"housecount/web"
	"housecount/web/manual"
	"housecount/web/setup"
	"housecount/web/words"
)

// A setup in the browser is open to one browser: that which gave the code of the terminal. The code is good
// once. After ten wrong ones there is a new code, and for a minute none is taken.
const (
	setupCodeLength = 8
	setupCodeTries  = 10
	setupCodePause  = time.Minute
	setupCodeSigns  = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	setupCookie     = "housecount_setup"
	// setupBody is the most that a form may send, in bytes.
	setupBody = 64 << 10
)

// unconfigured reports whether neither a service nor a provider is given, so that serve begins with a setup.
func (c serveCommand) unconfigured() bool {
	return c.Profile == "default" && c.APIURL+c.APIKey+c.APIClientID+c.APIClientSecret+c.APITokenURL == "" && len(c.Var) == 0 &&
		c.OIDCIssuer+c.OIDCClientID+c.OIDCClientSecret+c.OAuthAuthURL+c.OAuthTokenURL+c.OAuthJWKSURL == "" && len(c.Roles)+len(c.Admins) == 0 && c.tlsFlags() == ""
}

// options.TLSFlags returns an option that has housecount speak TLS itself, which a setup does not.
func (c serveCommand) tlsFlags() string {
	return c.TLSCert + strings.Join(c.ACMEDomain, "")
}

// setupServer serves a setup.
type setupServer struct {
	command  serveCommand
	files    setupFiles
	renderer *web.Renderer
	bundle   *assets.Bundle
	manual   *manual.Book
	csrf     *http.CrossOriginProtection
	log      *slog.Logger
	stdout   io.Writer
	now      func() time.Time
	address  string // of the setup in a browser
	base     string // the same without the path
	done     chan struct{}

	mu     sync.Mutex
	code   [sha256.Size]byte
	wrong  int
	paused time.Time // until when no code is taken
	owner  []byte    // hash of the cookie of the browser that has the setup; nil for none
	state  setupState
	origin string              // housecount's address as that browser has it, behind a proxy for TLS; empty for as it listens
	asked  *setupAuthorization // nil for none
	typed  map[int]url.Values  // what was filled in at steps that are not done, without secrets
	failed failedStep
}

// failedStep is the step at which something was wrong last, 0 for none, and what.
type failedStep struct {
	at     int
	faults setupFaults
}

// setUp serves a setup until it is finished, and returns the address that it listened on. It is an error if
// ctx ends before.
func (c serveCommand) setUp(ctx context.Context, env environment, log *slog.Logger) (address string, err error) {
	path, err := filepath.Abs(c.SetupFile)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return "", &options.Faults{List: []string{fmt.Sprintf("neither a service nor a provider is given, and %s is there: start with --config %s, or remove it to set up anew", path, path)}}
	}
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return "", fmt.Errorf("cannot listen on %s: %w (is another program there? give another --listen)", c.Listen, err)
	}
	address = ln.Addr().String()
	s, err := newSetupServer(c, setupFiles{path}, address, env.stdout, log)
	if err != nil {
		return "", errors.Join(err, ln.Close())
	}
	fmt.Fprintf(env.stdout, "Set up housecount at  %s\n", s.address)
	if host, _, _ := net.SplitHostPort(address); !net.ParseIP(host).IsLoopback() {
		fmt.Fprintln(env.stdout, "This address is open to your network and not encrypted: open it on this machine, by an SSH tunnel or behind your TLS proxy.")
	}
	s.newCode()
	server := newServer(s, log)
	server.WriteTimeout = setupCheckLimit + time.Minute
	failed := make(chan error, 1)
	served := start(func(context.Context) error { return serve(server, ln, nil) }, "setup", failed)
	select {
	case <-ctx.Done():
		err = ctx.Err()
	case err = <-failed:
	case <-s.done:
	}
	return address, errors.Join(err, shutdown(server, shutdownLimit/2), served.stop(shutdownLimit/4))
}

func newSetupServer(c serveCommand, files setupFiles, listening string, stdout io.Writer, log *slog.Logger) (*setupServer, error) {
	bundle, err := assets.Load()
	if err != nil {
		return nil, err
	}
	renderer, err := web.New(web.Options{Bundle: bundle})
	if err != nil {
		return nil, err
	}
	book, err := manual.Open(assets.Manual)
	if err != nil {
		return nil, err
	}
	s := &setupServer{command: c, files: files, renderer: renderer, bundle: bundle, manual: book, csrf: http.NewCrossOriginProtection(), log: log, stdout: stdout, now: time.Now, done: make(chan struct{}), typed: map[int]url.Values{}}
	if s.state, err = files.load(); err != nil {
		return nil, err
	}
	s.state.given.RequestsPerMinute, s.state.given.PageSize = c.RequestsPerMinute, c.PageSize // which it is started with again
	if host, port, _ := net.SplitHostPort(listening); net.ParseIP(host).IsUnspecified() {
		listening = net.JoinHostPort("127.0.0.1", port)
	}
	base := "http://" + listening
	if s.state.PublicURL == "" {
		if s.state.PublicURL = base; c.PublicURL != "" {
			s.state.PublicURL = strings.TrimRight(c.PublicURL, "/")
		}
	}
	s.base, s.address = base, base+setup.Path
	return s, nil
}

// newCode makes a new code and prints it.
func (s *setupServer) newCode() {
	random := make([]byte, setupCodeLength)
	rand.Read(random) // which never fails
	for i, b := range random {
		random[i] = setupCodeSigns[int(b)%len(setupCodeSigns)]
	}
	s.code, s.wrong = sha256.Sum256(random), 0
	fmt.Fprintf(s.stdout, "Code  %s-%s\n", random[:setupCodeLength/2], random[setupCodeLength/2:])
}

// ServeHTTP serves the page, its form, the manual and the assets. Whoever does not have the setup gets the form for the
// code and nothing else of the page.
func (s *setupServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Content-Security-Policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
	} {
		w.Header().Set(name, value)
	}
	if strings.HasPrefix(r.URL.Path, "/assets/") && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		s.bundle.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path == setup.AuthorizedPath && r.Method == http.MethodGet:
		s.authorized(w, r)
	case (r.URL.Path == web.ManualPath || strings.HasPrefix(r.URL.Path, web.ManualPath+"/")) && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		s.showManual(w, r)
	case r.URL.Path != setup.Path && r.Method == http.MethodGet:
		http.Redirect(w, r, setup.Path, http.StatusSeeOther)
	case r.URL.Path != setup.Path:
		http.NotFound(w, r)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		s.show(w, r, http.StatusOK)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
	case s.csrf.Check(r) != nil:
		http.Error(w, http.StatusText(http.StatusForbidden), http.StatusForbidden)
	default:
		r.Body = http.MaxBytesReader(w, r.Body, setupBody)
		s.submit(w, r)
	}
}

// showManual answers with a chapter of the manual, with what a search of it found, or with its contents.
func (s *setupServer) showManual(w http.ResponseWriter, r *http.Request) {
	topic, query := strings.Trim(strings.TrimPrefix(r.URL.Path, web.ManualPath), "/"), r.URL.Query().Get("q")
	chapter := s.manual.Chapter(topic)
	if topic != "" && chapter == nil || !manual.Valid(query) {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var err error
	switch {
	case chapter != nil:
		err = s.manual.WriteChapter(w, s.renderer, chapter)
	case query != "":
		err = s.manual.WriteFound(w, s.renderer, query)
	default:
		err = s.manual.WriteContents(w, s.renderer)
	}
	if err != nil {
		s.log.Error("the manual was not written", "err", err)
	}
}

// owns reports whether a browser has the setup.
func (s *setupServer) owns(r *http.Request) bool {
	c, err := r.Cookie(setupCookie)
	if err != nil {
		return false
	}
	got := sha256.Sum256([]byte(c.Value))
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner != nil && subtle.ConstantTimeCompare(got[:], s.owner) == 1
}

// submit takes what a form sent.
func (s *setupServer) submit(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.show(w, r, http.StatusBadRequest, &setupFault{code: "form"})
		return
	}
	if !s.owns(r) {
		s.enter(w, r)
		return
	}
	at, err := s.step(r)
	s.answer(w, r, at, at, err)
}

// hold holds what was filled in at a step, without secrets, and what is wrong with it, until the step is done.
func (s *setupServer) hold(r *http.Request, at int, faults setupFaults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed = (failedStep{}); faults == nil {
		delete(s.typed, at)
		return
	}
	s.failed = failedStep{at, faults}
	if r.Method != http.MethodPost {
		return // a service has led the browser back
	}
	typed := maps.Clone(r.PostForm)
	maps.DeleteFunc(typed, func(name string, value []string) bool {
		v, isVar := strings.CutPrefix(name, "var.")
		return slices.Contains([]string{"key", "login_secret", "code"}, name) || isVar && isSecretVar(s.state.Profile, v, strings.Join(value, ""))
	})
	s.typed[at] = typed
}

// answer shows what is wrong at a step, or goes on with the next one.
func (s *setupServer) answer(w http.ResponseWriter, r *http.Request, at, next int, err error) {
	faults := faultsOf(err)
	if err != nil && faults == nil {
		s.log.Error("the setup cannot be stored", "err", err)
		fmt.Fprintln(s.stdout, "The setup cannot be stored:", err)
		faults = setupFaults{{code: "write"}}
	}
	if faults != nil { // they stand on a page of its own, so that the browser's way back sends no form again
		at = max(at, setup.StepService)
		next = at
	}
	s.hold(r, at, faults)
	if next > setup.StepDone {
		s.write(w, r, http.StatusOK, setup.Page{Finished: true, PublicURL: s.current().PublicURL})
		close(s.done)
		return
	}
	http.Redirect(w, r, fmt.Sprintf("%s?step=%d#step-%d", setup.Path, next, next), http.StatusSeeOther)
}

// enter takes the code of the terminal. The browser that gives it has the setup from then on.
func (s *setupServer) enter(w http.ResponseWriter, r *http.Request) {
	given := sha256.Sum256([]byte(strings.Map(func(r rune) rune {
		if strings.ContainsRune(setupCodeSigns, r) {
			return r
		}
		return -1
	}, strings.ToUpper(r.PostForm.Get("code")))))
	s.mu.Lock()
	right := subtle.ConstantTimeCompare(given[:], s.code[:]) == 1
	fault, elsewhere, token := "", false, ""
	switch {
	case s.now().Before(s.paused):
		fault = "code_locked"
	case right && s.owner != nil:
		elsewhere = true
	case right:
		token = rand.Text()
		hash := sha256.Sum256([]byte(token))
		s.owner = hash[:]
		s.comeFrom(r.Header.Get("Origin"))
	default:
		fault = "wrong_code"
		if s.wrong++; s.wrong >= setupCodeTries {
			fault, s.paused = "code_locked", s.now().Add(setupCodePause)
			s.wrong = 0
			if s.owner == nil {
				s.newCode()
			}
		}
	}
	s.mu.Unlock()
	if token == "" {
		p := setup.Page{Closed: true, Elsewhere: elsewhere}
		if fault != "" {
			p.Faults = []setup.Fault{{Code: fault}}
		}
		s.write(w, r, http.StatusForbidden, p)
		return
	}
	s.log.Info("the setup is open in a browser", "address", r.RemoteAddr)
	http.SetCookie(w, &http.Cookie{Name: setupCookie, Value: token, Path: setup.Path, HttpOnly: true, SameSite: http.SameSiteLaxMode, // a service leads back from its site
		Secure: strings.HasPrefix(s.authorizedAddress(r), "https://")})
	http.Redirect(w, r, setup.Path, http.StatusSeeOther)
}

// comeFrom takes the address that the browser with the setup says its form is of: a proxy for TLS hides it. It is the
// public one, unless another was given or filled in. s.mu is locked.
func (s *setupServer) comeFrom(origin string) {
	if !strings.HasPrefix(origin, "https://") || !isPublicAddress(origin) || s.command.PublicURL != "" {
		return
	}
	s.origin = origin
	if s.state.PublicURL == s.base {
		s.state.PublicURL = origin
	}
}

func (s *setupServer) current() setupState {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// show writes the page at the step that the address names, or at the first that is not done, with what is wrong.
func (s *setupServer) show(w http.ResponseWriter, r *http.Request, status int, faults ...*setupFault) {
	if !s.owns(r) {
		s.write(w, r, http.StatusForbidden, setup.Page{Closed: true})
		return
	}
	state := s.current()
	reached := state.reached()
	at := reached
	if n, err := strconv.Atoi(r.URL.Query().Get("step")); err == nil && n >= setup.StepService && n < reached {
		at = n
	}
	s.mu.Lock()
	if s.failed.at == at && faults == nil {
		faults = s.failed.faults
	}
	s.mu.Unlock()
	p := s.page(state, r)
	p.At, p.Reached = at, reached
	for _, f := range faults {
		p.Faults = append(p.Faults, setup.Fault{Code: f.code, What: f.what})
	}
	s.write(w, r, status, p)
}

func (s *setupServer) write(w http.ResponseWriter, r *http.Request, status int, p setup.Page) {
	p.Locale = words.Preferred(r.Header.Get("Accept-Language"), web.Locale(s.command.Language))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if err := p.Write(w, s.renderer); err != nil {
		s.log.Error("the page of the setup failed", "err", err)
	}
}

// isPublicAddress reports whether an address can be that of housecount for browsers.
func isPublicAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && options.CheckPublicAddress(text, "") == ""
}

// providers are the sign-in services of the list, with the issuer of those that have one for all.
var providers = []struct{ id, name, issuer string }{
	{"google", "Google", "https://accounts.google.com"}, {"microsoft", "Microsoft", ""}, {"keycloak", "Keycloak", ""}, {"other", "OpenID Connect", ""},
}

func providerIssuer(id string) string {
	if i := slices.IndexFunc(providers, func(p struct{ id, name, issuer string }) bool { return p.id == id }); i >= 0 {
		return providers[i].issuer
	}
	return ""
}
