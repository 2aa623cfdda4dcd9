package sandbox

import (
	"bytes"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"html/template"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	codeLifetime  = time.Minute
	loginLifetime = 12 * time.Hour
	// loginCookie has a name of its own: cookies on loopback are shared by all ports.
	loginCookie = "sandbox_session"
)

// knownScopes are granted when asked for; others are left out.
var knownScopes = func() []string {
	scopes := []string{"openid", "profile"}
	for _, name := range streamNames() {
		scopes = append(scopes, name+".read", name+".write")
	}
	return scopes
}()

// granted is what of the scopes that were asked for the client may have, all that read when
// it asked for none; ok is false when nothing is left.
func (c OAuthClient) granted(asked string) (scope string, ok bool) {
	list := strings.Fields(asked)
	if len(list) == 0 {
		list = slices.DeleteFunc(slices.Clone(knownScopes), func(s string) bool { return !strings.HasSuffix(s, ".read") })
	}
	list = slices.DeleteFunc(list, func(s string) bool {
		return !slices.Contains(knownScopes, s) || len(c.Scopes) > 0 && !slices.Contains(c.Scopes, s)
	})
	return strings.Join(list, " "), len(list) > 0
}

//go:embed pages
var pages embed.FS

var pageTemplates = template.Must(template.ParseFS(pages, "pages/*.html"))

// login is the authorization server: who is logged in here, and which codes are out.
type login struct {
	tokens  *tokens
	clients map[string]OAuthClient

	mu       sync.Mutex
	codes    map[string]grant
	sessions map[string]session

	refreshLifetime time.Duration
	refreshes       map[string]refreshToken
}

// grant is what an authorization code stands for.
type grant struct {
	client, redirectURI, challenge, nonce, scope string

	family            string // of all tokens that come of it
	used              bool
	staff             *Staff
	authTime, expires time.Time
}

// session is the sandbox's own login of a browser.
type session struct {
	staff             *Staff
	authTime, expires time.Time
}

func newLogin(o Options) (*login, error) {
	t, err := newTokens(o.AccessLifetime)
	if err != nil {
		return nil, err
	}
	l := &login{tokens: t, clients: map[string]OAuthClient{}, codes: map[string]grant{}, sessions: map[string]session{},
		refreshLifetime: o.RefreshLifetime, refreshes: map[string]refreshToken{}}
	for _, c := range o.Clients {
		l.clients[c.ID] = c
	}
	return l, nil
}

// issuer is the sandbox's own address.
func (s *Sandbox) issuer(r *http.Request) string {
	if s.options.PublicURL != "" {
		return strings.TrimRight(s.options.PublicURL, "/")
	}
	return "http://" + r.Host
}

// serveAuthorize is the authorization endpoint: it asks who is there, unless it knows and
// may go by that, and sends the browser back to the client with a code.
func (s *Sandbox) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodHead, http.MethodPost) {
		return
	}
	q := r.URL.Query()
	client, known := s.login.clients[q.Get("client_id")]
	back := q.Get("redirect_uri")
	if !known || !slices.ContainsFunc(client.RedirectURIs, func(registered string) bool { return sameAddress(back, registered) }) {
		// Nothing may be sent to an address that the client did not register.
		showPage(w, http.StatusBadRequest, "message.html", nil, "This login cannot go on: the client or its return address is not known here.")
		return
	}
	g, fault := parseGrant(q, client)
	if fault != "" {
		s.answerLogin(w, r, back, url.Values{"error": {fault}})
		return
	}
	if r.Method == http.MethodPost {
		s.logIn(w, r, g)
		return
	}
	prompt := strings.Fields(q.Get("prompt"))
	here, ok := s.login.session(r)
	if ok && !slices.Contains(prompt, "login") && youngEnough(here.authTime, q.Get("max_age")) {
		g.staff, g.authTime = here.staff, here.authTime
		s.sendCode(w, r, g)
		return
	}
	if slices.Contains(prompt, "none") {
		s.answerLogin(w, r, back, url.Values{"error": {"login_required"}})
		return
	}
	s.askLogin(w, r, http.StatusOK, "")
}

