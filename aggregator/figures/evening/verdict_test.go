package evening_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// pastSeason returns the sandbox's house with the evenings of the last weeks.
func pastSeason(t testing.TB, seed uint64) (*figures.Snapshot, time.Time) {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 17, 0, 0, 0, zone)
	service, err := sandbox.New(sandbox.Options{Seed: seed, Start: now, Speed: -1, Past: 60, Coming: 1, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{Zone: zone})}
	read(t, service, "events", func() record.Record { return new(record.Event) }, l)
	read(t, service, "tickets", func() record.Record { return new(record.Ticket) }, l)
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	s.AsOf = now
	return s, now
}

// read applies every record of a list.
func read(t testing.TB, service *sandbox.Sandbox, list string, new func() record.Record, l *foldtest.Versions) {
	t.Helper()
	for page := 1; ; page++ {
		q := httptest.NewRequest("GET", fmt.Sprintf("/v2/%s?per_page=500&page=%d", list, page), nil)
		q.Header.Set("Authorization", "Bearer key")
		w := httptest.NewRecorder()
		service.ServeHTTP(w, q)
		var answer struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %v", list, w.Code, err)
		}
		if len(answer.Data) == 0 {
			return
		}
		for _, row := range answer.Data {
			r := new()
			if err := json.Unmarshal(row, r); err != nil {
				t.Fatal(err)
			}
			l.Add(r)
		}
	}
}

// The verdicts over the sandbox's past evenings, one in twelve of which had late, early or missing visitors, are near what
// happened, and so are forecasts of each of them from others.
func TestVerdictAccuracy(t *testing.T) {
	s, now := pastSeason(t, 1)
	v := evening.At(s, now)
	a := v.VerdictAccuracy()
	t.Logf("%d performances: outside at curtain off by %.1f of %.1f people, last arrival by %v, %.0f %% of the calls right, %.0f %% unsure, %d brief",
		a.Performances, a.Outside, a.OfOutside, a.Last, 100*a.Right, 100*a.Unsure, a.Brief)
	if a.Performances != 40 || a.Outside > 12 || a.OfOutside < 10 || a.Last > 6*time.Minute || a.Right < .9 || a.Unsure > .25 || a.Brief > 0 {
		t.Errorf("%+v", a)
	}
	for _, show := range v.Shows {
		a := v.Arrivals(show)
		errs := a.Errors()
		t.Logf("%s: of %d, by %v, the last arrival off by %v, those of a quarter of an hour by %.1f %%", show.Event.Title, a.Past, a.Basis, errs.Last.Value, 100*errs.Coming.Value)
		if !errs.Last.Known() || errs.Last.Value <= 0 || errs.Last.Value > 8*time.Minute || errs.Coming.Value <= 0 || errs.Coming.Value > .2 {
			t.Errorf("%s: %+v %+v", show.Event.Title, errs.Last, errs.Coming)
		}
	}
}

// past is five evenings of a hall as usual: of a hundred, fifty-five come half an hour before
// curtain, thirty ten minutes before it, five five minutes after it, and ten do not come.
func past(hall string) (records []record.Record) {
	for i := range 5 {
		id := fmt.Sprint(hall, " past ", i)
		day := fmt.Sprint(10+i, " ")
		records = append(records, foldtest.Tonight(id, hall, day+"19:00", day+"20:00", day+"22:00"))
		records = append(records, foldtest.Come(55, id+"a", id, "A", day+"19:30", 55)...)
		records = append(records, foldtest.Come(30, id+"b", id, "A", day+"19:50", 30)...)
		records = append(records, foldtest.Come(5, id+"c", id, "A", day+"20:05", 5)...)
		records = append(records, foldtest.Many(10, id+"x", id, foldtest.Passes())...)
	}
	return records
}

// early is six evenings of another hall, to which everybody comes half an hour before curtain.
func early(hall string) (records []record.Record) {
	for i := range 6 {
		id := fmt.Sprint(hall, " early ", i)
		day := fmt.Sprint(10+i, " ")
		records = append(records, foldtest.Tonight(id, hall, day+"19:00", day+"20:00", day+"22:00"))
		records = append(records, foldtest.Come(20, id, id, "A", day+"19:30", 20)...)
	}
	return records
}

