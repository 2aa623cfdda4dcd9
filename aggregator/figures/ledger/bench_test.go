package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// season returns a year of 400 performances and n tickets in orders of one to four, each with
// a payment; half of the tickets have been scanned.
func season(n int) (events, tickets, payments []record.Record) {
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	curtain := func(event int) time.Time { return start.Add(time.Duration(event)*22*time.Hour + 8*time.Hour) }
	for i := range 400 {
		at := curtain(i)
		events = append(events, &record.Event{ID: fmt.Sprintf("evt_%06d", i), Title: "Night", Date: at.Format(time.DateOnly),
			StartsAt: at, EndsAt: at.Add(3 * time.Hour), Capacity: new(n), Status: record.EventOnSale, UpdatedAt: start})
	}
	for len(tickets) < n {
		event := r.IntN(400)
		order := fmt.Sprintf("ord_%08d", len(payments))
		at := curtain(event).Add(-time.Duration(r.ExpFloat64() * float64(10*24*time.Hour)))
		amount := int64(0)
		for range 1 + r.IntN(4) {
			price := int64(1500 + 500*r.IntN(6))
			amount += price
			t := &record.Ticket{ID: fmt.Sprintf("tkt_%08d", len(tickets)), EventID: fmt.Sprintf("evt_%06d", event), OrderID: order,
				Type: record.TypeRef{ID: fmt.Sprint("type_", price), Name: "Rank"}, Price: &record.Money{Amount: price, Currency: "EUR"},
				Status: record.TicketValid, Scans: []record.Scan{}, Channel: "web", SoldAt: at, CreatedAt: at, UpdatedAt: at}
			if r.IntN(2) == 0 {
				t = scannedOnce(t)
			}
			tickets = append(tickets, t)
		}
		payments = append(payments, &record.Payment{ID: fmt.Sprintf("pay_%08d", len(payments)), OrderID: order,
			Amount: record.Money{Amount: amount, Currency: "EUR"}, Status: record.PaymentPaid, CreatedAt: at, PaidAt: at, UpdatedAt: at})
	}
	return events, tickets[:n], payments
}

