package evening_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// atGates are past evenings of a hall: of a hundred, 55 come through A from half an hour before curtain,
// eleven a minute, and 30 through B from ten minutes before it in two minutes, 15 in the first on the
// first evening and one more on each; five come late, a minute later on each, and ten do not come.
func atGates(hall string, evenings int, change ...func(*record.Event)) (records []record.Record) {
	for i := range evenings {
		id, day := fmt.Sprint(hall, " gates ", i), fmt.Sprint(10+i, " ")
		records = append(records, foldtest.Tonight(id, hall, day+"19:00", day+"20:00", day+"22:00", change...))
		records = append(records, foldtest.Come(55, id+"a", id, "A", day+"19:30", 11)...)
		records = append(records, foldtest.Come(30, id+"b", id, "B", day+"19:50", 15+i)...)
		records = append(records, foldtest.Come(5, id+"c", id, "A", fmt.Sprint(day, "20:0", 3+i), 5)...)
		records = append(records, foldtest.Many(10, id+"x", id, foldtest.Passes())...)
	}
	return records
}

func describeQueues(s *evening.Show) string {
	text := ""
	for _, q := range s.Queues {
		text += fmt.Sprintf("%s: %s coming %v, %d let in, %s waiting %v; ", q.Gate, foldtest.Say(q.Coming), q.ComingBand, q.Fastest, foldtest.Say(q.Waiting), q.WaitingBand)
	}
	return text
}

// A gate that is forecast and through which nobody came has no entries, not those of all gates.
func TestGateWithoutEntries(t *testing.T) {
	v := foldtest.At("19:36", foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, atGates("Zaal", 5),
		foldtest.Come(55, "e", "a", "A", "19:30", 11), foldtest.Many(45, "x", "a", foldtest.Passes()))...)
	got := ""
	for _, g := range foldtest.ShowOf(t, v, "a").GatesNow() {
		got += fmt.Sprintf("%s: %v a minute; ", g.Name, g.PerMinute(5*time.Minute).Value)
	}
	if want := "A: 8.8 a minute; B: 0 a minute; "; got != want {
		t.Errorf("%swant %s", got, want)
	}
}

