package handlers

import (
	"errors"
	"net/http"
	"net/url"

	"housecount/handlers/signin"
)

// login redirects the visitor to the sign-in service. A visitor who is logged in is redirected to the page
// instead, unless they want to change accounts.
func (s *site) login(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	to := s.returnPath(q.Get("return"))
	another, anew := q.Has("another"), q.Has("anew")
	if visitOf(r).staff != nil && !another && !anew {
		return redirect(w, to)
	}
	e, err := s.provider.Endpoints(r.Context())
	if err != nil {
		return signInFault(err)
	}
	at, err := s.attempts.Begin(w, r, signin.Attempt{Return: to, Again: q.Has("again"), Anew: anew, Unasked: q.Has("unasked")})
	if err != nil {
		return err
	}
	return redirect(w, e.AuthURL(at, another))
}

// maxReturn is the longest path to return to after a login, in bytes. The cookies of all open logins must fit a
// proxy's limit for headers, usually 8 KB.
const maxReturn = 400

// returnPath returns the path to return to after a login: asked, if that is one of our pages.
func (s *site) returnPath(asked string) string {
	if path, err := s.checkReturn(asked); err == nil {
		return path
	}
	return "/tonight"
}

func (s *site) checkReturn(asked string) (string, error) {
	if len(asked) > maxReturn {
		return "", errors.New("too long")
	}
	// A browser takes // and /\ for another host, after removing control characters.
	if len(asked) < 2 || asked[0] != '/' || asked[1] == '/' {
		return "", errors.New("not a path")
	}
	for i := range len(asked) {
		if c := asked[i]; c <= ' ' || c == '\\' || c >= 0x7f {
			return "", errors.New("not a clean path")
		}
	}
	u, err := url.Parse(asked)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" {
		return "", errors.New("not a path")
	}
	if _, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: u}); !s.pages[pattern] {
		return "", errors.New("not a page")
	}
	return asked, nil
}
