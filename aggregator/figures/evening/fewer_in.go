package evening

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/arriving"
)

// fewerFrom is how many minutes before the curtain it is told that fewerPart of the expected are missing who usually are in by then.
const fewerFrom, fewerPart = 10, .12

// fewerIn returns an alert if shortly before the curtain, and arriving.HoldMinutes ago, far fewer are in than usual: they are late, or stay away,
// and nothing that is counted tells which. Somebody can find out. There is none where the house keeps them out, or does not scan.
func (v *Evening) fewerIn(s *Show) []Alert {
	if c := s.Verdict.Call; c != arriving.OnTime && c != arriving.Unsure || !s.Held.IsZero() || v.EntryTo(s) != EntryOpen || s.NobodyScanned(v.At) || v.At.Before(s.Event.StartsAt.Add(-fewerFrom*time.Minute)) {
		return nil
	}
	few := 0
	for _, at := range []time.Time{v.At.Add(-arriving.HoldMinutes * time.Minute), v.At} {
		usually, came, ok := v.UsuallyIn(s, at)
		if few = usually - came; !ok || float64(few) <= max(fewerPart*float64(s.Expected.Value), arriving.ToleratedPeople) {
			return nil
		}
	}
	return []Alert{alert(AlertFewerIn, s, time.Time{}, AlertArgs{Count: figures.New(few, s.Verdict.Outside.Caveat())})}
}
