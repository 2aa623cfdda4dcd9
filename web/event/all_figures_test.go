package event_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// planned returns an eventful evening with what planning says of one performance.
func planned(t testing.TB) *webtest.House {
	h := webtest.Eventful(t)
	h.Apply(&record.Planning{ID: "pln_mat", EventID: "evt_mat", Status: "confirmed", ExpectedVisitors: new(400),
		BudgetRevenue: &record.Money{Amount: 1000000, Currency: "EUR"}, BudgetMarketing: &record.Money{Amount: 50000, Currency: "EUR"}, UpdatedAt: webtest.ShowTime})
	return h
}

// Every figure of the catalogue that a performance has stands on its page, before it and when it is over, and
// none that the role may not see.
func TestEveryFigureOfAPerformanceIsOnItsPage(t *testing.T) {
	r, s := webtest.Renderer(t), planned(t).Snapshot()
	of := map[figures.Key]bool{}
	for _, clock := range []string{"12:01", "19:52", "20:14", "23:20"} {
		v := evening.At(s, webtest.At(clock))
		for _, event := range []string{"evt_mat", "evt_over", "evt_off", "evt_trio", "evt_past_0"} {
			for _, role := range web.Roles {
				body := webtest.Page(t, r, webtest.EventView(event).As(role), s, webtest.At(clock))
				for _, d := range catalogue.All() {
					shown := strings.Contains(body, fmt.Sprintf(`href="/explain/%s?event=%s"`, d.Key, event))
					if shown && d.Unit == figures.Money && (role == web.Door || role == web.BoxOffice && !d.Today) {
						t.Errorf("%s is shown %s", role, d.Key)
					}
					x, has := catalogue.Explain(v, d.Key, figures.Scope{Event: event})
					if role == web.Manager && has && x.Known() {
						of[d.Key] = of[d.Key] || shown
					}
				}
			}
		}
	}
	ofPace := []figures.Key{figures.KeySoldSoFar, figures.KeyUsual, figures.KeyUsualFinish, figures.KeyFinish, figures.KeyFinishError} // beside its own words
	for k, shown := range of {
		if !shown && k != figures.KeyStandsIn && !slices.Contains(ofPace, k) {
			t.Errorf("%s of a performance is on no page", k)
		}
	}
	got := webtest.Content(t, r, webtest.EventView("evt_mat").As(web.Manager), s, webtest.At("12:01")).HTML["figures"]
	for _, want := range []string{"planning forecast 400", "marketing per ticket"} {
		if !strings.Contains(webtest.Text(got), want) {
			t.Errorf("no %q in %s", want, webtest.Text(got))
		}
	}
}
