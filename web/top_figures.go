package web

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/compare"
	"housecount/apiclient/record"
	"housecount/web/charts"
	"housecount/web/words"
)

// Figs are the figures at the top of a page, at most four.
type Figs []Fig

// Fig is one figure: its name, and below it a few words that qualify it.
type Fig struct {
	Term   string
	Main   num
	Note   sentence
	People bool // it counts people in the building
	Warns  bool // it calls for action
	// Level is how severe it is that so many people are in the building, and Hall a hall where it is more severe.
	Level evening.Level
	Hall  HallLoad
}

// eveningFigs returns what can still be sold, who is still to come, who is in the building, and what was booked
// today; none if no performance goes ahead.
func (b *Builder) eveningFigs() (all Figs) {
	h := &b.Evening.House
	if h.Shows > 0 {
		all = append(all, b.freeFig(h))
	}
	if h.Shows > 0 || h.Counted > 0 {
		all = slices.Concat(all, b.stillFig(h), b.buildingFig(h))
	}
	if len(all) > 1 && all[0].Term == b.Text("figs.sold") && all[1].Term == b.Text("figs.expected") && all[0].Main.Text == all[1].Main.Text { // a number stands once
		all[0].Note = words.Join(" · ", all[0].Note, all[1].Note)
		all = slices.Delete(all, 1, 2)
	}
	return append(all, b.bookedFig(h)...)
}

// freeFig returns the number of places left or, if nothing is on sale, of places sold.
func (b *Builder) freeFig(h *evening.House) Fig {
	sold := Fig{Term: b.Text("figs.sold"), Main: b.OfEvening(figures.KeySold)}
	switch {
	case h.AllSoldOut():
		sold.Note = b.Say("tonight.sold_out")
	case h.OnSale == 0 && h.Limitless == 0:
		sold.Note = b.Say("tonight.sale_over")
	case h.OnSale == 0:
		sold.Note = b.Say("tonight.no_limit")
	default:
		free := Fig{Term: b.Text("figs.free"), Main: b.OfEvening(figures.KeyFree)}
		if h.WithFree > 0 && h.WithFree < h.Shows {
			free.Note = b.Say("figs.in_shows", words.Int("shows", h.WithFree))
		}
		free.Note = words.Join(" · ", free.Note, b.HouseAllowed(h), b.AsOfWords(h.AsOf))
		return free
	}
	return sold
}

// HouseWillCome returns, where everything has begun, how many are forecast to come still, how many not, and how many find no room where it
// is full; nothing where that is not known.
func (b *Builder) HouseWillCome(h *evening.House, willCome num) (said sentence) {
	switch {
	case h.WillCome.Value > 0 && !h.Lopsided:
		said = words.Join(", ", b.Say("people.will_come", words.Fig("n", willCome)), b.WillNot(h.WillNot()))
	case h.WillCome.Known() && h.WillComeMost > 0:
		said = b.Say("people.will_come_from_none", words.Int("high", h.WillComeMost))
	}
	return words.Join(", ", said, b.noRoom(h))
}

// noRoom returns how many of those who are late find no room; nothing for nobody.
func (b *Builder) noRoom(h *evening.House) sentence {
	if h.NoRoom.Value == 0 {
		return nil
	}
	return b.Say("people.no_room", words.Fig("n", b.Number(h.NoRoom)))
}

// Away returns how many did not come to what runs, where they are awaited no more, and to what is over; nothing for nobody.
func (b *Builder) Away(h *evening.House) sentence {
	if h.Away.Value == 0 {
		return nil
	}
	return b.Say("people.did_not_come", words.Fig("n", num{Text: b.Number(h.Away).Text})) // each performance says why it is not exact
}

// willCome returns House.WillCome, which leads to its explanation where it is of one performance.
func (b *Builder) willCome() num {
	if s := b.Evening.OnlyLate(); s != nil {
		return b.OfShow(s, figures.KeyOutside)
	}
	return b.Number(b.Evening.House.WillCome)
}

