package wall

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// boardPage is the programme for the public: what begins when and where, with a word if that helps to decide.
// Times are its only numbers.
type boardPage struct {
	Title, Day string
	Rows       []boardRow
	Size       string // a class by the number of rows
	Next       words.Sentence
	Off        []words.Sentence // what is cancelled or postponed and has no row
	Empty      string
	// Ask is where to ask instead, if the figures are long out of date (Red) or the screen has no connection.
	Ask string
	Red bool
}

// boardRow is one performance.
type boardRow struct {
	Time, Title, Hall, Doors string
	Size                     string // a class for long titles
	State                    string // a class
	Word                     string
	Areas                    []words.Sentence // what is left of each price area

	// In a list of several days, of is the row's day, and Day its name in the first row of the day.
	of  figures.Day
	Day string
}

// boardRows is the most performances that fit on the board.
const boardRows = 8

func (b builder) board() (web.View, error) {
	var p boardPage
	shows := b.announced(b.Evening.Shows)
	p.Title, p.Day = b.Text("board.today"), b.DayOf(b.Evening.Day)
	if b.Evening.Day != b.Date {
		p.Title, p.Day = b.EveningWords(b.Evening.Day), ""
	}
	next := b.soon()
	if len(next) > 0 && !slices.ContainsFunc(shows, func(s *evening.Show) bool { return s.Phase.GoesAhead() && s.Phase != evening.Over }) {
		// The day is over, or nothing is on: the next day is shown instead.
		day := next[0].Date
		n := slices.IndexFunc(next, func(s *evening.Show) bool { return s.Date != day })
		if n < 0 {
			n = len(next)
		}
		shows, next = next[:n], next[n:]
		p.Title, p.Day = b.DayTitle(string(day), string(b.Today)), ""
		if day == b.Date.Add(1) && b.Date == b.Today {
			p.Title, p.Day = b.Text("board.tomorrow"), b.DayOf(day)
		}
		p.Day = b.withBegin(p.Day, shows)
	}
	p.Off = b.calledOff(shows, offLines)
	rows, more := b.roomFor(shows, boardRows-len(p.Off))
	for _, s := range rows {
		p.Rows = append(p.Rows, b.boardRow(s))
	}
	switch n := len(p.Rows); {
	case n == 0 && b.ProgrammeKnown():
		p.Empty = b.Text("wall.nothing_announced")
	default:
		p.Size = boardSize(n)
	}
	p.oneSize()
	if more > 0 {
		p.Next = words.Sentence{{Text: b.andMore(more)}}
		next = nil
	}
	for _, s := range next {
		if s.Phase.GoesAhead() {
			p.Next = b.boardNext(s)
			break
		}
	}
	return web.View{Title: b.Text("board.title"), Body: boardBody, Fragments: []web.Fragment{{ID: "board", HTML: p.html()}}}, nil
}

// oneSize gives all titles the same size.
func (p *boardPage) oneSize() {
	var sizes []*string
	for i := range p.Rows {
		sizes = append(sizes, &p.Rows[i].Size)
	}
	oneSize(sizes)
}

// withBegin returns the day with the time at which its first performance that goes ahead begins.
func (b builder) withBegin(day string, shows []*evening.Show) string {
	i := slices.IndexFunc(shows, func(s *evening.Show) bool { return s.Phase.GoesAhead() })
	if i < 0 || shows[i].Event.StartsAt.IsZero() {
		return day
	}
	begin := b.Say("board.from", words.Text("time", b.Clock(shows[i].Event.StartsAt, b.Zone)))
	if day == "" {
		return begin.String()
	}
	return words.Join(" · ", words.Sentence{{Text: day}}, begin).String()
}

const (
	// offLines is the most lines about performances that are called off, and offDays how many days ahead these are
	// announced.
	offLines = 2
	offDays  = 7
)

// calledOff returns at most that number of lines about the cancelled and postponed performances that are not among
// those shown, from today until a week from now: a performance is announced so until the day that it was planned for is over.
func (b builder) calledOff(shown []*evening.Show, most int) (lines []words.Sentence) {
	var all []*evening.Show
	for _, s := range slices.Concat(b.Evening.Shows, slices.Collect(b.Evening.Next())) {
		if !s.Phase.GoesAhead() && s.Date >= b.Today && s.Date <= b.Today.Add(offDays) && b.isAnnounced(s) && !slices.ContainsFunc(shown, func(o *evening.Show) bool { return o.EventFigures == s.EventFigures }) {
			all = append(all, s)
		}
	}
	for i, s := range all[:min(len(all), most)] {
		line := b.offLine(s)
		if rest := len(all) - most; i == most-1 && rest > 0 {
			line = words.Join(" · ", line, words.Sentence{{Text: b.andMore(rest)}})
		}
		lines = append(lines, line)
	}
	return lines
}

