package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Finding is the result of checking a part of a login.
type Finding struct {
	// Part is what was tried: settings, issuer, client, redirect address or claims.
	Part string
	// Fault is true if nobody can log in. What could not be checked is no fault.
	Fault bool
	Text  string
}

// CheckLogin checks, as far as that is possible without a person, whether staff can log in at a sign-in
// service: whether the issuer can be discovered, the client is known, its redirect address is registered,
// and the role claim is published.
func CheckLogin(ctx context.Context, publicURL string, l Login) (all []Finding) {
	l = l.WithDefaults()
	p := NewProvider(ctx, l, publicURL+CallbackPath)
	ctx = oidc.ClientContext(ctx, p.client())
	found := func(part string, fault bool, format string, args ...any) {
		all = append(all, Finding{part, fault, fmt.Sprintf(format, args...)})
	}
	if err := errors.Join(l.Faults()...); err != nil {
		found("settings", true, "%v", err)
		return all
	}
	e := p.found.Load()
	var published publishedMetadata
	if e == nil {
		var err error
		if e, published, err = p.discover(ctx); err != nil {
			found("issuer", true, "%s cannot be discovered: %s", l.Issuer, clip(err.Error()))
			return all
		}
		text := "discovered; it keeps no logout of its own"
		if e.logout != "" {
			text = "discovered; register " + publicURL + SignedOutPath + " as the post-logout redirect address"
		}
		if published.Backchannel {
			text += "; it can end sessions at " + publicURL + BackchannelPath
		}
		found("issuer", false, "%s", text)
	}
	fault, text := p.checkClient(ctx, e)
	found("client", fault, "%s", text)
	fault, text = p.checkRedirect(ctx, e)
	found("redirect address", fault, "%s", text)
	if e.idToken {
		found("claims", false, "%s", checkClaim(l, e, published))
	}
	return all
}

// checkClient exchanges a made-up code. A service that knows the client rejects only the code.
func (p *Provider) checkClient(ctx context.Context, e *Endpoints) (fault bool, text string) {
	_, err := e.oauth.Exchange(ctx, "housecount-check-"+rand.Text(), oauth2.VerifierOption(oauth2.GenerateVerifier()))
	re, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return true, "the token address does not answer: " + clip(fmt.Sprint(exchangeError(err)))
	case re.ErrorCode == "invalid_grant":
		return false, fmt.Sprintf("%s is known, and its secret is right", p.login.ClientID)
	case re.ErrorCode == "invalid_client" || re.ErrorCode == "unauthorized_client" || re.Response.StatusCode == http.StatusUnauthorized:
		return true, fmt.Sprintf("%s is refused: is the id right, the secret, and that it may use the authorization code flow?", p.login.ClientID)
	}
	return false, fmt.Sprintf("could not be found out: the token address answers with status %d, error %q", re.Response.StatusCode, clip(re.ErrorCode))
}

// checkRedirect begins a login without a prompt. If the client may not redirect to us, the sign-in service answers
// with an error page, otherwise with a redirect or its login page.
func (p *Provider) checkRedirect(ctx context.Context, e *Endpoints) (fault bool, text string) {
	address := e.oauth.AuthCodeURL(rand.Text(), oidc.Nonce(rand.Text()), oauth2.S256ChallengeOption(oauth2.GenerateVerifier()), oauth2.SetAuthURLParam("prompt", "none"))
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return true, "the authorization address is none"
	}
	answer, err := p.client().Do(r)
	if err != nil {
		return true, "the authorization address does not answer: " + clip(err.Error())
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, io.LimitReader(answer.Body, providerMaxBody)) // read to the end, so that the connection can be reused
	to, err := answer.Location()
	switch {
	case err != nil && answer.StatusCode >= http.StatusBadRequest:
		return true, fmt.Sprintf("%s is refused (status %d): register exactly this address for the client", p.redirect, answer.StatusCode)
	case err != nil:
		return false, fmt.Sprintf("could not be found out: the sign-in service answers with a page; %s has to be registered", p.redirect)
	case !strings.HasPrefix(to.String(), p.redirect+"?"):
		return false, p.redirect + " is accepted as far as the login page"
	}
	switch code := to.Query().Get("error"); code {
	case "login_required", "interaction_required", "consent_required", "account_selection_required", "":
		return false, p.redirect + " is registered"
	case "invalid_scope":
		return true, fmt.Sprintf("the scopes %q are refused: give others as --oidc-scopes, or allow the client these", strings.Join(p.login.Scopes, " "))
	default:
		return true, fmt.Sprintf("%s is registered, but a login is refused with %q", p.redirect, clip(code))
	}
}

func checkClaim(l Login, e *Endpoints, published publishedMetadata) string {
	name, _, _ := strings.Cut(l.RoleClaim, ".")
	userinfo := "there is no userinfo endpoint: it has to be in the ID token"
	if e.userinfo != nil {
		userinfo = "it is looked for in the ID token and at the userinfo endpoint"
	}
	if slices.Contains(published.Claims, name) || slices.Contains(published.Claims, l.RoleClaim) {
		return fmt.Sprintf("%s is among those that the sign-in service publishes; %s", l.RoleClaim, userinfo)
	}
	return fmt.Sprintf("%s is not among those that the sign-in service publishes, which need not mean anything: log in to see; %s", l.RoleClaim, userinfo)
}
