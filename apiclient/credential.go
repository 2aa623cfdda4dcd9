package apiclient

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"housecount/apiclient/profile"
)

// maxRedirects is the most redirects in a row that are followed.
const maxRedirects = 5

// signer adds a credential to requests as the profile says.
type signer profile.AuthRule

// sign adds key to r with that body, replacing any credential that is there. It returns the
// signature of a request that is signed instead, empty for others.
func (a signer) sign(r *http.Request, key, body string) (signature string) {
	switch a.Kind {
	case profile.AuthHMAC:
		secret, _ := a.Sign.Key(key) // Options.check has read it
		return a.Sign.Sign(r, secret, []byte(body), time.Now())
	case profile.AuthHeader:
		switch {
		case a.Template != "":
			key = strings.ReplaceAll(a.Template, "{key}", key)
		case a.Scheme != "":
			key = a.Scheme + " " + key
		}
		r.Header.Set(a.header(), key)
	case profile.AuthBasic:
		r.SetBasicAuth(a.login(key))
	case profile.AuthQuery:
		u := *r.URL
		u.RawQuery = removeParam(u.RawQuery, a.Param)
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += url.QueryEscape(a.Param) + "=" + url.QueryEscape(key)
		r.URL = &u
	case profile.AuthNone:
	default:
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return ""
}

// recentSignatures holds the last signatures that were sent, so that no error shows one. It is safe
// for concurrent use.
type recentSignatures struct {
	mu   sync.Mutex
	all  [16]string
	next int
}

func (s *recentSignatures) add(signature string) {
	if signature == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[s.next] = signature
	s.next = (s.next + 1) % len(s.all)
}

func (s *recentSignatures) secrets() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.all[:]), func(one string) bool { return one == "" })
}

// header returns the name of the header that carries the credential.
func (a signer) header() string { return cmp.Or(a.Header, "Authorization") }

// login returns the user name and the password for basic authentication with key.
func (a signer) login(key string) (user, password string) {
	if a.User != "" {
		return a.User, key
	}
	return key, ""
}

// isBearer reports whether the credential is a bearer token.
func (a signer) isBearer() bool { return a.Kind == "" || a.Kind == profile.AuthBearer }

// credentialParam returns the query parameter that carries the credential, empty if none does.
func (a signer) credentialParam() string {
	if a.Kind == profile.AuthQuery {
		return a.Param
	}
	return ""
}

// secrets returns every form in which key is sent.
func (a signer) secrets(key string) []string {
	if a.Kind != profile.AuthBasic || key == "" {
		return []string{key}
	}
	user, password := a.login(key)
	return []string{base64.StdEncoding.EncodeToString([]byte(user + ":" + password)), key}
}

// fits reports whether key can be sent without encoding.
func (a signer) fits(key string) bool {
	switch a.Kind {
	case profile.AuthBasic, profile.AuthQuery:
		return profile.Printable(key)
	case profile.AuthHMAC:
		_, err := a.Sign.Key(key)
		return err == nil && profile.Printable(key)
	}
	return profile.FitsHeader(key)
}

// sameOriginRedirect allows redirects only within the origin of the first request, because the
// credential is sent along.
//
// A signed request is not redirected: its signature is of the first address.
func (a signer) sameOriginRedirect(r *http.Request, via []*http.Request) error {
	if a.Kind == profile.AuthHMAC {
		return http.ErrUseLastResponse
	}
	if origin(r.URL) != origin(via[0].URL) {
		return foreignError{host: r.URL.Scheme + "://" + r.URL.Host}
	}
	if len(via) > maxRedirects {
		return loopError{}
	}
	if param := a.credentialParam(); param != "" {
		if key := via[0].URL.Query().Get(param); key != "" {
			a.sign(r, key, "")
		}
	}
	return nil
}

// foreignError and loopError are returned by sameOriginRedirect; http.Client wraps them.
type (
	foreignError struct{ host string }
	loopError    struct{}
)

func (loopError) Error() string { return "redirect after redirect" }

func (e foreignError) Error() string {
	return "redirect to " + e.host + ", where the credential is not sent; give --api-url that address if it is the service's own"
}