// offLine names a performance that is called off. The date of one that is postponed is no longer that on which it is on.
func (b builder) offLine(s *evening.Show) words.Sentence {
	if s.Phase != evening.Postponed {
		return words.Join(" · ", words.Sentence{{Text: b.Text("board.cancelled"), Strong: true}}, b.boardNext(s))
	}
	return words.Join(" · ", words.Sentence{{Text: b.Text("board.postponed"), Strong: true}}, words.NameAlone(b.TitleOf(s.EventFigures)), words.NameAlone(s.Event.Hall), b.Say("show.was", words.Text("when", b.whenOf(s))), b.Say("show.no_new_date"))
}

// soon returns the performances to come of the first day that has any, and those after them up to the
// first that goes ahead.
func (b builder) soon() (all []*evening.Show) {
	for s := range b.Evening.Next() {
		if b.isAnnounced(s) {
			all = append(all, s)
			if s.Date != all[0].Date && s.Phase.GoesAhead() {
				break
			}
		}
	}
	return all
}

// announced returns those of the shows that strangers may know of, in the halls that are shown.
func (b builder) announced(shows []*evening.Show) []*evening.Show {
	return slices.DeleteFunc(slices.Clone(shows), func(s *evening.Show) bool { return !b.isAnnounced(s) })
}

func (b builder) isAnnounced(s *evening.Show) bool {
	hall := b.Values.Get("hall")
	return s.Event.Status != record.EventDraft && (hall == "" || s.Event.Hall == hall)
}

// boardSize returns the class of a board with a number of rows.
func boardSize(rows int) string {
	switch {
	case rows <= 2:
		return "few fewest"
	case rows <= 4:
		return "few"
	}
	return ""
}

// roomFor returns at most that number of the shows, and how many others are to come: what is over
// goes first, then what has begun, and then what is latest.
func (b builder) roomFor(shows []*evening.Show, most int) (room []*evening.Show, more int) {
	for len(shows) > most {
		gone := slices.IndexFunc(shows, func(s *evening.Show) bool { return s.Phase == evening.Over || s.CalledOffAndPast(b.Now) })
		if gone < 0 {
			gone = slices.IndexFunc(shows, func(s *evening.Show) bool { return s.Phase == evening.Running })
		}
		if gone < 0 {
			return shows[:most], len(shows) - most
		}
		shows = slices.Delete(shows, gone, gone+1)
	}
	return shows, 0
}

func (b builder) boardRow(s *evening.Show) boardRow {
	r := boardRow{Title: b.TitleOf(s.EventFigures), Hall: s.Event.Hall}
	r.Size = size(r.Title)
	if !s.Event.StartsAt.IsZero() {
		r.Time = b.Clock(s.Event.StartsAt, b.Zone)
	}
	if t := s.Event.DoorsAt; !t.IsZero() && s.Phase.GoesAhead() {
		r.Doors = b.Clock(t, b.Zone)
	}
	if r.State, r.Word = b.boardWord(s); s.Phase == evening.Postponed {
		r.Time = "" // it is no longer that
	}
	return r
}

// boardWord returns a performance's state as a class, and the word for it; none if it is as
// everybody expects. What is left is not said from figures that are long not renewed.
func (b builder) boardWord(s *evening.Show) (state, word string) {
	switch {
	case s.Phase == evening.Cancelled:
		return "off", b.Text("board.cancelled")
	case s.Phase == evening.Postponed:
		return "off", b.Text("board.postponed")
	case s.Phase == evening.Over:
		return "begun", b.Text("board.over")
	case s.Phase == evening.Running:
		if back, ok := s.InInterval(b.Now); ok {
			return "begun", b.Text("board.interval", words.Text("time", b.Clock(back, b.Zone)))
		}
		return "begun", b.Text("board.begun")
	case !s.Held.IsZero():
		return "last", b.Text("board.held", words.Text("time", b.Clock(s.Held, b.Zone)))
	}
	if b.Health.Light() != figures.Red {
		switch {
		case s.SoldOut, b.noMoreAllowed(s):
			state, word = "sold", b.Text("board.sold_out")
		case s.FewLeft():
			state, word = "last", b.Text("board.few_left")
		}
	}
	if s.Phase != evening.Arriving || s.Event.DoorsAt.IsZero() {
		return state, word
	}
	if word == "" {
		return "open", b.Text("board.open")
	}
	return state, b.Text("board.open") + " · " + word
}

// boardNext returns a performance without a row in one line.
func (b builder) boardNext(s *evening.Show) words.Sentence {
	when := b.DayShortOf(s.Date)
	if s.Date == b.Date {
		when = b.Text("board.today")
	}
	if s.Date == b.Date.Add(1) && b.Date == b.Today && b.Evening.Day == b.Date {
		when = b.Text("board.tomorrow")
	}
	if at := s.Event.StartsAt; !at.IsZero() {
		when += " " + b.Clock(at, b.Zone)
	}
	return words.Join(" ", words.Sentence{{Text: when, Strong: true}}, words.Join(" · ", words.NameAlone(b.TitleOf(s.EventFigures)), words.NameAlone(s.Event.Hall)))
}

// whenOf returns the day and the time of a performance as they are announced.
func (b builder) whenOf(s *evening.Show) string {
	day := b.DayShortOf(s.Date)
	if at := s.Event.StartsAt; !at.IsZero() {
		return day + " " + b.Clock(at, b.Zone)
	}
	return day
}
