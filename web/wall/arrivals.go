package wall

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// arrivalsPage is for the door of one hall: how many came, the minutes left, and each gate. If no
// performance has open doors, it shows what the wall shows of the hall.
type arrivalsPage struct {
	Top     wallTop
	Came    words.Num
	Size    string // a class by the number of characters
	Of      words.Sentence
	Bar     *charts.Bar
	Clock   string // minutes to curtain
	Under   words.Sentence
	State   string // a class of the verdict
	Verdict words.Sentence
	Gates   []gateLine
	Wall    *wallMain // replaces everything except Top
}

// gateLine is one gate.
type gateLine struct {
	ID, Name string
	Rate     words.Sentence
	Bar      charts.Bar
	Sum      words.Sentence
	Quiet    bool // the quietest of several
}

const (
	// mostGates is the most gates that fit on the screen.
	mostGates = 4
	// gateWindow is the time over which a gate's rate is measured.
	gateWindow = 5 * time.Minute
)

func (b builder) arrivals() (web.View, error) {
	hall := b.Values.Get("hall")
	var p arrivalsPage
	switch s := b.atDoor(hall); {
	case s != nil && s.Phase.Open():
		p = b.arrivalsOf(s)
	case s != nil:
		house := b.Evening.HouseOf([]*evening.Show{s})
		var main wallMain
		p.Top, main = b.wallShow(s, &house)
		p.Wall = &main
	default:
		var main wallMain
		p.Top, main = b.wallIdle(hall)
		p.Wall = &main
	}
	return web.View{Title: b.Text("screen.arrivals", words.Name("hall", hall)), Body: arrivalsBody, Fragments: []web.Fragment{
		{ID: "wall-top", HTML: p.Top.html()}, {ID: "arrivals", HTML: p.html()},
	}}, nil
}

// atDoor returns the performance that people come to at a hall: one with open doors before its curtain, or else
// the running one, or else the first of the evening whose doors will open; nil for none.
func (b builder) atDoor(hall string) (at *evening.Show) {
	wanted := []evening.Phase{evening.Before, evening.Running, evening.Arriving} // the most wanted last
	best := -1
	for _, s := range b.Evening.Shows {
		if i := slices.Index(wanted, s.Phase); s.Event.Hall == hall && i > best {
			at, best = s, i
		}
	}
	return at
}

func (b builder) arrivalsOf(s *evening.Show) arrivalsPage {
	p := arrivalsPage{Top: wallTop{Title: s.Event.Hall, Name: true, Size: size(s.Event.Hall), Where: factsOf(words.NameAlone(b.TitleOf(s.EventFigures)))}}
	if s.Phase == evening.Running {
		p.Top.Where = append(p.Top.Where, factsOf(b.Interval(s))...)
	}
	p.Came, p.Of = b.Number(s.Arrived), b.Say("screen.came")
	p.Size = digits(p.Came.Text, wallDigits)
	if s.Expected.Known() {
		p.Of = b.Say("screen.came_of", words.Fig("expected", b.Number(s.Expected)))
		if s.Arrived.Known() && !s.NobodyScanned(b.Now) {
			label := b.Text("people.bar_came", words.Int("n", s.Arrived.Value), words.Plain("of", b.Number(s.Expected)))
			p.Bar = b.PeopleBar(s.Event.Hall, label, s.Expected.Value, charts.Piece{Class: "in", N: s.Arrived.Value})
		}
	}
	if s.NobodyScanned(b.Now) {
		p.Came, p.Of = words.Num{Text: words.Dash}, b.Say("screen.no_scans_here")
		p.Size = ""
	} else if s.Still.Known() {
		p.Of = words.Join(" · ", p.Of, b.StillWords(s, b.Number(s.Still)), b.MayEnter(s))
	}
	if curtain := figures.Later(s.Hours().Curtain, s.Held); !curtain.IsZero() {
		minutes := words.MinutesBetween(b.Now, curtain)
		at := words.Text("time", b.Clock(curtain, b.Zone))
		if minutes >= 0 {
			p.Clock, p.Under = b.Count(minutes), b.Say("screen.to_curtain", words.Int("minutes", minutes), at)
		} else {
			p.Clock, p.Under = b.Count(-minutes), b.Say("screen.since_curtain", words.Int("minutes", -minutes), at)
		}
	}
	p.Verdict = b.VerdictShort(s)
	switch b.VerdictLevel(s) {
	case evening.Bad, evening.Warn:
		p.State = "warn"
	case evening.Info:
		p.State = "good"
	}
	if l := b.HallLoadOf(s.Event.Hall); l.Level != "" { // whoever is at the door stops people
		p.Verdict, p.State = words.Join(" · ", p.Verdict, l.Text), "warn"
	}
	p.Gates = b.gateLines(s)
	return p
}

// gateLines returns the gates in the order of their names, as many as there is room for; the quietest of
// all is one of them.
func (b builder) gateLines(s *evening.Show) []gateLine {
	most, quietest := 1, s.QuietestGate(gateWindow)
	entries, known := make([]int, len(s.Gates)), make([]figures.Figure[int], len(s.Gates))
	for i := range entries {
		e := s.EntriesIn(&s.Gates[i], gateWindow)
		if !e.Known() {
			return nil
		}
		entries[i], known[i], most = e.Value, e, max(most, e.Value)
	}
	rates := b.Rates(entries)
	var all []gateLine
	for i, n := range entries {
		room := mostGates - len(all)
		if room == 0 {
			break
		}
		if room == 1 && i < quietest {
			continue
		}
		g := &s.Gates[i]
		l := gateLine{ID: web.RowID("gate", i), Name: g.Gate, Rate: b.Say("screen.a_minute", words.Fig("rate", b.Qualified(known[i].Quality, known[i].Reasons, rates[i]))), Sum: b.Say("screen.gate_came", words.Fig("n", b.PartOf(known[i], g.Admitted))),
			Bar: charts.NewBar("", most, charts.Piece{Class: "in", N: n})}
		if l.Quiet = i == quietest; l.Quiet {
			l.Sum = words.Join(" · ", l.Sum, b.Say("screen.quietest"))
		}
		all = append(all, l)
	}
	return all
}

// performance returns the wall about one performance.
func (b builder) performance() (web.View, error) {
	e := b.Event(b.Values.Get("event"))
	if e == nil { // it was cancelled or deleted; a screen with a programme shows another view by then
		return b.wall()
	}
	s := b.Evening.Show(e)
	house := b.Evening.HouseOf([]*evening.Show{s})
	var p wallPage
	p.Top, p.Main = b.wallShow(s, &house)
	b.peopleFirst(&p.Main, s.Event.Hall, false)
	return web.View{Title: words.Bare(b.TitleOf(e)), Body: hallPicker(nil).body, Fragments: []web.Fragment{
		{ID: "wall-top", HTML: p.Top.html()}, {ID: "wall-main", HTML: p.Main.html()},
		{ID: "wall-note", HTML: p.Note.html()}, {ID: "wall-next", HTML: p.Next.html()},
	}}, nil
}
