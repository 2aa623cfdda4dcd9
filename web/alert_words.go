package web

import (
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web/words"
)

// alertWords has a function for each alert code that returns the words of an alert.
var alertWords = map[string]func(*Builder, *evening.Alert) sentence{
	evening.AlertCrowdedBuilding: (*Builder).crowdedWords,
	evening.AlertCrowded:         (*Builder).crowdedWords,
	evening.AlertMaybeCrowded:    (*Builder).maybeCrowdedWords,
	evening.AlertNearlyCrowded:   (*Builder).nearlyCrowdedWords,
	evening.AlertRoomForFewer:    (*Builder).nearlyCrowdedWords,
	evening.AlertQuietGate:       (*Builder).quietGateWords,
	evening.AlertHold:            (*Builder).holdWords,
	evening.AlertFewerIn: func(b *Builder, a *evening.Alert) sentence {
		return b.sayShow("fewer_in", words.Name("title", b.TitleOf(a.Show().EventFigures)), words.Plain("n", b.Number(a.Count)), words.Int("still", a.Show().Still.Value))
	},
	evening.AlertOverLicensed: (*Builder).overLicensedWords,
	evening.AlertNearLicensed: func(b *Builder, a *evening.Alert) sentence {
		return b.sayShow("near_licensed", words.Part("title", b.titleOnDay(a.Show())), words.Int("n", a.Count.Value), words.Int("licensed", a.Licensed))
	},
	evening.AlertOversold: func(b *Builder, a *evening.Alert) sentence {
		return words.Join(" ", b.sayShow("oversold", words.Part("title", b.titleOnDay(a.Show())), words.Int("n", a.Count.Value)), b.takenOf(a.Show()), b.unpaidWords(a.Show()))
	},
	evening.AlertBlockedSold: func(b *Builder, a *evening.Alert) sentence {
		return b.sayShow("blocked_sold", words.Part("title", b.titleOnDay(a.Show())), words.Int("n", a.Count.Value), words.Int("blocked", a.Show().Blocked.Value))
	},
	evening.AlertDiffers: (*Builder).differsWords,
	evening.AlertBackup:  (*Builder).backupWords,
	evening.AlertRefunds: (*Builder).refundsWords,
	evening.AlertOwed: func(b *Builder, a *evening.Alert) sentence {
		return b.sayShow("owed", words.Part("title", b.titleOnDay(a.Show())), words.Text("amount", b.Sums(a.Amount)))
	},
	evening.AlertCancelled: (*Builder).cancelledWords,
	evening.AlertPostponed: func(b *Builder, a *evening.Alert) sentence {
		if a.Count.Known() && a.Count.Value > 0 {
			return b.sayShow("postponed_sold", words.Name("title", b.TitleOf(a.Show().EventFigures)), words.Int("n", a.Count.Value))
		}
		return b.sayShow("postponed", words.Name("title", b.TitleOf(a.Show().EventFigures)))
	},
	evening.AlertStreams:     (*Builder).failingWords,
	evening.AlertFewLeft:     (*Builder).fewLeftWords,
	evening.AlertBehindPace:  (*Builder).paceWords,
	evening.AlertAheadOfPace: (*Builder).paceWords,
	evening.AlertSilentScreen: func(b *Builder, a *evening.Alert) sentence {
		return b.Say("alert.silent_screen", words.Name("name", a.Screen))
	},
	evening.AlertCopiedScreen: func(b *Builder, a *evening.Alert) sentence {
		return b.Say("alert.copied_screen", words.Name("name", a.Screen))
	},
	evening.AlertSoldOut: func(b *Builder, a *evening.Alert) sentence {
		return words.Join(" ", b.sayShow("sold_out", words.Part("title", b.titleOnDay(a.Show()))), b.unpaidWords(a.Show()))
	},
	evening.AlertNearlyFull: func(b *Builder, a *evening.Alert) sentence {
		full := words.Text("share", b.wholeShare(b.Evening.NearlyFull()))
		return words.Join(" ", b.sayShow("nearly_full", words.Part("title", b.titleOnDay(a.Show())), full), b.takenOf(a.Show()))
	},
}

// sayShow returns what an alert says of a performance: with its title, or on its own page without.
func (b *Builder) sayShow(key string, title words.Arg, args ...words.Arg) sentence {
	if b.Page == "event" {
		return b.Say("here."+key, args...)
	}
	return b.Say("alert."+key, append(args, title)...)
}

// titleOnDay returns the title of a performance, with its day where that is not the evening's.
func (b *Builder) titleOnDay(s *evening.Show) sentence {
	if s.Date != b.Evening.Day && s.Date != "" {
		return b.Say("alert.title_on", words.Name("title", b.TitleOf(s.EventFigures)), words.Text("day", b.DayShortOf(s.Date)))
	}
	return words.NameAlone(b.TitleOf(s.EventFigures))
}

