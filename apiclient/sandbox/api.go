package sandbox

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// api wraps a stream's handlers, by method, in what every one needs: faults, method,
// credential. Whoever may GET may HEAD.
func (s *service) api(st *stream, by map[string]streamHandler) http.Handler {
	methods := []string{http.MethodGet, http.MethodHead}
	for _, m := range []string{http.MethodPost, http.MethodPatch} {
		if by[m] != nil {
			methods = append(methods, m)
		}
	}
	return s.faulty(st.name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allow(w, r, methods...) || !s.authorized(w, r, st.name) {
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

// authorized reports whether a request carries an API key, or an access token with the scope
// for the stream, and that its holder may ask again already; otherwise it has answered.
func (s *service) authorized(w http.ResponseWriter, r *http.Request, stream string) bool {
	token := bearer(r)
	if token == "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox"`)
		writeProblem(w, http.StatusUnauthorized, "A bearer token is needed: an API key or an access token.")
		return false
	}
	if s.isKey(token) {
		return s.limits.spend(w, "key "+token)
	}
	c, err := s.login.check(r)
	if err != nil {
		refuseToken(w)
		return false
	}
	scope := stream + ".write"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		scope = stream + ".read"
	}
	if !hasScope(c.Scope, scope) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox", error="insufficient_scope", scope="`+scope+`"`)
		writeProblem(w, http.StatusForbidden, "The access token lacks the scope "+scope+".")
		return false
	}
	return s.limits.spend(w, "client "+c.ClientID+" "+c.Subject)
}

// isKey reports whether a token is an API key: the configured one or one of the account page.
func (s *service) isKey(token string) bool {
	key := s.options.APIKey
	return key != "" && subtle.ConstantTimeCompare([]byte(token), []byte(key)) == 1 || s.login.isKey(token)
}

// bearer is the token of a request, empty for none.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

func refuseToken(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox", error="invalid_token"`)
	writeProblem(w, http.StatusUnauthorized, "The bearer token is not known, not for this service, has expired or was revoked.")
}
