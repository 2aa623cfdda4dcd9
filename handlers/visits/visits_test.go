package visits_test

import (
	"context"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/visits"
)

// The sign-in of the session itself is no earlier visit, however long it has gone on; neither is one of the half hour before now, or
// one of somebody else.
func TestSignedInBeforeTheSession(t *testing.T) {
	now := time.Date(2026, 11, 28, 20, 0, 0, 0, time.UTC)
	of := func(id int64, actor, session string, ago time.Duration) store.Act {
		return store.Act{ID: id, Action: store.ActLogin, Actor: actor, Object: session, At: now.Add(-ago)}
	}
	log := []store.Act{of(5, "joost", "phone", 10*time.Minute), of(4, "joost", "desk", 2*time.Hour), of(3, "karim", "till", 3*time.Hour), of(2, "joost", "old", 26*time.Hour), of(1, "joost", "older", 50*time.Hour)}
	acts := func(_ context.Context, q store.ActQuery, skip, n int) (found []store.Act, err error) {
		for _, a := range log {
			if (q.Actor == "" || q.Actor == a.Actor) && (q.Object == "" || q.Object == a.Object) && (q.Before == 0 || a.ID < q.Before) {
				found = append(found, a)
			}
		}
		return found[min(skip, len(found)):min(skip+n, len(found))], nil
	}
	for session, want := range map[string]time.Duration{"desk": 26 * time.Hour, "phone": 2 * time.Hour, "old": 50 * time.Hour, "older": 0, "unknown": 0} {
		got, err := visits.SignedIn(t.Context(), acts, visits.Visit{Actor: "joost", Session: session, Now: now, At: func(at time.Time) time.Time { return at }})
		if err != nil || want > 0 && !got.Equal(now.Add(-want)) || want == 0 && !got.IsZero() {
			t.Errorf("before session %s: %v, %v, want %v ago", session, got, err, want)
		}
	}
}
