package idp

import (
	"crypto/rand"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	codeLifetime  = time.Minute
	loginLifetime = 12 * time.Hour
)

// login is the state of the authorization server: sessions, codes and refresh tokens.
type login struct {
	tokens  *tokens
	clients map[string]Client

	mu       sync.Mutex
	codes    map[string]grant
	sessions map[string]session

	refreshLifetime time.Duration
	refreshes       map[string]refreshToken
}

// session is a browser's login at the provider.
type session struct {
	staff             *Staff
	authTime, expires time.Time
}

func newLogin(o Options) (*login, error) {
	t, err := newTokens(o.AccessLifetime)
	if err != nil {
		return nil, err
	}
	l := &login{tokens: t, clients: map[string]Client{}, codes: map[string]grant{}, sessions: map[string]session{},
		refreshLifetime: o.RefreshLifetime, refreshes: map[string]refreshToken{}}
	for _, c := range o.Clients {
		l.clients[c.ID] = c
	}
	return l, nil
}

func (l *login) startSession(staff *Staff) (string, session) {
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

func (l *login) endSession(token string) {
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

// takeCode returns the grant of a code, once. A second use means that the code was stolen, and revokes all tokens
// of its family (RFC 6749, 4.1.2).
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

// newRefresh creates a refresh token for g.
func (l *login) newRefresh(g grant) string {
	now := time.Now()
	g.expires, g.nonce = now.Add(l.refreshLifetime), ""
	token := rand.Text()
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.refreshes, func(_ string, old refreshToken) bool { return now.After(old.grant.expires) })
	l.refreshes[token] = refreshToken{grant: g}
	return token
}

// takeRefresh returns the grant of a client's refresh token, once, reduced to the requested scopes. A second use
// revokes all tokens of its family.
func (l *login) takeRefresh(token, client, scope string) (grant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.refreshes[token]
	g := r.grant
	if !ok || g.client != client || !time.Now().Before(g.expires) {
		return g, &oauthError{"invalid_grant", "The refresh token is not known, has expired, was revoked or is another client's."}
	}
	if r.used {
		l.revokeFamily(g.family)
		return g, &oauthError{"invalid_grant", "The refresh token was used before: all tokens of its login are revoked."}
	}
	if fields := strings.Fields(scope); len(fields) > 0 {
		if slices.ContainsFunc(fields, func(s string) bool { return !HasScope(g.scope, s) }) {
			return g, &oauthError{"invalid_scope", "A refreshed token has no scopes beyond those that were granted."}
		}
		g.scope = strings.Join(fields, " ")
	}
	r.used = true
	l.refreshes[token] = r
	return g, nil
}

// revokeFamily revokes all tokens issued from one login. The caller holds l.mu.
func (l *login) revokeFamily(family string) {
	maps.DeleteFunc(l.refreshes, func(_ string, r refreshToken) bool { return r.grant.family == family })
	l.tokens.revoke(family)
}

// revoke revokes a token. It reports false if the token belongs to another client. A refresh token is revoked with
// its whole family.
func (l *login) revoke(token, client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.refreshes[token]; ok {
		if r.grant.client == client {
			l.revokeFamily(r.grant.family)
		}
		return r.grant.client == client
	}
	if c, err := l.tokens.parse(token, typeAccess); err == nil {
		if c.ClientID == client {
			l.tokens.revoke(c.ID)
		}
		return c.ClientID == client
	}
	return true
}

// logoutClient returns the client that a logout request names, by an ID token or its id.
func (l *login) logoutClient(r *http.Request) string {
	if hint := r.FormValue("id_token_hint"); hint != "" {
		if c, err := l.tokens.parse(hint, typeID); err == nil && len(c.Audience) == 1 {
			return c.Audience[0]
		}
	}
	return r.FormValue("client_id")
}

// mayRedirect reports whether an address is at an origin of the client, or of any client if client is "".
func (l *login) mayRedirect(to, client string) bool {
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

// sameOrigin compares scheme, host and port. On loopback the port may differ.
func sameOrigin(given, registered string) bool {
	a, err := url.Parse(given)
	b, err2 := url.Parse(registered)
	if err != nil || err2 != nil || a.User != nil || a.Scheme != b.Scheme || !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	return a.Port() == b.Port() || IsLoopback(a.Hostname())
}

// matchesRedirectURI compares whole addresses. On loopback the port may differ.
func matchesRedirectURI(given, registered string) bool {
	if given == registered {
		return true
	}
	if !sameOrigin(given, registered) {
		return false
	}
	a, _ := url.Parse(given) // both were parsed above
	b, _ := url.Parse(registered)
	return IsLoopback(a.Hostname()) && a.Path == b.Path && a.RawQuery == b.RawQuery && a.Fragment == ""
}

func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}
