package wall

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// wallPage is for people who walk past: one main number, a second one, what comes next,
// the time, and the age of the figures.
type wallPage struct {
	Top  wallTop
	Main wallMain
	Note wallNote
	Next wallNext
}

// wallTop names what the numbers are about.
type wallTop struct {
	Title string
	Name  bool   // the title is outside text
	Size  string // a class for long titles
	Where web.Facts
}

// wallMain is the two numbers. Idle is true if nothing is on: the next performance is then shown instead.
type wallMain struct {
	Idle  bool
	Huge  words.Num
	Unit  string
	Size  string // a class by the number of characters
	Marks string // classes that depend on which figures are shown
	// People is true where people are the main number, and Level is of them.
	People bool
	Level  evening.Level
	Under  web.Facts
	Bar    *charts.Bar

	// Begun is true where Huge is the places sold, which Under does not repeat.
	Begun bool

	Second *wallSecond
	Next   *web.Next
	Away   string // how far off Next is
	// Nothing replaces Next if there is none.
	Nothing string
}

// wallSecond is the second number: the people in the house, or until the doors open
// when they will.
type wallSecond struct {
	People bool
	Level  evening.Level // of the people in the building or the hall that it is about
	Hall   web.HallLoad  // the hall of the building where it is worse
	Excess bool          // Main is how many too many are inside
	Of     string        // the hall whose people they are, if it has a name
	Whole  bool          // they are those of the building
	Main   words.Num
	Under  words.Sentence // Unit and Rest, where these are given
	Unit   words.Sentence // what the number is of
	Rest   words.Sentence // who is not in
	Enter  words.Sentence // how many more may enter, unless that has its own place
	Facts  web.Facts      // in place of Under, each in a line of its own: the wrapping does not hang on a font that comes late
	Bar    *charts.Bar
	Last   words.Sentence
}

// when returns the day and the time.
func when(n *web.Next) words.Sentence {
	day := words.Sentence{{Text: n.Day}}
	if n.Time == words.Dash {
		return day
	}
	return words.Join(", ", day, words.Sentence{{Text: n.Time, Strong: true}})
}

// where returns the hall, and what is to be had there.
func where(n *web.Next) web.Facts {
	return factsOf(words.NameAlone(n.Hall), words.Join(" ", words.Sentence{{Num: &n.Main, Strong: true}}, n.Of))
}

// wallNote is what staff have to see even from afar, and the number of other notices.
type wallNote struct {
	Notices []web.Notice
	More    string
}

func (b builder) wall() (web.View, error) {
	hall := b.Values.Get("hall")
	shows, house := b.Evening.Shows, b.Evening.House
	if hall != "" {
		shows = slices.DeleteFunc(slices.Clone(shows), func(s *evening.Show) bool { return s.Event.Hall != hall })
		house = b.Evening.HouseOf(shows)
	}
	var on []*evening.Show
	for _, s := range shows {
		if s.Phase.GoesAhead() && s.Phase != evening.Over {
			on = append(on, s)
		}
	}
	var p wallPage
	after, one := on, aboutOne(hall, shows, on)
	switch {
	case len(on) == 0 && house.Counted == 0:
		p.Top, p.Main = b.wallIdle(hall)
		if at, inside, out := b.Evening.LastOut(); out && hall == "" && b.Access.WholeHouse() {
			p.Top.Where = web.Facts{b.Say("wall.all_out", words.Fig("n", b.Number(inside)), words.Text("time", b.Clock(at, b.Zone)))}
		}
	case one != nil:
		p.Top, p.Main = b.wallShow(one, &house)
		after = slices.DeleteFunc(on, func(s *evening.Show) bool { return s == one })
	default:
		p.Top, p.Main = b.wallHouse(&house)
	}
	var leaving []*evening.Show // performances that have ended while people are still inside
	for _, s := range shows {
		if s.Leaving && s.Phase.GoesAhead() && s != one {
			leaving = append(leaving, s)
		}
	}
	b.peopleFirst(&p.Main, hall, hall == "")
	p.Note = b.wallNote(hall)
	p.Next = b.wallNext(slices.Concat(leaving, after), p.Main)
	p.Main.Marks = p.marks()
	title := b.Text("wall.title")
	if hall != "" {
		title = b.Text("wall.title_hall", words.Name("hall", hall))
	}
	return web.View{Title: title, Body: b.hallPicker(hall).body, Fragments: []web.Fragment{
		{ID: "wall-top", HTML: p.Top.html()}, {ID: "wall-main", HTML: p.Main.html()},
		{ID: "wall-note", HTML: p.Note.html()}, {ID: "wall-next", HTML: p.Next.html()},
	}}, nil
}

