package event

import (
	"net/url"

	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// walkIns are the counters of people without a ticket.
type walkIns struct {
	Event string
	Text  words.Sentence
	Gates []walkInGate
}

type walkInGate struct {
	Name, Value string
	Count       int
	Text        string
}

// walkIns returns the counters of a performance while people may come in or go out: one for each known gate
// of its hall, or one for the whole performance.
func (b builder) walkIns(s *evening.Show) walkIns {
	if !s.Phase.Open() && !s.Leaving {
		return walkIns{}
	}
	counted := map[string]int{}
	for _, w := range s.WalkIns {
		counted[w.Gate] = w.Count
	}
	w := walkIns{Event: url.QueryEscape(s.Event.ID)}
	if n := s.WalkedIn(); n != 0 {
		w.Text = b.Say("walk_ins.text", words.Int("n", n))
	}
	for _, name := range b.Evening.WalkInGates(s) {
		g := walkInGate{Name: b.Text("walk_ins.gate", words.Text("gate", name)), Value: url.QueryEscape(name), Count: counted[name], Text: b.Count(counted[name])}
		if name == "" {
			g.Name = b.Text("walk_ins.gate_unnamed")
		}
		w.Gates = append(w.Gates, g)
	}
	return w
}