// parseGrant reads an authorization request; fault is the OAuth error, empty for none. A
// client with a secret may do without a challenge.
func parseGrant(q url.Values, client OAuthClient) (g grant, fault string) {
	scope, ok := client.granted(q.Get("scope"))
	g = grant{
		client: q.Get("client_id"), redirectURI: q.Get("redirect_uri"),
		challenge: q.Get("code_challenge"), nonce: q.Get("nonce"), scope: scope,
		family: rand.Text(),
	}
	switch {
	case q.Get("response_type") != "code":
		return g, "unsupported_response_type"
	case g.challenge == "" && q.Get("code_challenge_method") == "" && client.Secret != "":
	case len(g.challenge) != 43 || q.Get("code_challenge_method") != "S256":
		return g, "invalid_request"
	}
	if !ok {
		return g, "invalid_scope"
	}
	return g, ""
}

func youngEnough(authTime time.Time, maxAge string) bool {
	if maxAge == "" {
		return true
	}
	n, err := strconv.Atoi(maxAge)
	return err == nil && time.Since(authTime) <= time.Duration(n)*time.Second
}

// logIn checks user and password of the login page's form.
func (s *Sandbox) logIn(w http.ResponseWriter, r *http.Request, g grant) {
	here, status, wrong := s.checkLogin(w, r)
	if wrong != "" {
		s.askLogin(w, r, status, wrong)
		return
	}
	g.staff, g.authTime = here.staff, here.authTime
	s.sendCode(w, r, g)
}

// checkLogin logs the browser in by the form's user and password; otherwise it says with
// which status to ask again, and what was wrong.
func (s *Sandbox) checkLogin(w http.ResponseWriter, r *http.Request) (here session, status int, wrong string) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if err := r.ParseForm(); err != nil {
		return here, http.StatusBadRequest, "The form could not be read."
	}
	staff := findStaff(r.PostForm.Get("username"), r.PostForm.Get("password"))
	if staff == nil {
		return here, http.StatusUnprocessableEntity, "There is nobody of that name with that password."
	}
	token, here := s.login.begin(staff)
	http.SetCookie(w, s.cookie(r, token, here.expires))
	return here, http.StatusOK, ""
}

func (s *Sandbox) cookie(r *http.Request, value string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: loginCookie, Value: value, Path: "/", Expires: expires, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.issuer(r), "https:"),
	}
}

func findStaff(user, password string) *Staff {
	for i := range DemoStaff {
		if s := &DemoStaff[i]; s.User == user && subtle.ConstantTimeCompare([]byte(s.Password), []byte(password)) == 1 {
			return s
		}
	}
	return nil
}

// sendCode returns to the client with a new code.
func (s *Sandbox) sendCode(w http.ResponseWriter, r *http.Request, g grant) {
	s.answerLogin(w, r, g.redirectURI, url.Values{"code": {s.login.newCode(g)}})
}

// answerLogin returns to the client with what came of its request, good or bad; it is told
// who answers (RFC 9207).
func (s *Sandbox) answerLogin(w http.ResponseWriter, r *http.Request, back string, v url.Values) {
	v["iss"], v["state"] = []string{s.issuer(r)}, r.URL.Query()["state"]
	sendBack(w, r, back, v)
}

// sendBack redirects to an address of the client, which has been checked, with v added.
func sendBack(w http.ResponseWriter, r *http.Request, to string, v url.Values) {
	u, err := url.Parse(to)
	if err != nil {
		showPage(w, http.StatusBadRequest, "message.html", nil, "The return address cannot be read.")
		return
	}
	q := u.Query()
	for name, values := range v {
		if len(values) > 0 {
			q.Set(name, values[0])
		}
	}
	u.RawQuery = q.Encode()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}

// askLogin shows the login page. Its form may lead on to the client that asked.
func (s *Sandbox) askLogin(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	back := r.URL.Query().Get("redirect_uri")
	showPage(w, status, "login.html", []string{originOf(back)}, loginPage{
		r.URL.Query().Get("client_id"), "/oauth/authorize?" + r.URL.RawQuery, wrong, r.PostForm.Get("username"), DemoStaff,
	})
}

