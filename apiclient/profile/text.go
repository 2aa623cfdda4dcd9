package profile

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"housecount/apiclient/record"
)

// ParseAddress parses an absolute http or https address; why says what is wrong with it,
// without a word of it.
func ParseAddress(s string) (u *url.URL, why string) {
	if s == "" {
		return nil, "is missing"
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, "cannot be read"
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, "does not begin with http:// or https://"
	case u.Hostname() == "":
		return nil, "names no host"
	case u.User != nil:
		return nil, "has a user name or a password in it"
	case u.Fragment != "":
		return nil, "has a fragment (#)"
	}
	return u, ""
}

// MaxKey is the longest credential, in bytes.
const MaxKey = 16 << 10

// FitsHeader says that s can travel in an Authorization header as it is.
func FitsHeader(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) && len(s) <= MaxKey
}

// Printable says that s has no line end, nor another character that cannot be printed.
func Printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// maxReason is the longest text, in bytes, of an error that is a part of why a row was refused.
const maxReason = 270

// reasonText is the text of an error that a program or a row caused, fit to be shown.
func errorText(err error) string {
	return record.Cut(record.CleanText(strings.ToValidUTF8(err.Error(), "\ufffd")), maxReason)
}

// wordKey is the form in which words are compared.
func wordKey(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
