package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/apiclient/record"
	"housecount/web/charts"
	"housecount/web/words"
)

// tonightPage is a few figures, what needs attention, the performances of the evening in the order of time, and last night until the next doors open.
type tonightPage struct {
	Head      Head
	Figs      Figs
	Attention Attention
	Findings  *findings // nil for a role that is not shown them
	Groups    []group
	Finished  finished
	Sum       sumLine
	Money     eveningMoney
	Night     night
	Coming    coming
}

// Attention is what needs attention now, and what does later; of that laterShown are said while it is folded.
type Attention struct{ Notices, Later []Notice }

const laterShown = 2

// group is one of the fragments that the rows are dealt over.
type group struct {
	ID   string
	Many bool // there are so many rows that they are closer together
	Rows []rendered
}

// groups is how many fragments Tonight deals its rows over: up to sixteen performances have one each, a hundred share them by seven.
const groups = 16

// groupIDs are their ids.
var groupIDs = func() (ids [groups]string) {
	for i := range ids {
		ids[i] = fmt.Sprintf("shows-%02d", i)
	}
	return ids
}()

// manyShows is the number of performances from which the rows stand closer together.
const manyShows = 6

// eveningMoney is what was booked for the performances of the evening, and per place; empty without access to it.
type eveningMoney struct{ Parts []sentence }

// sumLine is the sum of the rows, and of other sales.
type sumLine struct {
	Here      *side // of the rows, below their column
	Elsewhere sentence
}

// coming is what is on after tonight.
type coming struct {
	Title    string
	Tomorrow bool // all are, and none says its day
	Shows    []Next
}

// Next is a performance to come, in one line.
type Next struct {
	Off         bool // it does not take place on its day
	ID          string
	Day, Time   string
	Href, Title string
	Hall        string
	Main        num
	Of          sentence
}

func (b *Builder) tonight() (View, error) {
	p := tonightPage{Figs: b.eveningFigs(), Attention: b.attention(), Sum: b.sumLine(), Money: b.eveningMoney(), Night: b.lastNight(), Coming: b.coming(3)}
	p.Head = Head{Title: b.EveningWords(b.Evening.Day), Text: b.nothingOn(), Links: slices.Concat(b.toWaiting(), b.ToChanges(), b.ToNight())}
	p.Head.Links = append(p.Head.Links, b.SheetLink(tonightPath, nil))
	v := View{Title: b.Text("tonight.title"), Body: tonightBody}
	v.Fragments = append(v.Fragments, Fragment{"head", p.Head.HTML()}, Fragment{"figs", p.Figs.HTML()}, Fragment{"attention", p.Attention.HTML()},
		Fragment{"sum", p.Sum.html()}, Fragment{"evening-money", p.Money.html()}, Fragment{"night", p.Night.html()}, Fragment{"coming", p.Coming.html()})
	if b.Access.Findings {
		p.Findings = b.findings()
		v.Fragments = append(v.Fragments, Fragment{"findings", p.Findings.html()})
	}
	rows, err := b.eveningRows(&p)
	v.Fragments = append(v.Fragments, rows...)
	return v, err
}

// eveningRows draws the rows: those of what is still to come or on, dealt over the groups, and what is finished.
func (b *Builder) eveningRows(p *tonightPage) (all []Fragment, err error) {
	loudest := map[string]evening.Level{}
	for _, a := range slices.Backward(b.Evening.Alerts) {
		if (a.Seen == nil || a.Level == evening.Bad) && a.Level != evening.Info && b.Access.SeesAlert(&a) && a.Level.Loudness() < loudest[a.Event].Loudness() {
			loudest[a.Event] = a.Level
		}
	}
	shows, done := b.finishedShows()
	b.drawn = drawnRows{rows: make([]drawnRow, 0, len(b.Evening.Shows))}
	passed := b.passedHalls(shows)
	size := (len(shows) + groups - 1) / groups
	for i := range groups {
		g := group{ID: groupIDs[i], Many: len(shows) >= manyShows, Rows: make([]rendered, 0, size)}
		for _, s := range shows[min(i*size, len(shows)):min((i+1)*size, len(shows))] {
			row, err := b.drawRow(s, loudest[s.Event.ID])
			if err != nil {
				return nil, err
			}
			g.Rows = append(g.Rows, row)
		}
		p.Groups = append(p.Groups, g)
		html, err := b.drawGroup(g)
		if err != nil {
			return nil, err
		}
		all = append(all, Fragment{g.ID, html})
	}
	for _, s := range done {
		row, err := b.drawRow(s, loudest[s.Event.ID])
		if err != nil {
			return nil, err
		}
		p.Finished.Rows = append(p.Finished.Rows, row)
		p.Finished.Results = append(p.Finished.Results, b.result(s))
	}
	p.Finished.Results = append(p.Finished.Results, passed...)
	return append(all, Fragment{"finished", p.Finished.html()}), nil
}

