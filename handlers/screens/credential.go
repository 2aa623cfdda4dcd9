package screens

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"strings"

	"housecount/aggregator/store"
)

// A screen's credential follows on another each time that its device loads the page; see store.Screens.Renew. Each is what
// the first was, a full stop, and its number, sealed, so that the numbers of a database that was set back to a backup are known
// to be ours.

// credentialPrefix distinguishes a screen's credential from a session's token.
const credentialPrefix = "screen."

// longestCredential is longer than any credential of a screen, in bytes.
const longestCredential = 120

// NewCredential returns the credential of a device that is no screen yet.
func NewCredential() string { return credentialPrefix + rand.Text() }

// IsCredential reports whether a text may be a screen's credential; a session's token never is.
func IsCredential(text string) bool {
	return strings.HasPrefix(text, credentialPrefix) && len(text) <= longestCredential
}

// seriesPurpose is what the numbers of a series are sealed for.
func seriesPurpose(credential string) string { return "screen " + store.Series(credential) }

// Key returns a credential with its number.
func Key(seal *store.Seal, credential string) store.ScreenKey {
	key := store.ScreenKey{Credential: credential}
	text, numbered := strings.CutPrefix(credential, store.Series(credential)+".")
	if !numbered {
		return key
	}
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return key
	}
	if number, err := seal.Open(seriesPurpose(credential), sealed); err == nil && len(number) == 8 {
		key.Number = int64(binary.BigEndian.Uint64(number))
	}
	return key
}

// Issue returns the credential with a number, of the series of another; never the same twice.
func Issue(seal *store.Seal, credential string, number int64) string {
	sealed := seal.Seal(seriesPurpose(credential), binary.BigEndian.AppendUint64(nil, uint64(number)))
	return store.Series(credential) + "." + base64.RawURLEncoding.EncodeToString(sealed)
}
