package event_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// rushed returns a house at a moment, with past evenings to which a hundred came, seventy of them in the last twenty
// minutes before curtain, and one tonight to which 500 are to come.
func rushed(t testing.TB, now time.Time, in ...webtest.GateIn) *figures.Snapshot {
	t.Helper()
	return rushedHouse(t, now, in...).Snapshot()
}

func rushedHouse(t testing.TB, now time.Time, in ...webtest.GateIn) *webtest.House {
	t.Helper()
	h := webtest.NewHouse()
	h.Health, h.AsOf = webtest.Healthy(now), now
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 100, Scans: true,
			In: []webtest.GateIn{{Gate: "A", N: 20, From: past.StartsAt.Add(-40 * time.Minute), To: past.StartsAt.Add(-25 * time.Minute)}, {Gate: "A", N: 70, From: past.StartsAt.Add(-20 * time.Minute), To: past.StartsAt}}})
	}
	if in == nil {
		in = []webtest.GateIn{{Gate: "A", N: 100, From: webtest.At("19:35"), To: webtest.At("19:50")}, {Gate: "A", N: 12, From: webtest.At("19:50"), To: webtest.At("19:53")}}
	}
	play := h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600)
	h.Sell(play, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 500, Scans: true,
		In: in})
	return h
}

// The rush is tinted in the chart, also one that begins or ends with the curtain.
func TestRushIsTinted(t *testing.T) {
	r, tinted, atCurtain, apart := webtest.Renderer(t), 0, 0, 0
	for now := webtest.At("19:40"); now.Before(webtest.At("20:14")); now = now.Add(time.Minute) {
		from := webtest.At("19:35")
		if now.After(webtest.At("19:58")) { // another evening, which is later
			from = webtest.At("19:50")
		}
		s := rushed(t, now, webtest.GateIn{Gate: "A", N: 150, From: from, To: now})
		a := evening.At(s, now).Arrivals(evening.At(s, now).Show(s.Event("evt_a")))
		if a.RushPeople == 0 {
			continue
		}
		c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, now)
		words := "rush " + a.RushFrom.In(webtest.Amsterdam).Format("15:04") + " to " + a.RushTo.In(webtest.Amsterdam).Format("15:04")
		chart := string(c.Charts["chart-arrived"])
		came := s.Event("evt_a").Arrived.Value // the number at the end of the line is of the moment of those inside
		webtest.Wants(t, now.String(), chart, words, fmt.Sprintf("{1|%d came}", came))
		if inside := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, now).HTML["figs"]); !strings.Contains(inside, fmt.Sprintf("Inside %d of", came)) && !strings.Contains(inside, fmt.Sprintf("Inside ≤ %d of", came)) {
			t.Errorf("%s: %d came, and %s", now, came, inside)
		}
		if right := strings.Contains(chart, `"position":"right"`); right != strings.Contains(chart, `"position":"insideTop"`) {
			t.Errorf("%s: the number of those who came stands on the words of the rush", now)
		} else if right {
			apart++
		}
		if tinted++; a.RushTo.Equal(webtest.At("20:15")) || a.RushFrom.Equal(webtest.At("20:15")) {
			atCurtain++
		}
	}
	if tinted == 0 || atCurtain == 0 || apart == 0 {
		t.Errorf("a rush was known %d times, %d of them beside the curtain, %d of them beside the first number", tinted, atCurtain, apart)
	}
}

// A rush that is forecast is one ahead. Once it has begun it is said when most came, as what happened; while people come and nothing is
// forecast, as of figures that are old, half of those who came until then are not half of all.
func TestRushIsForecastOrHappened(t *testing.T) {
	for _, c := range []struct {
		now, asOf   string
		text, chart string // neither, where they are empty
	}{
		{"19:20", "19:20", "Half usually come between 19:55 and 20:10.", "rush 19:55 to 20:10"},
		{"19:54", "19:47", "", ""},
		{"20:30", "20:30", "Busiest 19:35 to 19:45: half of those who came did so then.", "busiest 19:35 to 19:45"},
		{"23:30", "23:30", "Busiest 19:35 to 19:45: half of those who came did so then.", "busiest 19:35 to 19:45"},
	} {
		now := webtest.At(c.now)
		h := rushedHouse(t, now)
		h.Health, h.AsOf = webtest.Healthy(webtest.At(c.asOf)), webtest.At(c.asOf)
		page := webtest.Content(t, webtest.Renderer(t), webtest.EventView("evt_a").As(web.Door), h.Snapshot(), now)
		text, chart := webtest.Text(page.HTML["arrived"]), string(page.Charts["chart-arrived"])
		webtest.Wants(t, c.now, text, c.text)
		webtest.Wants(t, c.now+", its chart", chart, c.chart)
		for _, words := range []string{"come between", "Busiest"} {
			if strings.Contains(text, words) != strings.Contains(c.text, words) {
				t.Errorf("%s: %s", c.now, text)
			}
		}
		for _, words := range []string{`"rush `, `"busiest `} {
			if strings.Contains(chart, words) != strings.Contains(`"`+c.chart, words) {
				t.Errorf("%s: the chart has %q, want %q", c.now, words, c.chart)
			}
		}
	}
}

