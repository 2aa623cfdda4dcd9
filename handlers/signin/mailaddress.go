package signin

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"
)

// What is wrong with an address that is to have a role.
var (
	ErrNoAddress    = errors.New("is neither an e-mail address like name@example.org nor a domain like @example.org")
	ErrSharedDomain = errors.New("is a domain at which anybody can have an address, so it cannot have a role: give addresses one by one")
)

// mostAddress is the longest address, in bytes, as RFC 5321 limits it.
const mostAddress = 254

// mailHosts are domains at which anybody gets an address.
var mailHosts = map[string]bool{
	"gmail.com": true, "googlemail.com": true, "outlook.com": true, "hotmail.com": true, "hotmail.nl": true, "hotmail.de": true, "hotmail.co.uk": true,
	"live.com": true, "live.nl": true, "live.de": true, "msn.com": true, "yahoo.com": true, "yahoo.de": true, "yahoo.co.uk": true, "icloud.com": true,
	"me.com": true, "mac.com": true, "aol.com": true, "proton.me": true, "protonmail.com": true, "gmx.de": true, "gmx.net": true, "gmx.com": true, "gmx.at": true,
	"gmx.ch": true, "web.de": true, "t-online.de": true, "freenet.de": true, "ziggo.nl": true, "kpnmail.nl": true, "planet.nl": true, "hetnet.nl": true,
	"home.nl": true, "xs4all.nl": true, "zoho.com": true, "mail.com": true, "fastmail.com": true, "tutanota.com": true, "yandex.com": true, "mail.ru": true,
}

// ReadGrantee returns an e-mail address, or a domain that begins with @, as roles are given to it: in the
// form in which addresses are compared. The error is ErrNoAddress or ErrSharedDomain.
func ReadGrantee(text string) (string, error) {
	text = strings.TrimSpace(text)
	domain, isDomain := strings.CutPrefix(text, "@")
	if !isDomain {
		return canonicalAddress(text)
	}
	domain, err := canonicalDomain(domain)
	if err != nil {
		return "", err
	}
	if _, err := publicsuffix.EffectiveTLDPlusOne(domain); err != nil || mailHosts[domain] {
		return "", ErrSharedDomain
	}
	return "@" + domain, nil
}

// canonicalAddress returns an e-mail address as it is compared: without regard to case, and its domain as
// DNS has it. Letters that only look like others stay what they are.
func canonicalAddress(text string) (string, error) {
	at := strings.LastIndexByte(text, '@')
	if at < 1 || len(text) > mostAddress {
		return "", ErrNoAddress
	}
	if strings.ContainsFunc(text[:at], becomesASCII) {
		return "", ErrNoAddress
	}
	local := norm.NFC.String(strings.Map(lower, norm.NFC.String(text[:at])))
	if strings.ContainsFunc(local, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r) || strings.ContainsRune(` @"(),:;<>[]\`, r)
	}) {
		return "", ErrNoAddress
	}
	domain, err := canonicalDomain(text[at+1:])
	if err != nil {
		return "", err
	}
	return local + "@" + domain, nil
}

// becomesASCII reports whether a letter that is not ASCII is the same as one, as the Kelvin sign is a K.
func becomesASCII(r rune) bool {
	return r > unicode.MaxASCII && norm.NFC.String(string(r))[0] <= unicode.MaxASCII
}

// lower returns the small form of a letter. What is not ASCII does not become it, as the dotted capital İ would.
func lower(r rune) rune {
	small := unicode.ToLower(r)
	if r > unicode.MaxASCII && small <= unicode.MaxASCII {
		return r
	}
	return small
}

// canonicalDomain returns a domain of two labels or more in the form of DNS, in small letters.
func canonicalDomain(text string) (string, error) {
	domain, err := idna.Lookup.ToASCII(text)
	if err != nil || !strings.Contains(strings.Trim(domain, "."), ".") || strings.HasSuffix(domain, ".") || len(domain) > mostAddress-2 {
		return "", ErrNoAddress
	}
	if strings.Trim(domain, "0123456789.") == "" { // an IP address
		return "", ErrNoAddress
	}
	return domain, nil
}

// DomainOf returns the domain of a canonical address, with its @.
func DomainOf(address string) string { return address[strings.LastIndexByte(address, '@'):] }

// verifiedAddress returns the canonical e-mail address in claims that say that it is verified; empty for
// every other. said reports whether the claims have an address at all.
func verifiedAddress(claims map[string]any) (address string, said bool) {
	email, said := claims["email"].(string)
	if verified := claims["email_verified"]; verified != true && verified != "true" {
		return "", said
	}
	address, _ = canonicalAddress(email)
	return address, said
}