// passedHalls keeps for the rows of performances when more people were in their halls than are allowed, once that has ended, and returns
// what is of none of them: of the building, and of performances that are finished.
func (b *Builder) passedHalls(rows []*evening.Show) (others []sentence) {
	if len(b.Evening.Loads) == 0 {
		return nil
	}
	ended := slices.DeleteFunc(licence.Of(b.Evening, b.Evening.Shows), func(p licence.Passed) bool { return p.To.IsZero() })
	b.drawn.passed = map[string]charts.Key{}
	for i, said := range b.Passed(ended) {
		var of *evening.Show // the last that had opened its doors when it began
		for _, s := range b.Evening.Shows {
			if s.Event.Hall == ended[i].Hall && s.Phase.GoesAhead() && !s.Hours().Doors.After(ended[i].From) && (of == nil || !s.Hours().Doors.Before(of.Hours().Doors)) {
				of = s
			}
		}
		if of == nil || ended[i].Hall == "" || !slices.Contains(rows, of) {
			others = append(others, said)
			continue
		}
		b.drawn.passed[of.Event.ID] = append(b.drawn.passed[of.Event.ID], charts.Keyed{Text: said})
	}
	return others
}

// finished are the performances that are over, as one line that unfolds, and when more people were inside than are allowed.
type finished struct {
	Results []sentence
	Rows    []rendered
}

// finishedShows splits the evening into what is on or to come and what is finished: nobody is inside any more, or it was
// called off and its curtain is past. While there is nothing else, nothing is finished.
func (b *Builder) finishedShows() (on, done []*evening.Show) {
	for _, s := range b.Evening.Shows {
		if s.Finished(b.Now) {
			done = append(done, s)
		} else {
			on = append(on, s)
		}
	}
	if len(on) == 0 {
		return done, nil
	}
	return on, done
}

// result returns a finished performance in a few words.
func (b *Builder) result(s *evening.Show) sentence {
	title := words.Name("title", b.TitleOf(s.EventFigures))
	switch {
	case s.MayOwe() && b.Access.SeesMoney():
		return b.Say("finished.owed", title, words.Text("status", b.Badge(s)), words.Fig("amount", b.OfShow(s, figures.KeyToPayBack)))
	case s.Phase != evening.Over:
		return b.Say("finished.off", title, words.Text("status", b.Badge(s)))
	case s.Attendance.Known() && s.Attendance.Value > 0: // else they were not scanned
		return b.Say("finished.came", title, words.Fig("came", b.OfShow(s, figures.KeyCame)), words.Fig("sold", b.OfShow(s, figures.KeySold)))
	}
	return b.Say("finished.sold", title, words.Fig("sold", b.OfShow(s, figures.KeySold)))
}

// EveningWords returns the day of an evening; after midnight, as the night.
func (b *Builder) EveningWords(d figures.Day) string {
	if d == b.Date || d.Add(1) != b.Date {
		return b.DayTitle(string(d), string(b.Today))
	}
	return b.NightWords(d)
}

// NightWords returns the night from a day to the next.
func (b *Builder) NightWords(d figures.Day) string {
	whole := func(d figures.Day) string { return strings.ReplaceAll(b.DayShortOf(d), " ", nbsp) }
	return b.Text("date.night", words.Text("from", whole(d)), words.Text("to", whole(d.Add(1))))
}

// nothingOn returns what is next, or known, where nothing goes ahead tonight; empty on an evening.
func (b *Builder) nothingOn() sentence {
	switch {
	case b.Evening.House.Shows > 0:
		return nil
	case len(b.Evening.Shows) > 0:
		return b.Say("tonight.nothing_goes_ahead")
	case !b.ProgrammeKnown():
		return b.Say("tonight.not_known")
	}
	return words.Join(" ", b.nextIs()...)
}

// nextIs names the next performance that goes ahead, and those before it that do not.
func (b *Builder) nextIs() []sentence {
	var off []sentence
	for s := range b.Evening.Next() {
		line := b.NextOf(s)
		title, day := words.Name("title", line.Title), words.Text("day", line.Day)
		switch {
		case s.Phase == evening.Cancelled:
			off = append(off, b.Say("tonight.off_cancelled", title, day))
		case s.Phase == evening.Postponed:
			off = append(off, b.Say("tonight.off_postponed", title, day))
		case line.Time == dash:
			return append([]sentence{b.Say("tonight.next", title, day)}, off...)
		default:
			return append([]sentence{b.Say("tonight.next_at", title, day, words.Text("time", line.Time))}, off...)
		}
	}
	return append([]sentence{b.Say("tonight.nothing_announced")}, off...)
}

// ProgrammeKnown reports whether the service has listed events, or that there are none.
func (b *Builder) ProgrammeKnown() bool {
	return len(b.Events) > 0 || slices.ContainsFunc(b.Health.Streams, func(h figures.StreamHealth) bool {
		return h.Complete && h.Gives(record.KindEvent)
	})
}