type loginPage struct {
	Client, Action, Wrong, User string
	Staff                       []Staff
}

// showPage renders a page whose forms may lead to the origins besides our own.
func showPage(w http.ResponseWriter, status int, name string, origins []string, data any) {
	var page bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&page, name, data); err != nil {
		writeError(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action "+
		strings.Join(append([]string{"'self'"}, origins...), " "))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	w.Write(page.Bytes())
}

// serveLogout ends the login at the sandbox, and returns to the client when the address is
// at an origin of its own.
func (s *Sandbox) serveLogout(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodGet, http.MethodHead, http.MethodPost) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if c, err := r.Cookie(loginCookie); err == nil {
		s.login.end(c.Value)
		gone := s.cookie(r, "", time.Time{})
		gone.MaxAge = -1
		http.SetCookie(w, gone)
	}
	back := r.FormValue("post_logout_redirect_uri")
	if back != "" && s.login.mayReturn(back, s.login.clientOf(r)) {
		sendBack(w, r, back, url.Values{"state": r.Form["state"]})
		return
	}
	showPage(w, http.StatusOK, "message.html", nil, "You are signed out of the sandbox.")
}

// clientOf is the client that a logout names, by its id or by an ID token of its own.
func (l *login) clientOf(r *http.Request) string {
	if hint := r.FormValue("id_token_hint"); hint != "" {
		if c, err := l.tokens.read(hint, typeID); err == nil && len(c.Audience) == 1 {
			return c.Audience[0]
		}
	}
	return r.FormValue("client_id")
}

// mayReturn says that an address is at an origin of the client, or of any when it is "".
func (l *login) mayReturn(to, client string) bool {
	for id, c := range l.clients {
		if client != "" && id != client {
			continue
		}
		for _, registered := range c.RedirectURIs {
			if sameOrigin(to, registered) {
				return true
			}
		}
	}
	return false
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// sameOrigin compares scheme and host; on loopback the port may differ.
func sameOrigin(given, registered string) bool {
	a, err := url.Parse(given)
	b, err2 := url.Parse(registered)
	if err != nil || err2 != nil || a.User != nil || a.Scheme != b.Scheme || !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	return a.Port() == b.Port() || loopback(a.Hostname())
}

// sameAddress compares whole addresses, but for the port on loopback.
func sameAddress(given, registered string) bool {
	if given == registered {
		return true
	}
	if !sameOrigin(given, registered) {
		return false
	}
	a, _ := url.Parse(given) // both were parsed above
	b, _ := url.Parse(registered)
	return loopback(a.Hostname()) && a.Path == b.Path && a.RawQuery == b.RawQuery && a.Fragment == ""
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}

// session is the login of the browser that sent r.
func (l *login) session(r *http.Request) (session, bool) {
	c, err := r.Cookie(loginCookie)
	if err != nil {
		return session{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	here, ok := l.sessions[c.Value]
	return here, ok && time.Now().Before(here.expires)
}

func (l *login) begin(staff *Staff) (string, session) {
	now := time.Now()
	here := session{staff: staff, authTime: now, expires: now.Add(loginLifetime)}
	token := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	for t, old := range l.sessions {
		if now.After(old.expires) {
			delete(l.sessions, t)
		}
	}
	l.sessions[token] = here
	return token, here
}

func (l *login) end(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, token)
}

func (l *login) newCode(g grant) string {
	now := time.Now()
	g.expires = now.Add(codeLifetime)
	code := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	for c, old := range l.codes {
		if now.After(old.expires) {
			delete(l.codes, c)
		}
	}
	l.codes[code] = g
	return code
}

// takeCode returns what a code stands for, once. A code that comes twice was stolen: what
// was given for it is taken back (RFC 6749, 4.1.2).
func (l *login) takeCode(code string) (grant, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g, ok := l.codes[code]
	if !ok {
		return g, false
	}
	if g.used {
		l.revokeFamily(g.family)
		return g, false
	}
	spent := g
	spent.used = true
	l.codes[code] = spent
	return g, time.Now().Before(g.expires)
}