// notIn returns, beside House.NotIn, how many of those are still to come where doors are open, and how many are late where it has begun: of
// them, while some are forecast to come, how many will and how many not.
func (b *Builder) notIn(h *evening.House) (note sentence) {
	willCome := b.willCome()
	if h.Arriving > 0 && h.Still.Known() && h.Still.Value != h.NotIn.Value {
		note = b.Say("figs.where_open", words.Text("n", b.Number(h.Still).Text)) // each performance says why it is not exact
	}
	switch {
	case !h.Late():
	case h.Latecomers.Value == h.NotIn.Value:
		return b.HouseWillCome(h, willCome)
	case h.WillCome.Value > 0 && !h.Lopsided:
		note = words.Join(" · ", note, words.Join(", ", b.Say("people.latecomers", words.Fig("n", willCome)), b.WillNot(h.WillNot()), b.noRoom(h)))
	default:
		note = words.Join(" · ", note, words.Join(", ", b.Say("people.not_in_where_begun", words.Fig("n", b.OfEvening(figures.KeyLatecomers))), b.HouseWillCome(h, willCome)))
	}
	return note
}

// stillFig returns the visitors who are not in while some are still to come or late, or those who are expected.
func (b *Builder) stillFig(h *evening.House) Figs {
	switch {
	case h.Awaited():
		f := Fig{Term: b.Text("figs.still"), Main: b.OfEvening(figures.KeyNotYetIn), Note: words.Join(", ", b.notIn(h), b.AsOfWords(h.AsOf))}
		if h.Begun > 0 {
			f.Term = b.Text("figs.not_in")
		}
		return Figs{f}
	case h.Counted == 0 && len(h.Unscanned) == 0 && !h.Doors.IsZero():
		key := "figs.doors_from"
		if !h.DoorsReported {
			key = "figs.curtain_at"
		}
		return Figs{{Term: b.Text("figs.expected"), Main: b.OfEvening(figures.KeyExpected), Note: b.Say(key, words.Text("time", b.Clock(h.Doors, b.Zone)))}}
	}
	return nil
}

// buildingFig returns the house count, with people who are leaving or in an interval, and how full the building or
// its fullest hall is; none before the doors open.
func (b *Builder) buildingFig(h *evening.House) Figs {
	var halls []string
	for _, u := range h.Unscanned {
		halls = append(halls, cmp.Or(u.Event.Hall, b.TitleOf(u.EventFigures)))
	}
	var unscanned sentence
	if len(halls) > 0 {
		unscanned = b.Say("figs.no_scans", words.Part("halls", b.Names(slices.Compact(halls))))
	}
	f := Fig{Term: b.Text("figs.building"), Main: b.OfEvening(figures.KeyInside), People: true, Level: b.Evening.LevelIn("")}
	if h.Counted == 0 {
		at, empty, out := b.Evening.LastOut()
		switch {
		case out && unscanned == nil && b.Access.WholeHouse():
			f.Main, f.Note = b.Number(empty), words.Join(" · ", b.Say("figs.last_out", words.Text("time", b.Clock(at, b.Zone))), b.Away(h))
		case unscanned == nil:
			return nil
		default:
			f.Main = Plain(dash)
		}
	} else {
		f.Hall = b.WorstHall()
		f.Note = words.Join(" · ", b.leavingNote(h), b.loadNote(f.Hall), b.Away(h), b.AsOfWords(h.AsOf))
	}
	f.Note = words.Join(" · ", f.Note, unscanned)
	return Figs{f}
}

// leavingNote returns how many people in the building are leaving.
func (b *Builder) leavingNote(h *evening.House) sentence {
	switch {
	case h.Leaving.Value <= 0:
		return nil
	case h.Leaving.Value == h.Inside.Value:
		return b.Say("figs.all_leaving")
	}
	return b.Say("figs.leaving", words.Fig("n", b.OfEvening(figures.KeyLeaving)))
}

// HallLoad is how many people are in a hall that is nearly full or too full, and how severe that is; empty for none.
type HallLoad struct {
	Hall  string
	Text  sentence
	Level evening.Level
}

