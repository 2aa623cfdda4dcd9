package handlers

import (
	"context"
	"errors"
	"net/http"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/money"
)

// noteCampaign stores a campaign and what it cost, or removes that of the given name and first day. Only those who see Marketing may do this.
func (s *site) noteCampaign(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	if _, ok := money.ReadCampaign(r.PostForm, s.Snapshot()); !ok {
		return &fault{status: http.StatusBadRequest, code: "address", cause: errors.New("no such campaign")}
	}
	return s.entered(w, r, func(ctx context.Context, who *sessions.Staff, _ *evening.Evening, _ *evening.Show) error {
		if !who.Role.Access().SeesMarketing() {
			return &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: web.Manager, another: true}
		}
		err := store.ErrChanged
		for i := 0; i < changedAgain && errors.Is(err, store.ErrChanged); i++ {
			snapshot, now := s.Snapshot(), s.Now()
			changes, _ := money.ReadCampaign(r.PostForm, snapshot)
			err = s.set(ctx, r, snapshot, now, changes)
		}
		return err
	})
}
