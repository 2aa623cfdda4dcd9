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
		if last, err = visits.SignedIn(r.Context(), s.Audit.Acts, s.sessions.Owned(who.Subject), store.HolderID(s.sessions.Token(r)), s.At, s.Now()); err != nil {
			return err
		}
	}
	if last.IsZero() {
		return redirect(w, explain.ChangesOfFirstVisit)
	}
	return redirect(w, explain.ChangesSince(last, s.Snapshot().Calendar))
}
