package evening_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// demand is a made-up performance: how many want to come, how long before, and how long it is on sale.
type demand struct {
	wanted   float64
	meanLead float64 // days
	onSale   int     // days
	capacity int
}

// sales returns what is sold on each of the days before the performance, from its own on. Who wanted to buy before the sale
// began buys in its first days, three of four of them.
func (d demand) sales(r *rand.Rand) []int {
	days := make([]int, d.onSale+1)
	weight := func(n int) float64 {
		return .85*math.Exp(-float64(n)/d.meanLead)/d.meanLead + .15/7*math.Exp(-float64(n)/7)
	}
	early := 0.
	for n := d.onSale + 1; n < 200; n++ {
		early += weight(n)
	}
	left := d.capacity
	for n := d.onSale; n >= 0; n-- {
		mean := d.wanted * weight(n)
		if since := d.onSale - n; since < 3 {
			mean += d.wanted * (.08 + .75*early) / 3
		}
		sold := 0
		for limit, p := math.Exp(-min(mean, 600)), r.Float64(); p > limit; p *= r.Float64() {
			sold++
		}
		days[n] = min(sold, left)
		left -= days[n]
	}
	return days
}

// soldHouse makes the figures of a performance without a ledger: sold on days before its own, up to a day.
func soldHouse(id string, date figures.Day, capacity int, days []int, today figures.Day) *figures.EventFigures {
	curtain, _ := time.Parse("2006-01-02 15:04", string(date)+" 20:00")
	e := &figures.EventFigures{Event: record.Event{ID: id, Hall: "Hall", StartsAt: curtain, EndsAt: curtain.Add(2 * time.Hour), Capacity: &capacity, Status: record.EventOnSale},
		Date: date, Capacity: figures.Figure[int]{Value: capacity}}
	for n := len(days) - 1; n >= 0; n-- {
		if day := date.Add(-n); days[n] > 0 && day < today {
			noon := figures.StampOf(curtain.AddDate(0, 0, -n).Add(-8 * time.Hour)).Minute()
			rows := figures.TimedRowsOf(figures.TimedRow{TimedKey: figures.TimedKeyOf(int32(noon), figures.PlacesMoved), Value: int64(days[n])})
			e.SaleDays = append(e.SaleDays, &figures.DayFigures{Day: day, Flow: figures.Flow{Sold: days[n]}, Minutes: rows})
			e.Sold.Value += days[n]
		}
	}
	e.Available.Value = capacity - e.Sold.Value
	return e
}

// additive is the baseline: the median of what the comparables sold from there on, on top of what is sold.
func additive(p *evening.Pace, capacity int) (low, middle, high int) {
	var more []int
	for _, c := range p.Comparables {
		more = append(more, c.Finish()-c.Then)
	}
	slices.Sort(more)
	at := func(part float64) int { return min(capacity, p.Sold.Value+more[int(part*float64(len(more)-1)+.5)]) }
	return at(.1), at(.5), at(.9)
}

// score sums up the forecasts of one kind of night.
type score struct {
	n, held    int
	off, signs float64
}

func (s *score) add(low, middle, high, truth int) {
	s.n++
	if low <= truth && truth <= high {
		s.held++
	}
	by := float64(middle-truth) / float64(max(1, truth))
	s.off, s.signs = s.off+math.Abs(by), s.signs+by
}

func (s *score) String() string {
	n := float64(s.n)
	return fmt.Sprintf("off by %4.1f %%, on average %+5.1f %%, band held %3.0f %%", 100*s.off/n, 100*s.signs/n, 100*float64(s.held)/n)
}