// What comes to the gates, by their part of the visitors, and who waits there: nobody is known to at a gate that lets in fewer
// than it can, or that lets in all who are to be expected.
func TestQueues(t *testing.T) {
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	past := atGates("Zaal", 5)
	none := []record.Record{play}
	// Of 400 expected 220 come in the first five minutes from 19:30 on as usual, and A lets in no more than 55 in them, as ever.
	limit := foldtest.Together(none, past, foldtest.Come(220, "e", "a", "A", "19:30", 11), foldtest.Many(180, "x", "a", foldtest.Passes()))
	// Of 800 thirteen a minute come in, which A never did: only after ten minutes is that its limit.
	more := foldtest.Together(none, past, foldtest.Come(220, "e", "a", "A", "19:30", 13), foldtest.Many(580, "x", "a", foldtest.Passes()))
	// They come eighteen a minute, and all of them through A, which never let in more than eleven: nothing says that it cannot.
	twice := foldtest.Together(none, past, foldtest.Come(198, "e", "a", "A", "19:30", 18), foldtest.Many(202, "x", "a", foldtest.Passes()))
	usual := foldtest.Together(none, past, foldtest.Come(55, "e", "a", "A", "19:30", 11), foldtest.Many(45, "x", "a", foldtest.Passes()))
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string
	}{
		{"a gate at its limit", "19:36", limit, "A waiting, B no_queue"},
		{"a gate at its limit, later", "19:40", limit, "A waiting, B no_queue"},
		{"a gate that may let in more", "19:36", more, "A no_queue, B no_queue"},
		{"a gate that lets in no more", "19:40", more, "A waiting, B no_queue"},
		{"more than the gate ever let in", "19:36", twice, "A no_queue, B no_queue"},
		{"they have come", "19:45", twice, "A no_queue, B no_queue"},
		{"as usual", "19:36", usual, "A no_queue, B no_queue"},
		{"before anybody came", "19:00", foldtest.Together(none, past, foldtest.Many(100, "x", "a", foldtest.Passes("22:30"))), "A no_queue, B no_queue"},
		{"nearly all have come", "19:59", foldtest.Together(none, early("Zaal"), foldtest.Come(30, "e", "a", "A", "19:30", 30), foldtest.Many(2, "x", "a", foldtest.Passes())), "A no_queue"},
		{"after curtain", "20:00", twice, ""},
		{"too few past evenings", "19:45", slices.Delete(slices.Clone(twice), 1, 1+101), ""},
		{"a gate that is new", "19:45", foldtest.Together(none, past, foldtest.Come(10, "e", "a", "C", "19:30", 2), foldtest.Many(90, "x", "a", foldtest.Passes())), "A no_queue, B no_queue, C no_history"},
		{"gates that are not usual", "19:45", foldtest.Together(none, past, foldtest.Come(198, "e", "a", "C", "19:30", 18), foldtest.Come(1, "f", "a", "D", "19:30", 1), foldtest.Many(201, "x", "a", foldtest.Passes())),
			"A no_queue, B no_queue, C no_queue, D no_queue"},
	} {
		s := foldtest.Fold(foldtest.Complete, c.records...)
		show, got := foldtest.Evening(s, foldtest.Clock(c.now)).Show(s.Event("a")), []string{}
		for _, q := range show.Queues {
			says := "waiting"
			if !q.Waiting.Known() {
				says = string(q.Waiting.Reasons[0])
			}
			got = append(got, q.Gate+" "+says)
			for _, b := range []figures.Band{q.ComingBand, q.WaitingBand} {
				if b.Low < 0 || b.Low > b.Median || b.Median > b.High {
					t.Errorf("%s: %s", c.name, describeQueues(show))
				}
			}
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, got, c.want, describeQueues(show))
		}
	}
	s := foldtest.Fold(foldtest.Complete, limit...)
	// By 19:36 220 of 400 have come as usual, nine of ten of them to A, which let in 66.
	if q := foldtest.Evening(s, foldtest.Clock("19:36")).Show(s.Event("a")).Queues[0]; q.WaitingBand.Low > 130 || q.WaitingBand.High < 130 || q.WaitingBand.Median < 60 || q.Fastest != 55 {
		t.Errorf("about 130 wait: %+v", q)
	}
	s.AsOf = foldtest.Clock("19:36")
	if got := describeQueues(evening.At(s, foldtest.Clock("19:40")).Show(s.Event("a"))); got != "" {
		t.Errorf("without answers: %s", got)
	}
	if q := evening.At(s, foldtest.Clock("19:39")).Show(s.Event("a")).LongestQueue(); q == nil || q.Gate != "A" || q.Waiting.Value < evening.MinQueueShown {
		t.Errorf("the longest is %+v", q)
	}
}

// Who comes a quarter of an hour later than on past nights, of whom ninety of a hundred came from 19:25 on and three a minute, is
// expected as before, and nobody waits at a gate that lets in as many as ever.
func TestLateNightHasNoQueue(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Together(steady("Zaal"), []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")},
		foldtest.Come(90, "e", "a", "A", "19:40", 3), foldtest.Many(10, "x", "a", foldtest.Passes()))...)
	const come = 45
	for _, now := range []string{"19:45", "19:50", "19:54"} {
		v := foldtest.Evening(s, foldtest.Clock(now))
		show := v.Show(s.Event("a"))
		q, a := show.Queues[0], v.Arrivals(show)
		if !a.RushFrom.Equal(foldtest.Clock("19:40")) || a.RushTo.Sub(a.RushFrom) != 15*time.Minute || a.RushPeople < come-3 || a.RushPeople > come+3 { // it has begun, and stays where it is
			t.Errorf("%s: the rush is from %v to %v, of %d", now, a.RushFrom, a.RushTo, a.RushPeople)
		}
		if q.Waiting.Known() || q.Coming.Value < come*2/3 || q.Coming.Value > come*4/3 || q.ComingBand.Low > come || q.ComingBand.High < come {
			t.Errorf("%s: %s", now, describeQueues(show))
		}
	}
}

