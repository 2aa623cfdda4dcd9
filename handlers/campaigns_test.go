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
	newsletter.Set("remove", "1")
	manager.enter(web.CampaignPath, web.MarketingPath, newsletter)
	if want := []string{`campaign of "Newsletter 2026-11-11" is "" by Name of the manager, read at 5; audited campaign "Newsletter 2026-11-11": "3" to ""`}; !slices.Equal(h.entered, want) {
		t.Errorf("removed: %q, want %q", h.entered, want)
	}
}
