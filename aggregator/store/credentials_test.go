package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// A credential that may be used once is used once, however many processes want a new one.
func testCredentials(t *testing.T, database string) {
	a, b := open(t, database), open(t, database)
	one, two := a.Credentials(seal(t, a, oldSecret, "")), b.Credentials(seal(t, b, oldSecret, ""))
	if err := one.Renew(t.Context(), "box office", func([]byte) ([]byte, error) { return nil, nil }); !errors.Is(err, store.ErrNoCredential) {
		t.Errorf("before anybody put one: %v", err)
	}
	if err := one.Put(t.Context(), "box office", []byte("r0")); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	used := map[string]int{}
	next := func(value []byte) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		used[string(value)]++
		return fmt.Appendf(nil, "r%d", len(used)), nil
	}
	var all sync.WaitGroup
	for _, c := range []*store.Credentials{one, two, one, two} {
		all.Go(func() {
			if err := c.Renew(t.Context(), "box office", next); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if len(used) != 4 || used["r0"] != 1 || used["r3"] != 1 {
		t.Errorf("used %v", used)
	}

	// What failed, and what is still good, stay as they are. A new one is stored even if the program stops meanwhile.
	failed := errors.New("the service is away")
	read := func(c *store.Credentials) (value string) {
		t.Helper()
		if err := c.Renew(t.Context(), "box office", func(v []byte) ([]byte, error) { value = string(v); return nil, nil }); err != nil {
			t.Error(err)
		}
		return value
	}
	if err := two.Renew(t.Context(), "box office", func([]byte) ([]byte, error) { return nil, failed }); err != failed || read(one) != "r4" {
		t.Errorf("after a failure: %v, %s", err, read(one))
	}
	ctx, stop := context.WithCancel(t.Context())
	if err := two.Renew(ctx, "box office", func([]byte) ([]byte, error) { stop(); return []byte("last"), nil }); err != nil || read(one) != "last" {
		t.Errorf("when the program stopped: %v, %s", err, read(one))
	}

	// It is sealed, for its name alone.
	if err := a.Credentials(seal(t, a, newSecret, "")).Renew(t.Context(), "box office", next); !errors.Is(err, store.ErrSealed) {
		t.Errorf("with another key: %v", err)
	}
	execute(t, database, `UPDATE credential SET name = 'moved'`)
	if err := one.Renew(t.Context(), "moved", next); !errors.Is(err, store.ErrSealed) {
		t.Errorf("under another name: %v", err)
	}
}

// A process that died with a credential has it for a minute; then another goes on with what it left.
func testCredentialsAfterACrash(t *testing.T, database string) {
	s := open(t, database)
	c := s.Credentials(seal(t, s, oldSecret, ""))
	if err := c.Put(t.Context(), "box office", []byte("r0")); err != nil {
		t.Fatal(err)
	}
	execute(t, database, `UPDATE credential SET claim = 'dead', claimed_until = 99999999999999`)
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	stop(stopped)
	if err := c.Renew(ctx, "box office", func([]byte) ([]byte, error) { t.Error("used"); return nil, nil }); err == nil {
		t.Error("another process has it, and it was used")
	}
	execute(t, database, `UPDATE credential SET claimed_until = 1`)
	got := ""
	if err := c.Renew(t.Context(), "box office", func(v []byte) ([]byte, error) { got = string(v); return []byte("r1"), nil }); err != nil || got != "r0" {
		t.Errorf("%q, %v", got, err)
	}
	// Somebody who authorizes anew does not wait.
	execute(t, database, `UPDATE credential SET claim = 'dead', claimed_until = 99999999999999`)
	if err := c.Put(t.Context(), "box office", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := c.Renew(t.Context(), "box office", func(v []byte) ([]byte, error) { got = string(v); return nil, nil }); err != nil || got != "new" {
		t.Errorf("%q, %v", got, err)
	}
}

// A process has a credential for a minute by the clock that all share, whatever that of a machine says.
func testCredentialsByOneClock(t *testing.T, database string) {
	a, b := open(t, database), open(t, database)
	began := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	a.SetNow(func() time.Time { return began })
	one, two := a.Credentials(seal(t, a, oldSecret, "")), b.Credentials(seal(t, b, oldSecret, ""))
	if err := one.Put(t.Context(), "box office", []byte("r0")); err != nil {
		t.Fatal(err)
	}
	err := one.Renew(t.Context(), "box office", func([]byte) ([]byte, error) {
		for _, c := range []struct {
			after time.Duration
			free  bool
		}{{59 * time.Second, false}, {61 * time.Second, true}} {
			b.SetNow(func() time.Time { return began.Add(c.after) })
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			used := false
			err := two.Renew(ctx, "box office", func([]byte) ([]byte, error) { used = true; return nil, nil })
			if stop(); used != c.free || c.free && err != nil {
				t.Errorf("%s after another began: used %t, want %t (%v)", c.after, used, c.free, err)
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
}
