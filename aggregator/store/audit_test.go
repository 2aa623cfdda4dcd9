package store_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// acts returns those of a query in short, the newest first.
func acts(t *testing.T, s *store.Store, q store.ActQuery) (short []string) {
	t.Helper()
	all, err := s.Audit().Acts(t.Context(), q, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		short = append(short, strings.TrimSpace(fmt.Sprint(a.At.UTC().Format("15:04 "), a.Actor, " ", a.Action, " ", a.ObjectName, " ", a.Reason)))
	}
	if n, err := s.Audit().Count(t.Context(), q); n != len(all) || err != nil {
		t.Errorf("%d acts are counted (%v) of %d", n, err, len(all))
	}
	return short
}

func checkActs(t *testing.T, s *store.Store, q store.ActQuery, want ...string) {
	t.Helper()
	if got := acts(t, s, q); !slices.Equal(got, want) {
		t.Errorf("%+v: %q, want %q", q, got, want)
	}
}

func testAudit(t *testing.T, database string) {
	s, other := open(t, database), open(t, database)
	now := noon
	s.SetNow(func() time.Time { return now })
	hints, stop := s.Watch(store.SubjectAudit)
	defer stop()
	full := store.Act{Actor: "idp anna", Name: "Anna", Action: "login", Object: "o", ObjectName: "O", Before: "b", After: "a", Reason: "r", Count: 14, Address: "192.0.2.1"}
	add := func(a store.Act) {
		t.Helper()
		if err := s.Audit().Append(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	add(full)
	select {
	case <-hints:
	default:
		t.Error("an act is not hinted")
	}
	now = noon.Add(time.Hour)
	add(store.Act{Actor: store.ActorStranger, Action: "login_refused", Reason: strings.Repeat("é", 2400) + "\x00"})
	add(store.Act{Actor: "idp anna", Name: "Anna B.\xff\x00", Action: "logout"})

	all, err := other.Audit().Acts(t.Context(), store.ActQuery{}, 0, 10)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	full.ID, full.At = all[2].ID, noon
	all[2].At = all[2].At.UTC()
	if all[2] != full || all[0].ID <= all[1].ID || all[1].ID <= all[2].ID || all[0].Count != 1 || all[0].Name != "Anna B." || len(all[1].Reason) != 4000 {
		t.Errorf("read %+v", all)
	}
	since := store.ActQuery{Since: noon.Add(time.Minute)}
	if got := acts(t, s, since); len(got) != 2 {
		t.Errorf("since then %q", got)
	}
	checkActs(t, s, store.ActQuery{Actor: "idp anna"}, "13:00 idp anna logout", "12:00 idp anna login O r")
	checkActs(t, s, store.ActQuery{Actor: "idp anna", Action: "logout"}, "13:00 idp anna logout")
	checkActs(t, s, store.ActQuery{Actor: "idp bert"})
	if page, err := s.Audit().Acts(t.Context(), store.ActQuery{}, 2, 1); err != nil || len(page) != 1 || page[0].ID != full.ID {
		t.Errorf("the third is %+v, %v", page, err)
	}
	for at, want := range map[time.Time]map[string]string{noon: {"idp anna": "Anna B.", "stranger": ""}, noon.Add(2 * time.Hour): {}} {
		if got, err := s.Audit().Actors(t.Context(), at); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("since %v: %v, %v, want %v", at, got, err, want)
		}
	}
	driver := "sqlite"
	if strings.HasPrefix(database, "postgres") {
		driver = "pgx"
	}
	outside, err := sql.Open(driver, database)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	statements := map[string]string{`UPDATE audit SET actor = 'nobody'`: "never changed", `DELETE FROM audit WHERE actor = 'idp anna'`: "never deleted", `DELETE FROM audit`: "never deleted"}
	if driver == "pgx" {
		statements[`TRUNCATE audit`] = "never deleted"
	}
	for statement, want := range statements {
		if _, err := outside.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// Each act fits the one before it, also where many are added at once, after the old ones are cleared and after everything
// is forgotten; whoever gets around the database's refusals is found out.
func testAuditChain(t *testing.T, database string) {
	s, other := open(t, database), open(t, database)
	now := noon
	for _, of := range []*store.Store{s, other} {
		of.SetNow(func() time.Time { return now })
	}
	add := func(n int) {
		t.Helper()
		var all sync.WaitGroup
		for i := range n {
			on := []*store.Store{s, other}[i%2]
			all.Go(func() {
				if err := on.Audit().Append(t.Context(), store.Act{Actor: "idp anna", Action: "login", After: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	check := func(want store.Chain) {
		t.Helper()
		got, err := s.Audit().Verify(t.Context())
		if got.Since, got.BrokenAt, want.Since, want.BrokenAt = got.Since.UTC(), got.BrokenAt.UTC(), want.Since.UTC(), want.BrokenAt.UTC(); err != nil || got != want {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	check(store.Chain{})
	add(30)
	now = noon.Add(time.Hour)
	add(5)
	check(store.Chain{Acts: 35, Since: noon})
	if n, err := s.Audit().Clear(t.Context(), noon.Add(time.Minute)); n != 30 || err != nil {
		t.Errorf("%d acts are cleared, %v", n, err)
	}
	check(store.Chain{Acts: 5, Since: now})
	if n, err := s.Audit().Clear(t.Context(), noon.Add(2*time.Hour)); n != 4 || err != nil { // the newest stays
		t.Errorf("%d acts are cleared, %v", n, err)
	}
	check(store.Chain{Acts: 1, Since: now})
	now = noon.Add(2 * time.Hour)
	if err := s.ForgetAll(t.Context(), store.Act{Actor: store.ActorCommand, Action: store.ActForgotAll}); err != nil {
		t.Fatal(err)
	}
	check(store.Chain{Acts: 1, Since: now})
	now = noon.Add(3 * time.Hour)
	add(5)

	// Somebody who owns the database can do away with the triggers.
	driver, off := "sqlite", []string{`DROP TRIGGER audit_never_changes`, `DROP TRIGGER audit_never_shrinks`}
	if strings.HasPrefix(database, "postgres") {
		driver, off = "pgx", []string{`ALTER TABLE audit DISABLE TRIGGER USER`}
	}
	outside, err := sql.Open(driver, database)
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	outside.SetMaxOpenConns(1)
	exec := func(statement string) {
		t.Helper()
		if _, err := outside.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for _, statement := range off {
		exec(statement)
	}
	for statement, want := range map[string]store.Chain{
		`SELECT 1`: {Acts: 6, Since: noon.Add(2 * time.Hour)},
		`UPDATE audit SET actor = 'nobody' WHERE id = (SELECT min(id) + 2 FROM audit)`:                  {Acts: 6, Since: noon.Add(2 * time.Hour), Broken: true, BrokenAt: now},
		`UPDATE audit SET actor = 'nobody' WHERE id = (SELECT max(id) FROM audit)`:                      {Acts: 6, Since: noon.Add(2 * time.Hour), Broken: true},
		`UPDATE audit SET previous = substr(previous, 1, 0) WHERE id = (SELECT max(id) - 1 FROM audit)`: {Acts: 5, Since: noon.Add(2 * time.Hour), Broken: true, BrokenAt: now},
		`DELETE FROM audit WHERE id = (SELECT min(id) + 2 FROM audit)`:                                  {Acts: 5, Since: noon.Add(2 * time.Hour), Broken: true, BrokenAt: now},
		`DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)`:                                      {Acts: 5, Since: noon.Add(2 * time.Hour), Broken: true},
		`DELETE FROM audit`: {Broken: true},
		`INSERT INTO audit (at, actor, name, action, object, object_name, before, after, reason, count, address) VALUES (1, '', '', 'login', '', '', '', '', '', 1, '')`: {Acts: 6, Since: noon.Add(2 * time.Hour), Broken: true, BrokenAt: time.UnixMilli(1)},
	} {
		exec(`CREATE TABLE aside AS SELECT * FROM audit`)
		exec(statement)
		check(want)
		if t.Failed() {
			t.Fatal(statement)
		}
		exec(`DELETE FROM audit`)
		overriding := ""
		if driver == "pgx" {
			overriding = `OVERRIDING SYSTEM VALUE `
		}
		exec(`INSERT INTO audit (id, at, actor, name, action, object, object_name, before, after, reason, count, address, previous) ` + overriding + `SELECT id, at, actor, name, action, object, object_name, before, after, reason, count, address, previous FROM aside`)
		exec(`DROP TABLE aside`)
	}
	// What is added afterwards does not mend it.
	exec(`UPDATE audit SET actor = 'nobody' WHERE id = (SELECT min(id) + 2 FROM audit)`)
	add(1)
	check(store.Chain{Acts: 7, Since: noon.Add(2 * time.Hour), Broken: true, BrokenAt: noon.Add(3 * time.Hour)})
}

// Whatever ends a session is an act, added with it or not at all.
func testEndIsAnAct(t *testing.T, database string) {
	st, other := open(t, database), open(t, database)
	now := noon
	for _, s := range []*store.Store{st, other} {
		s.SetNow(func() time.Time { return now })
	}
	s := st.Sessions()
	for token, of := range map[string]store.Owner{"desk": {Subject: "idp anna", Name: "Anna"}, "phone": {Subject: "idp anna", Name: "Anna"},
		"bert": {Subject: "idp bert", Name: "Bert"}, "cora": {Subject: "idp cora", Name: "Cora"}, "dirk": {Subject: "idp dirk", Name: "Dirk"}} {
		expiry := noon.Add(24 * time.Hour)
		if token == "dirk" {
			expiry = noon.Add(time.Hour)
		}
		if err := s.CommitCtx(store.WithOwner(t.Context(), of), token, []byte("x"), expiry); err != nil {
			t.Fatal(err)
		}
	}
	by := store.Act{Actor: "idp ruben", Action: store.ActSessionEnded, Reason: "admin", Before: "door"}
	if n, err := s.Revoke(t.Context(), store.ByToken("desk"), by); len(n) != 1 || err != nil {
		t.Fatalf("%d ended, %v", len(n), err)
	}
	if all, err := st.Audit().Acts(t.Context(), store.ActQuery{}, 0, 10); err != nil || len(all) != 1 || all[0].Object != store.HolderID("desk") || all[0].Before != "door" {
		t.Errorf("%+v, %v", all, err)
	}
	if all, err := st.Audit().Acts(t.Context(), store.ActQuery{Object: store.HolderID("phone")}, 0, 10); err != nil || len(all) != 0 {
		t.Errorf("of another session: %+v, %v", all, err)
	}
	if n, err := s.Revoke(t.Context(), store.BySubject("idp anna"), by); len(n) != 1 || err != nil {
		t.Errorf("%d more ended, %v", len(n), err)
	}
	if n, first, err := other.Sessions().RevokeOnce(t.Context(), "order", noon.Add(time.Hour), store.BySubject("idp bert"),
		store.Act{Actor: store.ActorProvider, Action: store.ActSessionEnded, Reason: "provider"}); len(n) != 1 || !first || err != nil {
		t.Errorf("%d ended, %v, %v", len(n), first, err)
	}
	now = noon.Add(2 * time.Hour)
	s.Idle = time.Hour
	if err := s.Touch(t.Context(), []string{"cora"}); err != nil { // too late
		t.Fatal(err)
	}
	for i, ss := range []*store.Sessions{s, other.Sessions(), s} {
		if n, err := ss.EndExpired(t.Context()); err != nil || len(n) != []int{2, 0, 0}[i] {
			t.Errorf("%d have ended, %v", len(n), err)
		}
	}
	checkActs(t, st, store.ActQuery{}, "14:00 program session_ended Cora idle", "14:00 program session_ended Dirk limit",
		"12:00 provider session_ended Bert provider", "12:00 idp ruben session_ended Anna admin", "12:00 idp ruben session_ended Anna admin")
	s.Idle = 0
	checkSession(t, s, "cora", nil)
}

func testAuditCleared(t *testing.T, database string) {
	s := open(t, database)
	now := noon
	s.SetNow(func() time.Time { return now })
	for i := range 203 {
		now = noon.Add(time.Duration(i) * time.Second)
		if err := s.Audit().Append(t.Context(), store.Act{Actor: "a", Action: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Audit().Clear(t.Context(), noon.Add(201*time.Second)); n != 201 || err != nil {
		t.Errorf("%d were cleared, %v", n, err)
	}
	checkActs(t, s, store.ActQuery{}, "12:03 a 202", "12:03 a 201")
}

func testPresence(t *testing.T, database string) {
	s, other := open(t, database), open(t, database)
	now := noon
	for _, st := range []*store.Store{s, other} {
		st.SetNow(func() time.Time { return now })
	}
	hints, stop := s.Watch(store.SubjectPresence)
	defer stop()
	write := func(s *store.Store, replica string, all ...store.Watching) {
		t.Helper()
		if err := s.Presence().Write(t.Context(), replica, all); err != nil {
			t.Fatal(err)
		}
	}
	anna, wall := store.HolderID("anna"), store.HolderID("wall")
	write(s, "one", store.Watching{Holder: anna, Sockets: 2, Topics: []string{`a"b`, "c"}, Address: "192.0.2.1", Agent: `Firefox, "é"`, Version: "v7"},
		store.Watching{Holder: wall, Sockets: 1, Topics: []string{"d"}})
	select {
	case <-hints:
	default:
		t.Error("presence is not hinted")
	}
	now = noon.Add(time.Minute)
	write(other, "two", store.Watching{Holder: anna, Sockets: 1, Topics: []string{"e"}})
	now = noon.Add(2 * time.Minute)
	write(s, "one", store.Watching{Holder: wall})
	write(s, "one")
	seen := func(want string, of ...string) {
		t.Helper()
		all, err := other.Presence().Of(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, holder := range []string{anna, wall} {
			for _, w := range all[holder] {
				got = append(got, fmt.Sprint(w.Seen.UTC().Format("15:04 "), map[string]string{anna: "anna", wall: "wall"}[w.Holder], w.Sockets, w.Topics, w.Address, w.Agent, w.Version))
			}
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("seen %s, want %s", strings.Join(got, "; "), want)
		}
	}
	seen(`12:01 anna1 [e]; 12:00 anna2 [a"b c]192.0.2.1Firefox, "é"v7; 12:02 wall0 []`, wall, anna)
	seen(`12:02 wall0 []`, wall, "nobody")
	// Another process that sees a holder soon after goes on from there; after a while it is a beginning, but for a
	// page that has been there since before.
	for _, c := range []struct{ at, since, loaded time.Duration }{{6 * time.Minute, 0, 0}, {7 * time.Minute, 0, 0}, {13 * time.Minute, 13 * time.Minute, 0},
		{33 * time.Minute, 13 * time.Minute, 12 * time.Minute}, {53 * time.Minute, 53 * time.Minute, 34 * time.Minute}} {
		now = noon.Add(c.at)
		w := store.Watching{Holder: anna, Sockets: 1}
		if c.loaded > 0 {
			w.Loaded = noon.Add(c.loaded)
		}
		write(other, fmt.Sprint("late", c.since), w)
		if all, err := s.Presence().Of(t.Context(), []string{anna}); err != nil || !all[anna][0].Since.Equal(noon.Add(c.since)) {
			t.Errorf("after %s it is seen since %s, %v", c.at, all[anna][0].Since, err)
		}
	}
	seen("")
	// More than are cleared at once.
	now = noon
	var many []string
	var left []store.Watching
	for i := range 450 {
		many = append(many, fmt.Sprint(i))
		left = append(left, store.Watching{Holder: fmt.Sprint(i)})
	}
	write(s, "three", left...)
	if err := s.Presence().Clear(t.Context(), noon.Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	seen(`12:53 anna1 []; 12:33 anna1 []; 12:07 anna1 []; 12:02 wall0 []`, wall, anna)
	if all, err := s.Presence().Of(t.Context(), many); err != nil || len(all) != 0 {
		t.Errorf("%d are left, %v", len(all), err)
	}
}
