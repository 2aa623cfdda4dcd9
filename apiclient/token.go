package apiclient

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"housecount/apiclient/profile"
)

const (
	// maxTokenBody is the largest token response that is read.
	maxTokenBody = 1 << 20
	// defaultTokenLife is how long a token without expires_in is used.
	defaultTokenLife = 5 * time.Minute
	// staleTokenGrace is how long a token that is still valid is used after renewing it failed.
	staleTokenGrace = 10 * time.Second
)

// tokens obtains tokens, by the client credentials flow or with stored grants, and uses each for
// 80 % of its lifetime. Concurrent callers share one request.
type tokens struct {
	c          *caller
	address    string
	id, secret string
	style      string
	form       map[string]string // of every request
	scope      string            // of the client credentials flow
	grants     Grants            // nil with the client credentials flow

	turn chan struct{} // holds a token while a request is under way

	mu           sync.Mutex
	token        string
	refusedToken string    // refused by the service; hidden in errors, and not used again
	granted      [2]string // the stored token and what it is renewed with; hidden in errors
	refreshAt    time.Time
	expires      time.Time
	// refusedRefresh is the refresh token that the service refused last; it is not sent before refusedUntil.
	refusedRefresh string
	refusedUntil   time.Time
}

func newTokens(c *caller, address *url.URL, o Options) *tokens {
	rule := c.profile.Auth.OAuth
	form := map[string]string{}
	for name, value := range rule.Params {
		form[name] = value
	}
	if rule.Style == profile.OAuthPost || rule.Style == profile.OAuthJSON {
		form["client_id"], form["client_secret"] = o.ClientID, o.ClientSecret
	}
	return &tokens{
		c: c, address: address.String(), id: o.ClientID, secret: o.ClientSecret, style: rule.Style, form: form, scope: strings.Join(o.Scopes, " "), grants: o.Grants,
		turn: make(chan struct{}, 1),
	}
}

// request returns the HTTP request for a token with further fields of its form.
func (t *tokens) request(ctx context.Context, fields map[string]string) (*http.Request, error) {
	form := maps.Clone(t.form)
	maps.Copy(form, fields)
	contentType, body := "application/x-www-form-urlencoded", ""
	if t.style == profile.OAuthJSON {
		text, _ := json.Marshal(form) // cannot fail for texts
		contentType, body = "application/json", string(text)
	} else {
		v := url.Values{}
		for name, value := range form {
			v.Set(name, value)
		}
		body = v.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.address, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", contentType)
	if t.style != profile.OAuthPost && t.style != profile.OAuthJSON {
		r.SetBasicAuth(url.QueryEscape(t.id), url.QueryEscape(t.secret)) // RFC 6749, section 2.3.1
	}
	return r, nil
}

// renew returns a token other than the refused one.
func (t *tokens) renew(ctx context.Context, refused string) (string, error) {
	t.mu.Lock()
	t.refusedToken = refused
	if t.token == refused {
		t.token = ""
	}
	t.mu.Unlock()
	return t.current(ctx)
}

// cached returns the stored token if it need not be replaced yet.
func (t *tokens) cached() (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token, t.token != "" && time.Now().Before(t.refreshAt)
}

// current returns the stored token, or a new one if it is due.
func (t *tokens) current(ctx context.Context) (string, error) {
	if token, ok := t.cached(); ok {
		return token, nil
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", contextError(ctx, "")
	}
	if token, ok := t.cached(); ok { // another caller has renewed it
		return token, nil
	}
	token, life, err := t.fetch(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if err != nil {
		if t.token != "" && now.Before(t.expires) && ctx.Err() == nil {
			t.refreshAt = now.Add(staleTokenGrace)
			return t.token, nil
		}
		return "", err
	}
	t.token, t.refreshAt, t.expires = token, now.Add(life*8/10), now.Add(life)
	return token, nil
}

// fetch returns another token and how long it lasts.
func (t *tokens) fetch(ctx context.Context) (token string, life time.Duration, err error) {
	if t.grants != nil {
		g, err := t.renewGrant(ctx)
		return g.Access, time.Until(g.Expires), err
	}
	form := map[string]string{"grant_type": "client_credentials"}
	if t.scope != "" {
		form["scope"] = t.scope
	}
	g, err := t.exchange(ctx, form)
	return g.Access, min(time.Until(g.Expires), 24*time.Hour), err
}

// tokenReply is the response to a request for a token.
type tokenReply struct {
	AccessToken  string      `json:"access_token"`
	RefreshToken string      `json:"refresh_token"`
	TokenType    string      `json:"token_type"`
	ExpiresIn    json.Number `json:"expires_in"` // some services quote the number
	Error        string      `json:"error"`
}

// life returns how long the token lasts.
func (r tokenReply) life() time.Duration {
	const most = 30 * 24 * time.Hour
	if n, err := r.ExpiresIn.Float64(); err == nil && n >= 1 {
		return time.Duration(min(n, most.Seconds()) * float64(time.Second))
	}
	return defaultTokenLife
}

// exchange makes one request for a token with fields of its form.
func (t *tokens) exchange(ctx context.Context, fields map[string]string) (g Grant, err error) {
	r, err := t.request(ctx, fields)
	if err != nil {
		return g, &Error{Kind: Rejected, Err: errors.New(t.c.clean(err.Error()))}
	}
	a, err := t.c.do(ctx, "", r, maxTokenBody)
	if err != nil {
		return g, err
	}
	if !a.success() {
		var refusal tokenReply
		_ = json.Unmarshal(a.body, &refusal) // a proxy's answer has no code
		return g, t.c.statusError("", a).refusedWith(refusal.Error)
	}
	var reply tokenReply
	err = json.Unmarshal(a.body, &reply)
	switch {
	case err == nil && reply.AccessToken == "" && reply.Error != "": // some services refuse with a 200
		e := &Error{Kind: Unauthorized, Status: a.status, Message: t.c.clean(errorMessage(a.body, ""))}
		return g, e.refusedWith(reply.Error)
	case err != nil, reply.AccessToken == "", !signer(t.c.profile.Auth).fits(reply.AccessToken),
		reply.TokenType != "" && signer(t.c.profile.Auth).isBearer() && !strings.EqualFold(reply.TokenType, profile.AuthBearer):
		return g, &Error{Kind: Garbage, Status: a.status, Err: errors.New("the answer holds no token to travel as the profile says")}
	}
	return reply.grant(time.Now()), nil
}

// refusedWith completes the error of an answer of the address for tokens by its code (RFC 6749, section 5.2), which may be empty.
// Without one a 401 refuses what was sent, and another status says nothing of it: proxies and services that are being started
// give those.
func (e *Error) refusedWith(code string) *Error {
	switch e.Kind {
	case Forbidden, NotOffered, Rejected: // invalid_client comes as a 400 as often as a 401
		e.Kind = Unauthorized
	case Unauthorized:
	default:
		return e
	}
	e.RefusedClient = code == "invalid_client" || code == "unauthorized_client"
	e.refusedGrant = code == "invalid_grant" || e.Status == http.StatusUnauthorized && !e.RefusedClient
	return e
}

// secrets returns everything that must not be shown, in every form in which it is sent.
func (t *tokens) secrets() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	basic := base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(t.id) + ":" + url.QueryEscape(t.secret)))
	auth := t.c.profile.Auth
	return slices.Concat(signer(auth).secrets(t.token), signer(auth).secrets(t.refusedToken), t.granted[:], []string{basic, t.secret})
}
