package evening

import (
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
)

// judged holds what was last made of the arrivals of one performance. It depends on nothing but the expected and those who came in
// the minutes before, so a scan of the present minute, and whatever else changes, makes nothing anew. Its zero value is empty.
type judged struct {
	mu   sync.Mutex
	all  []*judgement // the one used last comes last
	rush *judgement   // the one of which it was found
}

// mostJudged is how many judgements are held of a performance: now and before queues began at its gates, with the sale that
// another rendering has not seen yet.
const mostJudged = 8

// judgement is a verdict on the arrivals until a minute, and what is ahead then.
type judgement struct {
	usual         *usual
	expected, tau int
	aheadOnly     bool // there is no verdict
	curtain       time.Time
	came          []figures.MinuteCount // until then

	verdict Verdict
	ahead   *ahead // nil where the verdict comes too late
	rush    model.Rush
}

// gateKey is a gate as a forecast sees it: the part of the visitors who take it, until a minute of the curves; passed is how many
// it let in of those who came, or -1.
type gateKey struct {
	until  int
	share  float64
	passed int
}

// gateAhead is how many come to a gate, and how sure that is.
type gateAhead struct {
	figures.Band
	sure float64
}

// mostGates is the number of gates from which those that are held are dropped.
const mostGates = 32

// through returns what is held of a gate, or has it made.
func (a *ahead) through(k gateKey, make func(model.Count) gateAhead) gateAhead {
	a.mu.Lock()
	defer a.mu.Unlock()
	of, ok := a.gates[k]
	if !ok {
		of = make(a.Through(k.until, k.share))
		if a.gates == nil || len(a.gates) >= mostGates {
			a.gates = map[gateKey]gateAhead{}
		}
		a.gates[k] = of
	}
	return of
}

// judge returns usual.judge for a performance. What it expects also at some minutes before is held for aheadAt.
func (h *heldUsual) judge(e *figures.EventFigures, tau int, also ...int) (Verdict, *ahead) {
	var made map[int]*model.Ahead
	j := h.judged.find(h.usual, e, tau, false, func(j *judgement) {
		j.verdict, made = h.usual.judge(e, tau, also...)
		j.expect(made[tau])
	})
	delete(made, tau)
	for m, a := range made {
		h.judged.find(h.usual, e, m, true, func(j *judgement) { j.expect(a) })
	}
	return j.verdict, j.ahead
}

// expect sets what is ahead; a is nil where nothing is.
func (j *judgement) expect(a *model.Ahead) {
	if a != nil {
		j.ahead = &ahead{Ahead: a, from: j.tau, come: float64(figures.Total(j.came)), expected: float64(j.expected)}
	}
}

// aheadAt returns usual.aheadAt for a performance.
func (h *heldUsual) aheadAt(e *figures.EventFigures, m int) *ahead {
	return h.judged.find(h.usual, e, m, true, func(j *judgement) { j.expect(h.usual.aheadAt(e, m)) }).ahead
}

// find returns a judgement that is held, or has it made.
func (h *judged) find(u *usual, e *figures.EventFigures, tau int, aheadOnly bool, fill func(*judgement)) *judgement {
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
func newJudgement(u *usual, e *figures.EventFigures, tau int, aheadOnly bool) *judgement {
	curtain := e.Hours().Curtain.Truncate(time.Minute)
	until := figures.StampOf(curtain.Add(time.Duration(tau) * time.Minute)).Minute()
	return &judgement{usual: u, expected: e.Expected.Value, tau: tau, aheadOnly: aheadOnly, curtain: curtain, came: e.ArrivalMinutes[:figures.IndexOf(e.ArrivalMinutes, until)]}
}

// equal reports whether two judgements are about the same.
func (j *judgement) equal(o *judgement) bool {
	return o.usual == j.usual && o.expected == j.expected && o.tau == j.tau && o.aheadOnly == j.aheadOnly && o.curtain.Equal(j.curtain) && slices.Equal(o.came, j.came)
}

// rushUntil returns the rush of a performance as it is known at a minute of the curves, which is a step by the clock.
func (h *judged) rushUntil(u *usual, e *figures.EventFigures, step int) model.Rush {
	j := newJudgement(u, e, step-figures.UsualFrom, true)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rush == nil || !h.rush.equal(j) {
		u.curvesOnce.Do(u.findCurves)
		come := func(m int) float64 {
			return float64(figures.CountBefore(j.came, j.curtain.Add(time.Duration(m-figures.UsualFrom)*time.Minute)))
		}
		j.rush = model.FindRush(u.curves, float64(j.expected), come, step, pointsUntil+figures.UsualFrom)
		h.rush = j
	}
	return h.rush.rush
}
