package web

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web/words"
)

// AsOfWords returns of what minute numbers are that are not of now (evening.Show.AsOf); nothing for others.
func (b *Builder) AsOfWords(at time.Time) sentence {
	if at.IsZero() {
		return nil
	}
	return b.Say("places.as_of", words.Text("time", b.Clock(at, b.Zone)))
}

// soldTooMany reports whether more are sold than are allowed in the hall: beside them no empty place is named, which would be for sale.
func (b *Builder) soldTooMany(s *evening.Show) bool {
	_, over := b.Evening.OverLicensedBy(s.EventFigures)
	return over
}

// Verdict returns whether to hold the start of a performance, in words; empty if there is no verdict. After the curtain too few visitors are left to
// forecast the last arrival, so the text has the number who are not in yet.
func (b *Builder) Verdict(s *evening.Show) sentence {
	v := s.Verdict
	if b.isFull(s) {
		return words.Join(" · ", b.FullWords(s), b.Say("verdict.nobody_in"))
	}
	if !s.Held.IsZero() {
		return words.Join(" · ", b.Say("verdict.held", words.Text("until", b.Clock(s.Held, b.Zone))), b.aboutOutside(v))
	}
	switch v.Call {
	case arriving.OnTime:
		if b.Evening.EntryTo(s) != evening.EntryOpen {
			return words.Join(" · ", b.Say("verdict.unsure"), b.Say("verdict.may_be_full"))
		}
		return words.Join(" · ", b.Say("verdict.on_time"), b.onTimeOutside(s))
	case arriving.Unsure:
		return words.Join(" · ", b.Say("verdict.unsure"), b.onTimeOutside(s))
	case arriving.Hold:
		if curtain := s.Event.StartsAt; b.At.Before(curtain) {
			return words.Join(", ", b.Say("verdict.hold", words.Int("n", v.Outside.Value), words.Text("curtain", b.Clock(curtain, b.Zone)), words.Text("until", b.Clock(v.Until, b.Zone))), b.UsualOutside(v))
		}
		return b.Say("verdict.hold_after_curtain", words.Int("n", v.Outside.Value), words.Int("still", max(v.Outside.Value, s.Still.Value)))
	}
	return nil
}

// isFull reports whether nobody may be let in to a performance.
func (b *Builder) isFull(s *evening.Show) bool {
	return !s.Event.StartsAt.IsZero() && b.Evening.EntryTo(s) == evening.EntryStopped
}

// FullWords returns how many too many are inside, or that it is full.
func (b *Builder) FullWords(s *evening.Show) sentence {
	if over := licence.TooManyAt(b.Evening, s); over.Value > 0 {
		return b.Say("verdict.too_many", words.Plain("n", b.Number(over)))
	}
	return b.Say("verdict.full")
}

// VerdictLevel returns how severe the verdict on the start of a performance is: Info if it begins on time, empty without one and
// where it is not sure.
func (b *Builder) VerdictLevel(s *evening.Show) evening.Level {
	switch call := s.Verdict.Call; {
	case b.isFull(s):
		return evening.Bad
	case !s.Held.IsZero(), call == arriving.Hold, call == arriving.OnTime && b.Evening.EntryTo(s) != evening.EntryOpen:
		return evening.Warn
	case call == arriving.OnTime:
		return evening.Info
	}
	return ""
}

// MayEnter returns how many more people may enter the hall of a performance, or the building, where more are still to come; else nothing.
func (b *Builder) MayEnter(s *evening.Show) sentence {
	l := licence.FullFirst(b.Evening, s.Event.Hall)
	switch {
	case l == nil || !s.Phase.Open() || s.LateOver && !l.Near(): // who is out goes home
		return nil
	case l.Left().Value == 0 && l.Left().Quality == figures.Exact:
		return b.Say("people.none_may_enter")
	}
	return words.Join(", ", b.Say("people.may_enter", words.Fig("n", b.Number(l.Left()))), b.FullAbout(l))
}

// FullAbout returns about when a hall, or the building, is full; nothing where that is not forecast.
func (b *Builder) FullAbout(l *evening.Load) sentence {
	switch about := licence.FullAbout(b.Evening, l); {
	case licence.Soon(b.Evening, about):
		return b.Say("people.full_soon")
	case !about.IsZero():
		return b.Say("people.full_about", words.Text("time", b.Clock(about, b.Zone)))
	}
	return nil
}

// aboutOutside returns how many are outside; nothing without a verdict.
func (b *Builder) aboutOutside(v arriving.Verdict) sentence {
	if v.Outside.Value <= 0 {
		return nil
	}
	return b.Say("verdict.about_outside", words.Int("n", v.Outside.Value))
}

// onTimeOutside returns how many are forecast to be outside at curtain, where these are more than a few or may well be, and how many usually are.
func (b *Builder) onTimeOutside(s *evening.Show) sentence {
	v := s.Verdict
	if max(v.Outside.Value, v.Band.High) < arriving.MinOutsideShown {
		return nil
	}
	return words.Join(", ", b.Late(b.OfShow(s, figures.KeyOutside), v), b.UsualOutside(v))
}