// People come as they did elsewhere, where nothing is known of the hall, but not through the doors there.
func TestQueuesAreOfTheHall(t *testing.T) {
	s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{foldtest.Tonight("a", "Klein", "19:00", "20:00", "22:00")},
		foldtest.Come(20, "e", "a", "K", "19:30", 2), foldtest.Many(80, "x", "a", foldtest.Passes()), atGates("Elders", 6))...)
	got := describeQueues(foldtest.Evening(s, foldtest.Clock("19:45")).Show(s.Event("a")))
	if !strings.HasPrefix(got, "K: ") || strings.Contains(got, "; A: ") || strings.Contains(got, "; B: ") {
		t.Errorf("gates of another hall: %s", got)
	}
}

// A verdict is scored by what it would have said of each past performance, from the others.
func TestVerdictScore(t *testing.T) {
	for _, c := range []struct {
		late int    // of 200 who come ten minutes after curtain on the last of six evenings
		from string // when the others begin to come then
		rate int    // how many of them come in a minute
		want arriving.Score
	}{
		{0, "19:20", 7, arriving.Score{OnTime: 6, OnTimeRight: 6}},
		{40, "19:20", 7, arriving.Score{OnTime: 6, OnTimeRight: 5}}, // nobody can know a quarter of an hour before
		{10, "19:20", 7, arriving.Score{OnTime: 6, OnTimeRight: 6}}, // as many as are tolerated
		{11, "19:20", 7, arriving.Score{OnTime: 6, OnTimeRight: 5}},
		{0, "19:40", 7, arriving.Score{Hold: 1, HoldRight: 1, OnTime: 5, OnTimeRight: 5}},
		{0, "19:45", 40, arriving.Score{Hold: 1, OnTime: 5, OnTimeRight: 5}}, // all are in ten minutes before
	} {
		records := []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}
		for i := range 6 {
			id, day, late, from, rate := fmt.Sprint("past", i), fmt.Sprint(10+i, " "), 0, "19:20", 7
			if i == 5 {
				late, from, rate = c.late, c.from, c.rate
			}
			records = append(records, foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00"))
			records = append(records, foldtest.Come(200-late, id, id, "A", day+from, rate)...)
			records = append(records, foldtest.Come(late, id+"late", id, "A", day+"20:10", 20)...)
		}
		s := foldtest.Fold(foldtest.Complete, append(records, foldtest.Many(200, "x", "a", foldtest.Passes())...)...)
		v := foldtest.Evening(s, foldtest.Clock("19:45"))
		a := v.Arrivals(v.Show(s.Event("a")))
		if got := a.Errors().Said; got != c.want {
			t.Errorf("%d late, from %s: %+v, want %+v", c.late, c.from, got, c.want)
		}
	}
}

// What somebody left out of one performance's comparables is left out of that one's alone, whichever of two
// that are alike is asked for first.
func TestLeftOutIsOfOne(t *testing.T) {
	titled := func(e *record.Event) { e.Title = "own" }
	records := foldtest.Together([]record.Record{foldtest.Tonight("m", "Zaal", "19:00", "20:00", "22:00", titled), foldtest.Tonight("n", "Zaal", "19:00", "20:00", "22:00", titled)}, atGates("Zaal", 6, titled))
	for i := range 5 {
		records = append(records, foldtest.Set(record.SettingLeftOut, record.LeftOutOf("m", fmt.Sprint("Zaal gates ", i)), "", 1, "09:00"))
	}
	s := foldtest.Fold(foldtest.Complete, records...)
	for _, first := range []string{"m", "n"} {
		v := foldtest.Evening(s, foldtest.Clock("18:00"))
		v.Arrivals(v.Show(s.Event(first)))
		m, n := v.Arrivals(v.Show(s.Event("m"))), v.Arrivals(v.Show(s.Event("n")))
		if m.Basis != arriving.OfHall || n.Basis != arriving.OfComparables {
			t.Errorf("%s first: of m it is %s, of n %s", first, m.Basis, n.Basis)
		}
	}
}

