package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"text/tabwriter"
	"time"

	"housecount/handlers"
	"housecount/web"
)

// loginFlags say where staff log in.
type loginFlags struct {
	PublicURL        string            `help:"Address that browsers use, without a path." placeholder:"URL"`
	OIDCIssuer       string            `name:"oidc-issuer" help:"OpenID Connect issuer that staff log in at." placeholder:"URL"`
	OIDCClientID     string            `name:"oidc-client-id" help:"Client id at the issuer."`
	OIDCClientSecret string            `name:"oidc-client-secret" help:"Client secret at the issuer; none for a public client."`
	OIDCScopes       []string          `name:"oidc-scopes" help:"Scopes to ask for at login." default:"openid,profile"`
	OAuthAuthURL     string            `name:"oauth-auth-url" help:"Instead of an issuer: authorization address of an OAuth 2.0 service with JWT access tokens." placeholder:"URL"`
	OAuthTokenURL    string            `name:"oauth-token-url" help:"Its token address." placeholder:"URL"`
	OAuthJWKSURL     string            `name:"oauth-jwks-url" help:"Its key set address." placeholder:"URL"`
	OAuthAudience    string            `name:"oauth-audience" help:"Audience that its access tokens must name."`
	OAuthLogoutURL   string            `name:"oauth-logout-url" help:"Where one signs out of it; who signs out here is shown the way." placeholder:"URL"`
	RoleClaim        string            `help:"Claim that holds a person's roles; a dot goes into an object." default:"roles"`
	Roles            map[string]string `help:"Which values of the claim give which role (door, box_office, manager, admin); the names themselves unless given." mapsep:"," placeholder:"VALUE=ROLE,..."`
}

// validate checks the flags and returns the address that browsers use, and the login.
func (f loginFlags) validate(faults *configError) (public string, l handlers.Login) {
	public = faults.address("public-url", f.PublicURL, "give the address that browsers use, like https://dash.example.org")
	if u, err := url.Parse(public); err == nil {
		if u.Path != "" {
			faults.add("--public-url %q has a path: give housecount a host name of its own", shown(f.PublicURL))
		}
		if u.Scheme == "http" && !isLoopback(u.Hostname()) {
			faults.add("--public-url %q is not https: only a loopback address may do without, for sessions would travel unprotected", shown(f.PublicURL))
		}
	}
	l = handlers.Login{
		Issuer:  f.OIDCIssuer,
		AuthURL: f.OAuthAuthURL, TokenURL: f.OAuthTokenURL, JWKSURL: f.OAuthJWKSURL, Audience: f.OAuthAudience, LogoutURL: f.OAuthLogoutURL,
		ClientID: f.OIDCClientID, ClientSecret: f.OIDCClientSecret, Scopes: f.OIDCScopes,
		RoleClaim: f.RoleClaim, Roles: make(map[string]web.Role),
	}
	endpoints := f.OAuthAuthURL + f.OAuthTokenURL + f.OAuthJWKSURL
	switch {
	case f.OIDCIssuer != "" && endpoints != "":
		faults.add("--oidc-issuer and --oauth-auth-url are two ways to the same thing: give one of them")
	case endpoints != "":
		faults.address("oauth-auth-url", f.OAuthAuthURL, "it goes with --oauth-token-url and --oauth-jwks-url")
		faults.address("oauth-token-url", f.OAuthTokenURL, "it goes with --oauth-auth-url")
		faults.address("oauth-jwks-url", f.OAuthJWKSURL, "it goes with --oauth-auth-url")
		if f.OAuthLogoutURL != "" {
			faults.address("oauth-logout-url", f.OAuthLogoutURL, "it goes with --oauth-auth-url")
		}
		if f.OAuthAudience == "" {
			faults.add("--oauth-audience is missing: it says whom the access tokens must be for, and goes with --oauth-auth-url")
		}
	case f.OAuthLogoutURL != "":
		faults.add("--oauth-logout-url goes with --oauth-auth-url: an issuer publishes its own logout")
	default:
		faults.address("oidc-issuer", f.OIDCIssuer, "give the OpenID Connect issuer that staff log in at")
	}
	if f.OIDCClientID == "" {
		faults.add("--oidc-client-id is missing: register housecount with the provider, with the redirect address <public-url>/login/callback")
	}
	for value, name := range f.Roles {
		role := web.Role(name)
		if !slices.Contains(web.Roles, role) {
			faults.add("--roles: %q is no role: %s=… takes door, box_office, manager or admin", name, value)
			continue
		}
		l.Roles[value] = role
	}
	return public, l
}

// checkLogin asks the provider whether staff can log in as the flags say, and prints what it found.
func (c checkCommand) checkLogin(ctx context.Context, env environment) error {
	var faults configError
	public, l := c.loginFlags.validate(&faults)
	if err := faults.orNil(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	failed := false
	for _, f := range handlers.CheckLogin(ctx, public, l) {
		state := "ok"
		if f.Fault {
			state, failed = "FAULT", true
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Part, state, printable(f.Text))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if failed {
		return errLogin
	}
	return nil
}