// While people come as fast as in the busiest minutes, these may not be over: it is not said when they were.
func TestBusiestMinutesAreSaidOnceTheyAreOver(t *testing.T) {
	for clock, said := range map[string]bool{"20:16": false, "20:40": true} {
		now := webtest.At(clock)
		h := rushedHouse(t, now, webtest.GateIn{Gate: "A", N: 100, From: webtest.At("20:04"), To: webtest.At("20:16")})
		page := webtest.Content(t, webtest.Renderer(t), webtest.EventView("evt_a").As(web.Door), h.Snapshot(), now)
		if text := webtest.Text(page.HTML["arrived"]); strings.Contains(text, "Busiest") != said {
			t.Errorf("%s: %s", clock, text)
		}
	}
}

// What is forecast of the arrivals stands on the performance's page, and in a few words on Tonight; and
// where it comes from is explained.
func TestArrivalsForecast(t *testing.T) {
	r := webtest.Renderer(t)
	explained := func(s *figures.Snapshot, now time.Time, k figures.Key, gate string) string {
		q, err := webtest.ExplainRequest(t, "/explain/"+string(k)+"?event=evt_a"+gate, web.Door)
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(webtest.Page(t, r, q, s, now), `<article id="explanation"`)
		return webtest.Text(body)
	}
	early, late := webtest.At("19:54"), webtest.At("20:12")
	s := rushed(t, early)
	c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, early)
	a := evening.At(s, early).Arrivals(evening.At(s, early).Show(s.Event("evt_a")))
	if a.RushPeople < 150 || a.RushPeople > 300 {
		t.Errorf("%d are expected in the rush", a.RushPeople)
	}
	webtest.Wants(t, "gates", webtest.Text(c.HTML["gates"]), "No sign of a queue of 10 or more")
	webtest.Lacks(t, "gates", webtest.Text(c.HTML["gates"]), "waiting")
	webtest.Wants(t, "arrived", webtest.Text(c.HTML["arrived"]), "22.4% of those expected have come; usual by now is 20.0%, by 6 comparable performances.",
		fmt.Sprintf("About %d come between %s and %s, the busiest minutes. The last one comes about 20:14.", a.RushPeople, a.RushFrom.In(webtest.ShowTime.Location()).Format("15:04"), a.RushTo.In(webtest.ShowTime.Location()).Format("15:04")),
		"this was 1 minute off on average")
	if lines := strings.Count(string(c.Charts["chart-arrived"]), `"type":"line"`); lines < 4 {
		t.Errorf("%d lines beside each other", lines)
	}
	row := webtest.Text(strings.Join(webtest.FragmentsOf(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, early).HTML, "shows-"), " "))
	webtest.Lacks(t, "row", row, "waiting")
	webtest.Wants(t, "no queue", explained(s, early, figures.KeyWaiting, "&gate=A"), "not known: the gate shows no sign of a queue", "The gate lets in 34 in five minutes at its best")
	webtest.Wants(t, "coming", explained(s, early, figures.KeyComing, "&gate=A"), fmt.Sprint("≈ ", evening.At(s, early).Show(s.Event("evt_a")).Queues[0].Coming.Value), "Forecast from 6 comparable performances and from who came tonight")
	s = rushed(t, late)
	c = webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, late)
	v := evening.At(s, late).Show(s.Event("evt_a")).Verdict
	reckoned := "outside at 20:15: of 500 expected 112 have come, 0 a minute in the last ten; usually 10.0% stay away and 0 are outside at curtain, on 6 comparable performances; in eight of ten cases " + fmt.Sprintf("%d to %d", v.Band.Low, v.Band.High) + ". It is 78% likely that 11 or more are late; from 75% a hold is advised if 12 minutes would let most of them in."
	webtest.Wants(t, "gates", webtest.Text(c.HTML["gates"]), reckoned)
	webtest.Wants(t, "verdict", explained(s, late, figures.KeyOutside, ""), reckoned, "it would have advised 0 holds, 0 rightly, and said on time 6 times, 6 rightly")
	after := webtest.At("20:17")
	s = rushed(t, after, webtest.GateIn{Gate: "A", N: 100, From: webtest.At("19:55"), To: webtest.At("20:10")}, webtest.GateIn{Gate: "A", N: 35, From: webtest.At("20:15"), To: webtest.At("20:17")})
	c = webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, after)
	webtest.Wants(t, "gates after the curtain", webtest.Text(c.HTML["gates"]), "of 500 expected 135 have come", "in eight of ten cases")
	webtest.Lacks(t, "gates after the curtain", webtest.Text(c.HTML["gates"]), "A hold is advised")
	if q, err := webtest.ExplainRequest(t, "/explain/waiting?event=evt_a&gate=Z", web.Door); err != nil {
		t.Fatal(err)
	} else if err := r.Page(new(strings.Builder), web.Frame{Request: q, Snapshot: s, Now: late, Ready: true}); err == nil {
		t.Error("a gate that there is not is explained")
	}
}

