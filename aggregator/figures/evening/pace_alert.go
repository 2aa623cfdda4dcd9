package evening

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// The limits of the alert.
const (
	// leastUsual is how many places have to be sold usually, by the median: of fewer every number is far
	// off.
	leastUsual = 10
	// paceBegins is how many days a sale has to have run: before, it is held against others that had
	// begun.
	paceBegins = 7
	// behindWithin is how many days before a performance that sells far worse than usual somebody has to
	// do something about it.
	behindWithin = 21
)

// farBehind finds performances to come of which far fewer places were sold by the end of the day before the
// running one than of comparable ones that many days off: below their band, and by at least the part of
// their median that the venue has set. It needs as many comparables as an estimate does. A nearly full
// performance is never behind. The alert is the same all day, so that whoever has seen it is not notified
// again after every sale. It needs attention only when the performance is near; until then it is among
// FarBehind.
func (v *Evening) farBehind(s *Show) []Alert {
	p, ok := v.FarOff(s)
	if !ok || p.Missing() <= 0 || p.Days > behindWithin {
		return nil
	}
	return []Alert{p.alert(AlertBehindPace, p.Missing())}
}

// farAhead finds performances to come of which far more places were sold, by the same rule.
func (v *Evening) farAhead(s *Show) []Alert {
	p, ok := v.FarOff(s)
	if !ok || p.Missing() > 0 {
		return nil
	}
	return []Alert{p.alert(AlertAheadOfPace, -p.Missing())}
}

func (p *FarOff) alert(code string, off int) Alert {
	return alert(code, p.Show, time.Time{}, AlertArgs{Count: figures.Figure[int]{Value: off}, Sold: p.Sold, Days: p.Days, Usual: p.Usual})
}

// FarOff is a performance to come that sells far worse than usual, or far better.
type FarOff struct {
	*Show
	// Sold is the number of places sold by the end of the day before the running one, and Usual the usual
	// number that many Days before a performance.
	Sold, Days int
	Usual      figures.Band
}

// Missing returns how many places fewer are sold than usual; below 0 there are more.
func (p *FarOff) Missing() int { return p.Usual.Median - p.Sold }

// FarOff returns how far off the sale of a performance is; ok is false if it is not.
func (v *Evening) FarOff(s *Show) (p FarOff, ok bool) {
	if s.Phase != Before || s.Date <= v.Today || s.Sale != SaleOpen || s.SoldOut || s.NearlyFull() {
		return p, false
	}
	of := v.paceOf(s.EventFigures)
	return FarOff{s, of.sold, s.Date.Since(v.Today), of.usual}, of.off(v.threshold(record.SettingOffPace))
}

// FarBehind returns the performances to come that sell far worse than usual, those of which most places are
// missing first.
func (v *Evening) FarBehind() (all []FarOff) {
	part := v.threshold(record.SettingOffPace)
	for _, e := range v.Snapshot.Events {
		if e.Date <= v.Today || !v.paceOf(e).off(part) {
			continue
		}
		if p, ok := v.FarOff(v.Show(e)); ok && p.Missing() > 0 {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b FarOff) int { return cmp.Compare(b.Missing(), a.Missing()) })
	return all
}

// yesterdaysPace is what was sold of a performance by the end of the day before the running one, and
// what is usual; usual is zero if nothing can be said.
type yesterdaysPace struct {
	sold        int
	usual       figures.Band
	exceptional bool // see pickup.exceptional
}

// off reports whether the sale is outside the band and exceptional, and by such a part of the median.
func (p yesterdaysPace) off(part int64) bool {
	by := max(p.sold-p.usual.Median, p.usual.Median-p.sold)
	return p.exceptional && p.usual.Median >= leastUsual && (p.sold < p.usual.Low || p.sold > p.usual.High) && int64(by)*figures.WholeRate >= part*int64(p.usual.Median)
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
	of   *figures.EventFigures
	once sync.Once
	yesterdaysPace
}

// after returns the paces for a moment: these, or none if another performance is over by then.
func (p *paces) after(now time.Time) *paces {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.until.IsZero() && !now.Before(p.until) {
		return new(paces)
	}
	return p
}

// paceOf returns a performance's pace at the end of the day before the running one. It is found out once for
// the figures of the performance, and a day.
func (v *Evening) paceOf(e *figures.EventFigures) yesterdaysPace {
	held := v.paces.held(v, e)
	held.once.Do(func() { held.yesterdaysPace = v.yesterdaysPace(e) })
	return held.yesterdaysPace
}

// held returns the pace of a performance that is to be found out, or was.
func (p *paces) held(v *Evening, e *figures.EventFigures) *heldPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of, p.until = map[string]*heldPace{}, nextOver(v.Snapshot, v.Today, v.Now)
	}
	held := p.of[e.Event.ID]
	if held == nil || held.of != e {
		held = &heldPace{of: e}
		p.of[e.Event.ID] = held
	}
	return held
}

// nextOver returns when the next performance of a day before ends; zero if all have.
func nextOver(s *figures.Snapshot, today figures.Day, now time.Time) (next time.Time) {
	for _, e := range s.Events {
		if end := e.Hours().End; e.Date < today && end.After(now) && (next.IsZero() || end.Before(next)) {
			next = end
		}
	}
	return next
}

func (v *Evening) yesterdaysPace(e *figures.EventFigures) (p yesterdaysPace) {
	date, ok := e.Date.Number()
	dated := 0
	for _, d := range e.SaleDays {
		if dated += d.Sold; d.Day < v.Today {
			p.sold += d.Sold
		}
	}
	if !ok || e.Sold.Quality != figures.Exact || dated != e.Sold.Value || len(e.SaleDays) == 0 || e.SaleDays[0].Day > v.Today.Add(-paceBegins) {
		return p
	}
	rule := Comparables(v.Snapshot.House)
	all := v.comparables(e, date, rule)
	if len(all) < rule.Least {
		return p
	}
	days := e.Date.Since(v.Today)
	for i := range all {
		all[i].Then = soldAt(all[i].EventFigures, days, 0, v.Snapshot.Calendar)
		all[i].early = v.early(e, &all[i], days)
	}
	p.usual = usualBand(all)
	sold := make([]float64, len(all))
	for i := range all {
		if sold[i] = float64(all[i].Then); p.sold < p.usual.Median {
			sold[i] -= float64(all[i].early)
		}
	}
	p.exceptional = distances(sold).exceptional(float64(p.sold), len(all))
	return p
}
