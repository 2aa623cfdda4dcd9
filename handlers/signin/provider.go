package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// The addresses of ours that the sign-in service has to know.
const (
	// CallbackPath is where it redirects to after a login, and SignedOutPath after its own logout.
	CallbackPath  = "/login/callback"
	SignedOutPath = "/signed-out"
	// BackchannelPath is where it ends sessions.
	BackchannelPath = "/backchannel-logout"
)

const (
	providerTimeout = 10 * time.Second
	providerMaxBody = 1 << 20 // bytes
	// clockSkew is by how much the sign-in service's clock may be behind ours.
	clockSkew = 150 * time.Second
)

// The prompts that most providers support for another account, and for the password.
const (
	selectAccount = "select_account"
	askPassword   = "login"
)

// emailScope is the scope for the e-mail address.
const emailScope = "email"

// ErrDown is returned if the sign-in service did not answer, or answered with a failure of its own.
var ErrDown = errors.New("sign-in service does not answer")

// signingAlgorithms are accepted if the service does not publish its own. All are asymmetric, so that published
// keys cannot be misused as secrets.
var signingAlgorithms = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// Provider is the sign-in service.
type Provider struct {
	login    Login
	redirect string          // our callback
	base     context.Context // carries the HTTP client and never ends
	logouts  context.Context // carries the client for the keys of logout tokens, and never ends
	found    atomic.Pointer[Endpoints]

	forced  atomic.Int64  // when a failed verification last caused a discovery, in Unix milliseconds
	turn    chan struct{} // held by the goroutine that discovers
	failed  time.Time     // when the last discovery failed; guarded by turn
	failure error
}

// Endpoints is what is known of the sign-in service.
type Endpoints struct {
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
	idToken  bool   // the login gives an ID token, otherwise a JWT access token
	logout   string // end_session_endpoint; empty for none
	// another is the prompt for choosing another account, and anew the one for entering the password again; empty
	// for none.
	another, anew string
	AuthTime      bool // it publishes the claim auth_time
	// logoutVerifier verifies logout tokens, except their times; nil for none.
	logoutVerifier *oidc.IDTokenVerifier
	userinfo       func(context.Context, oauth2.TokenSource) (*oidc.UserInfo, error) // nil without one
}

// NewProvider returns the provider without calling it.
func NewProvider(ctx context.Context, l Login, redirect string) *Provider {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// The provider may close an idle connection just when a code is sent on it, and a code is not sent twice.
	transport.DisableKeepAlives = true
	client := &http.Client{
		Timeout:   providerTimeout,
		Transport: limited{transport},
		// A redirect is never followed, because it could take a secret elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	p := &Provider{
		login:    l,
		redirect: redirect,
		base:     oidc.ClientContext(context.WithoutCancel(ctx), client),
		turn:     make(chan struct{}, 1),
	}
	p.logouts = oidc.ClientContext(p.base, &http.Client{
		Timeout: client.Timeout, CheckRedirect: client.CheckRedirect, Transport: &rationed{RoundTripper: client.Transport},
	})
	if l.Issuer == "" {
		keys := oidc.NewRemoteKeySet(p.base, l.JWKSURL)
		p.found.Store(&Endpoints{
			another: selectAccount, anew: askPassword,
			oauth: p.oauthConfig(oauth2.Endpoint{AuthURL: l.AuthURL, TokenURL: l.TokenURL}, nil),
			verifier: oidc.NewVerifier("", keys, &oidc.Config{
				ClientID:             cmp.Or(l.Audience, l.ClientID),
				SupportedSigningAlgs: signingAlgorithms,
				SkipIssuerCheck:      true, // there is no issuer to check
				Now:                  tokenNow,
			}),
		})
	}
	return p
}

// client returns the HTTP client for the sign-in service.
func (p *Provider) client() *http.Client { return p.base.Value(oauth2.HTTPClient).(*http.Client) }

// tokenNow returns the time for checking the expiry of tokens, with a tolerance that the library lacks.
func tokenNow() time.Time { return time.Now().Add(-clockSkew) }

