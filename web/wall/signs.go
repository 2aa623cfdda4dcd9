package wall

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"

	"github.com/a-h/templ"
)

// signPage shows one thing, large: the next performance, a message, or what was booked today.
type signPage struct {
	Title string
	Where words.Sentence
	// Huge is the largest text and Name the one below it. Both are outside text; either may be empty.
	Huge words.Num
	Size string // a class by the number of characters of Huge
	Name string
	Long string // a class for long names
	// Under are lines of context, and Word the state of what is shown, with a class.
	Under       []words.Sentence
	State, Word string
	Off         []words.Sentence // what is cancelled or postponed
}

func (b builder) signView(title string, p signPage) web.View {
	return web.View{Title: title, Body: signBody, Fragments: []web.Fragment{{ID: "sign", HTML: p.html()}}}
}

// nextUp builds the next performance for the public: when, what, where, and a word where that helps.
func (b builder) nextUp() (web.View, error) {
	p := signPage{Title: b.Text("wall.next"), Name: b.Text("wall.nothing_announced")}
	if in := b.inInterval(); len(in) > 0 {
		p = b.intervalSign(in)
	} else if s := b.firstToCome(); s != nil {
		p.Name, p.Long = b.TitleOf(s.EventFigures), size(b.TitleOf(s.EventFigures))
		if s.Date != b.Evening.Day {
			p.Title = b.DayTitle(string(s.Date), string(b.Today))
			if s.Date == b.Date.Add(1) && b.Date == b.Today && b.Evening.Day == b.Date {
				p.Title = b.Text("board.tomorrow")
			}
		}
		at := s.Event.StartsAt
		if !at.IsZero() {
			p.Huge, p.Size = words.Num{Text: b.Clock(at, b.Zone)}, "n5"
		}
		p.Under = append(p.Under, words.NameAlone(s.Event.Hall))
		if doors := s.Event.DoorsAt; !doors.IsZero() {
			p.Under = append(p.Under, b.Say("show.doors", words.Text("time", b.Clock(doors, b.Zone))))
		}
		p.State, p.Word = b.boardWord(s)
	} else if !b.ProgrammeKnown() {
		p.Name = ""
	}
	p.Off = append(p.Off, b.calledOff(nil, 1)...)
	return b.signView(b.Text("wall.next"), p), nil
}

// inInterval returns the announced performances that are in their interval, the one that goes on first before others.
func (b builder) inInterval() (in []*evening.Show) {
	for _, s := range b.announced(b.Evening.Shows) {
		if _, now := s.InInterval(b.Now); now {
			in = append(in, s)
		}
	}
	slices.SortStableFunc(in, func(x, y *evening.Show) int {
		xEnd, _ := x.InInterval(b.Now)
		yEnd, _ := y.InInterval(b.Now)
		return xEnd.Compare(yEnd)
	})
	return in
}

// intervalSign says to the people in the foyer when their performance goes on, and below what else does or begins.
func (b builder) intervalSign(in []*evening.Show) signPage {
	first := in[0]
	back, _ := first.InInterval(b.Now)
	title, at := b.TitleOf(first.EventFigures), b.Clock(back, b.Zone)
	p := signPage{Title: b.Text("board.in_interval"), Huge: words.Num{Text: at}, Size: "n5", Name: title, Long: size(title), Under: factsOf(words.NameAlone(first.Event.Hall))}
	p.State, p.Word = b.boardWord(first)
	for _, s := range in[1:] {
		back, _ := s.InInterval(b.Now)
		p.Off = append(p.Off, words.Join(" · ", words.Sentence{{Text: b.Clock(back, b.Zone), Strong: true}}, words.NameAlone(b.TitleOf(s.EventFigures)), words.NameAlone(s.Event.Hall)))
	}
	if next := b.firstToCome(); next != nil {
		p.Off = append(p.Off, words.Join(" · ", words.Sentence{{Text: b.Text("board.next")}}, b.boardNext(next)))
	}
	return p
}

// firstToCome returns the first performance of the day or after whose curtain is to come and that goes
// ahead, nil for none.
func (b builder) firstToCome() *evening.Show {
	for _, s := range b.announced(b.Evening.Shows) {
		if s.Phase == evening.Before || s.Phase == evening.Arriving {
			return s
		}
	}
	for s := range b.Evening.Next() {
		if b.isAnnounced(s) && s.Phase.GoesAhead() {
			return s
		}
	}
	return nil
}

// messageSign builds the message that somebody wrote in a programme.
func (b builder) messageSign() (web.View, error) {
	text := b.Values.Get("text")
	return b.signView(b.Text("screen.message"), signPage{Name: text, Long: cmp.Or(size(text), "short")}), nil
}

// takings returns what was booked on the running day of sale.
func (b builder) takings() (web.View, error) {
	p := signPage{Title: b.Text("screen.takings"), Where: words.Sentence{{Text: b.DayOf(b.Today)}}, Huge: b.OfEvening(figures.KeyBookedToday)}
	p.Size = digits(p.Huge.Text, signDigits)
	p.Under = []words.Sentence{b.Say("screen.takings_places", words.Fig("n", b.OfEvening(figures.KeySoldToday)))}
	return web.View{Title: p.Title, Body: takingsBody, Fragments: []web.Fragment{{ID: "sign", HTML: p.html()}}}, nil
}

