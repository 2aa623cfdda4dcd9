package sandbox

import (
	"crypto/subtle"
	"net/http"

	"housecount/apiclient/sandbox/idp"
)

// api wraps the handlers of a stream, by method, with the checks that all need: faults, method, credential and
// rate limit. HEAD is allowed wherever GET is.
func (s *service) api(st *stream, by map[string]streamHandler) http.Handler {
	methods := []string{http.MethodGet, http.MethodHead}
	for _, m := range []string{http.MethodPost, http.MethodPatch} {
		if by[m] != nil {
			methods = append(methods, m)
		}
	}
	return s.faults.Handler(st.name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !idp.Allow(w, r, methods...) || !s.authorized(w, r, st.name) {
			return
		}
		serve := by[r.Method]
		if r.Method == http.MethodHead {
			serve = by[http.MethodGet]
		}
		serve(w, r, st)
	}))
}

type streamHandler func(http.ResponseWriter, *http.Request, *stream)

// authorized reports whether a request has an API key or an access token with the scope for the stream, and is
// within the rate limit. Otherwise it has written the response.
func (s *service) authorized(w http.ResponseWriter, r *http.Request, stream string) bool {
	token := idp.Bearer(r)
	if token == "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox"`)
		idp.WriteProblem(w, http.StatusUnauthorized, "A bearer token is needed: an API key or an access token.")
		return false
	}
	if s.isKey(token) {
		return s.limits.spend(w, "key "+token)
	}
	c, err := s.login.Check(r)
	if err != nil {
		idp.RefuseToken(w)
		return false
	}
	scope := stream + ".write"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		scope = stream + ".read"
	}
	if !idp.HasScope(c.Scope, scope) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox", error="insufficient_scope", scope="`+scope+`"`)
		idp.WriteProblem(w, http.StatusForbidden, "The access token lacks the scope "+scope+".")
		return false
	}
	return s.limits.spend(w, "client "+c.ClientID+" "+c.Subject)
}

// isKey reports whether a token is the configured API key or one made on the account page.
func (s *service) isKey(token string) bool {
	key := s.options.APIKey
	return key != "" && subtle.ConstantTimeCompare([]byte(token), []byte(key)) == 1 || s.login.IsKey(token)
}