// steady is six evenings of a hall to which three a minute come from 35 minutes before curtain on, and ten of a hundred do not.
func steady(hall string) (records []record.Record) {
	for i := range 6 {
		id, day := fmt.Sprint(hall, " steady ", i), fmt.Sprint(10+i, " ")
		records = append(records, foldtest.Tonight(id, hall, day+"19:00", day+"20:00", day+"22:00"))
		records = append(records, foldtest.Come(90, id, id, "A", day+"19:25", 3)...)
		records = append(records, foldtest.Many(10, id+"x", id, foldtest.Passes())...)
	}
	return records
}

func TestVerdict(t *testing.T) {
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	usual := foldtest.Together([]record.Record{play}, past("Zaal"), foldtest.Come(55, "e", "a", "A", "19:30", 55), foldtest.Come(30, "f", "a", "A", "19:50", 30), foldtest.Come(5, "g", "a", "A", "20:05", 5), foldtest.Many(10, "x", "a", foldtest.Passes()))
	slow := foldtest.Together([]record.Record{play}, steady("Zaal"), foldtest.Come(90, "e", "a", "A", "19:45", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))
	absent := foldtest.Together([]record.Record{play}, steady("Zaal"), foldtest.Come(66, "e", "a", "A", "19:25", 2), foldtest.Many(34, "x", "a", foldtest.Passes()))
	stops := foldtest.Together([]record.Record{play}, steady("Zaal"), foldtest.Come(45, "e", "a", "A", "19:45", 3), foldtest.Many(55, "x", "a", foldtest.Passes()))
	first := foldtest.Together([]record.Record{play}, foldtest.Come(90, "e", "a", "A", "19:46", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))
	alone := foldtest.Together([]record.Record{play}, foldtest.Come(60, "e", "a", "A", "19:30", 2), foldtest.Many(40, "x", "a", foldtest.Passes()))
	few := foldtest.Together([]record.Record{play}, foldtest.Come(90, "e", "a", "A", "19:20", 3), foldtest.Many(310, "x", "a", foldtest.Passes()))
	for _, c := range []struct {
		name    string
		now     string
		records []record.Record
		want    string
	}{
		{"as usual, too early", "19:39", usual, "0"},
		{"as usual, 20 minutes before", "19:40", usual, "1 estimated 5 arrivals outside, 20:05 to 20:05, since 19:40"},
		{"as usual in this hall", "19:40", foldtest.Together(usual, early("Elders")), "1 estimated 5 arrivals outside, 20:05 to 20:05, since 19:40"},
		{"as usual, a minute to curtain", "19:59", usual, "1 estimated 5 arrivals outside, 20:05 to 20:05, since 19:40"},
		{"as usual, curtain", "20:00", usual, "4 estimated 4 arrivals outside, 20:05 to 20:05, since 19:40"},
		{"as usual, when nobody is waited for", "20:13", usual, "4 estimated 0 arrivals outside, 00:00 to 00:00, since 00:00"},
		{"nobody has come yet", "19:45", slow, "3 estimated 67 arrivals outside, 19:54 to 19:54, since 19:40"},
		{"twenty minutes late", "19:48", slow, "2 estimated 39 arrivals outside, 20:27 to 20:27, since 19:48, to 20:11"},
		{"they come, and are waited for", "19:58", slow, "2 estimated 46 arrivals outside, 20:15 to 20:15, since 19:48, to 20:12"},
		{"after curtain", "20:03", slow, "2 estimated 37 arrivals outside, 20:15 to 20:15, since 19:48, to 20:12"},
		{"as long as it is held at most", "20:12", slow, "2 estimated 14 arrivals outside, 20:15 to 20:15, since 19:48, to 20:12"},
		{"and no longer, though people come", "20:13", slow, "4 estimated 11 arrivals outside, 00:00 to 00:00, since 00:00"},
		{"a third does not come", "19:50", absent, "1 estimated 0 arrivals outside, 20:10 to 20:10, since 19:40"},
		{"a third did not come", "19:58", absent, "1 estimated 0 arrivals outside, 20:10 to 20:10, since 19:40"},
		{"late, and nobody comes any more", "20:05", stops, "2 estimated 29 arrivals outside, 20:35 to 20:35, since 19:48, to 20:12"},
		{"nobody has come for ten minutes", "20:10", stops, "4 estimated 0 arrivals outside, 20:10 to 20:10, since 20:07"},
		{"a night without others, late", "19:58", first, "3 estimated 34 no_history outside, 20:19 to 20:30, since 19:48"},
		{"a night without others, late, after curtain", "20:03", first, "4 estimated 29 no_history outside, 20:19 to 20:28, since 20:00"},
		{"few of many", "19:59", foldtest.Together([]record.Record{play}, foldtest.Come(21*28, "e", "a", "A", "19:30", 28), foldtest.Many(15, "x", "a", foldtest.Passes())), "1 estimated 2 no_history outside, 20:02 to 20:03, since 19:40"},
		{"nothing to go by", "19:45", alone, "3 estimated 7 no_history outside, 20:20 to 20:38, since 19:40"},
		{"too little to go by", "19:45", foldtest.Together(alone, past("Zaal")[:404]), "3 estimated 7 no_history outside, 20:20 to 20:38, since 19:40"},
		{"a quarter comes to a premiere", "19:42", few, "3 estimated 3 no_history outside, 21:33 to 22:29, since 19:40"},
		{"and no more", "19:58", few, "1 estimated 1 no_history outside, 04:35 to 08:53, since 19:48"},
		{"nothing scanned", "19:45", foldtest.Together([]record.Record{play}, past("Zaal"), foldtest.Many(9, "x", "a")), "0"},
		{"called off", "19:45", append(usual, foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled), func(e *record.Event) { e.UpdatedAt = foldtest.Clock("19:00") })), "0"},
		{"curtain not reported", "19:45", append(usual, foldtest.Tonight("a", "Zaal", "19:00", "", "22:00", func(e *record.Event) { e.UpdatedAt = foldtest.Clock("19:00") })), "0"},
		{"the house where the hall is new", "19:52", foldtest.Together([]record.Record{play}, steady("Elders"), foldtest.Come(90, "e", "a", "A", "19:45", 3), foldtest.Many(10, "x", "a", foldtest.Passes())), "2 estimated 46 arrivals outside, 20:25 to 20:25, since 19:48, to 20:12"},
	} {
		s := foldtest.Fold(foldtest.Complete, c.records...)
		v := foldtest.Evening(s, foldtest.Clock(c.now)).Show(s.Event("a")).Verdict
		got := fmt.Sprint(v.Call)
		if v.Call != arriving.NoCall {
			hm := func(at time.Time) string { return at.UTC().Format("15:04") }
			got += fmt.Sprint(" ", foldtest.Say(v.Outside), " outside, ", hm(v.From), " to ", hm(v.To), ", since ", hm(v.Since))
			if v.Call == arriving.Hold {
				got += ", to " + hm(v.Until)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Of eleven nights most stayed away from the last, and three tenths from the one before it: who would still come on a night like
// that one is not given up, also where the usual course leaves fewer to come.
func TestNobodyIsGivenUpWhoMayStillCome(t *testing.T) {
	records := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
		foldtest.Come(45, "e", "a", "A", "19:30", 45), foldtest.Come(5, "f", "a", "A", "19:50", 1), foldtest.Many(50, "x", "a", foldtest.Passes()))
	for i, n := range []int{98, 96, 94, 92, 91, 90, 85, 80, 75, 70, 50} {
		id, day := fmt.Sprint("past ", i), fmt.Sprintf("%02d ", 9+i)
		late := n / 10
		records = foldtest.Together(records, []record.Record{foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00")},
			foldtest.Come(n-late, id+"a", id, "A", day+"19:30", n-late), foldtest.Come(late, id+"b", id, "A", day+"20:05", late), foldtest.Many(100-n, id+"x", id, foldtest.Passes()))
	}
	v := foldtest.At("19:58", records...)
	// A tenth of those who come is late, 0.86 a minute in the ten minutes from now on: 20 of 70 in 23 minutes, where the course alone
	// leaves 9 to come, in ten.
	s := foldtest.ShowOf(t, v, "a")
	if got := v.Arrivals(s).LastFrom.UTC().Format("15:04"); got != "20:21" {
		t.Errorf("the last is expected from %s on, after %+v", got, s.Verdict)
	}
}

// Of a large house 2 % may be outside, and of a small one ten people.
func TestVerdictTolerates(t *testing.T) {
	for expected, limit := range map[int]int{100: 11, 500: 11, 1000: 21} {
		v := foldtest.At("19:50", foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
			foldtest.Come(expected/2, "e", "a", "A", "19:30", 50), foldtest.Many(expected/2, "x", "a", foldtest.Passes()))...)
		if got := foldtest.ShowOf(t, v, "a").Verdict.Limit; got != limit {
			t.Errorf("of %d, %d outside are too many, want %d", expected, got, limit)
		}
	}
}

// Nobody waits for those who are outside at every curtain of this house, of whom some always come on a later train; of a
// house that is fuller than usual outside, the start is held for those beyond, and only if that lets most of them in.
func TestNoHoldForTheUsual(t *testing.T) {
	night := func(id, day, from string, early, late int, then string) (records []record.Record) {
		return foldtest.Together([]record.Record{foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00")},
			foldtest.Come(early, id+"a", id, "A", day+from, 4), foldtest.Come(late, id+"b", id, "A", day+then, 8), foldtest.Many(8, id+"x", id, foldtest.Passes()))
	}
	var records []record.Record
	for i := range 6 {
		records = append(records, night(fmt.Sprint("past", i), fmt.Sprint(10+i, " "), "19:35", 80, 24, "20:03")...)
	}
	for _, c := range []struct {
		name, from  string
		early, late int
		then        string
		want        arriving.Call
	}{
		{"as always", "19:35", 80, 24, "20:03", arriving.OnTime},
		{"a few more", "19:35", 76, 28, "20:03", arriving.OnTime},
		{"seventeen minutes late", "19:52", 80, 24, "20:18", arriving.Hold},
	} {
		show := foldtest.ShowOf(t, foldtest.At("19:59", append(slices.Clip(records), night("a", "", c.from, c.early, c.late, c.then)...)...), "a")
		if v := show.Verdict; v.Call != c.want || v.Usual != 24 || v.Limit != 35 {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// How many have usually come by now is of all who are expected, those who stay away among them; it is not known without past
// nights or without scans, and of no meaning once it has begun.
func TestUsuallyIn(t *testing.T) {
	night := func(id, day, from string, come int) (records []record.Record) {
		return foldtest.Together([]record.Record{foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00")},
			foldtest.Come(come, id+"a", id, "A", day+from, 4), foldtest.Many(112-come, id+"x", id, foldtest.Passes()))
	}
	var past []record.Record
	for i := range 6 {
		past = append(past, night(fmt.Sprint("past", i), fmt.Sprint(10+i, " "), "19:35", 80)...)
	}
	for name, c := range map[string]struct {
		records       []record.Record
		now           string
		usually, came int
		known         bool
	}{
		"as usual":  {append(slices.Clip(past), night("a", "", "19:35", 80)...), "19:45", 42, 44, true},
		"more":      {append(slices.Clip(past), night("a", "", "19:30", 80)...), "19:45", 42, 64, true},
		"fewer":     {append(slices.Clip(past), night("a", "", "19:40", 80)...), "19:45", 42, 24, true},
		"it began":  {append(slices.Clip(past), night("a", "", "19:35", 80)...), "20:05", 0, 0, false},
		"no usual":  {night("a", "", "19:35", 80), "19:45", 0, 0, false},
		"not begun": {append(slices.Clip(past), night("a", "", "19:35", 80)...), "18:30", 0, 0, false},
	} {
		v := foldtest.At(c.now, c.records...)
		if usually, came, ok := v.UsuallyIn(foldtest.ShowOf(t, v, "a"), v.At); usually != c.usually || came != c.came || ok != c.known {
			t.Errorf("%s: %d came, %d usually, %v", name, came, usually, ok)
		}
	}
}

// No start waits, nor is called on time, for people who may not enter, where more will come than are allowed in the hall: it is held if
// so many who may enter are outside. Those who stay away as usual make room.
func TestNobodyWaitsForThoseWhoMayNotEnter(t *testing.T) {
	records := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, steady("Zaal"),
		foldtest.Come(90, "e", "a", "A", "19:45", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))
	for allowed, want := range map[int64]arriving.Call{40: arriving.NoCall, 50: arriving.NoCall, 85: arriving.Hold, 90: arriving.Hold, 150: arriving.Hold} {
		v := foldtest.At("19:50", append(slices.Clip(records), foldtest.Set(record.SettingLicensed, "Zaal", "", allowed, "09:00"))...)
		if got := foldtest.ShowOf(t, v, "a").Verdict.Call; got != want {
			t.Errorf("%d allowed of 100 with a tenth who stay away: %d, want %d", allowed, got, want)
		}
	}
}

// Where there is room for all who come, also for hardly more, a start is on time as it is without a licence; and after the curtain nothing
// is said of when the last one comes.
func TestALicenceThatHoldsAllChangesNoCall(t *testing.T) {
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	usual := foldtest.Together([]record.Record{play}, past("Zaal"), foldtest.Come(55, "e", "a", "A", "19:30", 55), foldtest.Come(30, "f", "a", "A", "19:50", 30), foldtest.Come(5, "g", "a", "A", "20:05", 5), foldtest.Many(10, "x", "a", foldtest.Passes()))
	for _, allowed := range []int64{91, 92, 100, 1000} {
		records := append(slices.Clip(usual), foldtest.Set(record.SettingLicensed, "Zaal", "", allowed, "09:00"))
		if got := foldtest.ShowOf(t, foldtest.At("19:59", records...), "a").Verdict; got.Call != arriving.OnTime {
			t.Errorf("%d allowed: %+v", allowed, got)
		}
	}
	v := foldtest.At("20:03", usual...)
	if s := foldtest.ShowOf(t, v, "a"); s.Verdict.Call != arriving.Begun || !v.Arrivals(s).LastFrom.IsZero() {
		t.Errorf("after the curtain %+v, the last from %v", s.Verdict, v.Arrivals(s).LastFrom)
	}
}

// Nobody is held for people whom holding would not let in.
func TestNoHoldThatDoesNotHelp(t *testing.T) {
	records := foldtest.Together(steady("Zaal"), []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
		foldtest.Come(90, "a", "a", "A", "19:57", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))
	v := foldtest.At("19:59", records...)
	if got := foldtest.ShowOf(t, v, "a").Verdict; got.Call != arriving.Unsure || got.Band.Low < 30 {
		t.Errorf("%+v", got)
	}
}

// Who may see one hall reads the same verdict as everybody else, from the past of the house.
func TestVerdictInHalls(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, steady("Elders"),
		foldtest.Come(90, "e", "a", "A", "19:45", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))...)
	part := s.InHalls([]string{"Zaal"})
	got, want := foldtest.Evening(part, foldtest.Clock("19:55")).Show(part.Event("a")).Verdict, foldtest.Evening(s, foldtest.Clock("19:55")).Show(s.Event("a")).Verdict
	if want.Call != arriving.Hold || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, for the whole house %+v", got, want)
	}
	again := part.InHalls([]string{"Zaal"})
	if got := foldtest.Evening(again, foldtest.Clock("19:55")).Show(again.Event("a")).Verdict; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("a part of a part: %+v, for the whole house %+v", got, want)
	}
}

// Without answers there is no verdict: who came in since the last is not outside, and once a start is held no longer
// none is given, however old the figures are.
func TestVerdictWithoutAnswers(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, steady("Zaal"),
		foldtest.Come(90, "e", "a", "A", "19:45", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))...)
	for _, c := range []struct {
		now, answered string
		want          arriving.Call
	}{
		{"19:55", "19:55", arriving.Hold}, {"19:58", "19:55", arriving.Hold}, {"19:59", "19:55", arriving.NoCall}, {"20:30", "19:55", arriving.NoCall},
		{"20:10", "20:08", arriving.Hold}, {"20:12", "20:08", arriving.NoCall}, {"20:13", "20:12", arriving.Begun}, {"22:29", "20:00", arriving.NoCall},
	} {
		s.AsOf = foldtest.Clock(c.answered)
		if got := evening.At(s, foldtest.Clock(c.now)).Show(s.Event("a")).Verdict.Call; got != c.want {
			t.Errorf("at %s, answered at %s: %d, want %d", c.now, c.answered, got, c.want)
		}
	}
}