// The estimate of a finish, on nights that fit those before and nights that do not, beside additive pickup:
//
//	go test ./aggregator/figures/evening -run ForecastOfAFinish -v
func TestForecastOfAFinish(t *testing.T) {
	const today = figures.Day("2026-11-20")
	r := rand.New(rand.NewPCG(12, 20))
	vary := func(by float64) float64 { return math.Exp(by * r.NormFloat64()) }
	usual := func() demand { return demand{230 * vary(.22), 24 * vary(.12), 90, 400} }
	kinds := []struct {
		name  string
		pasts int
		make  func() demand
	}{
		{"normal", 14, usual},
		{"weak", 14, func() demand { d := usual(); d.wanted *= .5; return d }},
		{"strong", 14, func() demand { d := usual(); d.wanted *= 1.5; return d }},
		{"flop", 14, func() demand { d := usual(); d.wanted *= .2; return d }},
		{"hit", 14, func() demand { d := usual(); d.wanted *= 2.6; return d }},
		{"late on sale", 14, func() demand { d := usual(); d.onSale = 30; return d }},
		{"early rush", 14, func() demand { d := usual(); d.meanLead *= 1.5; return d }},
		{"premiere", 5, usual},
	}
	before, now := map[string]*score{}, map[string]*score{}
	farOff := map[string]int{}
	at := func(all map[string]*score, name string) *score {
		if all[name] == nil {
			all[name] = new(score)
		}
		return all[name]
	}
	for _, kind := range kinds {
		for range 25 {
			s := &figures.Snapshot{}
			for i := range kind.pasts {
				d := usual()
				s.Events = append(s.Events, soldHouse(fmt.Sprint("past", i), today.Add(-7*(kind.pasts-i)), d.capacity, d.sales(r), today))
			}
			d := kind.make()
			days := d.sales(r)
			truth := 0
			for _, n := range days {
				truth += n
			}
			far := false
			for _, distance := range []int{49, 28, 14, 7} {
				if distance >= d.onSale {
					continue
				}
				own := soldHouse("own", today.Add(distance), d.capacity, days, today)
				v := evening.At(&figures.Snapshot{Events: append(slices.Clip(s.Events), own)}, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
				show := v.Show(own)
				p := v.Pace(show)
				if !p.Finish.Known() {
					t.Fatalf("%s, %d days before: no estimate of %d comparables", kind.name, distance, len(p.Comparables))
				}
				if p.Finish.Value < p.Sold.Value || p.FinishBand.High > d.capacity || p.FinishBand.Low > p.Finish.Value || p.FinishBand.High < p.Finish.Value {
					t.Fatalf("%s, %d days before: %d sold, finish %+v %+v", kind.name, distance, p.Sold.Value, p.Finish, p.FinishBand)
				}
				low, middle, high := additive(&p, d.capacity)
				for _, name := range []string{kind.name, "all", fmt.Sprintf("%s, %2d days before", kind.name, distance)} {
					at(before, name).add(low, middle, high, truth)
					at(now, name).add(p.FinishBand.Low, p.Finish.Value, p.FinishBand.High, truth)
				}
				if off, ok := v.FarOff(show); ok && off.Missing() > 0 {
					far = true
				}
			}
			if far {
				farOff[kind.name]++
			}
		}
	}
	for _, kind := range append(kinds, kinds[0]) {
		t.Logf("%-12s additive: %v; now: %v; far behind %d of 25", kind.name, before[kind.name], now[kind.name], farOff[kind.name])
	}
	// Long before, an early rush cannot be told from a strong sale.
	for _, n := range []int{49, 28, 14, 7} {
		name := fmt.Sprintf("early rush, %2d days before", n)
		if t.Logf("%s: additive: %v; now: %v", name, before[name], now[name]); n <= 14 && now[name].off > .75*before[name].off {
			t.Errorf("%s: %v, before %v", name, now[name], before[name])
		}
	}
	t.Logf("%-12s additive: %v; now: %v", "all", before["all"], now["all"])
	if held := float64(now["all"].held) / float64(now["all"].n); held < .74 || held > .9 {
		t.Errorf("the band of eight of ten held %.0f %%", 100*held)
	}
	for _, kind := range []string{"weak", "strong", "flop"} {
		if now[kind].off > .8*before[kind].off {
			t.Errorf("%s: %v, before %v", kind, now[kind], before[kind])
		}
	}
	if now["normal"].off > 1.1*before["normal"].off {
		t.Errorf("normal: %v, before %v", now["normal"], before["normal"])
	}
	for _, kind := range []string{"normal", "late on sale", "early rush", "premiere"} {
		if farOff[kind] > 1 {
			t.Errorf("%d of 25 %s nights were far behind", farOff[kind], kind)
		}
	}
	if farOff["flop"] < 24 || farOff["weak"] < 12 {
		t.Errorf("%d flops and %d weak nights of 25 were far behind", farOff["flop"], farOff["weak"])
	}
}
