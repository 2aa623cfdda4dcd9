package web

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// Reckoned returns what a verdict is computed from; empty if there is no verdict.
func (b *Builder) Reckoned(s *evening.Show) sentence {
	v := s.Verdict
	if v.Call == evening.NoCall {
		return nil
	}
	usual := b.Say("outside.nothing_usual")
	if v.Basis != evening.NoBasis {
		usual = b.Say("outside.usual", words.Text("share", b.Percent(v.NoShow)), words.Int("outside", v.Usual), words.Text("basis", b.BasisOf(v.Basis, v.Past)))
	}
	key := "outside.reckoned"
	if s.Phase == evening.Running {
		key = "outside.reckoned_late"
	}
	text := b.Say(key, words.Fig("n", b.OfShow(s, figures.KeyOutside)), words.Text("time", b.Clock(figures.Later(b.At, s.Event.StartsAt), b.Zone)),
		words.Plain("expected", b.Number(s.Expected)), words.Plain("came", b.Number(s.Arrived)), words.Part("usual", usual),
		words.Text("rate", b.PerMinute(v.Rate)), words.Int("low", v.Band.Low), words.Int("high", v.Band.High), words.Int("limit", v.Limit), words.Int("hold", evening.HoldUntil),
		words.Text("sure", b.WholePercent(v.Sure)), words.Text("from", b.WholePercent(v.HoldFrom)))
	if v.Call == evening.Hold && v.Sure < v.HoldFrom && s.Phase != evening.Running {
		text = words.Join(". ", text, b.Say("outside.stays"))
	}
	return text
}

// BasisOf names the n past performances that the usual is taken from.
func (b *Builder) BasisOf(of evening.Basis, n int) string {
	past := words.Int("n", n)
	switch of {
	case evening.OfComparables:
		return b.Text("basis.comparables", past)
	case evening.OfHall:
		return b.Text("basis.hall", past)
	}
	return b.Text("basis.house", past)
}

// queueShort is queueText for a row; empty if no queue is worth showing.
func (b *Builder) queueShort(s *evening.Show) sentence {
	q := s.LongestQueue()
	if q == nil || q.Waiting.Value < evening.MinQueueShown {
		return nil
	}
	return b.Say("gates.queue_short", words.Text("gate", b.GateName(q.Gate)), words.Int("n", q.Waiting.Value))
}

func (b *Builder) GateName(gate string) string {
	if gate == "" {
		return b.Text("plot.gate_unnamed")
	}
	return b.Text("plot.gate", words.Name("gate", gate))
}