// Of gates that let in as many as ever, while many more are to be expected, each row has its own figures, and the queue that is
// named is where most wait.
func TestQueuesOfTheirGates(t *testing.T) {
	r, h, now := webtest.Renderer(t), webtest.NewHouse(), webtest.At("20:04")
	h.Health, h.AsOf = webtest.Healthy(now), now
	through := func(curtain time.Time) []webtest.GateIn {
		return []webtest.GateIn{{Gate: "A", N: 30, From: curtain.Add(-40 * time.Minute), To: curtain.Add(-20 * time.Minute)}, {Gate: "B", N: 70, From: curtain.Add(-21 * time.Minute), To: curtain.Add(-2 * time.Minute)},
			{Gate: "C", N: 60, From: curtain.Add(-21 * time.Minute), To: curtain.Add(-2 * time.Minute)}}
	}
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 160, Scans: true, In: through(past.StartsAt)})
	}
	h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 900), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 600, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.At("19:35"), To: webtest.At("19:53")}, {Gate: "B", N: 50, From: webtest.At("19:35"), To: webtest.At("19:53")}, {Gate: "C", N: 30, From: webtest.At("19:35"), To: webtest.At("19:53")}, {Gate: "B", N: 37, From: webtest.At("19:54"), To: webtest.At("20:04")}, {Gate: "C", N: 32, From: webtest.At("19:54"), To: webtest.At("20:04")}}})
	s := h.Snapshot()
	v := evening.At(s, now)
	show := v.Show(s.Event("evt_a"))
	c := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, now)
	text := webtest.FigureText(c.HTML["gates"])
	longest := show.Queues[0]
	for _, q := range show.Queues {
		row := fmt.Sprintf("§ ≈ %d %d to %d § ", q.Coming.Value, q.ComingBand.Low, q.ComingBand.High)
		if q.Waiting.Known() {
			row += fmt.Sprintf("≈ %d %d to %d", q.Waiting.Value, q.WaitingBand.Low, q.WaitingBand.High)
		} else {
			row += "—"
		}
		webtest.Wants(t, "the row of gate "+q.Gate, text, row)
		if q.Waiting.Value > longest.Waiting.Value {
			longest = q
		}
	}
	if len(show.Queues) != 3 || longest.Gate != "B" || show.Queues[0].Waiting.Known() || !show.Queues[2].Waiting.Known() {
		t.Fatalf("the queues are %+v", show.Queues)
	}
	webtest.Wants(t, "the longest", text, fmt.Sprintf("Gate B: ≈ %d waiting : it lets in 4 a minute", longest.Waiting.Value))
	row := webtest.FigureText(strings.Join(webtest.FragmentsOf(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, now).HTML, "shows-"), " "))
	webtest.Wants(t, "the longest on Tonight", row, fmt.Sprintf("Gate B: about %d waiting", longest.Waiting.Value))
}

