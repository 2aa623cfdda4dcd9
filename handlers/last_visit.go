package handlers

import (
	"fmt"
	"net/http"
	"time"

	"housecount/web/explain"
)

// newVisit is for how long nobody may have looked at a page for the next look to be another visit.
const newVisit = 30 * time.Minute

// visitCookie returns the name of the cookie with the end of the last visit and the last use of this one.
// It does not identify the person.
func (s *site) visitCookie() string {
	if s.public.Scheme == "https" {
		return "__Host-visit"
	}
	return "housecount_visit" // a browser refuses __Host- on plain http
}

// visits returns when the last visit ended, and when this one went on last; zero if that is not known.
func (s *site) visits(r *http.Request) (last, this time.Time) {
	c, err := r.Cookie(s.visitCookie())
	if err != nil {
		return last, this
	}
	var ended, went int64
	if _, err := fmt.Sscanf(c.Value, "%d-%d", &ended, &went); err != nil || ended < 0 || went < 0 || went > s.Now().Unix() || ended > went {
		return last, this
	}
	if ended > 0 {
		last = time.Unix(ended, 0)
	}
	return last, time.Unix(went, 0)
}

// keepVisit notes that a page is looked at.
func (s *site) keepVisit(w http.ResponseWriter, r *http.Request) {
	last, this := s.visits(r)
	now := s.Now()
	if !this.IsZero() && now.Sub(this) > newVisit {
		last = this
	}
	ended := int64(0)
	if !last.IsZero() {
		ended = last.Unix()
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.visitCookie(), Value: fmt.Sprintf("%d-%d", ended, now.Unix()), Path: "/", MaxAge: int(365 * 24 * time.Hour / time.Second),
		Secure: s.public.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// sinceVisit redirects to what has changed since the last visit, or in a browser without one what has changed today.
func (s *site) sinceVisit(w http.ResponseWriter, r *http.Request) error {
	last, this := s.visits(r)
	if !this.IsZero() && s.Now().Sub(this) > newVisit {
		last = this
	}
	calendar := s.Snapshot().Calendar
	if last.IsZero() {
		return redirect(w, explain.ChangesOfFirstVisit)
	}
	return redirect(w, explain.ChangesSince(last, calendar))
}
