package evening

import (
	"slices"

	"housecount/aggregator/figures"
)

// Level is the severity of how many people are inside: Bad from as many as are allowed on, empty while they are far from that.
func (l *Load) Level() Level {
	switch {
	case l.Full(), l.filling.urgent:
		return Bad
	case l.MayBeFull(), l.filling.near:
		return Warn
	}
	return ""
}

// Near reports whether a place is full or nearly full: also one that was full and where nobody comes since, which nobody is told of,
// as long as whoever is out could fill it again.
func (l *Load) Near() bool { return l.Level() != "" || l.filling.wasFull }

// Left returns how many more people may enter, at least 0; a LowerBound if the people inside are the most that there may be.
func (l *Load) Left() figures.Figure[int] {
	left := figures.Minus(figures.Figure[int]{Value: l.Licensed}, l.Inside)
	if left.Quality == figures.Estimated && onlyUnscanned(left.Reasons) {
		return figures.New(left.Value, figures.Caveat{Quality: figures.LowerBound, Reasons: left.Reasons})
	}
	return left
}

// onlyUnscanned reports whether a number of people inside can only be too high, as people may have left without a scan.
func onlyUnscanned(reasons []figures.Reason) bool {
	return slices.Contains(reasons, figures.ReasonNoExits) && !slices.ContainsFunc(reasons, func(r figures.Reason) bool {
		return r != figures.ReasonNoExits && r != figures.ReasonWalkIns
	})
}

// Out returns how many people of the place are out and may come back: not those of a performance that is over.
func (l *Load) Out() (n int) {
	for _, s := range l.shows {
		if s.Phase.Open() {
			n += s.Out().Value
		}
	}
	return n
}

// ToCome returns how many people are still to come in; after curtain some of them will stay away.
func (l *Load) ToCome() (n int) {
	for _, s := range l.shows {
		if s.Phase.Open() && s.Still.Known() && !s.LateOver {
			n += s.Still.Value
		}
	}
	return n
}

// NobodyAwaited reports whether nobody more is to come to a hall, or to the building if hall is empty: all that takes place there ran long enough that
// who is not in did not come, is sold no more, and was entered by nobody without a ticket; or is over.
func (v *Evening) NobodyAwaited(hall string) bool {
	return !slices.ContainsFunc(v.Shows, func(s *Show) bool {
		if hall != "" && s.Event.Hall != hall || !s.Phase.GoesAhead() || s.Phase == Over {
			return false
		}
		return !s.LateOver || s.Sale == SaleOpen || s.WalkedIn() > 0
	})
}

// Overflows reports whether more people are still to come, or are out and may come back, than may enter.
func (l *Load) Overflows() bool { return l.ToCome()+l.Out() > l.Left().Value }

// NearlyAll reports whether hardly more people may be in a place than are or went out, also when nobody new is let in.
func (l *Load) NearlyAll() bool { return 10*(l.Inside.Value+l.Out()) >= 9*l.Licensed }

// LevelIn returns the severity of how many people are in a hall and in the building that it is in, whichever is worse; of the
// building alone if hall is empty.
func (v *Evening) LevelIn(hall string) (worst Level) {
	for i := range v.Loads {
		if l := &v.Loads[i]; (l.Hall == "" || l.Hall == hall) && l.Level().Loudness() < worst.Loudness() {
			worst = l.Level()
		}
	}
	return worst
}

// Entry is whether people may be let in.
type Entry uint8

// The entries.
const (
	EntryOpen    Entry = iota
	EntryUnsure        // there may be as many inside as are allowed
	EntryStopped       // as many are inside as are allowed, or more
)

// EntryTo returns whether people may be let in to a performance, as its hall and the building hold as many as are allowed or not.
// Where they may not, or perhaps not, nobody can be told that it begins on time. After the curtain only what is full counts, while
// somebody is not in, or is out and may come back, or more are inside than are allowed.
func (v *Evening) EntryTo(s *Show) (worst Entry) {
	if !s.Phase.Open() {
		return EntryOpen
	}
	for i := range v.Loads {
		switch l := &v.Loads[i]; {
		case l.Hall != "" && l.Hall != s.Event.Hall:
		case l.Full() && (s.Phase == Arriving || !s.Still.Known() || s.Still.Value > 0 && !s.LateOver || s.Out().Value > 0 || l.TooMany().Value > 0):
			worst = EntryStopped
		case l.MayBeFull() && s.Phase == Arriving:
			worst = max(worst, EntryUnsure)
		}
	}
	return worst
}
