package sandbox_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// TestTonight holds the day of the start against what it promises, for several houses.
func TestTonight(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= 4; seed++ {
		s := open(t, sandbox.Options{Seed: seed, Coming: 60, Past: 1})
		truth := s.Truth()
		want := map[string][2]string{
			"Grote Zaal": {"19:30", "20:15"}, "Kleine Zaal": {"19:45", "20:30"}, "Foyer": {"22:15", "23:00"}, "Kelder": {"22:45", "23:30"},
		}
		grand := ""
		for _, e := range all[record.Event](s, "/v2/events?from=2026-11-20&to=2026-11-20") {
			clock := func(at time.Time) string { return at.In(amsterdam).Format("15:04") }
			if got := [2]string{clock(e.DoorsAt), clock(e.StartsAt)}; got != want[e.Hall] {
				t.Errorf("seed %d, %s: doors and curtain at %v, want %v", seed, e.Hall, got, want[e.Hall])
			}
			delete(want, e.Hall)
			if e.Hall == "Grote Zaal" {
				grand = e.ID
			}
			longest := map[string]time.Duration{"Kelder": 4 * time.Hour}
			if length := e.EndsAt.Sub(e.StartsAt); length < 90*time.Minute || length > cmp.Or(longest[e.Hall], 150*time.Minute) {
				t.Errorf("seed %d, %s lasts %v", seed, e.Hall, length)
			}
			from, to := e.IntervalStartsAt.Sub(e.StartsAt), e.IntervalEndsAt.Sub(e.StartsAt)
			switch length := e.EndsAt.Sub(e.StartsAt); {
			case length < 110*time.Minute || e.Hall == "Foyer" || e.Hall == "Kelder":
				if !e.IntervalStartsAt.IsZero() || !e.IntervalEndsAt.IsZero() {
					t.Errorf("seed %d, %s of %v has an interval", seed, e.Hall, length)
				}
			case to-from != 20*time.Minute || from < length/3 || to > length*2/3:
				t.Errorf("seed %d, %s of %v has its interval from %v to %v", seed, e.Hall, length, from, to)
			}
		}
		if len(want) > 0 {
			t.Errorf("seed %d: nothing tonight in %v", seed, slices.Sorted(maps.Keys(want)))
		}
		in := truth.Events[grand]
		if share := float64(in.Attendance) / float64(in.Sold); share < .02 || share > .08 {
			t.Errorf("seed %d: %d of %d are in two minutes after the doors opened", seed, in.Attendance, in.Sold)
		}
		if in.Sold < 600 {
			t.Errorf("seed %d: only %d sold tonight", seed, in.Sold)
		}

		from := s.Now()
		s.Advance(58 * time.Minute)
		since := "?sort=-updated_at&updated_since=" + from.Add(time.Millisecond).Format(time.RFC3339Nano)
		changes := len(all[record.Ticket](s, "/v2/tickets"+since)) + len(all[record.Payment](s, "/v2/payments"+since))
		if perSecond := float64(changes) / (58 * 60); perSecond < .25 {
			t.Errorf("seed %d: %.2f records change in a second", seed, perSecond)
		}
		after := s.Truth().Events[grand]
		if share := float64(after.Attendance) / float64(after.Sold); share < .86 || share > .99 {
			t.Errorf("seed %d: %d of %d have come a quarter of an hour after curtain", seed, after.Attendance, after.Sold)
		}
		for _, gate := range []string{"A", "B", "C"} {
			if after.Gates[gate] == 0 {
				t.Errorf("seed %d: nobody came through gate %s", seed, gate)
			}
		}
	}
}

