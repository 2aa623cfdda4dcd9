package figures

import (
	"sync"
	"time"

	"housecount/apiclient/record"
)

// When a pace says something.
const (
	// leastUsual is how many places have to be sold usually, by the median: of fewer every number is far
	// off.
	leastUsual = 10
	// paceBegins is how many days a sale has to have run: before, it is held against others that had
	// begun.
	paceBegins = 7
)

// offPace finds performances to come of which far fewer places were sold by the end of the day before
// the running one, or far more, than of comparable ones when they were as far off: outside their band,
// and by the part of their median that the venue has set, or more. It takes as many comparables as an
// estimate does. One that is nearly full, whatever others sold, is not behind, and says so itself. It is
// the same all day long: who has seen it is not told again after every sale.
func (v *Evening) offPace(s *Show) []Alert {
	if s.Phase != Before || s.Date <= v.Today || s.Sale != SaleOpen || s.SoldOut || s.nearlyFull() {
		return nil
	}
	p, far := v.paceOf(s.EventFigures), v.snapshot.settings.value(record.SettingOffPace, "")
	if !p.off(far) {
		return nil
	}
	args := AlertArgs{Count: Figure[int]{Value: p.usual.Median - p.sold}, Sold: p.sold, Days: s.Date.Since(v.Today), Usual: p.usual}
	if args.Count.Value > 0 {
		return []Alert{alert(AlertBehindPace, Warn, s, time.Time{}, args)}
	}
	args.Count.Value = -args.Count.Value
	return []Alert{alert(AlertAheadOfPace, Info, s, time.Time{}, args)}
}

// yesterdaysPace is what was sold of a performance by the end of the day before the running one, and
// what is usual; usual is zero where nothing can be said.
type yesterdaysPace struct {
	sold  int
	usual Band
}

// off says that the sale is outside the band, and by such a part of the median.
func (p yesterdaysPace) off(part int64) bool {
	by := max(p.sold-p.usual.Median, p.usual.Median-p.sold)
	return p.usual.Median >= leastUsual && (p.sold < p.usual.Low || p.sold > p.usual.High) && int64(by)*WholeRate >= part*int64(p.usual.Median)
}

// paces are those of the performances that were asked for, for as long as the same past ones are over.
// Its zero value holds none.
type paces struct {
	mu    sync.Mutex
	until time.Time // when the next that is past will be over; zero for never
	of    map[string]*heldPace
}

// heldPace is found out once.
type heldPace struct {
	of   *EventFigures
	once sync.Once
	yesterdaysPace
}

// after are the paces for a moment: these, or none where another performance is over by then.
func (p *paces) after(now time.Time) *paces {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.until.IsZero() && !now.Before(p.until) {
		return new(paces)
	}
	return p
}

// paceOf is a performance's pace at the end of the day before the running one. It is found out once for
// the figures of the performance, and a day.
func (v *Evening) paceOf(e *EventFigures) yesterdaysPace {
	held := v.paces.held(v, e)
	held.once.Do(func() { held.yesterdaysPace = v.yesterdaysPace(e) })
	return held.yesterdaysPace
}

// held is the pace of a performance that is to be found out, or was.
func (p *paces) held(v *Evening, e *EventFigures) *heldPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of, p.until = map[string]*heldPace{}, v.snapshot.nextOver(v.Today, v.Now)
	}
	held := p.of[e.Event.ID]
	if held == nil || held.of != e {
		held = &heldPace{of: e}
		p.of[e.Event.ID] = held
	}
	return held
}

// nextOver is when the next performance of a day before ends; zero where all have.
func (s *Snapshot) nextOver(today Day, now time.Time) (next time.Time) {
	for _, e := range s.Events {
		if end := e.Hours().End; e.Date < today && end.After(now) && (next.IsZero() || end.Before(next)) {
			next = end
		}
	}
	return next
}

func (v *Evening) yesterdaysPace(e *EventFigures) (p yesterdaysPace) {
	date, ok := e.Date.number()
	dated := 0
	for _, d := range e.SaleDays {
		if dated += d.Sold; d.Day < v.Today {
			p.sold += d.Sold
		}
	}
	if !ok || !e.Sold.Known() || dated != e.Sold.Value || len(e.SaleDays) == 0 || e.SaleDays[0].Day > v.Today.Add(-paceBegins) {
		return p
	}
	rule := v.snapshot.settings.Comparables()
	all := v.comparables(e, date, rule)
	if len(all) < rule.Least {
		return p
	}
	days := e.Date.Since(v.Today)
	p.usual = bandOf(all, func(c *Comparable) int { return c.soldAt(days, 0, v.snapshot.Calendar) })
	return p
}