// Whoever is told to hold reads how many will be outside at curtain, and not how many have not come yet.
func TestHoldSaysWhoIsOutside(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	h.Health, h.AsOf = webtest.Healthy(webtest.At("20:15")), webtest.At("20:15")
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 200, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 180, From: past.StartsAt.Add(-45 * time.Minute), To: past.StartsAt.Add(-3 * time.Minute)}}})
	}
	h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 400, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 220, From: webtest.At("19:50"), To: webtest.At("20:15")}}})
	at := webtest.At("20:11")
	h.AsOf = at
	s := h.Snapshot()
	show := evening.At(s, at).Show(s.Event("evt_a"))
	n := show.Verdict.Outside.Value
	if show.Verdict.Call != arriving.Hold || n == show.Still.Value || n == 0 {
		t.Fatalf("%d still to come, the verdict %+v", show.Still.Value, show.Verdict)
	}
	page := webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, at).HTML
	webtest.Wants(t, "its page", webtest.Text(page["in-words"]), fmt.Sprintf("Hold to 20:27 · about %d outside at 20:15", n))
	figs := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"])
	webtest.Wants(t, "its figures", figs, fmt.Sprintf("Curtain 20:15 Hold to 20:27 ≈ %d outside at curtain", n), fmt.Sprintf("Still to come %d", show.Still.Value))
	webtest.Wants(t, "attention", webtest.Text(page["attention"]), fmt.Sprintf("Hold to 20:27 · about %d outside at 20:15", n))
	webtest.Wants(t, "Tonight", webtest.Text(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML["shows-00"]), fmt.Sprintf("Hold to 20:27 · about %d outside", n))

	// After the curtain nobody has taken it on: of those who are not in, so many still come.
	late := webtest.At("20:18")
	h.Health, h.AsOf = webtest.Healthy(late), late
	after := h.Snapshot()
	show = evening.At(after, late).Show(after.Event("evt_a"))
	if n = show.Verdict.Outside.Value; show.Verdict.Call != arriving.Hold || n == show.Still.Value {
		t.Fatalf("after the curtain %d are not in, the verdict %+v", show.Still.Value, show.Verdict)
	}
	webtest.Wants(t, "late, its figures", webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), after, late).HTML["figs"]), fmt.Sprintf("about %d still coming", n))
	h.Health, h.AsOf = webtest.Healthy(at), at
	show = evening.At(s, at).Show(s.Event("evt_a"))

	// Somebody holds it, and six minutes after the curtain it has not begun.
	h.Apply(evening.At(s, at).AlertsOf(show)[0].Acknowledgement(evening.Seen{By: "Mia", At: at}))
	at = webtest.At("20:21")
	h.Health, h.AsOf = webtest.Healthy(at), at
	s = h.Snapshot()
	webtest.Wants(t, "held, its page", webtest.Text(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, at).HTML["in-words"]), "Held to 20:27 · about ")
	webtest.Wants(t, "held, its figures", webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"]), "Curtain 20:15 Held to 20:27")
	tonight := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), s, at).HTML
	webtest.Wants(t, "held, Tonight", webtest.Text(tonight["shows-00"]), "20:15 in 6 min", "Held to 20:27 · about ")
	webtest.Wants(t, "held, attention", webtest.Text(tonight["attention"]), "De Vader is held to 20:27", "Mia")
	// More are refused than may be late: it stays held, and how many are outside is not said, for it is not known.
	h.Coverage.RefusedTickets = map[string]int{"evt_a": 90}
	s = h.Snapshot()
	if v := evening.At(s, at).Show(s.Event("evt_a")); v.Held.IsZero() || v.Verdict.Call != arriving.NoCall {
		t.Fatalf("held to %v, with the verdict %+v", v.Held, v.Verdict)
	}
	figs = webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_a", "").As(web.Door), s, at).HTML["figs"])
	webtest.Wants(t, "held, nothing known, its figures", figs, "Curtain 20:15 Held to ")
	webtest.Lacks(t, "held, nothing known, its figures", figs, "outside")
}

