package sandbox

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// tokenLifetime is how long access and ID tokens are good for, in real time.
const tokenLifetime = time.Hour

// The typ headers that tell the two kinds of token apart.
const (
	typeAccess = "at+jwt"
	typeID     = "JWT"
)

// tokens signs and checks JWTs with a key made at the start.
type tokens struct {
	public        jose.JSONWebKey
	access, ident jose.Signer
}

// claims are those of both kinds of token.
type claims struct {
	jwt.Claims
	ClientID string           `json:"client_id,omitempty"`
	Scope    string           `json:"scope,omitempty"`
	Nonce    string           `json:"nonce,omitempty"`
	AuthTime *jwt.NumericDate `json:"auth_time,omitempty"`
	Name     string           `json:"name,omitempty"`
	User     string           `json:"preferred_username,omitempty"`
	Roles    []string         `json:"roles,omitempty"`
}

func newTokens() (*tokens, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("sandbox: signing key: %w", err)
	}
	key := jose.JSONWebKey{Key: private, Algorithm: string(jose.ES256), Use: "sig"}
	thumb, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("sandbox: signing key: %w", err)
	}
	key.KeyID = base64.RawURLEncoding.EncodeToString(thumb)
	t := &tokens{public: key.Public()}
	for _, s := range []struct {
		into *jose.Signer
		typ  jose.ContentType
	}{{&t.access, typeAccess}, {&t.ident, typeID}} {
		*s.into, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithType(s.typ))
		if err != nil {
			return nil, fmt.Errorf("sandbox: signer: %w", err)
		}
	}
	return t, nil
}

// accessToken makes a token for the API. staff is nil for a client's own.
func (t *tokens) accessToken(issuer, client, scope string, staff *Staff) (string, error) {
	c := claims{Claims: fresh(issuer, client, issuer), ClientID: client, Scope: scope}
	c.describe(staff)
	return jwt.Signed(t.access).Claims(c).Serialize()
}

// idToken tells a client who logged in.
func (t *tokens) idToken(issuer string, g grant) (string, error) {
	c := claims{Claims: fresh(issuer, g.staff.User, g.client), Nonce: g.nonce, AuthTime: jwt.NewNumericDate(g.authTime)}
	c.describe(g.staff)
	return jwt.Signed(t.ident).Claims(c).Serialize()
}

// fresh are the registered claims of a new token.
func fresh(issuer, subject, audience string) jwt.Claims {
	now := time.Now()
	return jwt.Claims{
		Issuer: issuer, Subject: subject, Audience: jwt.Audience{audience}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(tokenLifetime)),
	}
}

func (c *claims) describe(s *Staff) {
	if s != nil {
		c.Subject, c.Name, c.User, c.Roles = s.User, s.Name, s.User, s.Roles
	}
}

// read checks the signature and the kind of a token, not its times.
func (t *tokens) read(text, typ string) (claims, error) {
	var c claims
	parsed, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return c, err
	}
	if got := parsed.Headers[0].ExtraHeaders[jose.HeaderType]; got != typ {
		return c, fmt.Errorf("token is of type %v, not %s", got, typ)
	}
	return c, parsed.Claims(t.public, &c)
}

// check reads an access token and refuses one that is not for this API or has expired.
func (t *tokens) check(text, issuer string) (claims, error) {
	c, err := t.read(text, typeAccess)
	if err != nil {
		return c, err
	}
	if c.Expiry == nil {
		return c, errors.New("token has no expiry")
	}
	return c, c.ValidateWithLeeway(jwt.Expected{Issuer: issuer, AnyAudience: jwt.Audience{issuer}, Time: time.Now()}, 0)
}

// bearer is the token of a request, empty for none.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// authorized says that a request carries the API key or an access token; otherwise it has
// answered.
func (s *Sandbox) authorized(w http.ResponseWriter, r *http.Request) bool {
	token := bearer(r)
	if key := s.options.APIKey; key != "" && subtle.ConstantTimeCompare([]byte(token), []byte(key)) == 1 {
		return true
	}
	if token == "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox"`)
		writeProblem(w, http.StatusUnauthorized, "A bearer token is needed: an API key or an access token.")
		return false
	}
	if _, err := s.login.tokens.check(token, s.issuer(r)); err != nil {
		refuseToken(w)
		return false
	}
	return true
}

func refuseToken(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="sandbox", error="invalid_token"`)
	writeProblem(w, http.StatusUnauthorized, "The bearer token is not known, not for this service, or has expired.")
}

// challengeOf is the S256 code challenge of a verifier (RFC 7636).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
