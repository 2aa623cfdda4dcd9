package handlers

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/query"
)

// mostCampaignName is the longest name of a campaign, in bytes.
const mostCampaignName = 240

// noteCampaign stores a campaign, or removes that of the given name and first day. Only those who see Marketing may do this.
func (s *site) noteCampaign(w http.ResponseWriter, r *http.Request) error {
	name, wrong := query.ReadText(r.PostFormValue("of"))
	from, noDay := query.ReadDay(r.PostFormValue("from"))
	days := int64(1)
	remove := r.PostFormValue("remove") != ""
	if !remove && noDay == nil {
		var to string
		to, noDay = query.ReadDay(r.PostFormValue("to"))
		days = int64(figures.Day(to).Since(figures.Day(from))) + 1
	}
	if least, most := figures.SettingBounds(record.SettingCampaign); strings.TrimSpace(name) == "" || len(name) > mostCampaignName || wrong != nil || noDay != nil || days < least || days > most {
		return &fault{status: http.StatusBadRequest, code: "address", cause: errors.New("no such campaign")}
	}
	return s.entered(w, r, func(ctx context.Context, who *sessions.Staff, _ *evening.Evening, _ *evening.Show) error {
		if !who.Role.Access().SeesMarketing() {
			return &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: web.Manager, another: true}
		}
		err := store.ErrChanged
		for i := 0; i < changedAgain && errors.Is(err, store.ErrChanged); i++ {
			snapshot, now := s.Snapshot(), s.Now()
			change := &record.Setting{Name: record.SettingCampaign, Of: name, From: from}
			if held := snapshot.Settings().Get(change.Name, name, from); remove && held == nil || !remove && held != nil && *held.Value == days {
				return nil
			}
			if !remove {
				change.Value = &days
			}
			err = s.set(ctx, r, snapshot, now, []*record.Setting{change})
		}
		return err
	})
}