// sumLine returns what was sold today in the rows and elsewhere; both together are among the figures on top.
func (b *Builder) sumLine() sumLine {
	h := &b.Evening.House
	if len(b.Evening.Shows) == 0 || !b.Total.Of(figures.Booked).Known() {
		return sumLine{}
	}
	part := func(text sentence, of figures.Key) sentence {
		if b.Access.SeesToday() {
			text = words.Join(", ", text, b.strong(b.OfEvening(of)))
		}
		return text
	}
	var l sumLine
	if len(b.Evening.Shows) > 1 { // else its row says it
		l.Here = &side{Main: b.OfEvening(figures.KeySoldHere), Text: b.Text("sales.today"), Extra: part(nil, figures.KeyBookedHere)}
	}
	if h.Others > 0 || h.Elsewhere.Sold != 0 || len(h.Elsewhere.Of(figures.Booked)) > 0 {
		l.Elsewhere = part(b.Say("sum.elsewhere", words.Int("shows", h.Others), words.Fig("n", b.OfEvening(figures.KeySoldElsewhere))), figures.KeyBookedElsewhere)
	}
	return l
}

// eveningMoney returns what was booked in all, what a paid ticket cost on average, and what places bring and would bring.
func (b *Builder) eveningMoney() (m eveningMoney) {
	if !b.Access.SeesMoney() || !b.Access.WholeHouse() || b.Evening.House.Shows == 0 {
		return m
	}
	for _, of := range []struct {
		figures.Key
		say string
	}{{figures.KeyBooked, "sum.booked"}, {figures.KeyAveragePrice, "sum.average"}, {figures.KeyRevenuePerPlace, "sum.per_place"}, {figures.KeyUnsoldValue, "sum.unsold"}} {
		d := catalogue.Define(of.Key)
		if v := d.OfEvening(b.Evening); v.Known() && len(v.Amount) > 0 {
			m.Parts = append(m.Parts, b.Say(of.say, words.Fig("amount", b.ofEvening(d, v))))
		}
	}
	return m
}

// coming lists the next n performances after tonight, or of tomorrow alone if anything is on then.
func (b *Builder) coming(n int) coming {
	out := coming{Title: b.Text("coming.title")}
	for s := range b.Evening.Next() {
		tomorrow := s.Date == b.Today.Add(1)
		if len(out.Shows) == n || out.Tomorrow && !tomorrow {
			break
		}
		if tomorrow && s.Phase.GoesAhead() {
			out.Title, out.Tomorrow = b.tomorrow(s.Date), true
		}
		out.Shows = append(out.Shows, b.NextOf(s))
	}
	return out
}

// tomorrow names the day after the running one, with its date. After midnight, when that may be meant by today as well, it is the date alone.
func (b *Builder) tomorrow(d figures.Day) string {
	if b.Evening.Day != b.Date {
		return Capital(b.DayOf(d))
	}
	return b.Text("coming.tomorrow", words.Text("day", b.DayOf(d)))
}

// NextOf returns a performance to come in a line.
func (b *Builder) NextOf(s *evening.Show) Next {
	n := Next{ID: "next-" + url.QueryEscape(s.Event.ID), Day: b.DayNear(s.Date, b.DayOf(s.Date)), Time: dash, Href: EventHref(s.Event.ID), Title: b.TitleOf(s.EventFigures), Hall: s.Event.Hall}
	if !s.Event.StartsAt.IsZero() {
		n.Time = b.Clock(s.Event.StartsAt, b.Zone)
	}
	switch {
	case s.Phase == evening.Postponed:
		n.Main, n.Of, n.Day = Plain(b.Badge(s)), b.Say("show.no_new_date"), b.Text("show.was", words.Text("when", n.Day))
		n.Off = true
	case !s.Phase.GoesAhead():
		n.Main, n.Off = Plain(b.Badge(s)), true
	case s.Event.Unlimited && !s.SoldOut:
		n.Main, n.Of = b.OfShow(s, figures.KeySold), b.Say("places.sold_no_limit")
	case s.Sale == evening.SaleNotOpen:
		n.Main = Plain(b.Text("coming.not_on_sale"))
	case s.Sale == evening.SaleOver:
		n.Main, n.Of = b.OfShow(s, figures.KeySold), b.Say("coming.sale_over")
	default:
		main, unit := b.FreeWords(s)
		n.Main, n.Of = main, sentence{{Text: unit}}
		switch { // next to "Sold out" there is no unit, and the point comes first
		case b.soldTooMany(s):
			n.Of = words.Join(" · ", n.Of, b.Say("places.sold_allowed", words.Fig("sold", b.OfShow(s, figures.KeySold)), words.Int("licensed", s.Licensed.Value)))
		case b.Evening.BeyondAllowed([]*evening.Show{s}):
			n.Of = words.Join(" · ", n.Of, b.AllowedIn(s))
		default:
			n.Of = words.Join(" · ", n.Of, Known(b.OfShow(s, figures.KeyOccupancy)))
		}
	}
	if s.Phase.GoesAhead() {
		n.Of = words.Join(" · ", n.Of, b.Oversold(s))
	}
	return n
}
