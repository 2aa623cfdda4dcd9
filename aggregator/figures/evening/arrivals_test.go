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
		text += fmt.Sprintf("%s: %s coming %v, %d let in, %s waiting %v", q.Gate, foldtest.Say(q.Coming), q.ComingBand, q.Fastest, foldtest.Say(q.Waiting), q.WaitingBand)
		if !q.Peak.IsZero() {
			text += q.Peak.UTC().Format(" at 15:04")
		}
		text += "; "
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

// The queues at the gates, worked out by hand.
func TestQueues(t *testing.T) {
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	past := atGates("Zaal", 5)
	none := []record.Record{play}
	// At 19:45 198 of 400 have come through A, at most 90 in five minutes. Of the others no more stay away
	// than 40, so 162 are late; as 35 of 90 are to come by then, they are those of a crowd of 416.6, of whom 30
	// of 90 come in the next quarter of an hour: 138.9. Of 248 entries, 50 of the past among them of which
	// two thirds are A's, A takes 231.3: 129.5 come there. They come in two minutes, of which A lets in 36.
	twice := foldtest.Together(none, past, foldtest.Come(198, "e", "a", "A", "19:30", 18), foldtest.Many(202, "x", "a", foldtest.Passes()))
	// At 19:36 the next quarter of an hour ends within the rush at B, of which it sees 15 to 19 of 90, 17 in the
	// median; of 90 to come 55 are here, through A, which takes (55+33.3) of 105. So 15 × 16.7/105 come to B.
	usual := foldtest.Together(none, past, foldtest.Come(55, "e", "a", "A", "19:30", 11), foldtest.Many(45, "x", "a", foldtest.Passes()))
	busy := "A: estimated 130 arrivals coming {130 130 130}, 90 let in, estimated 94 arrivals waiting {94 94 94} at 19:52; " +
		"B: estimated 9 arrivals coming {9 9 9}, 30 let in, estimated 0 arrivals waiting {0 0 0}; "
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string
	}{
		{"more than the gate can", "19:45", twice, busy},
		{"as usual", "19:36", usual, "A: estimated 14 arrivals coming {13 14 16}, 55 let in, estimated 3 arrivals waiting {2 3 5} at 19:51; " +
			"B: estimated 3 arrivals coming {2 3 3}, 30 let in, estimated 0 arrivals waiting {0 0 0}; "},
		{"before anybody came", "19:00", foldtest.Together(none, past, foldtest.Many(100, "x", "a", foldtest.Passes("22:30"))), "A: estimated 0 arrivals coming {0 0 0}, 55 let in, estimated 0 arrivals waiting {0 0 0}; " +
			"B: estimated 0 arrivals coming {0 0 0}, 30 let in, estimated 0 arrivals waiting {0 0 0}; "},
		{"nearly all have come", "19:59", foldtest.Together(none, early("Zaal"), foldtest.Come(30, "e", "a", "A", "19:30", 30), foldtest.Many(2, "x", "a", foldtest.Passes())), ""},
		{"after curtain", "20:00", twice, ""},
		{"too few past evenings", "19:45", slices.Delete(slices.Clone(twice), 1, 1+101), ""},
		{"a gate that is new", "19:45", foldtest.Together(none, past, foldtest.Come(10, "e", "a", "C", "19:30", 2), foldtest.Many(90, "x", "a", foldtest.Passes())),
			"A: estimated 38 arrivals coming {38 38 38}, 55 let in, estimated 16 arrivals waiting {16 16 16} at 19:52; " +
				"B: estimated 19 arrivals coming {19 19 19}, 30 let in, estimated 7 arrivals waiting {7 7 7} at 19:52; C: unknown no_history coming {11 11 11}, 10 let in, unknown no_history waiting {7 7 7} at 19:52; "},
		{"gates that are not usual", "19:45", foldtest.Together(none, past, foldtest.Come(198, "e", "a", "C", "19:30", 18), foldtest.Come(1, "f", "a", "D", "19:30", 1), foldtest.Many(201, "x", "a", foldtest.Passes())),
			"A: estimated 18 arrivals coming {18 18 18}, 55 let in, estimated 0 arrivals waiting {0 0 1}; B: estimated 9 arrivals coming {9 9 9}, 30 let in, estimated 0 arrivals waiting {0 0 0}; " +
				"C: estimated 110 arrivals coming {110 110 110}, 90 let in, estimated 74 arrivals waiting {74 74 74} at 19:52; D: estimated 1 arrivals coming {1 1 1}, 1 let in, unknown no_rate waiting {0 0 0}; "},
	} {
		s := foldtest.Fold(foldtest.Complete, c.records...)
		if got := describeQueues(foldtest.Evening(s, foldtest.Clock(c.now)).Show(s.Event("a"))); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
	s := foldtest.Fold(foldtest.Complete, twice...)
	s.AsOf = foldtest.Clock("19:45")
	if got := describeQueues(evening.At(s, foldtest.Clock("19:49")).Show(s.Event("a"))); got != "" {
		t.Errorf("without answers: %s", got)
	}
	if q := evening.At(s, foldtest.Clock("19:48")).Show(s.Event("a")).LongestQueue(); q == nil || q.Gate != "A" || q.Waiting.Value != 94 {
		t.Errorf("the longest is %+v", q)
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
		want evening.VerdictScore
	}{
		{0, "19:20", 7, evening.VerdictScore{OnTime: 6, OnTimeRight: 6}},
		{40, "19:20", 7, evening.VerdictScore{OnTime: 6, OnTimeRight: 5}}, // nobody can know a quarter of an hour before
		{10, "19:20", 7, evening.VerdictScore{OnTime: 6, OnTimeRight: 6}}, // as many as are tolerated
		{11, "19:20", 7, evening.VerdictScore{OnTime: 6, OnTimeRight: 5}},
		{0, "19:40", 7, evening.VerdictScore{Hold: 1, HoldRight: 1, OnTime: 5, OnTimeRight: 5}},
		{0, "19:45", 40, evening.VerdictScore{Hold: 1, OnTime: 5, OnTimeRight: 5}}, // all are in ten minutes before
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
		if got := v.Arrivals(v.Show(s.Event("a"))).Said; got != c.want {
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
		if m.Basis != evening.OfHall || n.Basis != evening.OfComparables {
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
		if b := catalogue.FindBehind(s, foldtest.Complete, log.Versions[:len(own)], k, scope, foldtest.Clock("19:45")); len(b.Changes)+len(b.Records) > 0 || b.Today != nil {
			t.Errorf("%s: %d changes, %d records, and today %v", k, len(b.Changes), len(b.Records), b.Today)
		}
	}
}

// The visitors of 400 come as on past evenings, where 55 of 90 came from half an hour before curtain on, 30 in two
// minutes from ten before it, and five late: what is ahead goes on from those who have come, and the rush is the
// shortest time in which half of them come.
func TestAheadAndRush(t *testing.T) {
	for _, c := range []struct {
		name, now, want string
	}{
		{"before the doors", "18:30", "19:30 -1.0, 19:35 -1.0, rush 19:30 to 19:35"},                                             // 55 of 90 in five minutes
		{"while they come", "19:40", "19:39 -1.0, 19:40 0.4 0.4 0.4, 19:52 0.8 0.8 0.8, 20:30 0.9 0.9 0.9, rush 19:39 to 19:52"}, // 15 and 165 of 360,
		{"once it runs", "20:21", "19:30 -1.0, 19:35 -1.0, 20:30 -1.0, rush 19:30 to 19:35"},                                     // 75 of 150
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
		got += fmt.Sprintf("rush %s to %s", a.RushFrom.UTC().Format("15:04"), a.RushTo.UTC().Format("15:04"))
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
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
	if basis := v.Arrivals(v.Show(s.Event("a"))).Basis; basis != evening.OfComparables {
		t.Fatalf("it is of %s", basis)
	}
	dear, _ := log.Add(foldtest.Ticket("dear", "a", func(t *record.Ticket) { t.Price = foldtest.Eur(9000) }), time.Time{})
	l.Apply(dear)
	s = l.Snapshot(figures.Position{}, foldtest.Complete)
	for name, v := range map[string]*evening.Evening{"that goes on": evening.After(s, v, now), "anew": evening.At(s, now)} {
		if basis := v.Arrivals(v.Show(s.Event("a"))).Basis; basis != evening.OfHouse {
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
		{"comparables", "19:36", foldtest.Together(atGates("Elders", 6, titled), slices.Delete(early("Zaal"), 3*21, 4*21)), "comparables 6, 0.550 0.550 0.550, came 0.660 to 19:36, last 20:04 to 20:07, error 1m50s and 0.0000"},
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
			if a.LastError.Known() {
				got = got[:len(got)-7] + fmt.Sprintf("%v and %.4f", a.LastError.Value, a.ComingError.Value)
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
	// At 19:45 30 of 100 have come and three in ten may stay away, so 40 are late; six in ten usually have come, so they are
	// those of a crowd of 100, of whom 0, 40, 40, 30, 20, 10 and 0 come in the next quarter of an hour.
	queues := foldtest.Evening(s, foldtest.Clock("19:45")).Show(s.Event("a")).Queues
	if len(queues) != 1 || queues[0].Coming.Value != 20 || queues[0].ComingBand != (figures.Band{Low: 0, Median: 20, High: 40}) {
		t.Errorf("20 come, 0 to 40 in eight of ten cases: %+v", queues)
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
	if got := foldtest.Say(v.Arrivals(v.Show(s.Event("a"))).ComingError); got != "0.16" {
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
		if len(v.Shows) != 3 || v.Shows[0].Verdict.Call == evening.NoCall || len(v.Shows[0].Queues) == 0 || !v.Arrivals(v.Shows[0]).ComingError.Known() {
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
