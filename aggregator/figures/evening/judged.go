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
	mu  sync.Mutex
	all []*judgement // the one used last comes last
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
	curtain := e.Hours().Curtain.Truncate(time.Minute)
	until := figures.StampOf(curtain.Add(time.Duration(tau) * time.Minute)).Minute()
	j := &judgement{usual: u, expected: e.Expected.Value, tau: tau, aheadOnly: aheadOnly, curtain: curtain, came: e.ArrivalMinutes[:figures.IndexOf(e.ArrivalMinutes, until)]}
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.IndexFunc(h.all, func(o *judgement) bool {
		return o.usual == u && o.expected == j.expected && o.tau == tau && o.aheadOnly == aheadOnly && o.curtain.Equal(curtain) && slices.Equal(o.came, j.came)
	})
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