// The chart of the arrivals has every visitor: its line goes through as many as had come by each minute. What is forecast of a
// minute has one decimal.
func TestArrivalsChart(t *testing.T) {
	now := webtest.At("20:10")
	h := rushedHouse(t, now)
	past := h.Event("evt_even", "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-8))
	h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 100, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 80, From: past.StartsAt.Add(-41 * time.Minute), To: past.StartsAt.Add(-time.Minute)}}})
	s := h.Snapshot()
	series := func(event, id string) (values []float64) {
		var chart struct {
			Series []struct {
				ID   string
				Data []struct{ Value [3]any }
			}
		}
		if err := json.Unmarshal(webtest.Content(t, webtest.Renderer(t), webtest.EventView(event).As(web.Door), s, now).Charts["chart-arrived"], &chart); err != nil {
			t.Fatal(err)
		}
		for _, series := range chart.Series {
			for i := range series.Data {
				if series.ID == id {
					values = append(values, series.Data[i].Value[1].(float64))
				}
			}
		}
		return values
	}
	var want []float64
	for m := -50; m <= 30; m++ { // from five minutes before the doors
		want = append(want, float64(figures.CountBefore(s.Event("evt_even").ArrivalMinutes, past.StartsAt.Add(time.Duration(m)*time.Minute))))
	}
	if got := series("evt_even", "came"); !slices.Equal(got, want) {
		t.Errorf("the line goes through %v, want %v", got, want)
	}
	ahead := series("evt_a", "rate-ahead")
	if !slices.ContainsFunc(ahead, func(rate float64) bool { return rate != math.Trunc(rate) }) || slices.ContainsFunc(ahead, func(rate float64) bool { return rate != math.Round(rate*10)/10 }) {
		t.Errorf("the rates that are forecast do not have one decimal: %v", ahead)
	}
}

// Beside those who have come stands by how many that differs from the usual, to the nearest: of 501 usually 100.2 have come. Tonight
// has that as a mark on their bar, until the curtain.
func TestCameThanUsual(t *testing.T) {
	now := webtest.At("19:54")
	h := rushedHouse(t, now)
	h.SellOne(&record.Event{ID: "evt_a"}, webtest.ShowTime.Add(-time.Hour), 2000)
	webtest.Wants(t, "inside", webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "").As(web.Door), h.Snapshot(), now).HTML["figs"]), "12 more in than usual")
	doors := h.Snapshot().Event("evt_a").Hours().Doors
	for after, compared := range map[time.Duration]bool{4 * time.Minute: false, 5 * time.Minute: true} {
		at := doors.Add(after)
		got := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "").As(web.Door), h.Snapshot(), at).HTML["figs"])
		if strings.Contains(got, "usual") != compared {
			t.Errorf("%s after the doors: %s", after, got)
		}
	}
	for at, mark := range map[time.Time]bool{now: true, webtest.At("20:20"): false} {
		row := webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), at).HTML["shows-00"]
		if strings.Contains(row, `x1="19.96%"`) != mark || strings.Contains(row, "112 of 501 visitors are inside, 100 usually by now") != mark {
			t.Errorf("Tonight at %s: %s", at.Format(time.TimeOnly), row)
		}
		if why := webtest.Text(webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "explain", Params: "event=evt_a&figure=inside"}.As(web.Door), h.Snapshot(), at)); strings.Contains(why, "100 have usually come by now, as on 6") != mark {
			t.Errorf("its explanation at %s: %s", at.Format(time.TimeOnly), why)
		}
	}
}

// A hold that is advised stays while it is more likely than not; its explanation does not deny it.
func TestHoldThatStaysSaysWhy(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for i := range 6 {
		past := h.Event(fmt.Sprint("evt_past_", i), "De Vader", "Kleine Zaal", "19:30", "20:15", 600, webtest.OnDay(-1-i))
		h.Sell(past, webtest.Sale{From: past.DoorsAt.AddDate(0, 0, -9), To: past.DoorsAt.AddDate(0, 0, -1), Paid: 200, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 180, From: past.StartsAt.Add(-45 * time.Minute), To: past.StartsAt.Add(-3 * time.Minute)}}})
	}
	h.Sell(h.Event("evt_a", "De Vader", "Kleine Zaal", "19:30", "20:15", 600), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -4), To: webtest.ShowTime.Add(-time.Hour), Paid: 400, Scans: true,
		In: []webtest.GateIn{{Gate: "A", N: 130, From: webtest.At("19:50"), To: webtest.At("20:05")}, {Gate: "A", N: 288, From: webtest.At("20:05"), To: webtest.At("20:14")}}})
	for at, stays := range map[string]bool{"20:11": false, "20:14": true} {
		now := webtest.At(at)
		h.Health, h.AsOf = webtest.Healthy(now), now
		s := h.Snapshot()
		v := evening.At(s, now).Show(s.Event("evt_a")).Verdict
		if v.Call != arriving.Hold || (v.Sure < v.HoldFrom) != stays {
			t.Fatalf("at %s the verdict is %+v", at, v)
		}
		gates := webtest.Text(webtest.Content(t, r, webtest.EventView("evt_a").As(web.Door), s, now).HTML["gates"])
		if why := "A hold that is advised stays while that is more likely than not."; strings.Contains(gates, why) != stays {
			t.Errorf("at %s: %s", at, gates)
		}
	}
}
