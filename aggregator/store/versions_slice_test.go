package store_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// faulty is a log of which somebody misreads one version.
type faulty struct {
	*store.Records
	misread string // the record's id, empty for none
}

func (f *faulty) Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		for v, err := range f.Records.Versions(ctx, after) {
			if err == nil && f.misread != "" && v.Record.RecordID() == f.misread {
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// What the figures do not have of the stored versions is found within one round of slices, with all that it
// makes different and nothing else, and is found no more once it is mended.
func testSlices(t *testing.T, database string) {
	const of = 4
	l := openLog(t, database)
	euros := func(n int64) record.Money { return record.Money{Amount: n, Currency: "EUR"} }
	var all []record.Record
	for i := range 20 {
		id := fmt.Sprintf("evt%02d", i)
		all = append(all, &record.Event{ID: id, Date: "2026-11-21", Capacity: new(100), UpdatedAt: noon})
		for n := range 3 { // each order has tickets of two performances
			all = append(all, &record.Ticket{ID: fmt.Sprint("tic ", id, n), EventID: id, OrderID: fmt.Sprint("order ", i/2, n), Status: record.TicketValid, ContactID: fmt.Sprint("con ", n),
				Price: new(euros(1000 + int64(i))), SoldAt: noon, UpdatedAt: noon})
		}
	}
	for i := range 10 {
		for n := range 2 {
			all = append(all, &record.Payment{ID: fmt.Sprint("pay ", i, n), OrderID: fmt.Sprint("order ", i, n), Amount: euros(1999), Status: record.PaymentPaid, PaidAt: noon, UpdatedAt: noon})
		}
	}
	var streams []aggregator.Stream
	var states []aggregator.StreamState
	for _, kind := range []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment} {
		streams = append(streams, aggregator.Stream{Name: string(kind), Kinds: []record.Kind{kind}})
		states = append(states, aggregator.StreamState{Name: string(kind), Since: noon})
	}
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: all, Streams: states}); err != nil {
		t.Fatal(err)
	}
	recompute := func(misread string) (found []string, compared int) {
		t.Helper()
		log := &faulty{l.Records, misread}
		f, err := aggregator.New(aggregator.Options{Log: log, Streams: streams, Calendar: figures.Calendar{Zone: time.UTC}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- f.Run(ctx) }()
		if err := f.Await(t.Context(), int64(len(all))); err != nil {
			t.Fatal(err)
		}
		log.misread = ""
		for number := range of {
			r, err := f.RecomputeSlice(t.Context(), noon, number, of)
			if err != nil {
				t.Fatal(err)
			}
			compared += r.Compared
			for _, d := range r.Found {
				for _, figure := range d.Figures {
					if figure.Figure == string(figures.KeySold) || figure.Figure == string(figures.KeyReceived) {
						found = append(found, fmt.Sprint(d.Event, " ", figure.Figure))
					}
				}
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		return found, compared
	}
	for misread, want := range map[string]string{"": "", "tic evt071": "evt06 received, evt07 received, evt07 sold", "pay 3 0": "evt06 received, evt07 received",
		"evt12": "evt12 received, evt12 sold"} {
		found, compared := recompute(misread)
		slices.Sort(found)
		if got := strings.Join(found, ", "); got != want || compared != 20 {
			t.Errorf("without %q: %q of %d, want %q of 20", misread, got, compared, want)
		}
	}
}
