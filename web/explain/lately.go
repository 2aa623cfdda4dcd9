package explain

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// lately returns what the last hour brought of what is sold or booked today, and the last minute of the people a minute in five; nothing
// of other figures.
func (b builder) lately(x *catalogue.Explanation) sentence {
	switch {
	case x.Key == figures.KeyEntries5 && x.Event != nil && x.Known():
		now, ok := catalogue.Explain(b.Evening, figures.KeyEntries1, x.Scope)
		if !ok || !now.Known() {
			return nil
		}
		return b.Say("explain.last_minute", words.Fig("n", b.Figure(now.Definition, now.Value, "", x.Event)))
	case x.Key != figures.KeySoldToday && x.Key != figures.KeyBookedToday || x.Scope != (figures.Scope{Event: x.Scope.Event}):
		return nil
	case x.Event != nil:
		s := b.Evening.Show(x.Event)
		if !s.SoldLastHour.Known() {
			return nil
		}
		return b.Say("explain.last_hour_of", words.Fig("n", b.OfShow(s, figures.KeySoldHour)))
	case !b.Access.WholeHouse() || b.At.IsZero() || !b.Evening.House.PlacesToday.Known():
		return nil
	}
	n, end := 0, evening.AfterMinute(b.At)
	for _, e := range b.Snapshot.Events {
		n += figures.CountIn(e.SoldMinutes, end, time.Hour)
	}
	all := figures.New(n, b.Evening.House.PlacesToday.Caveat().OfDifference())
	if tonight := b.Evening.House.SoldLastHour; !tonight.Known() || tonight.Value <= 0 || tonight.Value > n { // no part of them: more was cancelled of others
		return b.Say("explain.last_hour_of", words.Fig("n", b.Number(all)))
	}
	return b.Say("explain.last_hour", words.Fig("n", b.Number(all)), words.Fig("tonight", b.OfEvening(figures.KeySoldHour)))
}
