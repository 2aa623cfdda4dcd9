package idp

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"time"
)

// grant is the permission behind an authorization code or a refresh token.
type grant struct {
	client, redirectURI, challenge, nonce, scope string

	family            string // shared by all tokens issued from it
	used              bool
	staff             *Staff
	authTime, expires time.Time
}

// matches reports whether a code was issued to this client for this redirect URI and verifier. A code without a
// challenge must come without a verifier.
func (g grant) matches(client string, form url.Values) bool {
	verifier := form.Get("code_verifier")
	if g.client != client || g.redirectURI != form.Get("redirect_uri") {
		return false
	}
	if g.challenge == "" {
		return verifier == ""
	}
	return len(verifier) >= 43 && len(verifier) <= 128 &&
		subtle.ConstantTimeCompare([]byte(challengeOf(verifier)), []byte(g.challenge)) == 1
}

// challengeOf returns the S256 code challenge of a verifier (RFC 7636).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// refreshToken is the state of a refresh token. It can be used once; each refresh issues a new one. A second use
// means that it was stolen, and revokes all tokens of its family.
type refreshToken struct {
	grant grant
	used  bool
}

// allowedScopes returns the requested scopes that the client may have, or all its read scopes if none were
// requested. ok is false if none are left.
func (c Client) allowedScopes(asked string, known []string) (scope string, ok bool) {
	list := strings.Fields(asked)
	if len(list) == 0 {
		list = slices.DeleteFunc(slices.Clone(known), func(s string) bool { return !strings.HasSuffix(s, ".read") })
	}
	list = slices.DeleteFunc(list, func(s string) bool {
		return !slices.Contains(known, s) || len(c.Scopes) > 0 && !slices.Contains(c.Scopes, s)
	})
	return strings.Join(list, " "), len(list) > 0
}

func HasScope(scopes, one string) bool {
	return slices.Contains(strings.Fields(scopes), one)
}

// oauthError is an error response of RFC 6749.
type oauthError struct{ code, description string }

func (f *oauthError) Error() string { return f.code + ": " + f.description }
