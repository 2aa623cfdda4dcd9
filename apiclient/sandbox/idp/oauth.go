package idp

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/go-jose/go-jose/v4"
)

// oauthRoutes adds the addresses of OAuth 2.0 and OpenID Connect.
func (p *Provider) oauthRoutes(mux *http.ServeMux) {
	cross := http.NewCrossOriginProtection()
	mux.HandleFunc("/.well-known/openid-configuration", p.serveDiscovery)
	mux.HandleFunc("/.well-known/oauth-authorization-server", p.serveDiscovery)
	mux.Handle("/oauth/authorize", cross.Handler(http.HandlerFunc(p.serveAuthorize)))
	mux.HandleFunc("/oauth/token", p.serveToken)
	mux.HandleFunc("/oauth/revoke", p.serveRevoke)
	mux.HandleFunc("/oauth/jwks", p.serveKeys)
	mux.HandleFunc("/oauth/userinfo", p.serveUserinfo)
	mux.Handle("/oauth/logout", cross.Handler(http.HandlerFunc(p.serveLogout)))
	mux.HandleFunc("/oauth/style.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, loginPages, "pages/style.css")
	})
}

// serveDiscovery serves the metadata of both RFC 8414 and OpenID Connect Discovery.
func (p *Provider) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	if !Allow(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	issuer := p.Issuer(r)
	WriteJSON(w, map[string]any{
		"issuer":                                         issuer,
		"authorization_endpoint":                         issuer + "/oauth/authorize",
		"token_endpoint":                                 issuer + "/oauth/token",
		"jwks_uri":                                       issuer + "/oauth/jwks",
		"revocation_endpoint":                            issuer + "/oauth/revoke",
		"userinfo_endpoint":                              issuer + "/oauth/userinfo",
		"end_session_endpoint":                           issuer + "/oauth/logout",
		"scopes_supported":                               p.scopes,
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{"authorization_code", "client_credentials", "refresh_token"},
		"token_endpoint_auth_methods_supported":          []string{"client_secret_basic", "client_secret_post", "none"},
		"revocation_endpoint_auth_methods_supported":     []string{"client_secret_basic", "client_secret_post", "none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{string(jose.ES256)},
		"prompt_values_supported":                        []string{"none", "login"},
		"claims_supported":                               []string{"sub", "name", "preferred_username", "roles", "email", "email_verified", "auth_time", "nonce"},
		"authorization_response_iss_parameter_supported": true,
	})
}

func (p *Provider) serveKeys(w http.ResponseWriter, r *http.Request) {
	if Allow(w, r, http.MethodGet, http.MethodHead) {
		WriteJSON(w, p.tokens.keySet())
	}
}

// serveUserinfo serves the user of an access token.
func (p *Provider) serveUserinfo(w http.ResponseWriter, r *http.Request) {
	if !Allow(w, r, http.MethodGet, http.MethodHead, http.MethodPost) {
		return
	}
	c, err := p.tokens.check(Bearer(r), p.Issuer(r))
	if err != nil || c.User == "" {
		RefuseToken(w)
		return
	}
	WriteJSON(w, map[string]any{"sub": c.Subject, "name": c.Name, "preferred_username": c.User, "roles": c.Roles})
}

// serveToken is the token endpoint, for codes, refresh tokens and client credentials.
func (p *Provider) serveToken(w http.ResponseWriter, r *http.Request) {
	if !Allow(w, r, http.MethodPost) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil {
		writeOAuthError(w, http.StatusBadRequest, "invalid_request", "The form cannot be read.")
		return
	}
	client, ok := p.authenticate(w, r)
	if !ok {
		return
	}
	var answer tokenAnswer
	var err error
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		answer, err = p.redeem(r, client)
	case "refresh_token":
		answer, err = p.refresh(r, client)
	case "client_credentials":
		answer, err = p.clientToken(r, client)
	default:
		err = &oauthError{"unsupported_grant_type", "The grant types are authorization_code, client_credentials and refresh_token."}
	}
	if fault, ok := errors.AsType[*oauthError](err); ok {
		writeOAuthError(w, http.StatusBadRequest, fault.code, fault.description)
		return
	}
	if err != nil {
		WriteError(w, err)
		return
	}
	answer.Type, answer.ExpiresIn = "Bearer", int(p.tokens.lifetime.Seconds())
	w.Header().Set("Pragma", "no-cache")
	WriteJSON(w, answer)
}

