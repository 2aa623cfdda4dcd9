package apiclient

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"housecount/apiclient/profile"

	"golang.org/x/oauth2"
)

// Grant is what a person who authorized housecount has given: a token, and what to obtain the next
// one with. It is a secret.
type Grant struct {
	Access  string `json:"access"`
	Refresh string `json:"refresh"`
	// Due is when to obtain the next token, and Expires when this one ends.
	Due     time.Time `json:"due"`
	Expires time.Time `json:"expires"`
}

// Grants stores the Grant of a service where it outlives the process: a refresh token may be good
// for one use.
type Grants interface {
	// Renew calls renew with the stored grant and stores what that returns, nil for nothing new. It
	// lets one process at a time do so. Where nothing is stored that can be used, its error is an
	// *Error of kind Ungranted; others are of the place where it is stored, and pass.
	Renew(ctx context.Context, renew func(stored []byte) ([]byte, error)) error
}

// refusedGrantPause is how long a refresh token that the service refused is not sent again. Only a person can give another,
// and services take one that comes twice for a stolen one.
const refusedGrantPause = time.Hour

// errUngranted is why a stored grant is not taken.
var errUngranted = errors.New("the service no longer takes what was authorized: allow housecount there again, under Settings or by housecount authorize")

// renewGrant returns the stored grant, or one that is obtained with its refresh token if its own is
// due or refused. The exchange is finished even if ctx ends: an unstored refresh token is lost. The error is of kind Ungranted
// where a person has to authorize housecount again, and Unstored where what was stored cannot be read or replaced now.
func (t *tokens) renewGrant(ctx context.Context) (g Grant, err error) {
	t.mu.Lock()
	refused := t.refusedToken
	t.mu.Unlock()
	lasting := context.WithoutCancel(ctx)
	err = t.grants.Renew(ctx, func(stored []byte) ([]byte, error) {
		if err := json.Unmarshal(stored, &g); err != nil {
			return nil, &Error{Kind: Ungranted, Err: errors.New("what was stored of the authorization cannot be read: allow housecount again")}
		}
		t.hide(g)
		if g.Access != refused && time.Now().Before(g.Due) {
			return nil, nil
		}
		if t.isRefused(g.Refresh) {
			return nil, &Error{Kind: Ungranted, Err: errUngranted}
		}
		next, err := t.exchange(lasting, map[string]string{"grant_type": "refresh_token", "refresh_token": g.Refresh})
		if e, ok := errors.AsType[*Error](err); ok && e.refusedGrant {
			e.Kind, e.Err = Ungranted, errUngranted
			t.refuse(g.Refresh)
		}
		if e, ok := errors.AsType[*Error](err); ok && e.transient && g.Access != refused && time.Now().Before(g.Expires) {
			return nil, nil // it is good for a while yet
		}
		if err != nil {
			return nil, err
		}
		if next.Refresh == "" {
			next.Refresh = g.Refresh
		}
		g = next
		t.hide(g)
		return json.Marshal(g)
	})
	if _, ok := errors.AsType[*Error](err); err != nil && !ok {
		if ctx.Err() != nil {
			return g, contextError(ctx, "")
		}
		err = &Error{Kind: Unstored, Err: err}
	}
	return g, err
}

// refuse remembers a refresh token that the service refused.
func (t *tokens) refuse(refresh string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refusedRefresh, t.refusedUntil = refresh, time.Now().Add(refusedGrantPause)
}

// isRefused reports whether the service refused a refresh token a short while ago.
func (t *tokens) isRefused(refresh string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return refresh == t.refusedRefresh && time.Now().Before(t.refusedUntil)
}

// hide keeps a grant out of errors.
func (t *tokens) hide(g Grant) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.granted = [2]string{g.Access, g.Refresh}
}

// grant returns the token of a response as a Grant.
func (r tokenReply) grant(now time.Time) Grant {
	life := r.life()
	return Grant{Access: r.AccessToken, Refresh: r.RefreshToken, Due: now.Add(life * 8 / 10), Expires: now.Add(life)}
}

// Authorization lets a person authorize housecount at a service, by the authorization code flow.
type Authorization struct {
	tokens   *tokens
	redirect string
	state    string
	verifier string // of PKCE, empty without
	address  *url.URL
	scopes   []string
}

// NewAuthorization returns one for the profile, client and scopes of o. redirect is the address to
// which the service leads the person back; it has to be registered there.
func NewAuthorization(o Options, redirect string) (*Authorization, error) {
	o.APIKey, o.Grants = "", noGrants{}
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	rule := c.profile.Auth.OAuth
	if rule.Grant != profile.GrantCode {
		return nil, errors.New("the profile " + c.profile.Name + " needs no authorization by a person: give its API key or client credentials")
	}
	if _, why := profile.ParseAddress(redirect); why != "" {
		return nil, errors.New("the redirect address " + why)
	}
	address, _ := url.Parse(rule.AuthorizeURL) // With has read it
	a := &Authorization{tokens: c.tokens, redirect: redirect, state: rand.Text(), address: address, scopes: c.scopes}
	if rule.PKCE {
		a.verifier = oauth2.GenerateVerifier()
	}
	return a, nil
}

// noGrants stands in for grants before there are any.
type noGrants struct{}

func (noGrants) Renew(context.Context, func([]byte) ([]byte, error)) error {
	return &Error{Kind: Ungranted, Err: errors.New("there is no grant yet")}
}

// State returns what the service adds to the redirect address, by which its answer is known to be to this authorization.
func (a *Authorization) State() string { return a.state }

// URL returns the address at which a person authorizes housecount.
func (a *Authorization) URL() string {
	u := *a.address
	v := u.Query()
	v.Set("response_type", "code")
	v.Set("client_id", a.tokens.id)
	v.Set("redirect_uri", a.redirect)
	v.Set("state", a.state)
	if len(a.scopes) > 0 {
		v.Set("scope", strings.Join(a.scopes, " "))
	}
	if a.verifier != "" {
		v.Set("code_challenge", oauth2.S256ChallengeFromVerifier(a.verifier))
		v.Set("code_challenge_method", "S256")
	}
	u.RawQuery = v.Encode()
	return u.String()
}

// ErrOtherAuthorization is returned by Finish for an address that belongs to another authorization.
var ErrOtherAuthorization = errors.New("this is the answer to another authorization: open the address that was printed last")

// Finish obtains the grant with what the service added to the redirect address, and returns it as
// Grants stores it.
func (a *Authorization) Finish(ctx context.Context, answer url.Values) ([]byte, error) {
	switch {
	case answer.Get("state") != a.state:
		return nil, ErrOtherAuthorization
	case answer.Get("error") != "":
		return nil, errors.New("the service refused: " + a.tokens.c.clean(strings.TrimSpace(answer.Get("error")+" "+answer.Get("error_description"))))
	case answer.Get("code") == "":
		return nil, errors.New("the address has no code: copy it whole")
	}
	form := map[string]string{"grant_type": "authorization_code", "code": answer.Get("code"), "redirect_uri": a.redirect}
	if a.verifier != "" {
		form["code_verifier"] = a.verifier
	}
	g, err := a.tokens.exchange(ctx, form)
	if err != nil {
		return nil, err
	}
	if g.Refresh == "" {
		return nil, &Error{Kind: Garbage, Status: http.StatusOK, Err: errors.New("the service gave a token and nothing to renew it with; ask it for offline access, by scopes or params of auth.oauth")}
	}
	return json.Marshal(g)
}
