package sandbox_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// tonight is what came of the performance in the largest hall, which was made a night of a kind at noon.
type tonight struct {
	stayed, outside float64 // shares of those sold at the end, and of those sold at the curtain
	mean            time.Duration
	after           float64 // share of the arrivals that came from ten minutes after the curtain on
	failing, queue  int     // entered at the first gate from 25 to 15, and from 15 to 10 minutes before it
	truth           sandbox.EventTruth
}

func play(t *testing.T, kind string) (n tonight) {
	t.Helper()
	s := open(t, sandbox.Options{Start: evening.Truncate(24 * time.Hour).Add(11 * time.Hour), Past: 30})
	var e record.Event
	for _, of := range all[record.Event](s, "/v2/events?from=2026-11-20&to=2026-11-20") {
		if e.ID == "" || *of.Capacity > *e.Capacity {
			e = of
		}
	}
	if kind != "" {
		s.control("night", fmt.Sprintf(`{"event_id":%q,"night":%q}`, e.ID, kind), nil)
	}
	if before := s.Truth().Events[e.ID]; before.Night != kind || before.OutsideAtCurtain != nil {
		t.Errorf("at noon: %+v", before)
	}
	s.Advance(e.StartsAt.Sub(s.Now()))
	came := func() (total int, at []time.Duration) {
		for _, ticket := range all[record.Ticket](s, "/v2/tickets?event_id="+e.ID) {
			if ticket.Status != record.TicketValid || !ticket.IsPlace() {
				continue
			}
			total += ticket.Places()
			for _, scan := range ticket.Scans {
				if scan.Direction == record.Entry && scan.Result == "" && !scan.Undone {
					at = append(at, scan.At.Sub(e.StartsAt))
					if off := -at[len(at)-1]; scan.Gate == "A" && off <= 25*time.Minute && off > 15*time.Minute+time.Second {
						n.failing++
					} else if scan.Gate == "A" && off <= 15*time.Minute && off > 10*time.Minute {
						n.queue++
					}
					break
				}
			}
		}
		return total, at
	}
	total, in := came()
	if n.truth = s.Truth().Events[e.ID]; n.truth.OutsideAtCurtain == nil || *n.truth.OutsideAtCurtain != total-len(in) {
		t.Errorf("%s: at the curtain %+v, in the records %d of %d", kind, n.truth.OutsideAtCurtain, total-len(in), total)
	}
	n.outside, n.failing, n.queue = 1-float64(len(in))/float64(total), 0, 0
	s.Advance(e.EndsAt.Sub(s.Now()))
	total, in = came()
	n.stayed = 1 - float64(len(in))/float64(total)
	for _, at := range in {
		n.mean += at / time.Duration(len(in))
		if at >= 10*time.Minute {
			n.after += 1 / float64(len(in))
		}
	}
	return n
}

// Nights differ from the usual one in what they are named for, and in nothing else.
func TestNights(t *testing.T) {
	t.Parallel()
	usual := play(t, "")
	near := func(a, b time.Duration) bool { return (a - b).Abs() < 2*time.Minute }
	for kind, differs := range map[string]func(n tonight) bool{
		"late":  func(n tonight) bool { return near(n.mean, usual.mean+20*time.Minute) && n.outside > usual.outside+.2 },
		"early": func(n tonight) bool { return n.mean < usual.mean-8*time.Minute && n.mean > usual.mean-15*time.Minute },
		"train": func(n tonight) bool { return n.after > usual.after+.2 && n.after < usual.after+.3 },
		"gate": func(n tonight) bool {
			return n.failing == 0 && usual.failing > 20 && n.queue > usual.queue+usual.failing/2
		},
	} {
		n := play(t, kind)
		if !differs(n) {
			t.Errorf("%s: %+v, usual %+v", kind, n, usual)
		}
		if d := n.stayed - usual.stayed; d > .01 || d < -.01 {
			t.Errorf("%s: %.3f stayed away, usually %.3f", kind, n.stayed, usual.stayed)
		}
	}
	away := play(t, "stay_away")
	if d := away.stayed - usual.stayed; d < .15 || d > .25 || !near(away.mean, usual.mean) {
		t.Errorf("a fifth stays away: %+v, usual %+v", away, usual)
	}
}

// Some performances of a season sell far more or far less than usual, give away more, or come late on sale.
func TestNightsOfASeason(t *testing.T) {
	t.Parallel()
	performances, sold, free, places, since := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, map[string]time.Duration{}
	for seed := uint64(1); seed <= 4; seed++ {
		s := open(t, sandbox.Options{Seed: seed, Past: 60})
		truth := s.Truth()
		first := map[string]time.Time{}
		for _, ticket := range all[record.Ticket](s, "/v2/tickets") {
			if at, ok := first[ticket.EventID]; !ticket.SoldAt.IsZero() && (!ok || ticket.SoldAt.Before(at)) {
				first[ticket.EventID] = ticket.SoldAt
			}
			if ticket.Price != nil && ticket.Price.Amount == 0 && ticket.Status == record.TicketValid {
				free[truth.Events[ticket.EventID].Night] += ticket.Places()
			}
		}
		for _, e := range all[record.Event](s, "/v2/events?status=ended") {
			night := truth.Events[e.ID].Night
			if *e.Capacity < 100 {
				continue
			}
			performances[night]++
			sold[night] += truth.Events[e.ID].Sold
			places[night] += *e.Capacity
			since[night] = max(since[night], e.StartsAt.Sub(first[e.ID]))
		}
	}
	t.Logf("performances %v, sold %v, free %v, places %v, on sale %v", performances, sold, free, places, since)
	share := func(of map[string]int, night string) float64 { return float64(of[night]) / float64(places[night]) }
	for _, night := range []string{"late", "early", "stay_away", "train", "gate", "premiere", "late_on_sale", "flop", "hit"} {
		if performances[night] == 0 || performances[night]*4 > performances[""] {
			t.Errorf("%d are %s, %d as usual", performances[night], night, performances[""])
		}
	}
	if usual := share(sold, ""); share(sold, "flop") > usual*.6 || share(sold, "hit") < usual || share(free, "premiere") < 3*share(free, "") {
		t.Error("the shares that are sold and given away do not differ enough")
	}
	if late := since["late_on_sale"]; late > 22*24*time.Hour || late < 14*24*time.Hour {
		t.Errorf("on sale for %v", late)
	}
}
