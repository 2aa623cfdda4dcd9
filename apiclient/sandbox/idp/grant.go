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

// grant is what an authorization code stands for.
type grant struct {
	client, redirectURI, challenge, nonce, scope string

	family            string // of all tokens that come of it
	used              bool
	staff             *Staff
	authTime, expires time.Time
}

// fits reports whether a code was made for this client, address and verifier; one that was asked
// for without a challenge has no verifier.
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

// challengeOf is the S256 code challenge of a verifier (RFC 7636).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// refreshToken is what a refresh token stands for. It is good once: the next one comes with
// the tokens that are given for it. One that comes twice was stolen from somebody, so that
// all tokens of its family are taken back.
type refreshToken struct {
	grant grant
	used  bool
}

// granted is what of the scopes that were asked for the client may have, all that read when
// it asked for none; ok is false when nothing is left.
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

// oauthFault is an error as RFC 6749 has it.
type oauthError struct{ code, description string }

func (f *oauthError) Error() string { return f.code + ": " + f.description }
