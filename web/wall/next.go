package wall

import (
	"cmp"
	"slices"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/web"
	"housecount/web/words"
)

// wallNext is what else is on, or comes after, and the number of other performances.
type wallNext struct {
	Shows []wallLine
	More  string
}

// Four reports whether it has four parts.
func (n wallNext) Four() bool { return len(n.Shows) > 3 || len(n.Shows) == 3 && n.More != "" }

type wallLine struct {
	Day   string // of another evening, before all else: what is free then is not free tonight
	Title string
	Size  string // a class for long titles
	Hold  bool
	Under web.Facts
}

// wallNext lists the rest of tonight, those to hold before others and these before those that run where
// there is no room for all of them, and what is coming when the rest leaves room.
func (b builder) wallNext(after []*evening.Show, main wallMain) wallNext {
	var w wallNext
	const room = 4
	if len(after) > room {
		first := slices.Clone(after)
		rank := func(s *evening.Show) int {
			if s.Phase == evening.Running && s.Verdict.Call != arriving.Hold {
				return -1
			}
			return int(s.Verdict.Call)
		}
		slices.SortStableFunc(first, func(x, y *evening.Show) int { return cmp.Compare(rank(y), rank(x)) })
		first = first[:room-1]
		w.More = b.andMore(len(after) - len(first))
		after = slices.DeleteFunc(slices.Clone(after), func(s *evening.Show) bool { return !slices.Contains(first, s) })
	}
	for _, s := range after {
		w.Shows = append(w.Shows, b.wallLine(s))
	}
	hall := b.Values.Get("hall")
	for s := range b.Evening.Next() {
		if len(w.Shows) >= room-1 {
			break
		}
		if hall != "" && s.Event.Hall != hall || main.Next != nil && main.Next.Href == web.EventHref(s.Event.ID) {
			continue
		}
		w.Shows = append(w.Shows, b.wallLine(s))
	}
	var sizes []*string
	for i := range w.Shows {
		sizes = append(sizes, &w.Shows[i].Size)
	}
	oneSize(sizes)
	return w
}

// wallLine returns a performance in two short lines.
func (b builder) wallLine(s *evening.Show) wallLine {
	l := wallLine{Title: b.TitleOf(s.EventFigures)}
	l.Size = size(l.Title)
	var at, hall words.Sentence
	if s.Date != b.Evening.Day {
		l.Day = b.DayShortOf(s.Date)
	}
	if !s.Event.StartsAt.IsZero() {
		at = words.Sentence{{Text: b.Clock(s.Event.StartsAt, b.Zone)}}
	}
	if b.Values.Get("hall") == "" {
		hall = words.NameAlone(s.Event.Hall)
	}
	l.Under = factsOf(words.Join(" ", at, hall))
	add := func(fact words.Sentence) { l.Under = append(l.Under, fact) }
	if s.Phase == evening.Postponed { // the day and the time are no longer those on which it is on
		l.Day = ""
		l.Under = factsOf(words.Sentence{{Text: b.Badge(s), Strong: true}}, b.Say("show.was", words.Text("when", b.whenOf(s))), b.Say("show.no_new_date"))
		return l
	}
	if !s.Phase.GoesAhead() {
		add(words.Sentence{{Text: b.Badge(s), Strong: true}})
		return l
	}
	if l.Hold = s.Verdict.Call == arriving.Hold || !s.Held.IsZero(); l.Hold {
		add(b.VerdictShort(s))
		return l
	}
	if s.Leaving && s.Inside.Known() && s.Inside.Value > 0 {
		if s.DueToEnd() {
			l.Under = append(l.Under, words.Sentence{{Text: b.Relative(s)}}, b.Say("wall.line_inside_hall", words.Plain("n", b.Number(s.Inside))))
			return l
		}
		add(b.Say("wall.line_leaving", words.Plain("n", b.Number(s.Inside))))
		return l
	}
	if s.Phase == evening.Over {
		add(words.Sentence{{Text: b.Code("status", "over"), Strong: true}})
	}
	by, tooMany := b.Evening.OverLicensedBy(s.EventFigures)
	crowd := tooMany && s.Phase.Open() && s.Inside.Known() // more may come than may enter
	if s.Phase == evening.Arriving && s.Inside.Known() && s.Sale == evening.SaleOpen && !s.NothingEmpty() && s.Free.Known() && s.Free.Value > 0 {
		add(b.Say("wall.line_free", words.Plain("n", b.Number(s.Free)))) // the box office sells them while people come in
	} else if s.Phase == evening.Running { // what is sold hardly moves any more
		l.Under = append(l.Under, factsOf(b.nowOn(s))...)
	} else if s.Phase.Open() && s.Sale == evening.SaleOpen && !s.Event.Unlimited && s.NothingEmpty() && !crowd {
		add(b.Say("places.sold_out"))
	} else if tooMany && s.Phase != evening.Over && !crowd {
		add(b.Say("wall.line_too_many", words.Int("n", by)))
	} else if o := s.Occupancy(); o.Known() && !crowd {
		add(b.Say("number.percent", words.Plain("n", b.Qualified(o.Quality, o.Reasons, b.WholePercent(o.Value)))))
	}
	switch {
	case crowd:
		if s.Sale == evening.SaleOpen {
			add(b.Say("places.none_allowed"))
		}
		add(b.Say("wall.line_inside_of", words.Plain("n", b.Number(s.Inside)), words.Int("licensed", s.Licensed.Value)))
	case s.Phase.Open() && s.Inside.Known():
		add(b.Say("wall.line_inside_hall", words.Plain("n", b.Number(s.Inside))))
	case s.Sale == evening.SaleOpen && !s.Event.Unlimited && s.NothingEmpty():
		add(b.Say("places.sold_out"))
	case s.Sale == evening.SaleOpen && !s.Event.Unlimited && s.Free.Known():
		if s.Free.Value == 0 && s.Limited() {
			add(b.Say("places.none_allowed"))
			break
		}
		add(b.Say("wall.line_free", words.Plain("n", b.Number(s.Free))))
	}
	return l
}

// nowOn returns until when the interval lasts that a performance is in, or in how many minutes it begins, and otherwise when the performance ends; empty
// if none is known.
func (b builder) nowOn(s *evening.Show) words.Sentence {
	if back, ok := s.InInterval(b.Now); ok {
		return b.Say("show.in_interval", words.Part("time", words.Sentence{{Text: b.Clock(back, b.Zone), Strong: true}}))
	}
	if ahead := b.intervalAhead(s); len(ahead) > 0 {
		return ahead
	}
	return b.ends(s)
}

// announced is how long ahead the interval and the end of a performance are counted down, for whoever stands at the doors and the bar.
const announced = 10 * time.Minute

// ahead reports whether a time of a performance is so close. By the timetable of one that was held nothing is counted down.
func (b builder) ahead(s *evening.Show, at time.Time) bool {
	return at.After(b.Now) && at.Sub(b.Now) <= announced && !b.Evening.WasHeld(s.EventFigures)
}

// intervalAhead returns in how many minutes the interval of a performance begins; nothing long before it, and from then on.
func (b builder) intervalAhead(s *evening.Show) words.Sentence {
	if from, _, ok := s.Interval(); ok && b.ahead(s, from) {
		return b.Say("wall.interval_ahead", words.Text("countdown", b.Countdown(b.Now, from)))
	}
	return nil
}
