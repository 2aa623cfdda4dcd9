package licence_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Who reads when a club is full may plan by it: over nights with a rush that grows, that is steady, that falls, that comes in waves, and that comes at once,
// it is near the truth, and seldom another time than a minute ago; where it is said to be so any minute, it soon is:
//
//	go test ./aggregator/figures/evening/licence -run FullAboutOfNights -v
func TestFullAboutOfNights(t *testing.T) {
	rates := map[string]func(m float64) float64{ // people a minute
		"steady":   func(float64) float64 { return 8 },
		"growing":  func(m float64) float64 { return 2 + .45*m },
		"rush":     func(m float64) float64 { return 2 + 14*math.Exp(-(m-30)*(m-30)/180) },
		"falling":  func(m float64) float64 { return 14 * math.Exp(-m/45) },
		"in waves": func(m float64) float64 { return 8 + 6*math.Sin(m/3.5) },
		"at once":  func(m float64) float64 { return 4 + 22/(1+math.Exp(-4*(m-42))) }, // a rush late, of which ten minutes know little
	}
	for _, name := range []string{"steady", "growing", "rush", "falling", "in waves", "at once"} {
		for _, known := range []bool{false, true} {
			r := rand.New(rand.NewPCG(3, 7))
			off, early, n, changes, nights, late := 0., 0., 0, 0, 0, 0
			soon, soonOff := 0, 0. // it was said to be full any minute, and how many minutes it then took
			for range 4 {
				rate := rates[name]
				come := func(id string, day string, factor float64) (all []record.Record, times []time.Time) {
					start := foldtest.Clock(day + "19:00")
					for m := 0.; len(all) < 420 && m < 115; m += r.ExpFloat64() / (factor * rate(m) / 2) {
						at := start.Add(time.Duration(m * float64(time.Minute)))
						for range 1 + r.IntN(3) {
							all = append(all, foldtest.Ticket(fmt.Sprint(id, len(all)), id, func(k *record.Ticket) {
								k.Scans = []record.Scan{{At: at, Gate: "A", Direction: record.Entry}}
								if id != "club" {
									k.Scans = append(k.Scans, record.Scan{At: start.Add(272 * time.Minute), Gate: "A", Direction: record.Exit})
								}
							}))
							times = append(times, at)
						}
					}
					return all, times
				}
				var records []record.Record
				if known {
					for i := range 6 {
						id, day := fmt.Sprint("past", i), fmt.Sprintf("%02d ", 10+i)
						past, _ := come(id, day, .8+.4*r.Float64())
						records = foldtest.Together(records, []record.Record{foldtest.Tonight(id, "Main", day+"19:00", day+"21:00", day+"23:30")}, past)
					}
				}
				tonight, times := come("club", "", .85+.3*r.Float64())
				if len(times) < 320 {
					continue
				}
				nights++
				full := times[299]
				last := time.Time{}
				for at := foldtest.Clock("19:05"); at.Before(full.Truncate(time.Minute)); at = at.Add(time.Minute) {
					seen := foldtest.Together(records, foldtest.ScannedOut("Main"), []record.Record{foldtest.Tonight("club", "Main", "19:00", "21:00", "23:30"), foldtest.Set(record.SettingLicensed, "Main", "", 300, "09:00")})
					for i, k := range tonight {
						if !times[i].Before(at) {
							k = foldtest.Ticket(k.RecordID(), "club")
						}
						seen = append(seen, k)
					}
					v := foldtest.Evening(foldtest.Fold(foldtest.Complete, seen...), at)
					place, ok := v.LoadOf("Main")
					if !ok {
						t.Fatal("nothing is set")
					}
					about := licence.FullAbout(v, place)
					if about.IsZero() {
						if full.Sub(at) < 10*time.Minute {
							late++
						}
						continue
					}
					if licence.Soon(v, about) {
						soon++
						soonOff += full.Sub(at).Minutes()
					}
					n++
					off += math.Abs(about.Sub(full).Minutes())
					early += about.Sub(full).Minutes()
					if !last.IsZero() && !about.Equal(last) {
						changes++
					}
					last = about
				}
			}
			most := map[string]float64{"in waves": 6, "at once": 2.4}[name]
			if name == "at once" && !known { // all that is known of it are the last minutes
				most = 1.1
			}
			if told, by := math.Max(1, float64(n)), float64(changes)/math.Max(1, float64(nights)); nights < 4 || off/told > cmp.Or(most, 3.2) || by > 6 || name != "falling" && by > 5 {
				t.Errorf("%s, known %v: off by %.1f minutes, %.1f changes a night", name, known, off/told, by)
			}
			if soonOff > 5*float64(soon) {
				t.Errorf("%s, known %v: full any minute, %.1f minutes before it was", name, known, soonOff/float64(soon))
			}
			t.Logf("%-9s known %-5v: %d nights, %3d told, off by %4.1f min (%+4.1f), %4.1f changes a night, %d not told in the last ten minutes; any minute %d times, %.1f minutes before", name, known, nights, n, off/math.Max(1, float64(n)), early/math.Max(1, float64(n)), float64(changes)/math.Max(1, float64(nights)), late, soon, soonOff/math.Max(1, float64(soon)))
		}
	}
}
