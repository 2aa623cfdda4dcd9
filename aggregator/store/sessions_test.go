package store_test

import (
	"bytes"
	"fmt"
	"slices"
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
	if holds, ok := alive[token]; err != nil || len(alive) > 1 || ok != (want != nil) || !bytes.Equal(holds, want) {
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
		if err := s.CommitCtx(store.WithOwner(t.Context(), store.Owner{Subject: who[0], SID: who[1]}), token, []byte(token), expiry); err != nil {
			t.Fatal(err)
		}
		commit(t, s, token, token, expiry) // a touch, which does not know whose it is
	}
	commit(t, s, "nobody", "nobody", expiry)
	revoke := func(which store.Which, want int) {
		t.Helper()
		if n, err := s.Revoke(t.Context(), which, store.Act{}); err != nil || len(n) != want {
			t.Errorf("revoked %d, %v; want %d", len(n), err, want)
		}
	}
	revoke(store.BySID("s2", ""), 1)
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

// A logout of the sign-in service names its session, the person, or both.
func testSessionSID(t *testing.T, database string) {
	s := open(t, database).Sessions()
	expiry := time.Now().Add(time.Hour)
	all := map[string]store.Owner{
		"named": {Subject: "idp anna", SID: "s1"}, "other": {Subject: "idp anna", SID: "s2"}, "nameless": {Subject: "idp anna"},
		"bert": {Subject: "idp bert"}, "same": {Subject: "idp bert", SID: "s1"},
	}
	for _, c := range []struct {
		which store.Which
		ends  []string
	}{
		{store.BySID("s1", "idp anna"), []string{"named", "nameless"}},
		{store.BySID("s1", ""), []string{"same", "named"}},
		{store.BySubject("idp anna"), []string{"named", "other", "nameless"}},
		{store.BySID("", ""), nil},
		{store.Everyone(), []string{"named", "other", "nameless", "bert", "same"}},
	} {
		for token, of := range all {
			commitFor(t, s, c.which, token, of, expiry)
		}
		if n, err := s.Revoke(t.Context(), c.which, store.Act{}); err != nil || len(n) != len(c.ends) {
			t.Errorf("%+v: %d ended, want %d, %v", c.which, len(n), len(c.ends), err)
		}
		for token := range all {
			want := []byte(token)
			if slices.Contains(c.ends, token) {
				want = nil
			}
			checkSession(t, s, fmt.Sprint(c.which, token), want)
		}
		if _, err := s.Revoke(t.Context(), store.Everyone(), store.Act{}); err != nil {
			t.Fatal(err)
		}
	}
}

// commitFor commits a session of a run, whose token nobody has used.
func commitFor(t *testing.T, s *store.Sessions, run any, token string, of store.Owner, expiry time.Time) {
	t.Helper()
	if err := s.CommitCtx(store.WithOwner(t.Context(), of), fmt.Sprint(run, token), []byte(token), expiry); err != nil {
		t.Fatal(err)
	}
}

// An order to end sessions is carried out once, by one of many who get it.
func testRevokeOnce(t *testing.T, database string) {
	s, other := open(t, database).Sessions(), open(t, database).Sessions()
	expiry := time.Now().Add(time.Hour)
	login := func(token string) {
		t.Helper()
		commitFor(t, s, "", token, store.Owner{Subject: "idp anna"}, expiry)
	}
	login("a")
	if n, first, err := s.RevokeOnce(t.Context(), "order", expiry, store.BySubject("idp anna"), store.Act{}); len(n) != 1 || !first || err != nil {
		t.Errorf("%d, %v, %v", len(n), first, err)
	}
	login("b")
	if n, first, err := other.RevokeOnce(t.Context(), "order", expiry, store.BySubject("idp anna"), store.Act{}); len(n) != 0 || first || err != nil {
		t.Errorf("again: %d, %v, %v", len(n), first, err)
	}
	checkSession(t, s, "b", []byte("b"))
}

// A session that nobody has used for long ends, unless it was in use meanwhile.
func testSessionIdle(t *testing.T, database string) {
	st := open(t, database)
	now := noon
	st.SetNow(func() time.Time { return now })
	s := st.Sessions()
	for _, token := range []string{"used", "idle"} {
		commit(t, s, token, token, noon.Add(24*time.Hour))
	}
	s.Idle = time.Hour
	touch := func(tokens ...string) {
		t.Helper()
		if err := s.Touch(t.Context(), tokens); err != nil {
			t.Fatal(err)
		}
	}
	now = noon.Add(30 * time.Minute)
	touch("used", "never")
	now = noon.Add(time.Hour)
	checkSession(t, s, "idle", []byte("idle"))
	now = noon.Add(time.Hour + time.Millisecond)
	checkSession(t, s, "idle", nil)
	checkSession(t, s, "used", []byte("used"))
	touch("used", "idle") // too late for one
	checkSession(t, s, "idle", nil)
	now = noon.Add(2*time.Hour + time.Millisecond)
	checkSession(t, s, "used", []byte("used"))
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 || !list[0].Seen.Equal(noon.Add(time.Hour+time.Millisecond)) || !list[0].Started.Equal(noon) || !list[0].Ends.Equal(list[0].Seen.Add(time.Hour)) {
		t.Errorf("list %+v, %v", list, err)
	}
	s.Idle = 0
	checkSession(t, s, "idle", []byte("idle"))
	if err := s.DeleteCtx(t.Context(), "used"); err != nil {
		t.Fatal(err)
	}
	touch("used")
	checkSession(t, s, "used", nil)
}

func testSessionList(t *testing.T, database string) {
	st := open(t, database)
	now := noon
	st.SetNow(func() time.Time { return now })
	s := st.Sessions()
	anna := store.Owner{Subject: "idp anna", SID: "s1", Name: "Anna", Address: "192.0.2.1", Checked: noon}
	commitFor(t, s, "", "a", anna, noon.Add(time.Hour))
	now = noon.Add(time.Minute)
	commitFor(t, s, "", "b", store.Owner{Subject: "idp bert"}, noon.Add(2*time.Hour))
	commitFor(t, s, "", "gone", store.Owner{Subject: "idp bert"}, noon.Add(2*time.Hour))
	if err := s.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	a := list[1]
	if list[0].Subject != "idp bert" || a.Subject != anna.Subject || a.SID != "s1" || a.Name != "Anna" || a.Address != "192.0.2.1" || !a.Checked.Equal(noon) ||
		!a.Started.Equal(noon) || !a.Seen.Equal(noon) || !a.Expiry.Equal(noon.Add(time.Hour)) || string(a.Data) != "a" {
		t.Errorf("%+v", list)
	}
	if n, err := s.Revoke(t.Context(), store.ByID(a.ID), store.Act{}); len(n) != 1 || err != nil {
		t.Errorf("by its id %d ended, %v", len(n), err)
	}
	checkSession(t, s, "a", nil)
	// Who lost a session to somebody has to sign in anew, until that is forgotten.
	anew := func(when string, want time.Time) {
		t.Helper()
		if since, err := s.Anew(t.Context(), "idp bert"); err != nil || !since.Equal(want) {
			t.Errorf("%s: since %s, %v", when, since, err)
		}
	}
	anew("before", time.Time{})
	for i := range 2 {
		now = noon.Add(time.Duration(i+2) * time.Minute)
		commitFor(t, s, "", "c", store.Owner{Subject: "idp bert"}, noon.Add(2*time.Hour))
		if n, err := s.RevokeAnew(t.Context(), store.BySubject("idp bert"), store.Act{Action: store.ActSessionEnded}); len(n) != 2-i || err != nil {
			t.Errorf("%d ended, %v", len(n), err)
		}
		commitFor(t, s, "", "d", store.Owner{Subject: "idp bert"}, noon.Add(2*time.Hour))
	}
	anew("after the second", now)
	if err := s.ClearAnew(t.Context(), now); err != nil {
		t.Error(err)
	}
	anew("while it is kept", now)
	if err := s.ClearAnew(t.Context(), now.Add(time.Millisecond)); err != nil {
		t.Error(err)
	}
	anew("after it is forgotten", time.Time{})
	if n, err := s.Revoke(t.Context(), store.ByID("no id"), store.Act{}); len(n) != 0 || err != nil {
		t.Errorf("by no id %d ended, %v", len(n), err)
	}
}

// Only one replica asks the sign-in service about a session, and only if the session was used since the last time.
func testSessionClaim(t *testing.T, database string) {
	st, other := open(t, database), open(t, database)
	now := noon
	clock := func() time.Time { return now }
	st.SetNow(clock)
	other.SetNow(clock)
	s := st.Sessions()
	commitFor(t, s, "", "asked", store.Owner{Subject: "a", Checked: noon}, noon.Add(time.Hour))
	commitFor(t, s, "", "unused", store.Owner{Subject: "b", Checked: noon}, noon.Add(time.Hour))
	commitFor(t, s, "", "mute", store.Owner{Subject: "c"}, noon.Add(time.Hour))
	commitFor(t, s, "", "ended", store.Owner{Subject: "d", Checked: noon}, noon.Add(time.Hour))
	claim := func(s *store.Sessions) []store.SessionInfo {
		t.Helper()
		claimed, err := s.Claim(t.Context(), now.Add(-5*time.Minute), 10)
		if err != nil {
			t.Fatal(err)
		}
		return claimed
	}
	now = noon.Add(4 * time.Minute)
	if err := s.Touch(t.Context(), []string{"asked", "mute", "ended"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete("ended"); err != nil {
		t.Fatal(err)
	}
	if got := claim(s); len(got) != 0 {
		t.Errorf("claimed too early: %+v", got)
	}
	now = noon.Add(5 * time.Minute)
	claimed := claim(s)
	if len(claimed) != 1 || claimed[0].Subject != "a" || string(claimed[0].Data) != "asked" {
		t.Fatalf("claimed %+v", claimed)
	}
	if got := claim(other.Sessions()); len(got) != 0 {
		t.Errorf("claimed twice: %+v", got)
	}
	if err := s.Replace(t.Context(), claimed[0].ID, []byte("new")); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "asked", []byte("new"))
	now = noon.Add(11 * time.Minute)
	if got := claim(s); len(got) != 0 {
		t.Errorf("claimed though nobody used it: %+v", got)
	}
	if err := s.Touch(t.Context(), []string{"asked"}); err != nil {
		t.Fatal(err)
	}
	if got := claim(other.Sessions()); len(got) != 1 {
		t.Errorf("not claimed again: %+v", got)
	}
	if err := s.Delete("asked"); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(t.Context(), claimed[0].ID, []byte("back")); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "asked", nil)
}

// Of many who claim a session at the same time one gets it.
func testClaimAtOnce(t *testing.T, database string) {
	st, other := open(t, database), open(t, database)
	now := noon
	clock := func() time.Time { return now }
	st.SetNow(clock)
	other.SetNow(clock)
	commitFor(t, st.Sessions(), "", "a", store.Owner{Subject: "a", Checked: noon}, noon.Add(24*time.Hour))
	for range 10 { // the first time the connections are made one after the other
		now = now.Add(10 * time.Minute)
		if err := st.Sessions().Touch(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		begin, n := make(chan struct{}), make(chan int, 16)
		for i := range cap(n) {
			wg.Go(func() {
				<-begin
				got, err := []*store.Store{st, other}[i%2].Sessions().Claim(t.Context(), now.Add(-5*time.Minute), 10)
				if err != nil {
					t.Error(err)
				}
				n <- len(got)
			})
		}
		close(begin)
		wg.Wait()
		close(n)
		total := 0
		for got := range n {
			total += got
		}
		if total != 1 {
			t.Errorf("claimed %d times", total)
		}
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
