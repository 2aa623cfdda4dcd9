package store_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// checkSession checks what every way of looking says of a session; want nil means none.
func checkSession(t *testing.T, s *store.Sessions, token string, want []byte) {
	t.Helper()
	got, found, err := s.FindCtx(t.Context(), token)
	if err != nil || found != (want != nil) || !bytes.Equal(got, want) {
		t.Errorf("FindCtx(%q) = %q, %v, %v; want %q", token, got, found, err, want)
	}
	if got, found, err = s.Find(token); err != nil || found != (want != nil) || !bytes.Equal(got, want) {
		t.Errorf("Find(%q) = %q, %v, %v; want %q", token, got, found, err, want)
	}
	alive, err := s.Alive(t.Context(), []string{"somebody's", token})
	if got, found := alive[token]; err != nil || found != (want != nil) || !bytes.Equal(got, want) || alive["somebody's"] != nil {
		t.Errorf("Alive(%q) = %v, %v; want %q", token, alive, err, want)
	}
}

func commit(t *testing.T, s *store.Sessions, token, data string, expiry time.Time) {
	t.Helper()
	if err := s.Commit(token, []byte(data), expiry); err != nil {
		t.Fatal(err)
	}
}

func testSessions(t *testing.T, database string) {
	st := open(t, database)
	s := st.Sessions()
	expiry := time.Now().Add(time.Hour)
	checkSession(t, s, "never", nil)
	if err := s.Delete("never"); err != nil {
		t.Error(err)
	}
	if err := s.CommitCtx(t.Context(), "one", []byte("1"), expiry); err != nil {
		t.Fatal(err)
	}
	commit(t, s, "two", "2", expiry)
	if err := s.Commit("empty", nil, expiry); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "one", []byte("1"))
	checkSession(t, s, "empty", []byte{})
	commit(t, s, "one", "more", expiry)
	if alive, err := s.Alive(t.Context(), nil); err != nil || len(alive) != 0 {
		t.Errorf("of no session %v are alive, %v", alive, err)
	}
	closed(t, st)
	s = open(t, database).Sessions()
	checkSession(t, s, "one", []byte("more"))
	checkSession(t, s, "two", []byte("2"))
}

func testSessionExpiry(t *testing.T, database string) {
	st := open(t, database)
	s := st.Sessions()
	now := noon
	st.SetNow(func() time.Time { return now })
	commit(t, s, "a", "1", noon.Add(time.Hour))
	now = noon.Add(time.Hour - time.Millisecond)
	checkSession(t, s, "a", []byte("1"))
	now = noon.Add(time.Hour)
	checkSession(t, s, "a", nil)
	// A handler that read the session before it expired writes it back.
	commit(t, s, "a", "late", noon.Add(time.Hour))
	// Another's commit clears the expired away: not even a clock set back finds it.
	commit(t, s, "b", "2", noon.Add(2*time.Hour))
	now = noon
	checkSession(t, s, "a", nil)
	checkSession(t, s, "b", []byte("2"))
}

func testTombstone(t *testing.T, database string) {
	st := open(t, database)
	s := st.Sessions()
	expiry := time.Now().Add(time.Hour)
	commit(t, s, "a", "in", expiry)
	if err := s.DeleteCtx(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "a", nil)
	commit(t, s, "a", "back", expiry.Add(time.Hour))
	checkSession(t, s, "a", nil)
	closed(t, st)
	s = open(t, database).Sessions()
	commit(t, s, "a", "back", expiry)
	checkSession(t, s, "a", nil)
}

func testSessionOwner(t *testing.T, database string) {
	s := open(t, database).Sessions()
	expiry := time.Now().Add(time.Hour)
	for token, who := range map[string][2]string{"desk": {"idp anna", "s1"}, "phone": {"idp anna", "s2"}, "other": {"idp bert", "s3"}} {
		if err := s.CommitCtx(store.WithOwner(t.Context(), who[0], who[1]), token, []byte(token), expiry); err != nil {
			t.Fatal(err)
		}
		commit(t, s, token, token, expiry) // a touch, which does not know whose it is
	}
	commit(t, s, "nobody", "nobody", expiry)
	revoke := func(which store.Which, want int) {
		t.Helper()
		if n, err := s.Revoke(t.Context(), which); err != nil || n != want {
			t.Errorf("revoked %d, %v; want %d", n, err, want)
		}
	}
	revoke(store.BySID("s2"), 1)
	checkSession(t, s, "phone", nil)
	checkSession(t, s, "desk", []byte("desk"))
	revoke(store.BySubject("idp anna"), 1)
	checkSession(t, s, "desk", nil)
	checkSession(t, s, "other", []byte("other"))
	revoke(store.BySubject(""), 0)
	revoke(store.ByToken("nobody"), 1)
	revoke(store.ByToken("nobody"), 0)
	alive, err := s.Alive(t.Context(), []string{"desk", "phone", "other", "nobody", "never"})
	if err != nil || len(alive) != 1 || string(alive["other"]) != "other" {
		t.Errorf("alive %v, %v; want other", alive, err)
	}
}

func testSessionsAtOnce(t *testing.T, database string) {
	l := openLog(t, database)
	s := l.Sessions()
	expiry := time.Now().Add(time.Hour)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			token := fmt.Sprint("token", i)
			for n := range 20 {
				if err := s.CommitCtx(t.Context(), token, []byte{byte(n)}, expiry); err != nil {
					t.Error(err)
				}
				if b, found, err := s.FindCtx(t.Context(), token); err != nil || !found || b[0] != byte(n) {
					t.Errorf("%s: read %v, %v, %v after writing %d", token, b, found, err, n)
				}
			}
			if err := s.DeleteCtx(t.Context(), token); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			l.append(t, tickets(5)...)
		}
	})
	wg.Wait()
	for i := range 8 {
		checkSession(t, s, fmt.Sprint("token", i), nil)
	}
}

func testAttempts(t *testing.T, database string) {
	begun, finished := open(t, database), open(t, database)
	key, err := begun.Attempts().Key(t.Context())
	if err != nil || len(key) != 32 || bytes.Equal(key, make([]byte, 32)) {
		t.Fatalf("key %x, %v", key, err)
	}
	if again, err := finished.Attempts().Key(t.Context()); err != nil || !bytes.Equal(again, key) {
		t.Errorf("another process has the key %x, want %x, %v", again, key, err)
	}
	use := func(s *store.Store, state string, want bool) {
		t.Helper()
		if first, err := s.Attempts().Use(t.Context(), state, noon.Add(10*time.Minute)); err != nil || first != want {
			t.Errorf("use %s: %v, %v; want %v", state, first, err, want)
		}
	}
	now := noon
	begun.SetNow(func() time.Time { return now })
	finished.SetNow(func() time.Time { return now.Add(-time.Minute) })
	use(begun, "a", true)
	use(finished, "a", false)
	now = noon.Add(11 * time.Minute)
	use(begun, "b", true) // and clears; another's clock may say that a is good
	use(finished, "a", false)
	now = noon.Add(2 * time.Hour)
	use(begun, "c", true)
	use(begun, "a", true) // gone: who asks has seen that it expired

	// Of many who come with the same state one is the first.
	got, wg := make(chan bool, 8), sync.WaitGroup{}
	for range 8 {
		wg.Go(func() {
			first, err := finished.Attempts().Use(t.Context(), "many", now)
			if err != nil {
				t.Error(err)
			}
			got <- first
		})
	}
	wg.Wait()
	n := 0
	for range 8 {
		if <-got {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d were the first", n)
	}
}