// redeem issues tokens for an authorization code.
func (p *Provider) redeem(r *http.Request, client Client) (tokenAnswer, error) {
	g, found := p.takeCode(r.PostForm.Get("code"))
	if !found || !g.matches(client.ID, r.PostForm) {
		return tokenAnswer{}, &oauthError{"invalid_grant", "The code is not known, was used, has expired or was made for something else."}
	}
	return p.issueTokens(r, g)
}

// refresh issues new tokens for a refresh token.
func (p *Provider) refresh(r *http.Request, client Client) (tokenAnswer, error) {
	g, err := p.takeRefresh(r.PostForm.Get("refresh_token"), client.ID, r.PostForm.Get("scope"))
	if err != nil {
		return tokenAnswer{}, err
	}
	return p.issueTokens(r, g)
}

// clientToken issues an access token for the client itself.
func (p *Provider) clientToken(r *http.Request, client Client) (tokenAnswer, error) {
	if client.Secret == "" {
		return tokenAnswer{}, &oauthError{"unauthorized_client", "A public client has no tokens of its own."}
	}
	scope, ok := client.allowedScopes(r.PostForm.Get("scope"), p.scopes)
	if !ok {
		return tokenAnswer{}, &oauthError{"invalid_scope", "The client may have none of these scopes."}
	}
	access, err := p.tokens.accessToken(p.Issuer(r), client.ID, scope, "", nil)
	return tokenAnswer{Access: access, Scope: scope}, err
}

// issueTokens issues the access token, refresh token and, with scope openid, ID token of a grant.
func (p *Provider) issueTokens(r *http.Request, g grant) (tokenAnswer, error) {
	answer := tokenAnswer{Scope: g.scope}
	var err error
	if answer.Access, err = p.tokens.accessToken(p.Issuer(r), g.client, g.scope, g.family, g.staff); err != nil {
		return answer, err
	}
	if HasScope(g.scope, "openid") {
		if answer.ID, err = p.tokens.idToken(p.Issuer(r), g); err != nil {
			return answer, err
		}
	}
	answer.Refresh = p.newRefresh(g)
	return answer, nil
}

type tokenAnswer struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int    `json:"expires_in"`
	Refresh   string `json:"refresh_token,omitempty"`
	Scope     string `json:"scope,omitempty"`
	ID        string `json:"id_token,omitempty"`
}

// serveRevoke is the revocation endpoint (RFC 7009). A refresh token is revoked with all tokens of its login. An
// unknown token counts as revoked.
func (p *Provider) serveRevoke(w http.ResponseWriter, r *http.Request) {
	if !Allow(w, r, http.MethodPost) {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil || r.PostForm.Get("token") == "" {
		writeOAuthError(w, http.StatusBadRequest, "invalid_request", "The form has no token.")
		return
	}
	client, ok := p.authenticate(w, r)
	if !ok {
		return
	}
	if !p.revoke(r.PostForm.Get("token"), client.ID) {
		writeOAuthError(w, http.StatusBadRequest, "unauthorized_client", "The token is another client's.")
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// authenticate returns the client of a request, by basic authentication or form fields. If ok is false, it has
// written the response.
func (p *Provider) authenticate(w http.ResponseWriter, r *http.Request) (Client, bool) {
	id, secret, basic := r.BasicAuth()
	if basic { // RFC 6749, 2.3.1: both are form-encoded first
		id, secret = unescaped(id), unescaped(secret)
		if r.PostForm.Has("client_secret") {
			writeOAuthError(w, http.StatusBadRequest, "invalid_request", "The client's secret came twice.")
			return Client{}, false
		}
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	client, known := p.clients[id]
	if !known || subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) != 1 {
		if basic {
			w.Header().Set("WWW-Authenticate", `Basic realm="sandbox"`)
		}
		writeOAuthError(w, http.StatusUnauthorized, "invalid_client", "The client is not known or its secret is wrong.")
		return Client{}, false
	}
	return client, true
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// writeOAuthError writes an OAuth error response.
func writeOAuthError(w http.ResponseWriter, status int, code, description string) {
	body, _ := json.Marshal(map[string]string{"error": code, "error_description": description}) // cannot fail
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(body)
}