// oauthConfig chooses how the secret is sent: as the service publishes, or in the header if it publishes nothing.
func (p *Provider) oauthConfig(e oauth2.Endpoint, methods []string) oauth2.Config {
	e.AuthStyle = oauth2.AuthStyleInHeader
	inParams := !slices.Contains(methods, "client_secret_basic") && slices.Contains(methods, "client_secret_post")
	if p.login.ClientSecret == "" || inParams {
		e.AuthStyle = oauth2.AuthStyleInParams
	}
	return oauth2.Config{
		ClientID:     p.login.ClientID,
		ClientSecret: p.login.ClientSecret,
		Endpoint:     e,
		RedirectURL:  p.redirect,
		Scopes:       p.login.Scopes,
	}
}

// Endpoints returns what is known of the sign-in service, and discovers it if nothing is known yet.
func (p *Provider) Endpoints(ctx context.Context) (*Endpoints, error) {
	if e := p.found.Load(); e != nil {
		return e, nil
	}
	return p.discoverAnew(ctx, p.base, nil) // not within ctx, because the result serves everybody
}

// discoverAnew discovers the sign-in service within base, unless endpoints other than old are known by now.
// One caller discovers; others wait within ctx and share the result, so that many logins do not become many
// requests to the sign-in service.
func (p *Provider) discoverAnew(ctx, base context.Context, old *Endpoints) (*Endpoints, error) {
	came := time.Now()
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if e := p.found.Load(); e != old {
		return e, nil
	}
	if p.failed.After(came) {
		return nil, p.failure
	}
	base, cancel := context.WithTimeout(base, providerTimeout)
	defer cancel()
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = 100 * time.Millisecond
	e, err := backoff.Retry(base, func() (*Endpoints, error) {
		e, _, err := p.discover(base)
		return e, err
	},
		backoff.WithBackOff(pause), backoff.WithMaxTries(3))
	if err != nil {
		p.failed, p.failure = time.Now(), fmt.Errorf("%w: discover %s: %s", ErrDown, p.login.Issuer, clip(err.Error()))
		return nil, p.failure
	}
	p.found.Store(e)
	return e, nil
}

const (
	// discoverEvery is how often the sign-in service is discovered again, discoverPause how soon
	// after that failed.
	discoverEvery = time.Hour
	discoverPause = 20 * time.Second
	// forcedEvery is how often that may happen because something could not be verified: strangers
	// can send what cannot.
	forcedEvery = time.Minute
)

