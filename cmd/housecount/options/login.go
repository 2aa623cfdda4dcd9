package options

import (
	"strings"

	"housecount/handlers/signin"
	"housecount/web"
)

// PublicURLFlag is the address of housecount for browsers.
type PublicURLFlag struct {
	PublicURL string `help:"Address that browsers use, without a path." placeholder:"URL" check:"public-address" manual:"https unless it is on loopback. Register two addresses with the login provider: PUBLIC-URL/login/callback to come back to from the login, and PUBLIC-URL/signed-out from the logout (post-logout redirect)."`
}

// Address returns the address without a slash at its end.
func (f PublicURLFlag) Address(faults *Faults) string {
	faults.Required("public-url", f.PublicURL, "give the address that browsers use, like https://dash.example.org")
	return strings.TrimRight(f.PublicURL, "/")
}

// LoginFlags are the options for the login of staff.
type LoginFlags struct {
	PublicURLFlag    `embed:""`
	OIDCIssuer       string            `name:"oidc-issuer" help:"OpenID Connect issuer that staff log in at." placeholder:"URL" check:"https , for who logs in would travel unprotected" manual:"Any OpenID Connect provider; see [Sign in](30-sign-in.md)."`
	OIDCClientID     string            `name:"oidc-client-id" help:"Client id at the issuer."`
	OIDCClientSecret string            `name:"oidc-client-secret" help:"Client secret at the issuer; none for a public client."`
	OIDCScopes       []string          `name:"oidc-scopes" help:"Scopes to ask for at login; openid and profile unless given, and email where the issuer knows it."`
	OAuthAuthURL     string            `name:"oauth-auth-url" help:"Instead of an issuer: authorization address of an OAuth 2.0 service with JWT access tokens." placeholder:"URL" check:"https , for who logs in would travel unprotected"`
	OAuthTokenURL    string            `name:"oauth-token-url" help:"Its token address." placeholder:"URL" check:"https , for who logs in would travel unprotected"`
	OAuthJWKSURL     string            `name:"oauth-jwks-url" help:"Its key set address." placeholder:"URL" check:"https , for who logs in would travel unprotected"`
	OAuthAudience    string            `name:"oauth-audience" help:"Audience that its access tokens must name."`
	OAuthLogoutURL   string            `name:"oauth-logout-url" help:"Where one signs out of it; who signs out here is shown the way." placeholder:"URL" check:"https , for who logs in would travel unprotected"`
	RoleClaim        string            `help:"Claim that holds a person's roles; a dot goes into an object." default:"roles"`
	Roles            map[string]string `help:"Which values of the claim give which role (door, box_office, manager, admin); the names themselves unless given." mapsep:"," placeholder:"VALUE=ROLE,..." check:"role" manual:"For example foh=door,kassa=box_office,mt=manager."`
	Admins           []string          `help:"E-mail addresses of administrators, where the provider has verified them." placeholder:"ADDRESS,..." check:"mail-address" manual:"They give the others their roles, on the page of people: to an address or to a whole domain. See [Roles by e-mail address](30-sign-in.md#roles-by-e-mail-address)."`
}

// SignIn returns how staff log in.
func (f LoginFlags) SignIn(faults *Faults) signin.Login {
	l := signin.Login{
		Issuer:  f.OIDCIssuer,
		AuthURL: f.OAuthAuthURL, TokenURL: f.OAuthTokenURL, JWKSURL: f.OAuthJWKSURL, Audience: f.OAuthAudience, LogoutURL: f.OAuthLogoutURL,
		ClientID: f.OIDCClientID, ClientSecret: f.OIDCClientSecret, Scopes: f.OIDCScopes,
		RoleClaim: f.RoleClaim, Admins: f.Admins, Roles: make(map[string]web.Role),
	}
	endpoints := f.OAuthAuthURL + f.OAuthTokenURL + f.OAuthJWKSURL
	switch {
	case f.OIDCIssuer != "" && endpoints != "":
		faults.Add("--oidc-issuer and --oauth-auth-url are two ways to the same thing: give one of them")
	case endpoints != "":
		faults.Required("oauth-auth-url", f.OAuthAuthURL, "it goes with --oauth-token-url and --oauth-jwks-url")
		faults.Required("oauth-token-url", f.OAuthTokenURL, "it goes with --oauth-auth-url")
		faults.Required("oauth-jwks-url", f.OAuthJWKSURL, "it goes with --oauth-auth-url")
		faults.Required("oauth-audience", f.OAuthAudience, "it says whom the access tokens must be for, and goes with --oauth-auth-url")
	case f.OAuthLogoutURL != "":
		faults.Add("--oauth-logout-url goes with --oauth-auth-url: an issuer publishes its own logout")
	default:
		faults.Required("oidc-issuer", f.OIDCIssuer, "give the OpenID Connect issuer that staff log in at")
	}
	faults.Required("oidc-client-id", f.OIDCClientID, "register housecount with the provider, with the redirect address <public-url>/login/callback")
	for value, name := range f.Roles {
		l.Roles[value] = web.Role(name)
	}
	return l
}
