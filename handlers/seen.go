package handlers

import (
	"errors"
	"net/http"
	"net/url"

	"housecount/aggregator/figures"
)

// seen takes it that a member of staff has seen an alert, and leads back to the page. An alert
// that has passed meanwhile, or is not within the person's access, needs nothing.
func (s *site) seen(w http.ResponseWriter, r *http.Request) error {
	who := visitOf(r).staff
	if who == nil {
		return redirect(w, "/login?return="+url.QueryEscape(s.pageBefore(r)))
	}
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	alert, badAlert := url.QueryUnescape(r.PostForm.Get("alert"))
	id, badID := url.QueryUnescape(r.PostForm.Get("event"))
	if err := errors.Join(badAlert, badID); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	now, all := s.Now(), who.Role.Access().Within(s.Snapshot())
	v := all.Evening(now)
	if event := all.Event(id); event != nil {
		for _, a := range v.AlertsOf(v.Show(event)) {
			if a.Key != alert || a.Seen != nil {
				continue
			}
			if err := s.Acknowledge(r.Context(), &a, figures.Seen{By: who.Name, At: now}); err != nil {
				return err
			}
		}
	}
	return redirect(w, s.pageBefore(r))
}