func (b *Builder) quietGateWords(a *evening.Alert) sentence {
	quiet, still := words.Int("minutes", words.MinutesBetween(a.Since, b.At)), words.Fig("n", b.OfShow(a.Show(), figures.KeyNotYetIn))
	if a.Gate == "" {
		return b.sayShow("quiet_gate_unnamed", words.Name("title", b.TitleOf(a.Show().EventFigures)), quiet, still)
	}
	return b.sayShow("quiet_gate", words.Name("title", b.TitleOf(a.Show().EventFigures)), words.Name("gate", a.Gate), quiet, still)
}

func (b *Builder) holdWords(a *evening.Alert) sentence {
	s := a.Show()
	v := s.Verdict
	if !s.Held.IsZero() {
		return words.Join(" · ", b.sayShow("held", words.Name("title", b.TitleOf(s.EventFigures)), words.Text("until", b.Clock(s.Held, b.Zone))), b.aboutOutside(v))
	}
	if curtain := s.Event.StartsAt; b.At.Before(curtain) {
		return words.Join(", ", b.sayShow("hold", words.Name("title", b.TitleOf(s.EventFigures)), words.Int("n", v.Outside.Value), words.Text("curtain", b.Clock(curtain, b.Zone)), words.Text("until", b.Clock(v.Until, b.Zone))), b.UsualOutside(v))
	}
	return b.sayShow("hold_after_curtain", words.Name("title", b.TitleOf(s.EventFigures)), words.Int("n", v.Outside.Value), words.Int("still", max(v.Outside.Value, s.Still.Value)))
}

func (b *Builder) refundsWords(a *evening.Alert) sentence {
	amount, share := words.Text("amount", b.Sums(a.Amount)), words.Text("share", b.wholeShare(b.Evening.RefundPart()))
	if a.Show() == nil {
		return b.Say("alert.refunds_house", amount, share)
	}
	return b.sayShow("refunds", words.Part("title", b.titleOnDay(a.Show())), amount, share)
}

// cancelledWords returns the words for a cancelled performance, with the amount to be paid back for those who see amounts.
func (b *Builder) cancelledWords(a *evening.Alert) sentence {
	s := a.Show()
	title, sold := words.Name("title", b.TitleOf(s.EventFigures)), a.Count.Known() && a.Count.Value > 0
	switch owed := words.Text("amount", b.Amounts(s.EventFigures, s.ToPayBack.Value)); {
	case b.Access.SeesMoney() && s.ToPayBack.Known() && s.MayOwe() && sold:
		return b.sayShow("cancelled_sold_owed", title, words.Int("n", a.Count.Value), owed)
	case b.Access.SeesMoney() && s.ToPayBack.Known() && s.MayOwe():
		return b.sayShow("cancelled_owed", title, owed)
	case sold:
		return b.sayShow("cancelled_sold", title, words.Int("n", a.Count.Value))
	}
	return b.sayShow("cancelled", title)
}

func (b *Builder) fewLeftWords(a *evening.Alert) sentence {
	s := a.Show()
	if s.SoldOut {
		return words.Join(" ", b.sayShow("sold_out", words.Part("title", b.titleOnDay(s))), b.unpaidWords(s))
	}
	left := words.Plain("n", b.Number(a.Count))
	text := b.sayShow("few_left", words.Name("title", b.TitleOf(s.EventFigures)), left)
	if sold := s.SoldLastHour; sold.Known() && sold.Value > 0 {
		text = b.sayShow("few_left_sold", words.Name("title", b.TitleOf(s.EventFigures)), left, words.Plain("sold", b.Number(sold)))
	}
	return words.Join(" ", text, b.unpaidWords(s))
}

// unpaidWords returns how many places are reserved, and how many of those sold are not paid where these are wanted.
func (b *Builder) unpaidWords(s *evening.Show) (text sentence) {
	if r := s.Reserved; r.Known() && r.Value > 0 {
		text = b.Say("alert.unpaid", words.Plain("n", b.Number(r)))
	}
	if s.UnpaidIsWanted() {
		text = words.Join(" ", text, b.Say("alert.unpaid_wanted", words.Plain("n", b.Number(s.Unpaid))))
	}
	return text
}

