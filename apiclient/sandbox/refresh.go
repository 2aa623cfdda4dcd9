package sandbox

import (
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// refreshToken is what a refresh token stands for. It is good once: the next one comes with
// the tokens that are given for it. One that comes twice was stolen from somebody, so that
// all tokens of its family are taken back.
type refreshToken struct {
	grant grant
	used  bool
}

// newRefresh makes a refresh token for what g allows.
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

// takeRefresh returns what a refresh token of the client stands for, once.
func (l *login) takeRefresh(token, client, scope string) (grant, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, ok := l.refreshes[token]
	g := r.grant
	if !ok || g.client != client || !time.Now().Before(g.expires) {
		return g, &oauthFault{"invalid_grant", "The refresh token is not known, has expired, was revoked or is another client's."}
	}
	if r.used {
		l.revokeFamily(g.family)
		return g, &oauthFault{"invalid_grant", "The refresh token was used before: all tokens of its login are revoked."}
	}
	if fields := strings.Fields(scope); len(fields) > 0 {
		if slices.ContainsFunc(fields, func(s string) bool { return !hasScope(g.scope, s) }) {
			return g, &oauthFault{"invalid_scope", "A refreshed token has no scopes beyond those that were granted."}
		}
		g.scope = strings.Join(fields, " ")
	}
	r.used = true
	l.refreshes[token] = r
	return g, nil
}

// revokeFamily ends all tokens that came of a login; l.mu is held.
func (l *login) revokeFamily(family string) {
	maps.DeleteFunc(l.refreshes, func(_ string, r refreshToken) bool { return r.grant.family == family })
	l.tokens.revoke(family)
}

// refresh gives new tokens for a refresh token.
func (s *Sandbox) refresh(r *http.Request, client OAuthClient) (tokenAnswer, error) {
	g, err := s.login.takeRefresh(r.PostForm.Get("refresh_token"), client.ID, r.PostForm.Get("scope"))
	if err != nil {
		return tokenAnswer{}, err
	}
	return s.hand(r, g)
}

// serveRevoke is the revocation endpoint (RFC 7009). A refresh token takes all tokens of
// its login along; a token that is not known is as good as revoked.
func (s *Sandbox) serveRevoke(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodPost) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil || r.PostForm.Get("token") == "" {
		refuse(w, http.StatusBadRequest, "invalid_request", "The form has no token.")
		return
	}
	client, ok := s.authenticate(w, r)
	if !ok {
		return
	}
	if !s.login.revoke(r.PostForm.Get("token"), client.ID) {
		refuse(w, http.StatusBadRequest, "unauthorized_client", "The token is another client's.")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// revoke ends a token; it says whether the client may do so.
func (l *login) revoke(token, client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.refreshes[token]; ok {
		if r.grant.client == client {
			l.revokeFamily(r.grant.family)
		}
		return r.grant.client == client
	}
	if c, err := l.tokens.read(token, typeAccess); err == nil {
		if c.ClientID == client {
			l.tokens.revoke(c.ID)
		}
		return c.ClientID == client
	}
	return true
}

// serveRotateKeys makes a new signing key; tokens of the old one stay good until they
// expire.
func (s *Sandbox) serveRotateKeys(w http.ResponseWriter, r *http.Request) {
	if !allow(w, r, http.MethodPost) {
		return
	}
	if err := s.login.tokens.rotate(); err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, map[string]string{"kid": s.login.tokens.current().public.KeyID})
}
