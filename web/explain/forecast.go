package explain

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/web/words"
)

// forecastFrom returns what a forecast of arrivals is computed from; empty for any other figure.
func (b builder) forecastFrom(x *catalogue.Explanation) sentence {
	if x.Key != figures.KeyOutside && x.Key != figures.KeyComing && x.Key != figures.KeyWaiting {
		return nil
	}
	s := b.Evening.Show(x.Event)
	a := b.Evening.Arrivals(s)
	switch {
	case x.Key == figures.KeyOutside:
		return words.Join(" ", b.End(b.Reckoned(s)), b.verdictScore(&a))
	case a.Basis == arriving.NoBasis:
		return nil
	}
	from := b.Say("gates.from", words.Text("basis", b.BasisOf(a.Basis, a.Past)))
	for _, q := range s.Queues {
		if q.Gate == x.Scope.Gate && x.Key == figures.KeyWaiting {
			from = words.Join(" ", from, b.Say("gates.fastest", words.Int("n", q.Fastest)))
		}
	}
	return from
}

// usuallyIn says what the mark on the bar of those inside is, after another sentence; empty where there is none.
func (b builder) usuallyIn(e *figures.EventFigures) string {
	s := b.Evening.Show(e)
	n, _, ok := b.Evening.UsuallyIn(s, b.At)
	if !ok {
		return ""
	}
	a := b.Evening.Arrivals(s)
	return " " + b.Text("explain.inside_usual", words.Int("n", n), words.Text("basis", b.BasisOf(a.Basis, a.Past)))
}

// verdictScore returns how right the verdict was on past evenings; empty where too few are known.
func (b builder) verdictScore(a *evening.Arrivals) (score sentence) {
	if said := a.Errors().Said; said.Hold+said.OnTime > 0 {
		score = b.Say("outside.score", words.Int("hold", said.Hold), words.Int("held", said.HoldRight), words.Int("on_time", said.OnTime), words.Int("was", said.OnTimeRight))
	}
	return score
}
