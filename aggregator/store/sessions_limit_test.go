package store_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// A person's oldest session ends when they begin one too many; others lose none.
func testMostSessions(t *testing.T, database string) {
	st := open(t, database)
	now := noon
	st.SetNow(func() time.Time { return now })
	s := st.Sessions()
	hints, stop := st.Watch(store.SubjectSessions)
	defer stop()
	begin := func(token, subject string) {
		t.Helper()
		of := store.Owner{Subject: subject, Name: subject}
		if err := s.CommitCtx(store.WithOwner(t.Context(), of), token, []byte(token), noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	begin("theirs", "idp bert")
	commit(t, s, "nobody's", "nobody", noon.Add(time.Hour))
	for i := range store.MostSessions {
		now = now.Add(time.Second)
		begin(fmt.Sprint(i), "idp anna")
	}
	checkSession(t, s, "0", []byte("0"))
	select {
	case <-hints:
		t.Error("it is hinted that a session ended")
	default:
	}
	begin("one more", "idp anna") // at the same moment as the last one
	checkSession(t, s, "0", nil)
	for _, token := range []string{"1", "19", "one more", "theirs"} {
		checkSession(t, s, token, []byte(token))
	}
	checkSession(t, s, "nobody's", []byte("nobody"))
	select {
	case <-hints:
	default:
		t.Error("the end of the oldest session is not hinted")
	}
	checkActs(t, st, store.ActQuery{}, "12:00 program session_ended idp anna many")
}
