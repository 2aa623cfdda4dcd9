package profile

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"housecount/apiclient/record"
)

// ParseAddress parses an absolute http or https URL. why says what is wrong without quoting it.
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

// FitsHeader reports whether s can be sent unchanged in an Authorization header.
func FitsHeader(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f }) && len(s) <= MaxKey
}

// Printable reports whether s has only printable characters and no line end.
func Printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// maxReason is the longest error text in the reason of a refusal, in bytes.
const maxReason = 270

// errorText returns the text of an error that a program or a row caused, fit for display.
func errorText(err error) string {
	return record.Cut(record.CleanText(strings.ToValidUTF8(err.Error(), "\ufffd")), maxReason)
}

// wordKey returns the form in which words are compared.
func wordKey(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
