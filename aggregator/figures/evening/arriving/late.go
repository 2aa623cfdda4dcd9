package arriving

import (
	"math"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// How many come late differs from night to night by more than chance, and the model's courses end before the last of them. So what
// it expects after the curtain is mixed with what came on each past night from the same minute on, the more the more alike the last
// quarter of an hour was, and with the usual number for each who came in it.
const (
	lateOver    = 15  // minutes
	latePast    = .65 // the weight of the past nights beside the model
	latePastAll = .9  // and where the model's courses have nearly ended, from lateAfter minutes after the curtain on
	lateAfter   = 20
	lateRate    = .3 // the part of it that goes by those who came lately
	// lateAlike is how much the number of those who came lately varies between nights that are alike.
	lateAlike = 3.
	// lateGroups is by how much more the number of few people varies than where each comes alone.
	lateGroups = 1.5
	// lateUnknown is the part of the expected who come after the curtain where nothing is usual, and lateFades the minutes after
	// which a third of that is left.
	lateUnknown, lateFades = .012, 9.
)

// lateNight is how many came on a night in lateOver before a minute after its curtain, and from then on; of as many as are expected.
type lateNight struct{ lately, after float64 }

// lateNights returns the past nights as they were m minutes after their curtain, of as many as are expected tonight.
func (u *Usual) lateNights(expected float64, m int) (all []lateNight) {
	for _, n := range u.Nights {
		curtain := n.Hours().Curtain.Truncate(time.Minute)
		at := curtain.Add(time.Duration(m) * time.Minute)
		of := expected / float64(max(1, n.Expected.Value))
		came := float64(figures.CountBefore(n.ArrivalMinutes, n.Hours().End) - figures.CountBefore(n.ArrivalMinutes, figures.Later(at, curtain)))
		all = append(all, lateNight{of * float64(figures.CountIn(n.ArrivalMinutes, at, lateOver*time.Minute)), of * max(0, came)})
	}
	if len(all) == 0 {
		for _, part := range []float64{0, .4, 1, 2.2} {
			fade := func(m float64) float64 { return part * lateUnknown * expected * math.Exp(-max(0, m)/lateFades) }
			all = append(all, lateNight{fade(float64(m-lateOver)) - fade(float64(m)), fade(float64(m))})
		}
	}
	return all
}

// late returns how many come from m minutes after the curtain on, or from the curtain on before it: of what the model expects, with what
// came on the past nights, which get a part of the weight.
func (u *Usual) late(e *figures.EventFigures, m int, expects model.Count, past float64) model.Count {
	curtain, expected := e.Hours().Curtain.Truncate(time.Minute), float64(e.Expected.Value)
	lately := float64(figures.CountIn(e.ArrivalMinutes, curtain.Add(time.Duration(m)*time.Minute), lateOver*time.Minute))
	nights := u.lateNights(expected, m)
	means, parts, sum := make([]float64, 0, 2*len(nights)+1), make([]float64, 0, 2*len(nights)+1), 0.
	usually, most := lateNight{.5, .5}, 0.
	for _, n := range nights {
		spread := lateAlike * (n.lately + n.lately*n.lately/lateAlike + 1)
		alike := math.Exp(-(lately - n.lately) * (lately - n.lately) / (2 * spread))
		most, alike = max(most, alike), alike+.02
		means, parts, sum = append(means, n.after), append(parts, alike), sum+alike
		usually = lateNight{usually.lately + n.lately, usually.after + n.after}
	}
	for i, mean := range means { // they come in groups, so that the few vary more than by one and one
		groups := math.Sqrt(lateGroups*mean + .5)
		parts[i] *= (1 - lateRate) / sum / 2
		means[i], means, parts = max(0, mean-groups), append(means, mean+groups), append(parts, parts[i])
	}
	means, parts = append(means, lately*usually.after/usually.lately), append(parts, lateRate)
	return expects.With(means, parts, past*most)
}

// stillCome returns how many still come from m minutes after the curtain on, of what the model expects.
func (u *Usual) stillCome(e *figures.EventFigures, m int, a *model.Ahead) figures.Band {
	past := latePast
	if m >= lateAfter {
		past = latePastAll
	}
	count := u.late(e, m, a.After(m+figures.UsualFrom), past)
	return count.Band()
}

// asUsual returns the band of those who come after the curtain where it begins on time as usual: what the model expects, and what came
// on the past nights, of which it knows the middle alone.
func (u *Usual) asUsual(e *figures.EventFigures, m int, expects model.Count) figures.Band {
	band, late := expects.Band(), u.late(e, m, expects, 1)
	past := late.Band()
	return figures.Band{Low: min(band.Low, past.Low), Median: band.Median, High: max(band.High, past.High)}
}