// TestSeason looks at the default house as a whole.
func TestSeason(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{Past: 120, Coming: 60})
	truth := s.Truth()
	if truth.Records.Tickets < 40_000 || truth.Records.Tickets > 90_000 {
		t.Errorf("%d tickets", truth.Records.Tickets)
	}
	days, halls, full, poor := map[string]int{}, map[string]int{}, 0, 0
	sold, came := 0, 0
	first, last := "9999", ""
	for _, e := range all[record.Event](s, "/v2/events") {
		days[e.Date]++
		halls[e.Hall]++
		first, last = min(first, e.Date), max(last, e.Date)
		f := truth.Events[e.ID]
		if e.Status != record.EventEnded {
			continue
		}
		sold, came = sold+f.Sold, came+f.Attendance
		share := float64(f.Sold) / float64(f.Capacity)
		if *e.Available <= 3 {
			full++
		}
		if share < .45 {
			poor++
		}
		if share < .1 || share > 1 {
			t.Errorf("%s on %s sold %d of %d", e.Title, e.Date, f.Sold, f.Capacity)
		}
		if f.Inside != 0 || f.OnTheWay != 0 || f.ScansExits && f.Present != 0 {
			t.Errorf("%s of %s: %d are still inside, %d on their way, %d not scanned out", e.Title, e.Date, f.Inside, f.OnTheWay, f.Present)
		}
	}
	if first != "2026-07-23" || last != "2027-01-19" && last != "2027-01-18" {
		t.Errorf("the season goes from %s to %s", first, last)
	}
	if full < 5 || poor < 5 || len(halls) != 4 {
		t.Errorf("%d sold out, %d rather empty, halls %v", full, poor, halls)
	}
	if share := float64(came) / float64(sold); share < .92 || share > .97 {
		t.Errorf("%d of %d came", came, sold)
	}
	if len(days) < 170 || len(days) == len(halls)*181 {
		t.Errorf("performances on %d days", len(days))
	}

	for _, path := range []string{
		"payments?status=paid", "payments?status=open", "payments?status=refunded", "payments?status=charged_back",
		"payments?status=expired", "payments?status=pending", "tickets?status=valid", "tickets?status=reserved",
		"tickets?status=void", "tickets?status=refunded", "tickets?status=expired",
	} {
		if list[any](s, "/v2/"+path+"&per_page=1").Meta.Total == 0 {
			t.Errorf("there are no %s", path)
		}
	}
}

// TestKinds looks for every kind of movement, price and scan that the house should show.
func TestKinds(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{Past: 30, Coming: 12})
	seen := map[string]int{}
	for _, p := range all[record.Payment](s, "/v2/payments") {
		seen[string(p.Kind)]++
		if p.Status == record.PaymentPaid && p.AmountRefunded != nil && p.AmountRefunded.Amount < p.Amount.Amount {
			seen["partly refunded"]++
		}
		if p.Method == "free" && p.Amount.Amount == 0 {
			seen["payment of nothing"]++
		}
		if p.Kind != record.KindOfPayment && p.ParentID == "" {
			t.Errorf("%s is a %s of nothing", p.ID, p.Kind)
		}
	}
	events := all[record.Event](s, "/v2/events?status=ended")
	ofHall := map[string]int{}
	for _, e := range slices.Backward(events) {
		if ofHall[e.Hall]++; ofHall[e.Hall] > 4 && !strings.HasPrefix(e.Title, "Lunchconcert") {
			continue
		}
		for _, k := range all[record.Ticket](s, "/v2/tickets?event_id="+e.ID) {
			seen["channel "+k.Channel]++
			switch {
			case k.Complimentary:
				seen["complimentary"]++
			case k.Price.Amount == 0:
				seen["free"]++
			}
			if k.DiscountCode != "" {
				seen["discount"]++
			}
			if k.Referral != "" {
				seen["referral"]++
			}
			for i, scan := range k.Scans {
				switch {
				case scan.Result != "":
					seen["refused scan"]++
				case scan.Undone:
					seen["undone scan"]++
				case i > 1 && scan.Direction == record.Entry:
					seen["came back"]++
				}
			}
		}
	}
	for _, want := range []string{
		"payment", "refund", "chargeback", "reversal", "partly refunded", "payment of nothing", "complimentary", "free", "discount", "referral",
		"refused scan", "undone scan", "came back", "channel web", "channel box_office", "channel phone", "channel agency",
	} {
		if seen[want] == 0 {
			t.Errorf("there is no %s: %v", want, seen)
		}
	}
}

// TestSeasonGoesOn lets the sandbox run for weeks.
func TestSeasonGoesOn(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{Past: 1, Coming: 12})
	for range 4 {
		s.Advance(10 * 24 * time.Hour)
		today := s.Now().In(amsterdam)
		coming, sold := 0, 0
		truth := s.Truth()
		for _, e := range all[record.Event](s, "/v2/events?from="+today.AddDate(0, 0, 1).Format(time.DateOnly)) {
			coming++
			sold += truth.Events[e.ID].Sold
		}
		if coming < 4 || sold < 100 {
			t.Errorf("on %s there are %d events to come with %d sold", today.Format(time.DateOnly), coming, sold)
		}
	}
	checkBooks(t, s)
}