// What is forecast, and how a sale goes beside others, comes from other performances too: no record of its own is
// said to have changed it.
func TestNothingIsBehindAForecast(t *testing.T) {
	own := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), foldtest.Tonight("next", "Zaal", "27 19:00", "27 20:00", "27 22:00")},
		foldtest.Come(20, "e", "a", "A", "19:30", 2), foldtest.Many(80, "x", "a", foldtest.Passes()), foldtest.Many(3, "n", "next"))
	log := foldtest.NewLog(foldtest.Together(own, atGates("Zaal", 6))...)
	s := foldtest.Ledger(figures.Calendar{}, log.Versions...).Snapshot(figures.Position{}, foldtest.Complete)
	v := foldtest.Evening(s, foldtest.Clock("19:45"))
	for k, scope := range map[figures.Key]figures.Scope{figures.KeyOutside: {Event: "a"}, figures.KeyComing: {Event: "a", Gate: "A"}, figures.KeyFinish: {Event: "next"}, figures.KeySoldSoFar: {Event: "next"}} {
		if _, ok := catalogue.Explain(v, k, scope); !ok {
			t.Errorf("%s is no figure", k)
		}
		if b := (&catalogue.History{Snapshot: s, Coverage: foldtest.Complete, Versions: log.Versions[:len(own)], Now: foldtest.Clock("19:45")}).Behind(k, scope); len(b.Changes)+len(b.Records) > 0 || b.Today != nil {
			t.Errorf("%s: %d changes, %d records, and today %v", k, len(b.Changes), len(b.Records), b.Today)
		}
	}
}

// The visitors of 400 come as on past evenings, where 55 of 90 came from half an hour before curtain on, 30 in two
// minutes from ten before it, and five late: what is ahead goes on from those who have come. The rush is the
// shortest time in which half of them come or, from the first on, the window that is held once it has begun. What was forecast is not
// made what happened: once it runs it is when half of those came who did.
func TestAheadAndRush(t *testing.T) {
	for _, c := range []struct {
		name, now, want string
	}{
		{"before the doors", "18:30", "19:30 -1.0, 19:35 -1.0, rush 1930 to 1935"}, // 55 of 90 in five minutes
		{"before anybody came", "19:10", "19:09 -1.0, 19:10 0.0 0.0 0.0, rush 1930 to 1935"},
		{"as the first come", "19:32", "rush 1925 to 1940"},
		{"while they come", "19:40", "19:39 -1.0, 19:40 0.4 0.4 0.4, 19:48 0.4 0.4 0.4, rush 1930 to 1945"},
		{"after most have come", "19:58", "rush 0000 to 0000"},
		{"once it runs", "20:21", "19:30 -1.0, 19:35 -1.0, 20:30 0.4 0.4 0.4, came 1930 to 1935"}, // 75 of 150
	} {
		s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, atGates("Zaal", 6),
			foldtest.Come(150, "e", "a", "A", "19:30", 15), foldtest.Many(250, "x", "a", foldtest.Passes()))...)
		v := foldtest.Evening(s, foldtest.Clock(c.now))
		a := v.Arrivals(v.Show(s.Event("a")))
		got := ""
		for _, p := range a.Points {
			clock := p.At.UTC().Format("15:04")
			switch {
			case !strings.Contains(c.want, clock+" "):
			case p.Ahead < 0:
				got += fmt.Sprintf("%s %.1f, ", clock, p.Ahead)
			default:
				got += fmt.Sprintf("%s %.1f %.1f %.1f, ", clock, p.AheadLow, p.Ahead, p.AheadHigh)
			}
		}
		rush := "rush"
		if a.RushCame {
			rush = "came"
		}
		got += fmt.Sprintf("%s %s to %s", rush, a.RushFrom.UTC().Format("1504"), a.RushTo.UTC().Format("1504"))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The visitors come as on past evenings, in one rush of twenty minutes: it is said before it begins, stays where it is while it lasts,