// WorstHall returns the hall where so many people are more severe than in the building, of several the fullest of the worst.
func (b *Builder) WorstHall() (h HallLoad) {
	var worst *evening.Load
	than := b.Evening.LevelIn("").Loudness()
	for i := range b.Evening.Loads {
		l := &b.Evening.Loads[i]
		is := l.Level().Loudness()
		if l.Hall != "" && (is < than || is == than && worst != nil && l.Share().Value > worst.Share().Value) {
			worst, than = l, is
		}
	}
	if worst == nil {
		return h
	}
	if h = b.HallLoadOf(worst.Hall); worst.TooFull() { // a hall that fills up is red, too
		h.Text = words.Join(", ", h.Text, b.Say("verdict.too_many", words.Plain("n", b.Number(worst.TooMany()))))
	}
	return h
}

// HallLoadOf returns how many people are in a hall, if that is nearly full or too full.
func (b *Builder) HallLoadOf(hall string) (h HallLoad) {
	l, ok := b.Evening.LoadOf(hall)
	if !ok || hall == "" || l.Level() == "" && !l.NearlyAll() {
		return h
	}
	text := b.Say("figs.inside_hall", words.Name("hall", l.Hall), words.Fig("n", b.OfHall(l, figures.KeyInside)), words.Fig("licensed", b.OfHall(l, figures.KeyLicensed)))
	return HallLoad{l.Hall, text, l.Level()}
}

// SoldPieces returns the sold pieces of a bar, in the order of soldKey.
func SoldPieces(paid, complimentary, freeTickets, unpaid int) []charts.Piece {
	return []charts.Piece{{Class: "paid", N: paid}, {Class: "comp", N: complimentary}, {Class: "gratis", N: freeTickets}, {Class: "unpaid", N: unpaid}}
}

// SoldKey returns the key of the places sold; kinds with none are left out.
func (b *Builder) SoldKey(s *evening.Show) charts.Key {
	k := charts.Key{{Class: "paid", Text: b.Say("places.paid", words.Fig("n", b.OfShow(s, figures.KeyPaid)))}}
	add := func(class, message string, of figures.Key, n figures.Figure[int]) {
		if n.Known() && n.Value > 0 {
			k = append(k, charts.Keyed{Class: class, Text: b.Say(message, words.Fig("n", b.OfShow(s, of)))})
		}
	}
	add("comp", "places.complimentary", figures.KeyComplimentary, s.Complimentary)
	add("gratis", "places.free_tickets", figures.KeyFreeTickets, s.FreeTickets)
	add("unpaid", "places.unpaid", figures.KeyUnpaid, s.Unpaid)
	if s.UnpaidIsWanted() {
		k[len(k)-1].Text = b.UnpaidWanted(s)
	}
	return k
}

// UnpaidWanted returns how many of the places that are wanted are not paid; that they are to be collected or released, where no alert
// says so.
func (b *Builder) UnpaidWanted(s *evening.Show) sentence {
	n := words.Fig("n", b.OfShow(s, figures.KeyUnpaid))
	if b.Evening.Off(evening.AlertFewLeft) {
		return b.Say("places.unpaid_wanted", n)
	}
	return b.Say("places.unpaid", n)
}

// PeopleBar draws the people inside on a scale of all who are expected or, where that is fewer, of as many as are allowed in the
// hall beside its other people: it is full as soon as the hall is. An empty hall is the building.
func (b *Builder) PeopleBar(hall, label string, expected int, inside ...charts.Piece) *charts.Bar {
	people, mark := 0, false
	for _, p := range inside {
		people += p.N
	}
	if l, ok := b.Evening.LoadOf(hall); ok && l.Inside.Known() && l.Inside.Value >= people {
		if room := max(1, l.Licensed-(l.Inside.Value-people)); room < expected {
			expected, mark = room, people > room
			if hall != "" {
				label = b.Text("figs.inside_hall", words.Name("hall", hall), words.Plain("n", b.Number(l.Inside)), words.Int("licensed", l.Licensed))
			}
		}
	}
	if mark {
		inside = charts.Beyond(expected, inside...)
	}
	picture := charts.NewBar(label, expected, inside...)
	return &picture
}