// hallPicker are links to the walls of the house and of each hall, for staff; empty where there is one hall.
type hallPicker []web.Choice

func (b builder) hallPicker(shown string) (p hallPicker) {
	halls := slices.DeleteFunc(web.HallsOf(b.Snapshot), func(hall string) bool { return !b.Access.SeesHall(hall) })
	if len(halls) < 2 {
		return nil
	}
	for _, hall := range append([]string{""}, halls...) {
		values := maps.Clone(b.Values)
		if values == nil {
			values = url.Values{}
		}
		values.Set("hall", hall)
		one := web.Choice{Name: words.Bare(hall), Chosen: hall == shown}
		if hall == "" {
			one.Name = b.Text("wall.whole_house")
			values.Del("hall")
		}
		if one.ID = "/wall"; len(values) > 0 {
			one.ID += "?" + values.Encode()
		}
		p = append(p, one)
	}
	return p
}

// marks returns classes for what the styles cannot select without :has, which browsers of 2020 lack: whether the
// main number is wide, whether there are one or two notices, and whether four performances are listed below.
func (p wallPage) marks() string {
	var all []string
	for name, is := range map[string]bool{"wide": p.Main.Size == "n6", "noted": len(p.Note.Notices) > 0, "noted-2": len(p.Note.Notices) > 1, "four": p.Next.Four()} {
		if is {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// aboutOne returns the performance that the wall's numbers are about, nil if they are about all of the
// evening. A hall's screen is about the one that is on there or next, and then about the last while
// its people leave. The screen of the house is about all from the first doors to the last exit, so
// that its main number keeps its basis, and about one only where no other goes ahead.
func aboutOne(hall string, shows, on []*evening.Show) *evening.Show {
	var ahead []*evening.Show
	for _, s := range shows {
		if s.Phase.GoesAhead() {
			ahead = append(ahead, s)
		}
	}
	switch {
	case len(ahead) == 1:
		return ahead[0]
	case hall == "" || len(ahead) == 0:
		return nil
	case len(on) > 0:
		return on[0]
	}
	return ahead[len(ahead)-1]
}

// wallNotes is the most notices that fit on a wall.
const wallNotes = 2

// wallNote returns the worst alerts, unseen ones first; a cancelled performance only until its time is
// past. A hall's screen shows those of its hall, with more sold than are allowed in it. Few places left, which the doors cannot
// mend, are on Tonight only, and amounts are on no wall except in a view that somebody chose for them.
func (b builder) wallNote(hall string) wallNote {
	noMoney := *b.Builder
	noMoney.Access.Money = web.NoMoney
	alerts := slices.DeleteFunc(noMoney.Access.Alerts(b.Evening.Alerts), func(a evening.Alert) bool {
		building := a.Code == evening.AlertCrowdedBuilding || a.Hall == "" && (a.Code == evening.AlertNearlyCrowded || a.Code == evening.AlertRoomForFewer)
		return hall != "" && a.Show().Event.Hall != hall && !building || a.Code == evening.AlertFewLeft || a.Code == evening.AlertNearLicensed || a.Level == evening.Info || a.Show().CalledOffAndPast(b.Now)
	})
	room := min(len(alerts), wallNotes)
	notices := web.WorstFirst(noMoney.Notices(alerts))[:room]
	for i := range notices {
		notices[i].Life = "" // nobody taps on a wall
	}
	return wallNote{notices, b.andMore(len(alerts) - room)}
}

// andMore reports whether there are n more, nothing if there are none.
func (b builder) andMore(n int) string {
	if n == 0 {
		return ""
	}
	return b.Text("wall.more", words.Int("n", n))
}

// wallIdle returns the next performance that goes ahead, for when nothing is on.
func (b builder) wallIdle(hall string) (wallTop, wallMain) {
	for s := range b.Evening.Next() {
		if !s.Phase.GoesAhead() || hall != "" && s.Event.Hall != hall {
			continue
		}
		n := b.NextOf(s)
		away := ""
		if s.Date > b.Date.Add(1) {
			away = b.Countdown(b.Now, cmp.Or(s.Event.StartsAt, b.Calendar.Start(s.Date)))
		}
		return wallTop{Title: b.Text("wall.next")}, wallMain{Idle: true, Next: &n, Size: size(n.Title), Away: away}
	}
	switch {
	case !b.ProgrammeKnown():
		return wallTop{Title: b.Text("wall.waiting")}, wallMain{Idle: true}
	case hall != "" && !slices.Contains(web.HallsOf(b.Snapshot), hall):
		return wallTop{Title: b.Text("wall.no_such_hall", words.Name("hall", hall)), Size: size(hall), Where: web.Facts{b.Say("wall.halls", words.Part("halls", b.Names(web.HallsOf(b.Snapshot))))}}, wallMain{Idle: true}
	}
	return wallTop{Title: b.Text("wall.next")}, wallMain{Idle: true, Nothing: b.Text("wall.nothing_announced")}
}

// wallShow returns one performance that is on or next, with the people that the screen is about.
func (b builder) wallShow(s *evening.Show, house *evening.House) (wallTop, wallMain) {
	title := b.TitleOf(s.EventFigures)
	top := wallTop{Title: title, Name: true, Size: size(title), Where: factsOf(words.NameAlone(s.Event.Hall))}
	if s.Date != b.Evening.Day {
		top.Where = append(top.Where, words.Sentence{{Text: b.DayNear(s.Date, b.DayShortOf(s.Date))}})
	}
	if !s.Event.StartsAt.IsZero() {
		at := words.Text("time", b.Clock(s.Event.StartsAt, b.Zone))
		switch s.Phase {
		case evening.Over:
			top.Where = append(top.Where, words.Sentence{{Text: b.Relative(s)}})
		case evening.Running:
			interval := b.Interval(s)
			if ahead := b.intervalAhead(s); len(ahead) > 0 {
				interval = ahead
			}
			top.Where = append(top.Where, factsOf(b.Say("wall.since", at), interval, b.ends(s))...)
		default:
			top.Where = append(top.Where, b.Say("wall.curtain", at))
		}
	}
	state := b.SaleState(s)
	if s.Sale == evening.SaleOpen && !s.Event.Unlimited && s.Oversold == 0 {
		state = words.Join(" · ", b.wallFree(s.Free, s.Empty, 1, 1), b.SaleState(s))
	}
	m := b.wallPlaces(s.Occupancy(), s.Sold, s.Capacity, s.Free, state, b.Allowed(s), b.AllowedIn(s), b.Oversold(s))
	if s.Phase == evening.Running || s.Phase == evening.Over {
		b.begun(&m, s.Sold, s.Capacity)
	}
	if s.Phase != evening.Over && (s.Phase != evening.Running || s.Sale == evening.SaleOpen) { // then nothing fills up any more
		m.Bar = b.TakenOf(s).Bar
	}
	m.Second = b.wallPeople(house, s.Event.Hall, false, b.Verdict(s))
	if m.Second != nil && m.Second.People {
		m.Second.Level, m.Second.Hall = b.Evening.LevelIn(s.Event.Hall), b.HallLoadOf(s.Event.Hall)
		m.Second.Enter = b.MayEnter(s)
	}
	switch {
	case s.NobodyScanned(b.Now):
		m.Second = &wallSecond{People: true, Main: words.Num{Text: words.Dash}, Under: b.Say("screen.no_scans_here")}
	case m.Second != nil:
	case s.Phase == evening.Over:
		if s.Arrived.Known() {
			m.Second = &wallSecond{Main: b.Number(s.Arrived), Under: b.Say("screen.came")}
		}
	default:
		doors, reported := s.Hours().Opening()
		m.Second = b.wallDoors(doors, reported, s.SoldLastHour)
	}
	return top, m
}

// ends returns when a performance that runs is over; empty if that is not known.
func (b builder) ends(s *evening.Show) words.Sentence {
	end := s.Event.EndsAt
	if s.Phase != evening.Running || !end.After(b.Now) {
		return nil
	}
	if b.ahead(s, end) {
		return b.Say("wall.ends_countdown", words.Text("countdown", b.Countdown(b.Now, end)))
	}
	return b.Say("wall.ends", words.Text("time", b.Clock(end, b.Zone)))
}

// wallDoors returns when the first doors open or, where that is not reported, the curtain, and how
// the sale goes until then; nil if there is no time.
func (b builder) wallDoors(at time.Time, reported bool, sold figures.Figure[int]) *wallSecond {
	if at.IsZero() {
		return nil
	}
	w := &wallSecond{Main: words.Num{Text: b.Clock(at, b.Zone)}}
	if countdown := words.Text("countdown", b.Countdown(b.Now, at)); reported {
		w.Under = b.Say("wall.doors_countdown", countdown)
	} else {
		w.Under = b.Say("wall.curtain_countdown", countdown)
	}
	if sold.Known() && sold.Value > 0 {
		w.Last = b.Say("wall.last_hour", words.Plain("n", b.Number(sold)))
	}
	return w
}

// wallPlaces returns how full the house is: the occupancy or, where that is not known, the
// places sold, or else those that are left; and how the sale stands.
func (b builder) wallPlaces(o figures.Figure[float64], sold, capacity, left figures.Figure[int], state ...words.Sentence) wallMain {
	var m wallMain
	switch {
	case o.Known():
		m.Huge, m.Unit = b.Qualified(o.Quality, o.Reasons, b.WholePercent(o.Value)), "%"
		m.Under = web.Facts{b.Say("wall.sold_of", words.Fig("sold", b.Number(sold)), words.Plain("capacity", b.Number(capacity)))}
	case (!sold.Known() || sold.Quality == figures.LowerBound && sold.Value == 0) && left.Known() && left.Value > 0: // at least none says nothing
		state = nil
		m.Huge, m.Under = b.Number(left), web.Facts{b.Say("wall.unit_free", words.Plain("n", b.Number(left)))}
	default:
		m.Huge, m.Under = b.Number(sold), web.Facts{b.Say("wall.unit_sold", words.Plain("n", b.Number(sold)))}
	}
	m.Under = append(m.Under, factsOf(state...)...)
	m.Size = digits(strings.Trim(m.Huge.Text, words.NBSP+"≈≥≤"), wallDigits)
	return m
}

// wallFree returns what can still be sold, and for how many of the performances where it is not for all of
// them, or that there is nothing; empty if it is not known.
func (b builder) wallFree(free, empty figures.Figure[int], onSale, of int) words.Sentence {
	switch {
	case !free.Known():
		return nil
	case evening.NothingEmpty(empty):
		return b.Say("wall.sold_out")
	case onSale > 0 && onSale < of:
		return b.Say("wall.free_for", words.Fig("n", b.Number(free)), words.Spelled("shows", onSale))
	}
	return b.Say("wall.free", words.Fig("n", b.Number(free)))
}

// wallHouse is several performances together, or the people of those that are over.
func (b builder) wallHouse(h *evening.House) (wallTop, wallMain) {
	top := wallTop{Title: b.EveningWords(b.Evening.Day)}
	if n := len(h.Halls); n > 1 {
		top.Where = web.Facts{b.Say("count.halls", words.Spelled("n", n))}
	} else {
		top.Where = web.Facts{b.Say("count.performances", words.Spelled("n", h.Shows))}
	}
	var state words.Sentence
	switch {
	case h.OnSale > 0 || h.AllSoldOut():
		state = words.Join(" · ", b.wallFree(h.Free, h.Empty, h.WithFree, h.Shows), b.AsOfWords(h.AsOf))
	case h.Limitless == 0:
		state = b.Say("places.sale_over")
	}
	m := b.wallPlaces(h.Occupancy(), h.Sold, h.Capacity, h.Free, state, b.HouseAllowed(h))
	if h.Waiting+h.Arriving < h.Shows || h.Limited() { // a share would be of places, too, that nobody can buy any more, or may
		capacity := h.Capacity
		if b.Evening.BeyondAllowed(b.Evening.Shows) {
			capacity = figures.NotKnown[int]()
		}
		b.begun(&m, h.Sold, capacity)
	} else if h.Occupancy().Known() {
		picture := charts.NewBar(b.Text("wall.bar_sold", words.Int("sold", h.Sold.Value), words.Int("capacity", h.Capacity.Value)), h.Capacity.Value,
			append(charts.Beyond(h.Capacity.Value, web.SoldPieces(h.Paid.Value, h.Complimentary.Value, h.FreeTickets.Value, h.Unpaid.Value)...), charts.Piece{Class: "resv", N: h.Reserved.Value})...)
		m.Bar = &picture
	}
	hall := b.Values.Get("hall")
	if m.Second = b.wallPeople(h, hall, hall == "", nil); m.Second == nil {
		m.Second = b.wallDoors(h.Doors, h.DoorsReported, h.SoldLastHour)
	} else {
		if m.Second.Level = b.Evening.LevelIn(hall); hall == "" {
			m.Second.Hall = b.WorstHall()
		}
	}
	return top, m
}

// wallPeople returns who is in the building and who is still to come; nil while no doors are open and
// nobody is leaving. They are those of a hall, of a performance without one, or of the whole building.
func (b builder) wallPeople(h *evening.House, hall string, whole bool, verdict words.Sentence) *wallSecond {
	if h.Counted == 0 && len(h.Unscanned) == 0 {
		return nil
	}
	w := &wallSecond{People: true, Of: hall, Whole: whole, Main: b.Number(h.Inside), Last: verdict}
	unit, line := []string{"wall.unit_inside", "wall.unit_inside_leaving", "wall.unit_inside_all_leaving"}, "wall.line_inside"
	if hall != "" { // the building has others
		unit, line = []string{"wall.hall_inside", "wall.hall_inside_leaving", "wall.hall_inside_all_leaving"}, "wall.line_inside_hall"
	}
	if h.Counted == 0 {
		w.Under = b.Say("wall.no_scans")
		return w
	}
	switch {
	case h.Leaving.Value > 0 && h.Leaving.Value == h.Inside.Value:
		w.Unit = b.Say(unit[2])
	case h.Leaving.Value > 0:
		w.Unit = b.Say(unit[1], words.Fig("leaving", b.Number(h.Leaving)))
	default:
		w.Unit = b.Say(unit[0])
	}
	most := max(h.Inside.Value+h.ToCome(), h.Expected.Value)
	if l, ok := b.Evening.LoadOf(""); ok && whole {
		most = l.Licensed
		w.Unit = words.Join(", ", w.Unit, b.Say("places.allowed", words.Int("n", most)))
	}
	if n := b.outOf(hall); n > 0 {
		w.Rest = words.Join(", ", w.Rest, b.Say("people.out", words.Int("n", n)))
	}
	if h.Awaited() {
		say := "people.still"
		if h.Begun > 0 {
			say = "people.not_in"
		}
		w.Rest = words.Join(", ", w.Rest, b.Say(say, words.Fig("n", b.Number(h.NotIn))))
		if h.Late() && h.Latecomers.Value == h.NotIn.Value { // where they are is on Tonight: a wall has one short line
			w.Rest = words.Join(", ", w.Rest, b.HouseWillCome(h, b.Number(h.WillCome)))
		}
	} else {
		w.Rest = words.Join(", ", w.Rest, b.Away(h))
	}
	w.Rest = words.Join(", ", w.Rest, b.AsOfWords(h.AsOf))
	w.Under = words.Join(", ", w.Unit, w.Rest)
	if h.Expected.Value > 0 && h.Inside.Known() {
		w.Bar = b.PeopleBar(hall, b.Text(line, words.Plain("n", b.Number(h.Inside))), most, charts.Piece{Class: "in", N: h.Inside.Value - h.Leaving.Value}, charts.Piece{Class: "leaving", N: h.Leaving.Value})
	}
	return w
}

// titleSizes are the classes of titles, from the largest letters to the smallest.
var titleSizes = []string{"", "long", "longest"}

// size returns a class for titles that need smaller letters.
func size(title string) string {
	switch n := utf8.RuneCountInString(title); {
	case n > 80:
		return titleSizes[2]
	case n > 36:
		return titleSizes[1]
	}
	return titleSizes[0]
}

// oneSize gives the titles of one list the size of the one that needs the smallest letters.
func oneSize(sizes []*string) {
	smallest := 0
	for _, s := range sizes {
		smallest = max(smallest, slices.Index(titleSizes, *s))
	}
	for _, s := range sizes {
		*s = titleSizes[smallest]
	}
}

// factsOf returns the sentences that are not empty.
func factsOf(all ...words.Sentence) (f web.Facts) {
	for _, s := range all {
		if len(s) > 0 {
			f = append(f, s)
		}
	}
	return f
}