// scannedOnce returns the ticket after one more entry.
func scannedOnce(t *record.Ticket) *record.Ticket {
	next := *t
	at := t.UpdatedAt.Add(time.Hour)
	next.Scans = append(t.Scans[:len(t.Scans):len(t.Scans)], record.Scan{At: at, Gate: "North", Direction: record.Entry})
	next.UpdatedAt = at
	return &next
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// cpuTime returns the CPU time of the process, which other processes do not lengthen as they do the time of day.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// collection returns the CPU time of a collection of garbage.
func collection() time.Duration {
	runtime.GC()
	before := cpuTime()
	for range 4 {
		runtime.GC()
	}
	return (cpuTime() - before) / 4
}

// benchTickets is how many tickets BenchmarkLedgerApply has: 200,000, unless TICKETS says another number. Five million take
// 6 GB of memory.
func benchTickets(b *testing.B) int {
	text := os.Getenv("TICKETS")
	if text == "" {
		return 200_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("TICKETS: %q is no number of tickets", text)
	}
	return n
}

// BenchmarkLedgerApply applies one record. B/record is what the ledger holds of a ticket
// beside its id: its row, its index and its part in orders, days and minutes; with half a payment it is
// B/paid-record. The payments that cpu-ns/payment is of are new. The scanned tickets are of one event, which is
// published every hundred.
func BenchmarkLedgerApply(b *testing.B) {
	n := benchTickets(b)
	events, tickets, payments := season(n)
	fill := func() *foldtest.Versions {
		l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
		for _, r := range events {
			l.Add(r)
		}
		return l
	}
	cpu := func(b *testing.B, before time.Duration) {
		b.ReportMetric(float64((cpuTime()-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
	}
	each := func(b *testing.B, l *foldtest.Versions, records []record.Record) {
		i, before := 0, cpuTime()
		for b.Loop() {
			l.Add(records[i%len(records)])
			i++
		}
		cpu(b, before)
	}
	b.Run("new", func(b *testing.B) {
		before, nothing := heap(), collection()
		l := fill()
		empty := heap()
		for _, r := range tickets {
			l.Add(r)
		}
		l.Snapshot(figures.Position{}, foldtest.Complete)
		full := heap()
		paying := cpuTime()
		for _, r := range payments {
			l.Add(r)
		}
		paying = cpuTime() - paying
		l.Snapshot(figures.Position{}, foldtest.Complete)
		paid, all := heap(), collection()
		i := n
		start := cpuTime()
		for b.Loop() {
			if i == n {
				b.StopTimer()
				l, i = fill(), 0
				b.StartTimer()
			}
			l.Add(tickets[i])
			i++
		}
		cpu(b, start)
		record, payment := float64(full-empty)/float64(n), float64(paid-full)/float64(len(payments))
		b.ReportMetric(float64((all-nothing).Nanoseconds())/float64(n), "gc-ns/record")
		b.ReportMetric(record, "B/record")
		b.ReportMetric(payment, "B/payment")
		b.ReportMetric(record+payment/2, "B/paid-record")
		b.ReportMetric(float64(paying.Nanoseconds())/float64(len(payments)), "cpu-ns/payment")
		b.ReportMetric(float64(empty-before)/float64(len(events)), "B/event")
		runtime.KeepAlive(l)
	})
	l := fill()
	for _, r := range append(tickets, payments...) {
		l.Add(r)
	}
	l.Snapshot(figures.Position{}, foldtest.Complete)
	b.Run("unchanged", func(b *testing.B) { each(b, l, tickets) })
	b.Run("unchanged payment", func(b *testing.B) { each(b, l, payments) })
	b.Run("void", func(b *testing.B) {
		i, before := 0, cpuTime()
		for b.Loop() {
			t := *tickets[i%n].(*record.Ticket)
			if i/n%2 == 0 {
				t.Status, t.CancelledAt = record.TicketVoid, t.UpdatedAt.Add(time.Hour)
			}
			l.Add(&t)
			i++
		}
		cpu(b, before)
	})
	b.Run("scanned", func(b *testing.B) {
		start := cpuTime()
		defer func() { cpu(b, start) }()
		var tonight []*record.Ticket
		for _, r := range tickets {
			if t := r.(*record.Ticket); t.EventID == "evt_000200" {
				tonight = append(tonight, t)
			}
		}
		i := 0
		for b.Loop() {
			t := tonight[i%len(tonight)]
			if len(t.Scans) > 2 {
				t.Scans = t.Scans[:0]
			}
			t = scannedOnce(t)
			tonight[i%len(tonight)] = t
			l.Add(t)
			if i++; i%100 == 0 {
				l.Snapshot(figures.Position{}, foldtest.Complete)
			}
		}
	})
}

// BenchmarkLedgerSnapshot publishes after one more sale, in a house of 400 performances
// and 200,000 tickets.
func BenchmarkLedgerSnapshot(b *testing.B) {
	events, tickets, payments := season(200_000)
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	for _, records := range [][]record.Record{events, tickets, payments} {
		for _, r := range records {
			l.Add(r)
		}
	}
	l.Snapshot(figures.Position{}, foldtest.Complete)
	i := 0
	for b.Loop() {
		t := *tickets[i%len(tickets)].(*record.Ticket)
		t.ID = fmt.Sprint("more_", i)
		l.Add(&t)
		l.Snapshot(figures.Position{Revision: int64(i)}, foldtest.Complete)
		i++
	}
}

// BenchmarkVATRate sets another rate of VAT for every ticket, and publishes.
func BenchmarkVATRate(b *testing.B) {
	const n = 100_000
	events, tickets, payments := season(n)
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	for _, records := range [][]record.Record{events, tickets, payments} {
		for _, r := range records {
			l.Add(r)
		}
	}
	rates := []int64{9_00, 21_00}
	change := func(i int) {
		l.Add(foldtest.Set(record.SettingVATRate, "", "", rates[i%2], "09:00"))
		l.Snapshot(figures.Position{}, foldtest.Complete)
		l.Changes()
	}
	change(1)
	for i := 0; b.Loop(); i++ {
		change(i)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/ticket")
}
