package idp

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

// maxKeys is the maximum number of API keys of a customer.
const maxKeys = 20

// apiKeys holds the API keys made on the account page. Only hashes of the keys are stored.
type apiKeys struct {
	mu   sync.Mutex
	keys map[[sha256.Size]byte]*apiKey
}

// apiKey is the description of a key on the account page. Times are real.
type apiKey struct {
	ID, Name   string
	user       string
	Made, Used time.Time
}

func newAPIKeys() *apiKeys { return &apiKeys{keys: map[[sha256.Size]byte]*apiKey{}} }

// create makes a key for the user and returns it, or "" if the user has maxKeys keys. The key cannot be retrieved
// later.
func (k *apiKeys) create(user, name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, key := range k.keys {
		if key.user == user {
			n++
		}
	}
	if n >= maxKeys {
		return ""
	}
	text := "key_" + rand.Text()
	k.keys[sha256.Sum256([]byte(text))] = &apiKey{ID: rand.Text(), Name: name, user: user, Made: time.Now()}
	return text
}

// use reports whether text is a key, and records its use.
func (k *apiKeys) use(text string) bool {
	sum := sha256.Sum256([]byte(text))
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.keys[sum]
	if key != nil {
		key.Used = time.Now()
	}
	return key != nil
}

// revoke deletes the key with the id if it belongs to the user.
func (k *apiKeys) revoke(user, id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for sum, key := range k.keys {
		if key.ID == id && key.user == user {
			delete(k.keys, sum)
		}
	}
}

// list returns the user's keys, oldest first.
func (k *apiKeys) list(user string) []apiKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	var list []apiKey
	for _, key := range k.keys {
		if key.user == user {
			list = append(list, *key)
		}
	}
	slices.SortFunc(list, func(a, b apiKey) int { return cmp.Or(a.Made.Compare(b.Made), cmp.Compare(a.ID, b.ID)) })
	return list
}