// AllowedIn returns how many people are allowed in the hall of a performance, where fewer places may still be sold for that than
// are free; else nothing.
func (b *Builder) AllowedIn(s *evening.Show) sentence {
	if len(b.Allowed(s)) == 0 {
		return nil
	}
	return b.Say("places.allowed", words.Int("n", s.Licensed.Value))
}

// loadNote returns how full the building is, or its fullest hall if none is licensed for it; nothing of a hall that is named already.
func (b *Builder) loadNote(named HallLoad) sentence {
	var fullest *evening.Load
	for i := range b.Evening.Loads {
		if l := &b.Evening.Loads[i]; l.Inside.Known() && l.Inside.Value > 0 && (fullest == nil || fullest.Hall != "" && l.Share().Value > fullest.Share().Value) {
			fullest = l
		}
	}
	switch {
	case fullest == nil, fullest.Hall != "" && fullest.Hall == named.Hall:
		return nil
	case fullest.Hall == "":
		return b.Say("figs.load", words.Fig("share", b.OfEvening(figures.KeyLoad)), words.Fig("licensed", b.OfEvening(figures.KeyLicensed)))
	}
	return b.Say("figs.load_hall", words.Name("hall", fullest.Hall), words.Fig("share", b.OfHall(fullest, figures.KeyLoad)), words.Fig("licensed", b.OfHall(fullest, figures.KeyLicensed)))
}

// bookedFig returns what was booked today for all performances, or how many places were sold for those who do not see amounts. As long
// as no more is sold than returned, nor booked, it is what was booked yesterday.
func (b *Builder) bookedFig(h *evening.House) Figs {
	switch {
	case !b.Access.WholeHouse():
		return nil
	case h.Today.Sold <= 0 && !slices.ContainsFunc(h.Today.Of(figures.Booked), func(a record.Money) bool { return a.Amount > 0 }):
		p := compare.Compare(b.Evening, compare.SpanOf(b.Evening, compare.Yesterday), compare.Nothing).This
		if booked := b.Evening.RevenueOf(&p).Of(figures.Booked); b.Access.SeesMoney() && p.Sold > 0 {
			return Figs{{Term: b.Text("figs.booked_yesterday"), Main: b.Explained(figures.KeyBooked, PeriodScope(p, ""), b.QualifiedSums(booked.Quality, booked.Reasons, b.Sums(p.Of(figures.Booked)))),
				Note: b.Say("figs.places", words.Fig("n", b.Explained(figures.KeySold, PeriodScope(p, ""), b.Number(figures.New(p.Sold, b.Evening.PlacesOf(&p).Caveat())))))}}
		}
		return nil
	}
	places := b.OfEvening(figures.KeySoldToday)
	if !b.Access.SeesToday() {
		return Figs{{Term: b.Text("figs.sold_today"), Main: places}}
	}
	f := Fig{Term: b.Text("figs.booked_today"), Main: b.OfEvening(figures.KeyBookedToday), Note: b.Say("figs.places", words.Fig("n", places))}
	if sold := b.Evening.BookedToday(b.UnattributedDays).Sold; b.Strays.Places > 0 && sold > 0 {
		f.Note = words.Join(" · ", f.Note, b.Say("figs.unlisted", words.Int("unlisted", sold)))
	}
	return Figs{f}
}

// finish returns how many will be sold in the end, beside what is usual; nothing where fewer may be sold, or none any more.
func (b *Builder) finish(s *evening.Show) sentence {
	if p, of := b.Evening.Pace(s), (figures.Scope{Event: s.Event.ID}); len(p.Comparables) > 0 && p.Usual.Known() && p.Finish.Known() && s.Free.Value > 0 && p.Finish.Value <= s.Sold.Value+s.Reserved.Value+s.Free.Value {
		return b.Say("places.finish", words.Fig("n", b.OfPace(of, &p, figures.KeyFinish)), words.Fig("usual", b.OfPace(of, &p, figures.KeyUsualFinish)))
	}
	return nil
}