// Nobody is told to hold, or that a gate is quiet, for people who may be inside already: while scans are read for the first
// time, or many tickets are refused. One refused ticket silences nothing.
func TestNoOrderForThoseWhoMayBeInside(t *testing.T) {
	partial := foldtest.Complete
	partial.ScansOffered, partial.ScansComplete = true, false
	refused := func(n int) ledger.Coverage {
		c := foldtest.Complete
		c.RefusedTickets = map[string]int{"x": n}
		return c
	}
	for name, c := range map[string]struct {
		coverage ledger.Coverage
		orders   bool
	}{"sound": {foldtest.Complete, true}, "one refused": {refused(1), true}, "many refused": {refused(30), false}, "scans are being read": {partial, false}} {
		for code, come := range map[string]int{evening.AlertHold: 0, evening.AlertQuietGate: 20} {
			records := foldtest.Together(past("Hall"), []record.Record{foldtest.Tonight("x", "Hall", "20 19:00", "20 20:00", "20 22:00")},
				foldtest.Come(come, "a", "x", "A", "20 19:30", 55), foldtest.Many(100-come, "b", "x", foldtest.Passes()))
			v := foldtest.Evening(foldtest.Fold(c.coverage, records...), foldtest.Clock("20 19:57"))
			if got := slices.ContainsFunc(v.Alerts, func(a evening.Alert) bool { return a.Code == code }); got != c.orders {
				t.Errorf("%s: %s is raised: %t", name, code, got)
			}
		}
	}
}

