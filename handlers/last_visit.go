package handlers

import (
	"net/http"

	"housecount/aggregator/store"
	"housecount/handlers/visits"
	"housecount/web/explain"
)

func (s *site) visitCookie() visits.Cookie { return visits.Cookie{Secure: s.public.Scheme == "https"} }

// sinceVisit redirects to what has changed since the last visit, which in a browser without one is the person's last sign-in before this;
// who never was here gets what has changed today.
func (s *site) sinceVisit(w http.ResponseWriter, r *http.Request) (err error) {
	last := s.visitCookie().Last(r, s.Now())
	if who := visitOf(r).staff; last.IsZero() && who != nil {
		now := visits.Visit{Actor: s.sessions.Owned(who.Subject), Session: store.HolderID(s.sessions.Token(r)), Now: s.Now(), At: s.At}
		if last, err = visits.SignedIn(r.Context(), s.Audit.Acts, now); err != nil {
			return err
		}
	}
	if last.IsZero() {
		return redirect(w, explain.ChangesOfFirstVisit)
	}
	return redirect(w, explain.ChangesSince(last, s.Snapshot().Calendar))
}
