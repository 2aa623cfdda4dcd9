package arriving

import (
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// Judged holds what was last made of the arrivals of one performance. It depends on nothing but the expected and those who came in
// the minutes before, so a scan of the present minute, and whatever else changes, makes nothing anew. Its zero value is empty.
type Judged struct {
	mu   sync.Mutex
	all  []*judgement // the one used last comes last
	rush *judgement   // the one of which it was found
}

// mostJudged is how many judgements are held of a performance: now and before queues began at its gates, with the sale that
// another rendering has not seen yet.
const mostJudged = 8

// judgement is a verdict on the arrivals until a minute, and what is ahead then.
type judgement struct {
	usual         *Usual
	expected, tau int
	aheadOnly     bool // there is no verdict
	curtain       time.Time
	came          []figures.MinuteCount // until then

	verdict Verdict
	ahead   *Ahead // nil where the verdict comes too late
	rush    model.Rush
}

// GateKey is a gate as a forecast sees it: the part of the visitors who take it, until a minute of the curves; Passed is how many
// it let in of those who came, or -1.
type GateKey struct {
	Until  int
	Share  float64
	Passed int
}

// GateAhead is how many come to a gate, and how sure that is.
type GateAhead struct {
	figures.Band
	Sure float64
}

// mostGates is the number of gates from which those that are held are dropped.
const mostGates = 32

// Gate returns what is held of a gate, or has it made.
func (a *Ahead) Gate(k GateKey, make func(model.Count) GateAhead) GateAhead {
	a.mu.Lock()
	defer a.mu.Unlock()
	of, ok := a.gates[k]
	if !ok {
		of = make(a.Through(k.Until, k.Share))
		if a.gates == nil || len(a.gates) >= mostGates {
			a.gates = map[GateKey]GateAhead{}
		}
		a.gates[k] = of
	}
	return of
}

// Judge returns Usual.Judge for the performance, or how many still come once its curtain is past and it is not held, and what is
// ahead. What it expects also at some minutes before is held for AheadAt.
func (h *Judged) Judge(u *Usual, e *figures.EventFigures, tau int, also ...int) (Verdict, *Ahead) {
	var made map[int]*model.Ahead
	j := h.find(u, e, tau, false, func(j *judgement) {
		if tau <= HoldUntil {
			j.verdict, made = u.Judge(e, tau, also...)
		} else {
			made = map[int]*model.Ahead{tau: u.aheadAt(e, tau)}
		}
		j.expect(made[tau])
		if tau >= 0 && j.verdict.Call != Hold {
			j.verdict.Call = Begun
			j.verdict.Band = u.stillCome(e, tau, made[tau])
			j.verdict.Outside = figures.Figure[int]{Value: j.verdict.Band.Median}
		}
	})
	delete(made, tau)
	for m, a := range made {
		h.find(u, e, m, true, func(j *judgement) { j.expect(a) })
	}
	return j.verdict, j.ahead
}

// expect sets what is ahead; a is nil where nothing is.
func (j *judgement) expect(a *model.Ahead) {
	if a != nil {
		j.ahead = &Ahead{Ahead: a, From: j.tau, Come: float64(figures.Total(j.came)), Expected: float64(j.expected)}
	}
}

// AheadAt returns what is to be expected of the performance from m minutes after curtain on, of what came before.
func (h *Judged) AheadAt(u *Usual, e *figures.EventFigures, m int) *Ahead {
	return h.find(u, e, m, true, func(j *judgement) { j.expect(u.aheadAt(e, m)) }).ahead
}

// find returns a judgement that is held, or has it made.
func (h *Judged) find(u *Usual, e *figures.EventFigures, tau int, aheadOnly bool, fill func(*judgement)) *judgement {
	j := newJudgement(u, e, tau, aheadOnly)
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.IndexFunc(h.all, j.equal)
	switch {
	case at >= 0:
		j = h.all[at]
		h.all = slices.Delete(h.all, at, at+1)
	case len(h.all) == mostJudged:
		h.all = slices.Delete(h.all, 0, 1)
		fallthrough
	default:
		fill(j)
	}
	h.all = append(h.all, j)
	return j
}

// newJudgement returns what a judgement is about.
func newJudgement(u *Usual, e *figures.EventFigures, tau int, aheadOnly bool) *judgement {
	curtain := e.Hours().Curtain.Truncate(time.Minute)
	until := figures.StampOf(curtain.Add(time.Duration(tau) * time.Minute)).Minute()
	return &judgement{usual: u, expected: e.Expected.Value, tau: tau, aheadOnly: aheadOnly, curtain: curtain, came: e.ArrivalMinutes[:figures.IndexOf(e.ArrivalMinutes, until)]}
}

// equal reports whether two judgements are about the same.
func (j *judgement) equal(o *judgement) bool {
	return o.usual == j.usual && o.expected == j.expected && o.tau == j.tau && o.aheadOnly == j.aheadOnly && o.curtain.Equal(j.curtain) && slices.Equal(o.came, j.came)
}

// RushUntil returns the rush of a performance as it is known at a minute of the curves, which is a step by the clock.
func (h *Judged) RushUntil(u *Usual, e *figures.EventFigures, step int) model.Rush {
	j := newJudgement(u, e, step-figures.UsualFrom, true)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rush == nil || !h.rush.equal(j) {
		u.curvesOnce.Do(u.findCurves)
		come := func(m int) float64 {
			return float64(figures.CountBefore(j.came, j.curtain.Add(time.Duration(m-figures.UsualFrom)*time.Minute)))
		}
		j.rush = model.FindRush(u.curves, float64(j.expected), come, step, PointsUntil+figures.UsualFrom)
		h.rush = j
	}
	return h.rush.rush
}
