package arriving

import (
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// PointsUntil is how many minutes after curtain arrivals are followed.
const PointsUntil = 30

// Ahead is the forecast of the visitors of a performance who are still to come, at the minute of its figures. It is the
// model's, with what is known of tonight, and one for all: the verdict, the chart, the rush and the gates.
type Ahead struct {
	*model.Ahead
	From     int     // minutes after curtain
	Come     float64 // who have come
	Expected float64

	mu    sync.Mutex
	gates map[GateKey]GateAhead

	once   sync.Once
	points []model.Coming // by the minute, from From to PointsUntil
}

// aheadAt returns what the model expects from m minutes after curtain on, of what came before.
func (u *Usual) aheadAt(e *figures.EventFigures, m int) *model.Ahead {
	u.curvesOnce.Do(u.findCurves)
	curtain := e.Hours().Curtain.Truncate(time.Minute)
	come := func(m int) float64 {
		return float64(figures.CountBefore(e.ArrivalMinutes, curtain.Add(time.Duration(m)*time.Minute)))
	}
	arrivals, counted := model.NewArrivals(u.curves, float64(e.Expected.Value)), 0.
	for block := -figures.UsualFrom + model.Block; block < m; block += model.Block {
		arrivals.Arrive(block+figures.UsualFrom, come(block)-counted)
		counted = come(block)
	}
	return arrivals.Ahead(m+figures.UsualFrom, come(m)-counted)
}

// ByMinute returns how many will have come by m minutes after curtain.
func (a *Ahead) ByMinute(m int) model.Coming {
	a.once.Do(func() { a.points = a.Course(a.Come, a.From+figures.UsualFrom, PointsUntil+figures.UsualFrom) })
	return a.points[min(max(0, m-a.From), len(a.points)-1)]
}