func (b *Builder) paceWords(a *evening.Alert) sentence {
	title, sold, ahead := words.Part("title", b.titleOnDay(a.Show())), words.Int("sold", a.Sold), a.Code == evening.AlertAheadOfPace
	usual, low, high := words.Int("usual", a.Usual.Median), words.Int("low", a.Usual.Low), words.Int("high", a.Usual.High)
	switch equal := a.Usual.Low == a.Usual.High; {
	case ahead && equal:
		return b.sayShow("ahead_of_pace_equal", title, sold, usual)
	case ahead:
		return b.sayShow("ahead_of_pace", title, sold, low, high)
	case equal:
		return b.sayShow("behind_pace_equal", title, sold, usual)
	}
	return b.sayShow("behind_pace", title, sold, low, high)
}

// takenOf returns the number of places sold and the capacity; nothing if either is not known.
func (b *Builder) takenOf(s *evening.Show) sentence {
	sold, capacity := words.Plain("sold", b.Number(s.Sold)), words.Plain("capacity", b.Number(s.Capacity))
	switch {
	case !s.Sold.Known() || !s.Capacity.Known():
		return nil
	case s.Oversold > 0 && s.BlockedSold() > 0: // less the blocked places, there would seem to be more without a seat
		return b.Say("alert.sold_with_blocked", sold, capacity, words.Int("blocked", s.Blocked.Value))
	case s.Blocked.Known() && s.Blocked.Value > 0:
		return b.Say("alert.sold_of_blocked", sold, capacity, words.Int("blocked", s.Blocked.Value))
	}
	return b.Say("alert.sold_of", sold, capacity)
}

// wholeShare returns a part of WholeRate as a percentage.
func (b *Builder) wholeShare(part int64) string {
	return b.Text("number.percent", words.Text("n", b.Fixed(part, 2)))
}

// failingWords lists the streams that do not answer, grouped by fault.
func (b *Builder) failingWords(*evening.Alert) sentence {
	_, streams := b.Evening.Failing(b.Access.seesFailing)
	faulty := map[string][]string{}
	for _, h := range streams {
		fault := b.FaultText(h)
		faulty[fault] = append(faulty[fault], b.rows(h))
	}
	var all []sentence
	for _, fault := range slices.Sorted(maps.Keys(faulty)) {
		all = append(all, b.Say("alert.streams", words.Text("rows", b.List(faulty[fault])), words.Text("fault", fault)))
	}
	return words.Join(" ", all...)
}

// differsWords names what does not agree.
func (b *Builder) differsWords(a *evening.Alert) sentence {
	check, n := words.Text("check", b.Code("check_differs", string(a.Check))), words.Int("n", a.Count.Value)
	if e := b.Event(a.Newest); e != nil {
		return b.Say("alert.differs_in", check, n, words.Name("title", b.TitleOf(e)))
	}
	return b.Say("alert.differs", check, n)
}

// overLicensedWords returns by how many too many are sold, whether that is to be stopped, and what was sold lately.
func (b *Builder) overLicensedWords(a *evening.Alert) (text sentence) {
	s := a.Show()
	title, over := words.Part("title", b.titleOnDay(s)), words.Plain("over", b.Number(figures.New(s.Sold.Value-a.Licensed, s.Sold.Caveat())))
	n, licensed := words.Fig("n", b.OfShow(s, figures.KeySold)), words.Int("licensed", a.Licensed)
	if text = b.sayShow("over_licensed", title, n, licensed, over); s.Sale == evening.SaleOpen {
		if text = b.sayShow("stop_sale", title, over); b.Page != "tonight" || s.Date != b.Evening.Day { // else its row says so
			text = words.Join(" ", text, b.Say("alert.sold_allowed", n, licensed), b.unpaidWords(s))
		}
	}
	if since, n := licence.SoldSince(b.Evening, a); n > 0 {
		text = words.Join(" ", text, b.Say("alert.sold_since", words.Int("n", n), words.Text("since", b.MomentShort(since))))
	} else if hour := s.SoldLastHour; since.IsZero() && hour.Known() && hour.Value > 0 {
		text = words.Join(" ", text, b.Say("alert.sold_hour", words.Plain("n", b.Number(hour))))
	}
	return text
}