// Who is forecast to come still stands on the chart as long as a verdict says so, also after the curtain, and both are one number.
func TestForecastStandsWithTheVerdict(t *testing.T) {
	usual := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, past("Zaal"), foldtest.Come(55, "e", "a", "A", "19:30", 55), foldtest.Come(30, "f", "a", "A", "19:50", 30), foldtest.Many(15, "x", "a", foldtest.Passes()))
	for clock, want := range map[string]bool{"19:45": true, "19:59": true, "20:00": true, "20:04": true, "20:12": true, "20:13": true, "20:25": true, "20:31": false} {
		v := foldtest.At(clock, usual...)
		s := foldtest.ShowOf(t, v, "a")
		points := v.Arrivals(s).Points
		last := points[len(points)-1]
		if ahead := last.Ahead >= 0; ahead != want || want && s.Verdict.Call == arriving.NoCall {
			t.Errorf("%s: forecast on the chart %t, verdict %d, want %t", clock, ahead, s.Verdict.Call, want)
		}
		if more := last.Ahead*float64(s.Expected.Value) - float64(s.Arrived.Value); want && s.Verdict.Call == arriving.Begun && (more < float64(s.Verdict.Outside.Value)-2 || more > float64(s.Verdict.Outside.Value)+2) {
			t.Errorf("%s: %.1f more on the chart, and %d by the verdict", clock, more, s.Verdict.Outside.Value)
		}
		if want && (last.AheadLow > last.Ahead || last.Ahead > last.AheadHigh) {
			t.Errorf("%s: the band is %v to %v of %v", clock, last.AheadLow, last.AheadHigh, last.Ahead)
		}
		if s.Phase == evening.Running && len(s.Queues) > 0 {
			t.Errorf("%s: queues are forecast after the curtain", clock)
		}
	}
}