// KeepDiscovered discovers the sign-in service at once, so that a wrong issuer is logged before
// anybody wants to log in, and again every hour, until ctx ends. When that fails, what was known
// goes on.
func (p *Provider) KeepDiscovered(ctx context.Context, log *slog.Logger) {
	if p.login.Issuer == "" {
		return
	}
	base := oidc.ClientContext(ctx, p.client())
	failed := "" // the text of the last failure, so that one that repeats is logged once
	for old := (*Endpoints)(nil); ; old = p.found.Load() {
		_, err := p.discoverAnew(ctx, base, old)
		pause, text := discoverEvery, ""
		if err != nil {
			pause, text = discoverPause, err.Error()
		}
		if err != nil && text != failed && ctx.Err() == nil {
			log.Error("the sign-in service cannot be discovered: is the issuer right, and does it answer?", "issuer", p.login.Issuer, "err", err)
		}
		failed = text
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// verify has f verify something with what is known of the sign-in service. When that fails the
// service may have changed: it is discovered again, and f called once more.
func (p *Provider) verify(ctx context.Context, e *Endpoints, f func(*Endpoints) error) error {
	err := f(e)
	if err == nil || p.login.Issuer == "" {
		return err
	}
	if e == p.found.Load() {
		last := p.forced.Load()
		if time.Since(time.UnixMilli(last)) < forcedEvery || !p.forced.CompareAndSwap(last, time.Now().UnixMilli()) {
			return err
		}
	}
	newer, failed := p.discoverAnew(ctx, p.base, e)
	if failed != nil {
		return err
	}
	return f(newer)
}

// publishedMetadata is what a sign-in service publishes of itself and the library does not read.
type publishedMetadata struct {
	Keys        string   `json:"jwks_uri"`
	Logout      string   `json:"end_session_endpoint"`
	Userinfo    string   `json:"userinfo_endpoint"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	Prompts     []string `json:"prompt_values_supported"`
	Claims      []string `json:"claims_supported"`
	Scopes      []string `json:"scopes_supported"`
	Backchannel bool     `json:"backchannel_logout_supported"`
}

func (p *Provider) discover(ctx context.Context) (*Endpoints, publishedMetadata, error) {
	var published publishedMetadata
	op, err := oidc.NewProvider(ctx, p.login.Issuer)
	if err != nil {
		return nil, published, err
	}
	if err := op.Claims(&published); err != nil {
		return nil, published, err
	}
	for _, address := range []string{op.Endpoint().AuthURL, op.Endpoint().TokenURL, published.Keys} {
		if err := CheckAddress(address); err != nil {
			return nil, published, fmt.Errorf("discovered address %q %w", address, err)
		}
	}
	if CheckAddress(published.Logout) != nil {
		published.Logout = ""
	}
	e := &Endpoints{
		oauth: p.oauthConfig(op.Endpoint(), published.AuthMethods),
		// p.base and p.logouts, and not ctx: the keys are fetched again when they change.
		verifier:       op.VerifierContext(p.base, &oidc.Config{ClientID: p.login.ClientID, Now: tokenNow}),
		logoutVerifier: op.VerifierContext(p.logouts, &oidc.Config{ClientID: p.login.ClientID, SkipExpiryCheck: true}),
		idToken:        true,
		logout:         published.Logout,
		another:        selectAccount,
		anew:           askPassword,
		AuthTime:       slices.Contains(published.Claims, "auth_time"),
	}
	if len(p.login.asked) == 0 && slices.Contains(published.Scopes, emailScope) {
		e.oauth.Scopes = append(slices.Clip(p.login.Scopes), emailScope)
	}
	if len(published.Prompts) > 0 && !slices.Contains(published.Prompts, selectAccount) {
		e.another = askPassword
	}
	switch {
	case p.login.Issuer == "https://accounts.google.com": // which refuses a prompt that it does not know
		e.anew = selectAccount
	case len(published.Prompts) > 0 && !slices.Contains(published.Prompts, askPassword):
		e.anew = ""
	}
	if CheckAddress(published.Userinfo) == nil {
		e.userinfo = op.UserInfo
	}
	return e, published, nil
}

// AuthURL returns where a login goes, to choose another account if so.
func (e *Endpoints) AuthURL(at Attempt, another bool) string {
	opts := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(at.Verifier)}
	if e.idToken {
		opts = append(opts, oidc.Nonce(at.Nonce))
	}
	switch {
	case at.Unasked:
	case at.Anew:
		if e.anew != "" {
			opts = append(opts, oauth2.SetAuthURLParam("prompt", e.anew))
		}
		if e.idToken { // it is OpenID Connect's
			opts = append(opts, oauth2.SetAuthURLParam("max_age", "0"))
		}
	case another:
		opts = append(opts, oauth2.SetAuthURLParam("prompt", e.another))
	}
	return e.oauth.AuthCodeURL(at.State, opts...)
}

// maxHint is the longest ID token that is sent along to a logout, in bytes: it stands in a
// header, and proxies limit those.
const maxHint = 3000

// LogoutURL returns the sign-in service's own logout, empty when it offers none or has not been
// discovered yet: nobody who leaves waits for it.
func (p *Provider) LogoutURL(idToken, back string) string {
	e := p.found.Load()
	if e == nil || e.logout == "" {
		return ""
	}
	u, err := url.Parse(e.logout)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.login.ClientID)
	q.Set("post_logout_redirect_uri", back)
	if idToken != "" && len(idToken) <= maxHint {
		q.Set("id_token_hint", idToken)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// limited limits the bodies of answers.
type limited struct{ http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, providerMaxBody)
	}
	return resp, err
}
