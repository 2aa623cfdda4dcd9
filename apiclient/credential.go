package apiclient

import (
	"encoding/base64"
	"net/http"
	"net/url"
)

// sign puts key on r. It replaces what is there of it.
func (a authRule) sign(r *http.Request, key string) {
	switch a.Kind {
	case authHeader:
		if a.Scheme != "" {
			key = a.Scheme + " " + key
		}
		r.Header.Set(a.header(), key)
	case authBasic:
		r.SetBasicAuth(a.login(key))
	case authQuery:
		u := *r.URL
		u.RawQuery = without(u.RawQuery, a.Param)
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += url.QueryEscape(a.Param) + "=" + url.QueryEscape(key)
		r.URL = &u
	case authNone:
	default:
		r.Header.Set("Authorization", "Bearer "+key)
	}
}

// header is the name of the header that holds the credential.
func (a authRule) header() string {
	if a.Header == "" {
		return "Authorization"
	}
	return a.Header
}

// login is the user name and the password that key makes.
func (a authRule) login(key string) (user, password string) {
	if a.User != "" {
		return a.User, key
	}
	return key, ""
}

// bearer says that the credential is a bearer token.
func (a authRule) bearer() bool { return a.Kind == "" || a.Kind == authBearer }

// hidden is the parameter that holds the credential, empty when none does.
func (a authRule) hidden() string {
	if a.Kind == authQuery {
		return a.Param
	}
	return ""
}

// secrets lists key in each form in which it travels.
func (a authRule) secrets(key string) []string {
	if a.Kind != authBasic || key == "" {
		return []string{key}
	}
	user, password := a.login(key)
	return []string{base64.StdEncoding.EncodeToString([]byte(user + ":" + password)), key}
}

// fits says that key can travel as it is.
func (a authRule) fits(key string) bool {
	switch a.Kind {
	case authBasic, authQuery:
		return printable(key)
	}
	return token68(key)
}

// stayHome lets a redirect pass only to the origin of the first request: the credential
// travels along.
func (a authRule) stayHome(r *http.Request, via []*http.Request) error {
	if origin(r.URL) != origin(via[0].URL) {
		return foreignError{host: r.URL.Scheme + "://" + r.URL.Host}
	}
	if len(via) > maxRedirects {
		return loopError{}
	}
	if param := a.hidden(); param != "" {
		if key := via[0].URL.Query().Get(param); key != "" {
			a.sign(r, key)
		}
	}
	return nil
}