// The steps of font sizes: the most characters for each. Signs are alone on the screen.
var (
	wallDigits = []int{3, 5, 6, 9}
	signDigits = []int{5, 6, 8, 10, 12, 13}
)

// digits returns a class by the number of characters of a number.
func digits(number string, steps []int) string {
	all := utf8.RuneCountInString(number)
	i := slices.IndexFunc(steps, func(step int) bool { return all <= step })
	if i < 0 {
		i = len(steps) - 1
	}
	return "n" + strconv.Itoa(steps[i])
}

// week returns the programme of the days to come.
func (b builder) week() (web.View, error) {
	p := boardPage{Title: b.Text("screen.week"), Size: "week"}
	last := b.Date.Add(7)
	var more figures.Day // the last day that does not fit
	for _, s := range b.toCome() {
		if s.Date > last {
			break
		}
		if len(p.Rows) == boardRows {
			more = s.Date
			continue
		}
		r := b.boardRow(s)
		r.Day = b.DayNear(s.Date, b.DayShortOf(s.Date))
		if len(p.Rows) > 0 && p.Rows[len(p.Rows)-1].of == s.Date {
			r.Day = ""
		}
		r.of = s.Date
		p.Rows = append(p.Rows, r)
	}
	if len(p.Rows) == 0 && b.ProgrammeKnown() {
		p.Empty = b.Text("wall.nothing_announced")
	}
	p.oneSize()
	if more != "" {
		p.Next = b.Say("screen.week_more", words.Text("day", b.DayOf(more)))
	}
	return web.View{Title: p.Title, Body: boardBody, Fragments: []web.Fragment{{ID: "board", HTML: p.html()}}}, nil
}

// toCome returns the performances that are not over, and those that are called off until their day is over, of
// the day and after.
func (b builder) toCome() (all []*evening.Show) {
	for _, s := range b.announced(b.Evening.Shows) {
		if s.Phase != evening.Over && (s.Date >= b.Today || !s.CalledOffAndPast(b.Now)) {
			all = append(all, s)
		}
	}
	for s := range b.Evening.Next() {
		if b.isAnnounced(s) {
			all = append(all, s)
		}
	}
	return all
}

// freePlaces builds what is free at the performances to come: words for strangers, numbers for others. Figures
// that are long out of date give neither.
func (b builder) freePlaces() (web.View, error) {
	p := boardPage{Title: b.Text("screen.places"), Day: b.DayOf(b.Evening.Day), Ask: b.Text("screen.ask"), Red: b.Health.Light() == figures.Red}
	day := figures.Day("")
	for _, s := range b.toCome() {
		if s.Sale != evening.SaleOpen || s.Phase == evening.Running || !s.Phase.GoesAhead() {
			continue
		}
		if day == "" {
			day = s.Date
			if day != b.Evening.Day {
				p.Title, p.Day = b.Text("screen.places"), b.DayNear(day, b.DayOf(day))
			}
		}
		if s.Date != day || len(p.Rows) == boardRows {
			break
		}
		r := b.boardRow(s)
		r.State, r.Word = b.freeWord(s)
		if r.Word != "" {
			r.Areas = b.areaWords(s)
		}
		p.Rows = append(p.Rows, r)
	}
	switch n := len(p.Rows); {
	case n == 0:
		p.Ask = ""
		if b.ProgrammeKnown() {
			p.Empty = b.Text("screen.nothing_on_sale")
		}
	default:
		p.Size = boardSize(n)
	}
	p.oneSize()
	return web.View{Title: p.Title, Body: boardBody, Fragments: []web.Fragment{{ID: "board", HTML: p.html()}}}, nil
}

// freeWord returns the class and the word for the places left of a performance. For the public it is empty
// if only an estimate shows that none are left, and sold out where as many are sold as people are allowed in the hall.
func (b builder) freeWord(s *evening.Show) (state, word string) {
	switch {
	case b.Health.Light() == figures.Red:
		return "", ""
	case s.SoldOut:
		return "sold", b.Text("board.sold_out")
	case !b.Access.Public && s.Free.Known():
		if s.FewLeft() {
			state = "last"
		}
		return state, words.Join(" · ", b.Say("screen.free", words.Plain("n", b.Number(s.Free))), b.Allowed(s)).String()
	case b.noMoreAllowed(s):
		return "sold", b.Text("board.sold_out")
	case s.FewLeft():
		return "last", b.Text("board.few_left")
	case s.Event.Unlimited || s.Free.Known() && s.Free.Value > 0:
		return "open", b.Text("screen.places_free")
	}
	return "", ""
}

// noMoreAllowed reports whether no more places of a performance may be sold, though some are free.
func (b builder) noMoreAllowed(s *evening.Show) bool {
	left, limited := b.Evening.MayStillSell(s)
	return limited && left == 0
}

// dark returns a page without a picture.
func (b builder) dark() (web.View, error) {
	return web.View{Title: b.Text("screen.title"), Body: func(d *web.Document) templ.Component { return darkBody(d) }}, nil
}