// TestBooks holds every event's places and the sandbox's truth against what is served.
func TestBooks(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{})
	for range 3 {
		s.Advance(7 * time.Hour)
		checkBooks(t, s)
	}
	event := all[record.Event](s, "/v2/events?available=true&status=on_sale")[0].ID
	one, two := s.sell(event, 4), s.sell(event, 700) // more than there are
	s.control("refund", `{"payment_id":"`+one.PaymentID+`","amount":1234}`, nil)
	s.control("void", `{"ticket_id":"`+one.TicketIDs[0]+`"}`, nil)
	s.control("scan", `{"ticket_id":"`+one.TicketIDs[1]+`","gate":"Z","direction":"entry"}`, nil)
	s.control("void", `{"ticket_id":"`+one.TicketIDs[1]+`"}`, nil)
	checkBooks(t, s)
	s.control("refund", `{"payment_id":"`+one.PaymentID+`"}`, nil)
	s.control("refund", `{"payment_id":"`+two.PaymentID+`"}`, nil)
	s.Advance(time.Hour)
	checkBooks(t, s)
}

// checkBooks works the figures out from the records as served, in its own way: ticket by
// ticket and payment by payment, not event by event.
func checkBooks(t *testing.T, s *service) {
	t.Helper()
	truth := s.Truth()
	var served sandbox.Truth
	_, body := s.do("GET", "/sandbox/truth", "")
	if err := json.Unmarshal(body, &served); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(truth)
	b, _ := json.Marshal(served)
	if string(a) != string(b) {
		t.Error("the truth that is served is another than Truth's")
	}

	type figures struct {
		sold, comp, reserved, attendance, present                     int
		booked, fees, received, refunded, chargebacks, wonBack, gates int64
	}
	of, held := map[string]*figures{}, 0
	events := all[record.Event](s, "/v2/events")
	for _, e := range events {
		of[e.ID] = &figures{}
	}
	for _, k := range all[record.Ticket](s, "/v2/tickets") {
		f := of[k.EventID]
		switch {
		case k.Kind != "" && k.Status == "valid":
			f.fees += k.Price.Amount * int64(k.Places())
		case k.Kind != "":
		case k.Status == "reserved":
			f.reserved++
		case k.Status == "valid" && k.Complimentary:
			f.comp++
			fallthrough
		case k.Status == "valid":
			f.sold++
			f.booked += k.Price.Amount
			if !k.Complimentary {
				f.fees += k.Fee.Amount
			}
		}
		entries, last := 0, record.Exit
		for _, scan := range k.Scans {
			if scan.Result == "" && !scan.Undone {
				if last = scan.Direction; last == record.Entry {
					entries++
				}
			}
		}
		f.gates += int64(entries)
		f.attendance += min(entries, 1)
		if last == record.Entry {
			f.present++
		}
		if k.SoldAt.IsZero() && k.Status == "valid" || !k.SoldAt.IsZero() && k.Status == "reserved" {
			t.Errorf("%s is %s, sold at %v", k.ID, k.Status, k.SoldAt)
		}
		if k.Kind == "" && k.Status == "reserved" {
			if held++; !k.HeldUntil.After(k.CreatedAt) {
				t.Errorf("%s is reserved at %v until %v", k.ID, k.CreatedAt, k.HeldUntil)
			}
		}
	}
	if held == 0 {
		t.Error("nothing is reserved")
	}
	payments := map[string]record.Payment{}
	back := map[string]int64{}
	for _, p := range all[record.Payment](s, "/v2/payments") {
		payments[p.ID] = p
		if p.Kind == "refund" && p.Status == "paid" {
			back[p.ParentID] += p.Amount.Amount
		}
	}
	for id, p := range payments {
		f := of[p.EventID]
		switch settled := p.Status == "paid" || p.Status == "refunded" || p.Status == "charged_back"; {
		case !settled:
		case p.Kind == "payment":
			f.received += p.Amount.Amount
			reported := int64(0)
			if p.AmountRefunded != nil {
				reported = p.AmountRefunded.Amount
			}
			if reported != back[id] || (p.Status == "refunded") != (reported == p.Amount.Amount && reported > 0) {
				t.Errorf("%s of %d is %s: %d refunded as it reports, %d by the records", id, p.Amount.Amount, p.Status, reported, back[id])
			}
			f.refunded += reported
		case p.Kind == "chargeback":
			f.chargebacks += p.Amount.Amount
		case p.Kind == "reversal":
			f.wonBack += p.Amount.Amount
		}
	}
	for _, e := range events {
		f, want := of[e.ID], truth.Events[e.ID]
		if left := *e.Capacity - *e.Blocked - f.sold - f.reserved; *e.Available != left {
			t.Errorf("%s %s: %d available, but %d - %d blocked - %d sold - %d reserved", e.ID, e.Title, *e.Available, *e.Capacity, *e.Blocked, f.sold, f.reserved)
		}
		got := figures{want.Sold, want.Complimentary, want.Reserved, want.Attendance, want.Present,
			want.Booked["EUR"], want.Fees["EUR"], want.Received["EUR"], want.Refunded["EUR"], want.Chargebacks["EUR"], want.Reversals["EUR"], sum(want.Gates)}
		if got != *f || want.Paid+want.Unpaid+want.Complimentary+want.FreeTickets != want.Sold || want.Net["EUR"] != f.received-f.refunded-f.chargebacks+f.wonBack {
			t.Errorf("%s: truth %+v, by the records %+v", e.ID, got, *f)
		}
	}
}

