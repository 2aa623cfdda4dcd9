package arriving

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// What is held of a performance's arrivals is what would be made of them now, whatever changes: sales, scans that come late, the
// minute, the curtain, and what is usual. No more than a few are held, and a scan of the present minute makes nothing anew.
func TestJudgedAsMadeAnew(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	curtain := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
	e := figures.EventFigures{Event: record.Event{ID: "a", StartsAt: curtain}, Expected: figures.Figure[int]{Value: 200}}
	first := figures.StampOf(curtain).Minute() - 60
	u, h := new(Usual), new(Judged)
	for step := range 150 {
		tau := -20 + step/10
		switch r.IntN(6) {
		case 0:
			e.Expected.Value += r.IntN(3)
		case 1:
			e.Event.StartsAt = curtain.Add(time.Duration(r.IntN(2)) * time.Minute)
		case 2:
			u = new(Usual)
		default:
			m := append([]figures.MinuteCount(nil), e.ArrivalMinutes...)
			at := figures.IndexOf(m, first+int64(r.IntN(step+1)))
			if at == len(m) {
				m = append(m, figures.MinuteCount{Minute: first + int64(step), Count: 1})
			} else {
				m[at].Count++
			}
			e.ArrivalMinutes = m
		}
		plain := new(Usual)
		want, wantAhead := plain.Judge(&e, tau)
		got, ahead := h.Judge(u, &e, tau, tau-7)
		if !reflect.DeepEqual(got, want) || (ahead == nil) != (wantAhead[tau] == nil) || ahead != nil && !reflect.DeepEqual(ahead.Ahead, wantAhead[tau]) {
			t.Fatalf("step %d: %+v is held, want %+v", step, got, want)
		}
		if before := h.AheadAt(u, &e, tau-7); !reflect.DeepEqual(before.Ahead, plain.aheadAt(&e, tau-7)) {
			t.Fatalf("step %d: another forecast is held of before", step)
		}
		if len(h.all) > mostJudged {
			t.Fatalf("%d are held", len(h.all))
		}
		now := e
		now.ArrivalMinutes = append(append([]figures.MinuteCount(nil), e.ArrivalMinutes[:figures.IndexOf(e.ArrivalMinutes, figures.StampOf(e.Event.StartsAt).Minute()+int64(tau))]...),
			figures.MinuteCount{Minute: figures.StampOf(e.Event.StartsAt).Minute() + int64(tau), Count: 1})
		if _, again := h.Judge(u, &now, tau); again != ahead {
			t.Fatalf("step %d: a scan of the present minute has it made anew", step)
		}
	}
}