// The sandbox's evenings by the minute, until a quarter of an hour after the curtain: a verdict that was taken back does not come again at
// once, and no evening has two that come again. With this seed a hold had stood for a minute.
func TestVerdictTurnsBackSeldom(t *testing.T) {
	s, now := pastSeason(t, 3)
	v := evening.At(s, now)
	evenings, back, soon := 0, 0, 0
	for _, e := range s.Events {
		calls := v.CallsOf(e)
		if calls == nil {
			continue
		}
		evenings++
		turned, of := 0, 0 // the minute in which it turned last
		for i := 1; i < len(calls); i++ {
			if calls[i] == calls[i-1] {
				continue
			}
			if turned > 0 && calls[i] == calls[turned-1] && calls[i] != arriving.NoCall {
				if of++; i-turned < arriving.HoldMinutes {
					soon++
				}
			}
			turned = i
		}
		if back += of; of > 1 {
			t.Errorf("%s on %s: turned back %d times: %v", e.Event.Title, e.Date, of, calls)
		}
	}
	t.Logf("of %d evenings, %d verdicts came again, %d within %d minutes", evenings, back, soon, arriving.HoldMinutes)
	if evenings < 40 || soon > 0 {
		t.Errorf("of %d evenings, %d verdicts came again at once", evenings, soon)
	}
}
