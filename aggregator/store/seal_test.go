package store_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"housecount/aggregator/store"
)

// Secret keys.
var (
	oldSecret = strings.Repeat("old", 12)
	newSecret = strings.Repeat("new", 12)
)

func seal(t *testing.T, s *store.Store, secret, fallback string) *store.Seal {
	t.Helper()
	seal, err := s.Seal(t.Context(), secret, fallback)
	if err != nil {
		t.Fatal(err)
	}
	return seal
}

// Keys are changed without losing what was sealed, and a wrong one opens nothing.
func testSeal(t *testing.T, database string) {
	s, other := open(t, database), open(t, database)
	own := seal(t, s, "", "")
	sealed := own.Seal("a", []byte("plain"))
	for _, c := range []struct {
		name             string
		secret, fallback string
		opens, foreign   bool
	}{
		{"another process with the database's own", "", "", true, false},
		{"from the database's own to one", oldSecret, "", true, false},
		{"that one again", oldSecret, "", true, false},
		{"another, which comes next", oldSecret, newSecret, true, false},
		{"that next one", newSecret, oldSecret, true, false},
		{"without the one before", newSecret, "", true, false},
		{"the one before alone", oldSecret, "", false, true},
		{"back to the database's own", "", oldSecret, true, false},
		{"which opens another", newSecret, "", true, false},
		{"but not the other way round", "", "", false, true},
	} {
		to := seal(t, other, c.secret, c.fallback)
		if to.Foreign != c.foreign {
			t.Errorf("%s: foreign is %v", c.name, to.Foreign)
		}
		got, err := to.Open("a", sealed)
		if c.opens && string(got) != "plain" || !c.opens && !errors.Is(err, store.ErrSealed) {
			t.Errorf("%s: opened %q, %v", c.name, got, err)
		}
		sealed = to.Seal("a", []byte("plain"))
	}
	last := seal(t, s, newSecret, "")
	for name, sealed := range map[string][]byte{"another purpose's": last.Seal("b", nil), "none": nil, "cut": last.Seal("a", []byte("plain"))[:20],
		"changed": append(last.Seal("a", []byte("plain")), 0)} {
		if got, err := last.Open("a", sealed); !errors.Is(err, store.ErrSealed) {
			t.Errorf("%s is opened: %q, %v", name, got, err)
		}
	}
	if bytes.Equal(last.Seal("a", []byte("plain")), last.Seal("a", []byte("plain"))) {
		t.Error("the same is sealed to the same")
	}
}

// What one replica puts another gets; the database has no word of it, and a wrong key neither
// sees nor overwrites it.
func testCertificates(t *testing.T, database string) {
	s, other := open(t, database), open(t, database)
	of := func(s *store.Store, secret, fallback string) *store.Certificates {
		t.Helper()
		c, err := s.Certificates(t.Context(), seal(t, s, secret, fallback))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	get := func(what string, c *store.Certificates, name, want string) {
		t.Helper()
		if data, ok, err := c.Get(t.Context(), name); err != nil || ok != (want != "") || string(data) != want {
			t.Errorf("%s: %s is %q, %v, %v; want %q", what, name, data, ok, err, want)
		}
	}
	put := func(c *store.Certificates, name, data string) {
		t.Helper()
		if err := c.Put(t.Context(), name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	one := of(s, oldSecret, "")
	get("at first", one, "house", "")
	put(one, "house", "before")
	put(one, "house", "certificate")
	put(one, "account", "key")
	two := of(other, oldSecret, "")
	get("another replica", two, "house", "certificate")
	if err := two.Delete(t.Context(), "house"); err != nil {
		t.Fatal(err)
	}
	get("deleted", one, "house", "")
	if err := two.Delete(t.Context(), "house"); err != nil {
		t.Errorf("deleted again: %v", err)
	}
	put(one, "house", "certificate")

	wrong := of(other, newSecret, "")
	get("a wrong key", wrong, "house", "")
	put(wrong, "house", "another")
	if err := wrong.Delete(t.Context(), "account"); err != nil {
		t.Fatal(err)
	}
	get("a wrong key", wrong, "house", "another")
	get("after the wrong key", of(s, oldSecret, ""), "house", "certificate")

	// Once keys have been changed, the one before is of no use any more.
	get("after the change", of(other, strings.Repeat("third", 8), oldSecret), "account", "key")
	get("by the old key", of(s, oldSecret, ""), "account", "")
	get("by the third", of(s, strings.Repeat("third", 8), ""), "account", "key")
	// What was sealed under one name does not pass for another's.
	execute(t, database, `UPDATE certificate SET name = 'moved' WHERE name = 'account'`)
	get("moved", of(s, strings.Repeat("third", 8), ""), "moved", "")
}
