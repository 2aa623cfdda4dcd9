package record

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut shortens s to at most n bytes without splitting a rune.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// maxDescribed is how many characters of a text Describe shows.
const maxDescribed = 40

// Describe returns what a text looks like without revealing it: "a text of 5 characters like 99,99". A
// misplaced value may be personal data, and the reason of a refusal is stored and shown.
func Describe(s string) Message {
	if s == "" {
		return Say("an empty text")
	}
	like, n := strings.Builder{}, 0
	for _, r := range s {
		switch n++; {
		case n > maxDescribed:
		case unicode.IsDigit(r):
			like.WriteByte('9')
		case unicode.IsLetter(r):
			like.WriteByte('a')
		case r < ' ' || r >= 0x7f:
			like.WriteByte('?')
		default:
			like.WriteRune(r)
		}
	}
	if n > maxDescribed {
		like.WriteString("…")
	}
	if n == 1 {
		return Say("a text of 1 character like {like}", Verbatim("like", like.String()))
	}
	return Say("a text of {n} characters like {like}", Number("n", n), Verbatim("like", like.String()))
}
