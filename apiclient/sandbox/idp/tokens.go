package idp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// The typ headers of the two kinds of token.
const (
	typeAccess = "at+jwt"
	typeID     = "JWT"
)

// tokens signs and checks JWTs. Keys are created at the start and on each rotation.
type tokens struct {
	lifetime time.Duration // of access and ID tokens, in real time

	mu      sync.Mutex
	keys    []signingKey         // the last one signs
	revoked map[string]time.Time // token ids and families, with the time until which an entry is needed
}

// signingKey is a signing key. After a rotation it still verifies the tokens that it signed.
type signingKey struct {
	public        jose.JSONWebKey
	access, ident jose.Signer
	verifyUntil   time.Time // zero while it signs
}

// claims are the claims of both kinds of token.
type claims struct {
	jwt.Claims
	ClientID string           `json:"client_id,omitempty"`
	Scope    string           `json:"scope,omitempty"`
	Family   string           `json:"family,omitempty"` // shared by all tokens of one login
	Nonce    string           `json:"nonce,omitempty"`
	AuthTime *jwt.NumericDate `json:"auth_time,omitempty"`
	Name     string           `json:"name,omitempty"`
	User     string           `json:"preferred_username,omitempty"`
	Roles    []string         `json:"roles,omitempty"`
	Email    string           `json:"email,omitempty"`
	Verified bool             `json:"email_verified,omitempty"`
}

func newTokens(lifetime time.Duration) (*tokens, error) {
	t := &tokens{lifetime: lifetime, revoked: map[string]time.Time{}}
	return t, t.rotate()
}

// rotate creates the key that signs from now on.
func (t *tokens) rotate() error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("sandbox: signing key: %w", err)
	}
	key := jose.JSONWebKey{Key: private, Algorithm: string(jose.ES256), Use: "sig"}
	thumb, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return fmt.Errorf("sandbox: signing key: %w", err)
	}
	key.KeyID = base64.RawURLEncoding.EncodeToString(thumb)
	made := signingKey{public: key.Public()}
	for _, s := range []struct {
		into *jose.Signer
		typ  jose.ContentType
	}{{&made.access, typeAccess}, {&made.ident, typeID}} {
		*s.into, err = jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, (&jose.SignerOptions{}).WithType(s.typ))
		if err != nil {
			return fmt.Errorf("sandbox: signer: %w", err)
		}
	}
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys = slices.DeleteFunc(t.keys, func(k signingKey) bool { return !k.verifyUntil.IsZero() && now.After(k.verifyUntil) })
	if n := len(t.keys); n > 0 {
		t.keys[n-1].verifyUntil = now.Add(t.lifetime)
	}
	t.keys = append(t.keys, made)
	return nil
}

func (t *tokens) current() signingKey {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys[len(t.keys)-1]
}

// keySet returns the public keys, including those rotated out.
func (t *tokens) keySet() jose.JSONWebKeySet {
	t.mu.Lock()
	defer t.mu.Unlock()
	var set jose.JSONWebKeySet
	for _, k := range t.keys {
		set.Keys = append(set.Keys, k.public)
	}
	return set
}

// revoke revokes the token with an id, or all access tokens of a family.
func (t *tokens) revoke(id string) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.revoked, func(_ string, until time.Time) bool { return now.After(until) })
	t.revoked[id] = now.Add(t.lifetime)
}

func (t *tokens) isRevoked(c claims) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, one := t.revoked[c.ID]
	_, all := t.revoked[c.Family]
	return one || all && c.Family != ""
}

// accessToken issues an access token. staff is nil for a client's own token.
func (t *tokens) accessToken(issuer, client, scope, family string, staff *Staff) (string, error) {
	c := claims{Claims: t.newClaims(issuer, client, issuer), ClientID: client, Scope: scope, Family: family}
	c.setStaff(staff)
	return jwt.Signed(t.current().access).Claims(c).Serialize()
}

// idToken issues an ID token.
func (t *tokens) idToken(issuer string, g grant) (string, error) {
	c := claims{Claims: t.newClaims(issuer, g.staff.User, g.client), Nonce: g.nonce, AuthTime: jwt.NewNumericDate(g.authTime)}
	c.setStaff(g.staff)
	c.setEmail(g.staff.Email, g.scope)
	return jwt.Signed(t.current().ident).Claims(c).Serialize()
}

// newClaims returns the registered claims of a new token.
func (t *tokens) newClaims(issuer, subject, audience string) jwt.Claims {
	now := time.Now()
	return jwt.Claims{
		Issuer: issuer, Subject: subject, Audience: jwt.Audience{audience}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(t.lifetime)),
	}
}

func (c *claims) setStaff(s *Staff) {
	if s != nil {
		c.Subject, c.Name, c.User, c.Roles = s.User, s.Name, s.User, s.Roles
	}
}

// setEmail sets the address where the scope includes it.
func (c *claims) setEmail(email, scope string) {
	if HasScope(scope, "email") && email != "" {
		c.Email, c.Verified = email, true
	}
}

// parse verifies the signature and the kind of a token, not its times.
func (t *tokens) parse(text, typ string) (claims, error) {
	var c claims
	parsed, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return c, err
	}
	if got := parsed.Headers[0].ExtraHeaders[jose.HeaderType]; got != typ {
		return c, fmt.Errorf("token is of type %v, not %s", got, typ)
	}
	keys := t.keySet()
	known := keys.Key(parsed.Headers[0].KeyID)
	if len(known) == 0 {
		return c, errors.New("token is signed with a key that is not known")
	}
	return c, parsed.Claims(known[0], &c)
}

// check returns the claims of an access token. It fails if the token is for another issuer, expired or revoked.
func (t *tokens) check(text, issuer string) (claims, error) {
	c, err := t.parse(text, typeAccess)
	if err != nil {
		return c, err
	}
	if c.Expiry == nil {
		return c, errors.New("token has no expiry")
	}
	if t.isRevoked(c) {
		return c, errors.New("token was revoked")
	}
	return c, c.ValidateWithLeeway(jwt.Expected{Issuer: issuer, AnyAudience: jwt.Audience{issuer}, Time: time.Now()}, 0)
}
