package handlers_test

import (
	"strings"
	"testing"

	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/programme"
)

// Where a screen may show today's takings and no view of its programme does, Screens and its settings say so beside that.
func TestMoneyThatNoViewShows(t *testing.T) {
	h := newHouse(t, nil)
	_, admin := h.paired(t)
	list, err := h.store.Screens().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	saved := map[string]string{"": ""}
	for name, pages := range map[string][]string{"with": {"board", "takings"}, "without": {"board", "wall"}} {
		var p programme.Programme
		for _, page := range pages {
			p.Views = append(p.Views, programme.View{Page: page, Seconds: 30})
		}
		one, err := h.store.Programmes().Save(t.Context(), store.Programme{Name: name, Document: string(p.Document())}, store.Act{Action: store.ActProgrammeSaved})
		if err != nil {
			t.Fatal(err)
		}
		saved[name] = one.ID
	}
	for _, c := range []struct {
		programme string
		money     web.Money
		want      bool
	}{{"", web.TodaysMoney, true}, {"without", web.TodaysMoney, true}, {"with", web.TodaysMoney, false}, {"without", web.NoMoney, false}} {
		if _, err := h.store.Screens().Change(t.Context(), list[0].ID, store.Act{}, func(s *store.Screen) {
			s.Programme, s.Access = saved[c.programme], web.Access{Money: c.money}.String()
		}); err != nil {
			t.Fatal(err)
		}
		const says = "no view of its programme shows it"
		if body := text(admin.get("/screens").body); strings.Contains(body, "today's money · "+says) != c.want || strings.Contains(body, says) != c.want {
			t.Errorf("programme %q, %s: Screens says so: %v: %s", c.programme, c.money, !c.want, body)
		}
		if body := text(admin.get("/screens/edit?screen=" + list[0].ID).body); strings.Contains(body, says) != c.want {
			t.Errorf("programme %q, %s: its settings say so: %v: %s", c.programme, c.money, !c.want, body)
		}
	}
}
