package handlers_test

import (
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
)

// Who sees Marketing notes campaigns and removes them; nobody else does, and what is no campaign is refused.
func TestCampaigns(t *testing.T) {
	h, set := settingsHouse(t)
	manager, office := h.loggedIn(t, web.Manager), h.loggedIn(t, web.BoxOffice)
	form := func(name, from, to string) url.Values { return url.Values{"of": {name}, "from": {from}, "to": {to}} }
	newsletter := form("Newsletter", "2026-11-11", "2026-11-13")
	if p := office.enter(web.CampaignPath, web.MarketingPath, newsletter); p.status != http.StatusForbidden || h.entered != nil {
		t.Errorf("the box office: %d, %q", p.status, h.entered)
	}
	for _, f := range []url.Values{form(" ", "2026-11-11", "2026-11-13"), form("Newsletter", "soon", "2026-11-13"), form("Newsletter", "2026-11-11", ""), form("Newsletter", "2026-11-11", "2026-11-10"), form("Newsletter", "2026-11-11", "2028-11-11")} {
		if p := manager.enter(web.CampaignPath, web.MarketingPath, f); p.status != http.StatusBadRequest || h.entered != nil {
			t.Errorf("%v: %d, %q", f, p.status, h.entered)
		}
	}
	manager.enter(web.CampaignPath, web.MarketingPath, newsletter)
	if want := []string{`campaign of "Newsletter 2026-11-11" is "3" by Name of the manager, read at 4; audited campaign "Newsletter 2026-11-11": "" to "3"`}; !slices.Equal(h.entered, want) {
		t.Errorf("noted: %q, want %q", h.entered, want)
	}
	set(&record.Setting{Name: record.SettingCampaign, Of: "Newsletter", From: "2026-11-11", Value: new(int64(3)), At: time.Now().Add(-time.Minute), By: "Joost"})
	h.entered = nil
	manager.enter(web.CampaignPath, web.MarketingPath, newsletter) // it is noted already
	h.entered = nil
	for typed, entered := range map[string][]string{"12.50": {`campaign_cost of "EUR Newsletter 2026-11-11" is "12.50" by Name of the manager, read at 5; audited campaign_cost "EUR Newsletter 2026-11-11": "" to "12.50"`}, "": nil} {
		newsletter.Set("cost", typed)
		if p := manager.enter(web.CampaignPath, web.MarketingPath, newsletter); p.status != http.StatusSeeOther || !slices.Equal(h.entered, entered) {
			t.Errorf("a cost of %q: %d, %q, want %q", typed, p.status, h.entered, entered)
		}
		h.entered = nil
	}
	for _, typed := range []string{"-1", "NaN", "1e30", "ten", "12,50", "12.345", "1e-5"} {
		newsletter.Set("cost", typed)
		if p := manager.enter(web.CampaignPath, web.MarketingPath, newsletter); p.status != http.StatusBadRequest || h.entered != nil {
			t.Errorf("a cost of %q: %d, %q", typed, p.status, h.entered)
		}
	}
	set(&record.Setting{Name: record.SettingCampaignCost, Of: "EUR Newsletter", From: "2026-11-11", Value: new(int64(12_50)), At: time.Now().Add(-time.Minute), By: "Joost"})
	set(&record.Setting{Name: record.SettingCampaignCost, Of: "EUR Letter", From: "2026-11-11", Value: new(int64(9)), At: time.Now().Add(-time.Minute), By: "Joost"})
	newsletter.Set("remove", "1")
	manager.enter(web.CampaignPath, web.MarketingPath, newsletter)
	if want := []string{`campaign of "Newsletter 2026-11-11" is "" by Name of the manager, read at 7; audited campaign "Newsletter 2026-11-11": "3" to ""`,
		`campaign_cost of "EUR Newsletter 2026-11-11" is "" by Name of the manager, read at 7; audited campaign_cost "EUR Newsletter 2026-11-11": "12.50" to ""`}; !slices.Equal(h.entered, want) {
		t.Errorf("removed: %q, want %q", h.entered, want)
	}
}