func sum(m map[string]int) (n int64) {
	for _, v := range m {
		n += int64(v)
	}
	return n
}

// TestLetInByHand: who was let in through the control path does not arrive once more.
func TestLetInByHand(t *testing.T) {
	s := open(t, sandbox.Options{})
	hall := ""
	for _, e := range all[record.Event](s, "/v2/events?from=2026-11-20&to=2026-11-20") {
		if e.Hall == "Kleine Zaal" {
			hall = e.ID
		}
	}
	tickets := "/v2/tickets?per_page=40&status=valid&event_id=" + hall
	var waiting []string
	for _, k := range list[record.Ticket](s, tickets).Data {
		if !k.IsPlace() {
			continue
		}
		s.control("scan", `{"ticket_id":"`+k.ID+`","gate":"hand","direction":"entry"}`, nil)
		waiting = append(waiting, k.ID)
	}
	s.Advance(time.Hour)
	for _, id := range waiting {
		var k struct{ Data record.Ticket }
		_, body := s.do("GET", "/v2/tickets/"+id, "")
		if err := json.Unmarshal(body, &k); err != nil {
			t.Fatal(err)
		}
		if len(k.Data.Scans) != 1 {
			t.Errorf("%s: %+v", id, k.Data.Scans)
		}
	}
}

// TestManyAtOnce lets many look while the clock runs, for the race detector.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, sandbox.Options{Speed: 500})
	event := all[record.Event](s, "/v2/events?available=true&status=on_sale")[0].ID
	var looks sync.WaitGroup
	for range 4 {
		looks.Go(func() {
			for range 10 {
				list[record.Ticket](s, "/v2/tickets?sort=-updated_at")
				list[record.Event](s, "/v2/events")
				s.sell(event, 1)
				s.Advance(time.Second)
				if truth := s.Truth(); truth.AsOf.After(s.Now()) {
					t.Error("the clock went back")
				}
			}
		})
	}
	looks.Wait()
}

// TestLookingChangesNothing: three hours at once, in odd steps, and with looks between.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	once := open(t, sandbox.Options{})
	once.Advance(3 * time.Hour)
	often := open(t, sandbox.Options{})
	for left, step := 3*time.Hour, time.Millisecond; left > 0; step = min(step*2, 7*time.Minute+13*time.Millisecond) {
		step = min(step, left)
		often.Advance(step)
		left -= step
		list[record.Ticket](often, "/v2/tickets?sort=-updated_at")
	}
	if once.everything() != often.everything() {
		t.Error("the state depends on how often one looked")
	}
	other := open(t, sandbox.Options{Seed: 2})
	other.Advance(3 * time.Hour)
	if once.everything() == other.everything() {
		t.Error("another seed makes the same house")
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := sandbox.New(sandbox.Options{Start: evening, Speed: -1}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIncrementalRead is what a poller asks every few seconds.
func BenchmarkIncrementalRead(b *testing.B) {
	s, err := sandbox.New(sandbox.Options{Start: evening, Speed: -1, APIKey: testKey})
	if err != nil {
		b.Fatal(err)
	}
	since := evening.Add(-2 * time.Minute).UTC().Format(time.RFC3339)
	b.ReportMetric(float64(s.Truth().Records.Tickets), "tickets")
	for b.Loop() {
		r := httptest.NewRequest("GET", "/v2/tickets?per_page=500&sort=-updated_at&updated_since="+since, nil)
		r.Header.Set("Authorization", "Bearer "+testKey)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}
