package apiclient

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"

	"housecount/apiclient/profile"
)

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 5

// signer puts a credential on requests as a profile has it.
type signer profile.AuthRule

// sign puts key on r. It replaces what is there of it.
func (a signer) sign(r *http.Request, key string) {
	switch a.Kind {
	case profile.AuthHeader:
		if a.Scheme != "" {
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
}

// header is the name of the header that holds the credential.
func (a signer) header() string { return cmp.Or(a.Header, "Authorization") }

// login is the user name and the password that key makes.
func (a signer) login(key string) (user, password string) {
	if a.User != "" {
		return a.User, key
	}
	return key, ""
}

// bearer says that the credential is a bearer token.
func (a signer) isBearer() bool { return a.Kind == "" || a.Kind == profile.AuthBearer }

// hidden is the parameter that holds the credential, empty when none does.
func (a signer) credentialParam() string {
	if a.Kind == profile.AuthQuery {
		return a.Param
	}
	return ""
}

// secrets lists key in each form in which it travels.
func (a signer) secrets(key string) []string {
	if a.Kind != profile.AuthBasic || key == "" {
		return []string{key}
	}
	user, password := a.login(key)
	return []string{base64.StdEncoding.EncodeToString([]byte(user + ":" + password)), key}
}

// fits says that key can travel as it is.
func (a signer) fits(key string) bool {
	switch a.Kind {
	case profile.AuthBasic, profile.AuthQuery:
		return profile.Printable(key)
	}
	return profile.FitsHeader(key)
}

// sameOriginRedirect lets a redirect pass only to the origin of the first request: the credential
// travels along.
func (a signer) sameOriginRedirect(r *http.Request, via []*http.Request) error {
	if origin(r.URL) != origin(via[0].URL) {
		return foreignError{host: r.URL.Scheme + "://" + r.URL.Host}
	}
	if len(via) > maxRedirects {
		return loopError{}
	}
	if param := a.credentialParam(); param != "" {
		if key := via[0].URL.Query().Get(param); key != "" {
			a.sign(r, key)
		}
	}
	return nil
}

// foreignError and loopError are what sameOriginRedirect answers; http.Client wraps them.
type (
	foreignError struct{ host string }
	loopError    struct{}
)

func (loopError) Error() string { return "redirect after redirect" }

func (e foreignError) Error() string { return "redirect to " + e.host }
