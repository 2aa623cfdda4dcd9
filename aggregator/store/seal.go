package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// ErrSealed means that something was sealed with a key that is not known, or for another purpose,
// or is not what was sealed.
var ErrSealed = errors.New("it was sealed with another secret key")

// Seal seals what nobody may read or make who has no key: AES-256-GCM with keys that HKDF derives
// from secrets. The first key seals; the others open what was sealed before. It never changes.
type Seal struct {
	keys []sealKey
	// Foreign is true if the database was last used with a key that is none of these.
	Foreign bool
}

type sealKey struct {
	// id distinguishes keys without revealing the secret.
	id   string
	aead cipher.AEAD
	push []byte // what the key of PushKey is made of
}

// Seal seals with a secret, or with the database's own where that is empty. What was sealed with
// the database's own secret or with the fallback, which may be empty, can be opened as well.
func (s *Store) Seal(ctx context.Context, secret, fallback string) (*Seal, error) {
	seal := new(Seal)
	err := s.write(ctx, func(tx *sql.Tx) error {
		var own string
		if err := s.row(ctx, tx, `SELECT value FROM meta WHERE key = 'attempt_key'`).Scan(&own); err != nil {
			return err
		}
		stored, err := hex.DecodeString(own)
		if err != nil || len(stored) != 32 {
			return fmt.Errorf("the secret key is not 32 bytes (%v)", err)
		}
		for _, secret := range [][]byte{[]byte(secret), []byte(fallback), stored} {
			if len(secret) == 0 {
				continue
			}
			k, err := newSealKey(secret)
			if err != nil {
				return err
			}
			seal.keys = append(seal.keys, k)
		}
		if secret == "" { // the database's own, which is the last, seals
			slices.Reverse(seal.keys)
		}
		var last string
		err = s.row(ctx, tx, `SELECT value FROM meta WHERE key = 'seal_key'`).Scan(&last)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if last == "" { // as after a restore of a backup without keys
			if err := s.forgetKeys(ctx, tx); err != nil {
				return err
			}
		}
		_, known := seal.key(last)
		seal.Foreign = last != "" && !known
		_, err = s.exec(ctx, tx, `INSERT INTO meta (key, value) VALUES ('seal_key', $1)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, seal.keys[0].id)
		return err
	})
	if err != nil {
		return nil, s.wrap("secret key", err)
	}
	return seal, nil
}

func newSealKey(secret []byte) (sealKey, error) {
	derive := func(what string, n int) ([]byte, error) {
		return hkdf.Key(sha256.New, secret, nil, "housecount "+what, n)
	}
	id, err := derive("id", 8)
	if err != nil {
		return sealKey{}, err
	}
	key, err := derive("seal", 32)
	if err != nil {
		return sealKey{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealKey{}, err
	}
	push, err := derive("push", 48)
	if err != nil {
		return sealKey{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return sealKey{hex.EncodeToString(id), aead, push}, err
}

// PushKey returns the key that signs notifications, which services of browsers know it by: the same for the same secret.
func (s *Seal) PushKey() (*ecdh.PrivateKey, error) {
	// 48 bytes, so that every number is as likely as another (FIPS 186-5, A.2.1).
	one, order := big.NewInt(1), elliptic.P256().Params().N
	n := new(big.Int).SetBytes(s.keys[0].push)
	n.Mod(n, new(big.Int).Sub(order, one)).Add(n, one)
	return ecdh.P256().NewPrivateKey(n.FillBytes(make([]byte, 32)))
}

func (s *Seal) key(id string) (sealKey, bool) {
	i := slices.IndexFunc(s.keys, func(k sealKey) bool { return k.id == id })
	if i < 0 {
		return sealKey{}, false
	}
	return s.keys[i], true
}

// Seal seals for a purpose; what is sealed for one does not pass for another's.
func (s *Seal) Seal(purpose string, plain []byte) []byte {
	return s.keys[0].aead.Seal(nil, nil, plain, []byte(purpose))
}

// Open returns what was sealed for the purpose, or ErrSealed.
func (s *Seal) Open(purpose string, sealed []byte) ([]byte, error) {
	for _, k := range s.keys {
		if plain, err := k.aead.Open(nil, nil, sealed, []byte(purpose)); err == nil {
			return plain, nil
		}
	}
	return nil, ErrSealed
}