// crowdedWords returns the words for a place with as many people inside as are allowed, or more.
func (b *Builder) crowdedWords(a *evening.Alert) sentence {
	hall := a.Show().Event.Hall
	if a.Code == evening.AlertCrowdedBuilding {
		hall = ""
	}
	l, ok := b.Evening.LoadOf(hall)
	if !ok {
		return nil // its alert comes of it
	}
	n, licensed, name := words.Fig("n", b.OfHall(l, figures.KeyInside)), words.Int("licensed", l.Licensed), words.Name("hall", hall)
	tooMany := l.TooMany()
	over := words.Text("over", b.tooMany(tooMany))
	var more sentence
	passed, exact := licence.Since(b.Evening, hall), tooMany.Quality == figures.Exact
	if since, first, n := licence.MoreCame(b.Evening, passed); n > 0 && exact {
		came := max(n, tooMany.Value-first) // whoever came back, too: what came and went since adds up to what is too many
		more = b.Say("alert.more_came", words.Int("first", first), words.Int("n", came), words.Int("out", first+came-tooMany.Value), words.Text("since", b.MomentShort(since)))
	}
	if passed != nil && passed.Most.Quality == figures.Exact && exact && tooMany.Value > 0 && len(more) == 0 && b.Evening.NobodyAwaited(hall) { // it is about who is inside
		key := "alert.crowded_since"
		if hall == "" {
			key = "alert.building_since"
		}
		text := b.Say(key, over, name, n, licensed, words.Text("since", b.MomentShort(passed.From)))
		if l.Out() > 0 {
			return words.Join(" ", text, b.Say("alert.nobody_back"))
		}
		return text
	}
	switch {
	case hall == "" && tooMany.Value > 0:
		return words.Join(" ", b.Say("alert.building_over", over, n, licensed), more)
	case hall == "":
		return b.Say("alert.building_full", n, licensed)
	case tooMany.Value > 0:
		return words.Join(" ", b.Say("alert.crowded_over", over, name, n, licensed), more)
	}
	return b.Say("alert.crowded", name, n, licensed)
}

// tooMany returns by how many the people inside exceed the licensed number, with the quality of that.
func (b *Builder) tooMany(n figures.Figure[int]) string {
	key := "alert.too_many_estimated"
	if n.Quality == figures.Exact {
		key = "alert.too_many"
	} else if n.Quality == figures.LowerBound {
		key = "alert.too_many_at_least"
	}
	return b.Text(key, words.Int("n", n.Value))
}

// nearlyCrowdedWords returns the words for a hall, or the building, that is nearly full, with how many are still to come, and how
// many are out and may come back, where that is more than may enter.
func (b *Builder) nearlyCrowdedWords(a *evening.Alert) sentence {
	l, ok := b.Evening.LoadOf(a.Hall)
	if !ok {
		return nil // its alert comes of it
	}
	place := words.NameAlone(a.Hall)
	if a.Hall == "" {
		place = b.Say("alert.building")
	}
	key, about := "alert.nearly_crowded", licence.FullAbout(b.Evening, l)
	switch soon := licence.Soon(b.Evening, about); {
	case !l.FullAt().IsZero() && soon:
		key = "alert.full_soon"
	case !l.FullAt().IsZero():
		key = "alert.full_about"
	case l.Level() == "" && !about.IsZero() && !soon:
		key = "alert.room_until"
	case l.Level() == "":
		key = "alert.room_for"
	case a.Count.Quality == figures.LowerBound:
		key = "alert.maybe_nearly_crowded"
	}
	still, out, over := l.ToCome(), l.Out(), words.Int("over", l.ToCome()+l.Out()-a.Count.Value)
	coming := b.Say("alert.coming", words.Int("n", still))
	if back := b.Say("alert.out", words.Int("n", out)); out > 0 && still == 0 {
		coming = back
	} else if out > 0 {
		coming = words.Join(", ", coming, back)
	}
	text := b.Say(key, words.Part("place", place), words.Text("time", b.Clock(about, b.Zone)), over, words.Part("coming", coming), words.Fig("n", b.Number(a.Count)), words.Fig("inside", b.OfHall(l, figures.KeyInside)), words.Int("licensed", l.Licensed))
	if still+out > a.Count.Value && l.Level() != "" {
		text = words.Join(" ", text, b.Say("alert.still_to_come", words.Part("coming", coming), over))
	}
	return text
}

// maybeCrowdedWords returns the words for a place in which there may be as many people as are allowed, or more.
func (b *Builder) maybeCrowdedWords(a *evening.Alert) sentence {
	for i := range b.Evening.Loads {
		l := &b.Evening.Loads[i]
		if !l.MayBeFull() || l.Licensed != a.Licensed || l.Inside.Value != a.Count.Value || l.Hall != "" && l.Hall != a.Show().Event.Hall {
			continue
		}
		n, licensed := words.Fig("n", b.OfHall(l, figures.KeyInside)), words.Int("licensed", l.Licensed)
		if l.Hall == "" {
			return b.Say("alert.maybe_building", n, licensed)
		}
		return b.Say("alert.maybe_crowded", words.Name("hall", l.Hall), n, licensed)
	}
	return nil
}

// backupWords say that the database has no new backup and, if the last failed and it is known, why.
func (b *Builder) backupWords(*evening.Alert) sentence {
	if why := b.Snapshot.BackupFault(); why != "" {
		return b.Say("alert.backup_why", words.Text("why", b.Code("backup_fault", string(why))))
	}
	return b.Say("alert.backup")
}
