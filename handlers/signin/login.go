// Package signin knows the service at which staff sign in: an OpenID Connect issuer, or a plain OAuth 2.0 service. It discovers
// the service, keeps sign-ins in progress in the browser, verifies the service's tokens, and says which role follows from what the
// service reports of a person. It has no routes, pages or sessions: those are of handlers.
package signin

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"housecount/web"
)

// Login is how staff sign in. Issuer, or AuthURL and TokenURL and JWKSURL, is required, and ClientID. Addresses
// must be https, or http on loopback.
type Login struct {
	// Issuer is an OpenID Connect issuer, discovered lazily and with retries.
	Issuer string
	// AuthURL, TokenURL and JWKSURL are for a plain OAuth 2.0 service whose access tokens are JWTs. Audience is
	// then the audience that tokens must have; ClientID if empty.
	AuthURL, TokenURL, JWKSURL, Audience string
	// LogoutURL is where people sign out of a plain OAuth 2.0 service; it is shown to a person who signs out here.
	// It may be empty.
	LogoutURL              string
	ClientID, ClientSecret string
	// Scopes are asked for at a login; when empty they are openid and profile, and email if the issuer
	// publishes that it knows that one.
	Scopes []string
	asked  []string // Scopes as they were given
	// RoleClaim names the claim with the roles; "roles" if empty. A dot selects a field of an object, unless a
	// claim has the whole name.
	RoleClaim string
	// Roles maps values of the claim to roles; the role with the most rights wins. If empty, values are the names
	// of roles.
	Roles map[string]web.Role
	// Admins are e-mail addresses whose owners are administrators, if the sign-in service has verified the
	// address. What staff give on the page of people comes on top of them.
	Admins []string
}

// WithDefaults returns the settings with what may be left out.
func (l Login) WithDefaults() Login {
	l.RoleClaim = cmp.Or(l.RoleClaim, "roles")
	l.asked = l.Scopes
	if len(l.Scopes) == 0 {
		l.Scopes = []string{"openid", "profile"}
	}
	if len(l.Roles) == 0 {
		l.Roles = make(map[string]web.Role, len(web.Roles))
		for _, r := range web.Roles {
			l.Roles[string(r)] = r
		}
	}
	return l
}

// SubjectIssuer returns the issuer of the subjects that log in.
func (l Login) SubjectIssuer() string { return cmp.Or(l.Issuer, l.AuthURL) }

// Faults returns what is wrong with the settings.
func (l Login) Faults() (faults []error) {
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(format, args...))
	}
	if l.ClientID == "" {
		fault("login: client id is required")
	}
	configured := l.AuthURL != "" || l.TokenURL != "" || l.JWKSURL != ""
	switch {
	case l.Issuer != "" && configured:
		fault("login: give either an issuer or the addresses of an OAuth 2.0 service, not both")
	case l.Issuer != "" && l.LogoutURL != "":
		fault("login: an issuer publishes its own logout: leave the logout address out")
	case l.Issuer == "" && !configured:
		fault("login: an issuer is required, or the authorization, token and key set addresses")
	}
	for _, a := range []struct{ name, address string }{
		{"issuer", l.Issuer},
		{"authorization address", l.AuthURL},
		{"token address", l.TokenURL},
		{"key set address", l.JWKSURL},
		{"logout address", l.LogoutURL},
	} {
		switch {
		case a.address != "":
			if err := CheckAddress(a.address); err != nil {
				fault("login: %s %q: %w", a.name, a.address, err)
			}
		case configured && a.name != "issuer" && a.name != "logout address":
			fault("login: %s is required beside the other addresses", a.name)
		}
	}
	if l.Issuer != "" && !slices.Contains(l.Scopes, "openid") {
		fault("login: scopes %q: an issuer needs openid among them", strings.Join(l.Scopes, " "))
	}
	for _, text := range l.Admins {
		if _, err := canonicalAddress(text); err != nil {
			fault("login: administrator %q: is no e-mail address like name@example.org", text)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(l.Roles)) {
		if role := l.Roles[value]; !slices.Contains(web.Roles, role) {
			fault("login: roles: %q is mapped to %q, which is no role; the roles are %v", value, role, web.Roles)
		}
	}
	return faults
}

// CheckAddress returns what is wrong with an address to which credentials or cookies are sent.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("is not an address")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return errors.New("must begin with https:// and a host")
	case u.User != nil:
		return errors.New("must not contain a user")
	case u.Fragment != "":
		return errors.New("must not have a fragment")
	case u.Scheme == "http" && !Loopback(u.Hostname()):
		return errors.New("must be https; plain http is only for loopback")
	}
	return nil
}

func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