// Late returns how many of those who will come are forecast to come after the curtain. The band of that is in its explanation; it stands
// here where the number alone would mislead.
func (b *Builder) Late(n words.Num, v arriving.Verdict) sentence {
	switch {
	case v.Band.Low < v.Band.High && v.Outside.Value == 0: // somebody may
		return b.Say("late.from_none", words.Int("high", v.Band.High))
	case v.Call == arriving.Unsure || v.Lopsided():
		return b.Say("late.figure_between", words.Fig("n", n), words.Int("low", v.Band.Low), words.Int("high", v.Band.High))
	}
	return b.Say("late.figure", words.Fig("n", n))
}

// WillCome returns how many of those who are not in after the curtain are expected to come still, and how many not; nothing where
// that is not known, or nobody more is let in.
func (b *Builder) WillCome(s *evening.Show) sentence {
	n, band := words.Fig("n", b.OfShow(s, figures.KeyOutside)), s.Verdict.Band
	switch {
	case s.Verdict.Call != arriving.Begun || band.High == 0 || s.FewScanned() || s.Verdict.Outside.Value == 0 && b.isFull(s):
		return nil
	case s.Verdict.Outside.Value == 0: // somebody may
		return b.Say("people.will_come_from_none", words.Int("high", band.High))
	case b.isFull(s):
		return b.Say("people.no_room", n)
	case s.Verdict.Lopsided(): // nor may it be said who will not
		return b.Say("people.will_come_between", n, words.Int("low", band.Low), words.Int("high", band.High))
	}
	return words.Join(", ", b.Say("people.will_come", n), b.WillNot(figures.Minus(s.Still, s.Verdict.Outside)))
}

// WillNot returns how many of those who are not in are expected not to come.
func (b *Builder) WillNot(n figures.Figure[int]) sentence {
	return b.Say("people.will_not", words.Fig("n", b.Number(n)))
}

// UsualOutside returns how many are usually outside at curtain; nothing where that is not known.
func (b *Builder) UsualOutside(v arriving.Verdict) sentence {
	if v.Usual <= 0 {
		return nil
	}
	return b.Say("verdict.usual", words.Int("n", v.Usual))
}

// VerdictShort is Verdict for a row, next to the time of curtain.
func (b *Builder) VerdictShort(s *evening.Show) sentence {
	if v := s.Verdict; s.Held.IsZero() && v.Call == arriving.Hold && !b.isFull(s) && b.At.Before(s.Event.StartsAt) {
		return b.Say("verdict.hold_short", words.Int("n", v.Outside.Value), words.Text("until", b.Clock(v.Until, b.Zone)))
	}
	return b.Verdict(s)
}

// StillWords returns the number of visitors not yet in: until curtain as still to come, then as not in, because some will
// stay away, and as those who did not come once nobody is awaited; and when that was, if it is not now.
func (b *Builder) StillWords(s *evening.Show, still num) sentence {
	said := b.Say("people.still", words.Fig("n", still))
	switch {
	case s.LateOver:
		said = b.Say("people.did_not_come", words.Fig("n", still))
	case s.Phase == evening.Running:
		said = b.Say("people.not_in", words.Fig("n", still))
	}
	return words.Join(", ", said, b.AsOfWords(s.AsOf))
}

// Reckoned returns what a verdict is computed from; empty if there is no verdict.
func (b *Builder) Reckoned(s *evening.Show) sentence {
	v := s.Verdict
	if v.Call == arriving.NoCall {
		return nil
	}
	usual := b.Say("outside.nothing_usual")
	if v.Basis != arriving.NoBasis {
		usual = b.Say("outside.usual", words.Text("share", b.Percent(v.NoShow)), words.Int("outside", v.Usual), words.Text("basis", b.BasisOf(v.Basis, v.Past)))
	}
	key := "outside.reckoned"
	if s.Phase == evening.Running {
		key = "outside.reckoned_late"
	}
	text := b.Say(key, words.Fig("n", b.OfShow(s, figures.KeyOutside)), words.Text("time", b.Clock(figures.Later(b.At, s.Event.StartsAt), b.Zone)),
		words.Plain("expected", b.Number(s.Expected)), words.Plain("came", b.Number(s.Arrived)), words.Part("usual", usual),
		words.Text("rate", b.PerMinute(v.Rate)), words.Int("low", v.Band.Low), words.Int("high", v.Band.High), words.Int("limit", v.Limit), words.Int("hold", arriving.HoldUntil),
		words.Text("sure", b.WholePercent(v.Sure)), words.Text("from", b.WholePercent(v.HoldFrom)))
	if v.Call == arriving.Hold && v.Sure < v.HoldFrom && s.Phase != evening.Running {
		text = words.Join(". ", text, b.Say("outside.stays"))
	}
	return text
}

// BasisOf names the n past performances that the usual is taken from.
func (b *Builder) BasisOf(of arriving.Basis, n int) string {
	past := words.Int("n", n)
	switch of {
	case arriving.OfComparables:
		return b.Text("basis.comparables", past)
	case arriving.OfHall:
		return b.Text("basis.hall", past)
	}
	return b.Text("basis.house", past)
}
