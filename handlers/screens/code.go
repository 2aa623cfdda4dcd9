package screens

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"unicode"
)

const (
	// codeLetters are characters that are not mistaken for each other across a room, spell no words, and are
	// narrow enough for six to fit on a screen.
	codeLetters = "34679CDFHJKNPRTXY"
	codeLength  = 6
)

// NewCode returns a random code, one of 24 million, of which at most 1,000 are shown.
func NewCode() (string, error) {
	code := make([]byte, codeLength)
	for i := range code {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(codeLetters))))
		if err != nil {
			return "", fmt.Errorf("screens: make a code: %w", err)
		}
		code[i] = codeLetters[n.Int64()]
	}
	return string(code), nil
}

// ReadCode returns a typed code without what was typed between its characters.
func ReadCode(typed string) string {
	code := strings.Map(func(r rune) rune {
		if r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, typed)
	return code[:min(len(code), 2*codeLength)]
}