// lasts while as many come, and is not said of the minutes after it.
func TestRushStaysWhereItIs(t *testing.T) {
	course := func(event, day string) []record.Record {
		come := func(n int, from string, perMinute int) []record.Record {
			return foldtest.Come(n, event+from, event, "A", day+from, perMinute)
		}
		return foldtest.Together(come(50, "19:25", 5), come(400, "19:35", 20), come(32, "19:55", 16), come(16, "19:57", 8))
	}
	records := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, course("a", ""))
	for night := range 6 {
		day := fmt.Sprintf("%02d ", 10+night)
		id := fmt.Sprint("past", night)
		records = append(append(records, foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00")), course(id, day)...)
	}
	for _, c := range []struct{ now, want string }{{"19:30", "1935 to 1950"}, {"19:36", "1935 to 1950"}, {"19:44", "1935 to 1950"}, {"19:49", "1935 to 1950"}, {"19:52", "1935 to 1955"}, {"19:55", ""}} {
		v := foldtest.At(c.now, records...)
		s := foldtest.ShowOf(t, v, "a")
		a, got := v.Arrivals(s), ""
		if a.RushPeople > 0 {
			got = a.RushFrom.UTC().Format("1504") + " to " + a.RushTo.UTC().Format("1504")
		}
		if got != c.want {
			t.Errorf("%s, %d of %d in: a rush of %d from %s, want %s", c.now, s.Arrived.Value, s.Expected.Value, a.RushPeople, got, c.want)
		}
	}
}

// A dear sale that leaves a performance without comparables changes what is usual for it, also of an evening that
// goes on: who begins anew comes to the same.
func TestUsualGoesByThePrice(t *testing.T) {
	records := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00"), foldtest.Ticket("t", "a")}, atGates("Elders", 6))
	for _, by := range []evening.Likeness{evening.SameTitle, evening.SameHall, evening.SameWeekday} {
		records = append(records, foldtest.Set(record.SettingComparableBy, by.String(), "", 0, "09:00"))
	}
	log, now := foldtest.NewLog(records...), foldtest.Clock("18:00")
	l := foldtest.Ledger(figures.Calendar{}, log.Versions...)
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	v := evening.After(s, nil, now)
	if basis := v.Arrivals(v.Show(s.Event("a"))).Basis; basis != arriving.OfComparables {
		t.Fatalf("it is of %s", basis)
	}
	dear, _ := log.Add(foldtest.Ticket("dear", "a", func(t *record.Ticket) { t.Price = foldtest.Eur(9000) }), time.Time{})
	l.Apply(dear)
	s = l.Snapshot(figures.Position{}, foldtest.Complete)
	for name, v := range map[string]*evening.Evening{"that goes on": evening.After(s, v, now), "anew": evening.At(s, now)} {
		if basis := v.Arrivals(v.Show(s.Event("a"))).Basis; basis != arriving.OfHouse {
			t.Errorf("of an evening %s it is of %s", name, basis)
		}
	}
}

// What is usual is that of the performances that a pace is held against, and else of the hall, and else
// of the house.
func TestArrivalsBesidePast(t *testing.T) {
	titled := func(e *record.Event) { e.Title = "own" }
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", titled)
	here := foldtest.Together(foldtest.Come(66, "e", "a", "A", "19:30", 11), foldtest.Many(34, "x", "a", foldtest.Passes()))
	for _, c := range []struct {
		name, now string
		past      []record.Record
		want      string
	}{
		{"comparables", "19:36", foldtest.Together(atGates("Elders", 6, titled), slices.Delete(early("Zaal"), 3*21, 4*21)), "comparables 6, 0.550 0.550 0.550, came 0.660 to 19:36, last 20:04 to 20:07, error 1m50s and 0.0"},
		{"of the hall", "19:36", foldtest.Together(atGates("Zaal", 5), early("Elders")), "hall 5, 0.550 0.550 0.550, came 0.660 to 19:36, last 20:04 to 20:06, error unknown"},
		{"of the house", "18:00", atGates("Elders", 5), "house 5, 0.550 0.550 0.550, came none, last 20:04 to 20:06, error unknown"},
		{"too few", "19:36", atGates("Zaal", 4), "none 0"},
		{"too few with a curtain", "19:36", atGates("Zaal", 6, func(e *record.Event) {
			if e.ID > "Zaal gates 3" {
				e.StartsAt = time.Time{}
			}
		}), "none 0"},
		{"by the verdict", "19:58", atGates("Zaal", 5), "hall 5, 0.550 0.550 0.550, came 0.660 to 19:58, last 20:04 to 20:06, error unknown"},
		{"it runs", "20:21", atGates("Zaal", 5), "hall 5, 0.550 0.550 0.550, came 0.660 to 20:21, last none, error unknown"},
	} {
		s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{play}, here, c.past)...)
		v := foldtest.Evening(s, foldtest.Clock(c.now))
		a := v.Arrivals(v.Show(s.Event("a")))
		got := fmt.Sprint(a.Basis, " ", a.Past)
		if n := len(a.Points); n > 0 {
			if !a.Points[0].At.Equal(foldtest.Clock("18:55")) || !a.Points[n-1].At.Equal(foldtest.Clock("20:30")) {
				t.Errorf("%s: from %v to %v", c.name, a.Points[0].At, a.Points[n-1].At)
			}
			p := a.Points[slices.IndexFunc(a.Points, func(p evening.ArrivalPoint) bool { return p.At.Equal(foldtest.Clock("19:40")) })]
			got += fmt.Sprintf(", %.3f %.3f %.3f, came ", p.Low, p.Median, p.High)
			i := slices.IndexFunc(a.Points, func(p evening.ArrivalPoint) bool { return p.Came < 0 })
			if i < 0 {
				i = len(a.Points)
			}
			if i == 0 {
				got += "none"
			} else {
				got += fmt.Sprintf("%.3f to %s", a.Points[i-1].Came, a.Points[i-1].At.UTC().Format("15:04"))
			}
			got += ", last none"
			if !a.LastFrom.IsZero() {
				got = got[:len(got)-4] + a.LastFrom.UTC().Format("15:04") + " to " + a.LastTo.UTC().Format("15:04")
			}
			got += ", error unknown"
			if errs := a.Errors(); errs.Last.Known() {
				got = got[:len(got)-7] + fmt.Sprintf("%v and %.1f", errs.Last.Value, errs.Coming.Value)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What is usual is the middle one of seven evenings, with eight of ten between the second and the sixth; nobody is
// given up who would come on the evening that most stay away from but one. Each is how many came at all, by 19:40, and ten
// minutes before the curtain.
func TestUsualIsTheMedian(t *testing.T) {
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	records := foldtest.Together([]record.Record{play}, foldtest.Come(30, "e", "a", "A", "19:30", 30), foldtest.Many(70, "x", "a", foldtest.Passes()))
	for i, n := range [][3]int{{98, 49, 0}, {96, 24, 48}, {94, 47, 47}, {90, 54, 27}, {80, 60, 16}, {70, 56, 7}, {50, 50, 0}} {
		id, day := fmt.Sprint("past ", i), fmt.Sprint(10+i, " ")
		late := n[0] - n[1] - n[2]
		records = foldtest.Together(records, []record.Record{foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00")},
			foldtest.Come(n[1], id+"a", id, "A", day+"19:30", n[1]), foldtest.Come(n[2], id+"b", id, "A", day+"19:50", n[2]),
			foldtest.Come(late, id+"c", id, "A", day+"20:05", late), foldtest.Many(100-n[0], id+"x", id, foldtest.Passes()))
	}
	s := foldtest.Fold(foldtest.Complete, records...)
	before := foldtest.Evening(s, foldtest.Clock("18:00"))
	for _, p := range before.Arrivals(before.Show(s.Event("a"))).Points {
		if got := fmt.Sprintf("%.3f %.3f %.3f", p.Low, p.Median, p.High); p.At.Equal(foldtest.Clock("19:40")) && got != "0.450 0.540 0.720" {
			t.Errorf("of those expected, of whom a tenth stays away, %s have usually come, want 0.450 0.540 0.720", got)
		}
	}
	// At 19:45 30 of 100 have come and half of the 90 usually have; of these a third come in the next quarter of an hour, or
	// none of 30 who are all that come.
	queues := foldtest.Evening(s, foldtest.Clock("19:45")).Show(s.Event("a")).Queues
	if len(queues) != 1 || queues[0].ComingBand.Low > 15 || queues[0].Coming.Value < 15 || queues[0].Coming.Value > 35 || queues[0].ComingBand.High > 60 {
		t.Errorf("about 25 come: %+v", queues)
	}
}

// The longest queue is where most wait, not where most come, and none where that is not known.
func TestLongestQueue(t *testing.T) {
	known := func(n int) figures.Figure[int] { return figures.Figure[int]{Value: n} }
	s := evening.Show{Queues: []evening.Queue{{Gate: "A", Coming: known(90), Waiting: known(5)}, {Gate: "B", Coming: known(40), Waiting: known(30)}, {Gate: "C", Coming: known(60), Waiting: figures.NotKnown[int]()}}}
	if q := s.LongestQueue(); q == nil || q.Gate != "B" {
		t.Errorf("the longest is %+v", q)
	}
}

// By how much the forecast of who comes in the next quarter of an hour was off: of six past evenings 20, 22, 24,
// 26, 28 and 30 of 90 came in it, so from the others 26 were forecast of the first three and 24 of the last,
// which is 24 people off of the 150 who came.
func TestComingError(t *testing.T) {
	records := []record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}
	for i := range 6 {
		id, day := fmt.Sprint("past ", i), fmt.Sprint(10+i, " ")
		records = foldtest.Together(records, []record.Record{foldtest.Tonight(id, "Zaal", day+"19:00", day+"20:00", day+"22:00")},
			foldtest.Come(50, id+"a", id, "A", day+"19:30", 10), foldtest.Come(20+2*i, id+"b", id, "A", day+"19:45", 10), foldtest.Come(20-2*i, id+"c", id, "A", day+"19:57", 10), foldtest.Many(10, id+"x", id, foldtest.Passes()))
	}
	s := foldtest.Fold(foldtest.Complete, records...)
	v := foldtest.Evening(s, foldtest.Clock("18:00"))
	a := v.Arrivals(v.Show(s.Event("a")))
	if got := foldtest.Say(a.Errors().Coming); got != "0.16" {
		t.Errorf("the forecast was off by %s", got)
	}
}

// BenchmarkArrivals is what one entry costs on an evening of three halls with 800 visitors each, after 2,000
// evenings: to fold and publish it, and all that its evening says of arrivals, verdicts and queues. "first" is the
// same where what is usual has to be found anew, as after a change of a past performance.
func BenchmarkArrivals(b *testing.B) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	curtain, n := foldtest.Clock("20 20:00"), 0
	gate := func(i int) string { return string(rune('A' + i%4)) }
	ticket := func(event string, scans ...record.Scan) *record.Ticket {
		n++
		t := &record.Ticket{ID: fmt.Sprint("tkt_", n), EventID: event, Price: foldtest.Eur(2000), Status: record.TicketValid, SoldAt: curtain.AddDate(0, -1, 0), UpdatedAt: curtain, Scans: append([]record.Scan{}, scans...)}
		l.Add(t)
		return t
	}
	play := func(id string, i, daysAgo int) {
		at := curtain.AddDate(0, 0, -daysAgo)
		l.Add(&record.Event{ID: id, Title: id, Hall: fmt.Sprint("Hall ", i%3), Date: at.Format("2006-01-02"), DoorsAt: at.Add(-time.Hour), StartsAt: at, EndsAt: at.Add(2 * time.Hour), Capacity: new(800), UpdatedAt: curtain})
	}
	for i := range 2000 {
		id := fmt.Sprint("past_", i)
		play(id, i, 1+i/3)
		for j := range 40 {
			ticket(id, record.Scan{At: curtain.AddDate(0, 0, -1-i/3).Add(time.Duration(j-35) * time.Minute), Gate: gate(j), Direction: record.Entry})
		}
	}
	var still []*record.Ticket
	for i := range 3 {
		id := fmt.Sprint("evt_", i)
		play(id, i, 0)
		for j := range 800 {
			if j < 400 {
				ticket(id, record.Scan{At: curtain.Add(time.Duration(j/20-35) * time.Minute), Gate: gate(j), Direction: record.Entry})
			} else {
				still = append(still, ticket(id))
			}
		}
	}
	now := curtain.Add(-15 * time.Minute)
	var v *evening.Evening // which takes over from the one before, as pages do
	look := func() {
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		s.AsOf = now
		v = evening.After(s, v, now)
		a := v.Arrivals(v.Shows[0])
		if len(v.Shows) != 3 || v.Shows[0].Verdict.Call == arriving.NoCall || len(v.Shows[0].Queues) == 0 || !a.Errors().Coming.Known() {
			b.Fatalf("nothing is forecast of %d performances", len(v.Shows))
		}
	}
	look()
	entry := func(i int) {
		t := *still[i%len(still)]
		t.Scans, t.UpdatedAt = []record.Scan{{At: now, Gate: gate(i), Direction: record.Entry}}, t.UpdatedAt.Add(time.Duration(i+1)*time.Second)
		l.Add(&t)
	}
	b.Run("entry", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			entry(i)
			look()
		}
	})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			ticket("past_7", record.Scan{At: curtain.AddDate(0, 0, -3), Gate: "A", Direction: record.Entry})
			look()
		}
	})
}
