package idp

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// serveAuthorize is the authorization endpoint. It shows the login page, unless the browser has a session that
// satisfies prompt and max_age, and redirects to the client with a code.
func (p *Provider) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	if !Allow(w, r, http.MethodGet, http.MethodHead, http.MethodPost) {
		return
	}
	q := r.URL.Query()
	client, known := p.clients[q.Get("client_id")]
	back := q.Get("redirect_uri")
	if !known || !slices.ContainsFunc(client.RedirectURIs, func(registered string) bool { return matchesRedirectURI(back, registered) }) {
		// Never redirect to an address that the client did not register.
		showPage(w, http.StatusBadRequest, "message.html", nil, "This login cannot go on: the client or its return address is not known here.")
		return
	}
	g, errorCode := parseGrant(q, client, p.scopes)
	if errorCode != "" {
		p.returnToClient(w, r, back, url.Values{"error": {errorCode}})
		return
	}
	if r.Method == http.MethodPost {
		p.logIn(w, r, g)
		return
	}
	prompt := strings.Fields(q.Get("prompt"))
	here, ok := p.session(r)
	if ok && !slices.Contains(prompt, "login") && withinMaxAge(here.authTime, q.Get("max_age")) {
		g.staff, g.authTime = here.staff, here.authTime
		p.sendCode(w, r, g)
		return
	}
	if slices.Contains(prompt, "none") {
		p.returnToClient(w, r, back, url.Values{"error": {"login_required"}})
		return
	}
	p.showLogin(w, r, http.StatusOK, "")
}

// parseGrant reads an authorization request. errorCode is the OAuth error code, empty for none. Only a client with
// a secret may omit the code challenge.
func parseGrant(q url.Values, client Client, known []string) (g grant, errorCode string) {
	scope, ok := client.allowedScopes(q.Get("scope"), known)
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

func withinMaxAge(authTime time.Time, maxAge string) bool {
	if maxAge == "" {
		return true
	}
	n, err := strconv.Atoi(maxAge)
	return err == nil && time.Since(authTime) <= time.Duration(n)*time.Second
}

// logIn handles the form of the login page.
func (p *Provider) logIn(w http.ResponseWriter, r *http.Request, g grant) {
	here, status, wrong := p.logInByForm(w, r)
	if wrong != "" {
		p.showLogin(w, r, status, wrong)
		return
	}
	g.staff, g.authTime = here.staff, here.authTime
	p.sendCode(w, r, g)
}

// sendCode redirects to the client with a new code.
func (p *Provider) sendCode(w http.ResponseWriter, r *http.Request, g grant) {
	p.returnToClient(w, r, g.redirectURI, url.Values{"code": {p.newCode(g)}})
}

// returnToClient redirects to the client with the result of its request, its state and our issuer (RFC 9207).
func (p *Provider) returnToClient(w http.ResponseWriter, r *http.Request, back string, v url.Values) {
	v["iss"], v["state"] = []string{p.Issuer(r)}, r.URL.Query()["state"]
	redirectToClient(w, r, back, v)
}

// showLogin shows the login page. Its form may redirect to the client that asked.
func (p *Provider) showLogin(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	back := r.URL.Query().Get("redirect_uri")
	showPage(w, status, "login.html", []string{originOf(back)}, loginPage{
		r.URL.Query().Get("client_id"), "/oauth/authorize?" + r.URL.RawQuery, wrong, r.PostForm.Get("username"), p.staff,
	})
}

// serveLogout ends the session, and redirects to post_logout_redirect_uri if it is at an origin of the client.
func (p *Provider) serveLogout(w http.ResponseWriter, r *http.Request) {
	if !Allow(w, r, http.MethodGet, http.MethodHead, http.MethodPost) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if c, err := r.Cookie(loginCookie); err == nil {
		p.endSession(c.Value)
		gone := p.cookie(r, "", time.Time{})
		gone.MaxAge = -1
		http.SetCookie(w, gone)
	}
	back := r.FormValue("post_logout_redirect_uri")
	if back != "" && p.mayRedirect(back, p.logoutClient(r)) {
		redirectToClient(w, r, back, url.Values{"state": r.Form["state"]})
		return
	}
	showPage(w, http.StatusOK, "message.html", nil, "You are signed out of the sandbox.")
}
