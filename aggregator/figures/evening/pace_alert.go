package evening

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/model"
	"housecount/apiclient/record"
)

// The limits of the alert.
const (
	// leastUsual is the least usual (median) number of places sold: with fewer, every sale is far off.
	leastUsual = 10
	// paceBegins is for how many days a sale must have run, because comparables had begun their sales by then.
	paceBegins = 7
	// behindWithin is how many days before a performance a slow sale needs attention.
	behindWithin = 21
)

// farBehind returns an alert if far fewer places of a performance to come were sold by the end of yesterday
// than of comparable ones the same number of days before: below their band, and by at least the part of their
// median that the venue has set. It needs as many comparables as an estimate does. A nearly full performance is
// never behind. The alert does not change during a day, so that a person who has seen it is not notified again
// after every sale. It is raised only when the performance is near; before that FarBehind has it.
func (v *Evening) farBehind(s *Show) []Alert {
	p, ok := v.FarOff(s)
	if !ok || p.Missing() <= 0 || p.Days > behindWithin {
		return nil
	}
	return []Alert{p.alert(AlertBehindPace, p.Missing())}
}

// farAhead returns an alert if far more places are sold than usual, by the same rule.
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

// FarOff is a performance to come that sells far fewer places than usual, or far more.
type FarOff struct {
	*Show
	// Sold is the number of places sold by the end of yesterday, and Usual the usual number the same number of
	// Days before a performance.
	Sold, Days int
	Usual      figures.Band
}

// Missing returns how many fewer places are sold than usual; negative if more are sold.
func (p *FarOff) Missing() int { return p.Usual.Median - p.Sold }

// FarOff returns how far off the sale of a performance is; ok is false if it is about as usual.
func (v *Evening) FarOff(s *Show) (p FarOff, ok bool) {
	if s.Phase != Before || s.Date <= v.Today || s.Sale != SaleOpen || s.SoldOut || s.NearlyFull() {
		return p, false
	}
	of := v.paceOf(s.EventFigures)
	return FarOff{s, of.sold, s.Date.Since(v.Today), of.usual}, of.off(v.threshold(record.SettingOffPace))
}

// FarBehind returns the performances to come that sell far fewer places than usual, those that miss the most first.
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

// yesterdaysPace is what was sold of a performance by the end of yesterday, and what is usual by then; usual is
// zero if it is not known.
type yesterdaysPace struct {
	sold        int
	usual       figures.Band
	exceptional bool // see model.Pickup.Exceptional and model.LowestOfMany
}

// off reports whether the sale is exceptional, outside the band, and differs by that part of the median.
func (p yesterdaysPace) off(part int64) bool {
	by := max(p.sold-p.usual.Median, p.usual.Median-p.sold)
	return p.exceptional && p.usual.Median >= leastUsual && (p.sold < p.usual.Low || p.sold > p.usual.High) && int64(by)*figures.WholeRate >= part*int64(p.usual.Median)
}

// paces caches the pace of performances while the past performances stay the same. Its zero value is empty.
type paces struct {
	mu    sync.Mutex
	until time.Time // when the next of the past performances ends; zero for none
	of    map[string]*heldPace
}

// heldPace is a pace that is computed once.
type heldPace struct {
	of   *figures.EventFigures
	once sync.Once
	yesterdaysPace
}

// after returns the cache for a moment: p, or an empty one if another performance has ended by then.
func (p *paces) after(now time.Time) *paces {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.until.IsZero() && !now.Before(p.until) {
		return new(paces)
	}
	return p
}

// paceOf returns a performance's pace at the end of yesterday. It is computed once for the performance's figures and a day.
func (v *Evening) paceOf(e *figures.EventFigures) yesterdaysPace {
	held := v.paces.held(v, e)
	held.once.Do(func() { held.yesterdaysPace = v.yesterdaysPace(e) })
	return held.yesterdaysPace
}

// held returns the cache entry of a performance, and creates it if there is none.
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

// nextOver returns when the next performance of an earlier day ends; zero if all have ended.
func nextOver(s *figures.Snapshot, today figures.Day, now time.Time) (next time.Time) {
	for _, e := range s.Events {
		if end := e.Hours().End; e.Date < today && end.After(now) && (next.IsZero() || end.Before(next)) {
			next = end
		}
	}
	return next
}

func (v *Evening) yesterdaysPace(e *figures.EventFigures) (p yesterdaysPace) {
	_, ok := e.Date.Number()
	dated := 0
	for _, d := range e.SaleDays {
		if dated += d.Sold; d.Day < v.Today {
			p.sold += d.Sold
		}
	}
	if !ok || e.Sold.Quality != figures.Exact || dated != e.Sold.Value || len(e.SaleDays) == 0 || e.SaleDays[0].Day > v.Today.Add(-paceBegins) {
		return p
	}
	all := v.comparables(e)
	if len(all) < Comparables(v.Snapshot.House).Least {
		return p
	}
	days := e.Date.Since(v.Today)
	for i := range all {
		all[i].Then = model.SoldAt(all[i].EventFigures, days, 0, v.Snapshot.Calendar)
		all[i].early = v.early(e, &all[i], days)
	}
	p.usual = usualBand(all)
	sold := make([]float64, len(all))
	var inHall []float64 // a larger hall sells more places
	for i := range all {
		if sold[i] = float64(all[i].Then); p.sold < p.usual.Median {
			sold[i] -= float64(all[i].early)
		}
		if all[i].Event.Hall == e.Event.Hall {
			inHall = append(inHall, sold[i])
		}
	}
	p.exceptional = model.Distances(sold).Exceptional(float64(p.sold), len(all)) || model.LowestOfMany(float64(p.sold), inHall)
	return p
}
