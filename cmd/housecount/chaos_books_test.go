package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/poller"
	"housecount/apiclient"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/observe"
)

// watch runs a poller and figures on the house until stop, wired as serve does.
func (h *chaoticHouse) watch() (stop func()) {
	// Few rows at a time, so that at a slow pace a look at many changes takes minutes.
	rows, budget := int(5*time.Minute/h.pace.Busy), int(20*time.Minute/h.pace.Busy)
	leading := &observe.LeadingLog{Records: h.log}
	read, closeIdle := h.read(apiclient.Options{PageSize: rows, MaxBody: 128 << 10, RequestsPerMinute: budget}, leading)
	f, err := aggregator.New(aggregator.Options{Log: h.log, Streams: streamsOf(read)})
	if err != nil {
		h.t.Fatal(err)
	}
	p, err := poller.New(poller.Options{Source: read, Log: leading, Figures: f, Cadence: h.pace})
	if err != nil {
		h.t.Fatal(err)
	}
	h.watching = f
	ctx, cancel := context.WithCancel(h.t.Context())
	ended := make(chan error, 2)
	go func() { ended <- f.Run(ctx) }()
	go func() { ended <- p.Run(ctx) }()
	return func() {
		cancel()
		if err := errors.Join(<-ended, <-ended); err != nil {
			h.t.Error(err)
		}
		closeIdle()
		h.figures = f.Snapshot()
	}
}

// compare holds what was kept against the books: every record, and every figure.
func (h *chaoticHouse) compare() {
	c, closeIdle := h.read(apiclient.Options{PageSize: 500, RequestsPerMinute: 6000}, &observe.LeadingLog{Records: h.log})
	defer closeIdle()
	books := map[string]string{}
	for _, s := range c.Streams() {
		for r, err := range c.Read(h.t.Context(), s.Name, apiclient.Query{}) {
			if err != nil {
				h.t.Fatal(err)
			}
			books[keyOf(r)] = text(h.t, r)
		}
	}
	versions, newest, wrong := 0, map[string]record.Record{}, []string(nil)
	for v, err := range h.log.Versions(h.t.Context(), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		versions++
		if !v.Head {
			continue
		}
		key, r := keyOf(v.Record), v.Record
		if before := newest[key]; before != nil {
			switch {
			case text(h.t, before) == text(h.t, r):
				wrong = append(wrong, key+" was stored twice")
			case !r.RecordUpdated().IsZero() && r.RecordUpdated().Before(before.RecordUpdated()):
				wrong = append(wrong, fmt.Sprintf("%s of %v was replaced by that of %v", key, before.RecordUpdated(), r.RecordUpdated()))
			}
		}
		newest[key] = r
	}
	for key, r := range newest {
		got := text(h.t, r)
		switch want, ok := books[key]; {
		case ok && got != want:
			wrong = append(wrong, fmt.Sprintf("%s is %s, the books say %s", key, got, want))
		// What is marked as a test counts nowhere; a fifth of all that is gone is not believed.
		case !ok && !strings.Contains(got, `"deleted":true`) && !strings.Contains(got, `"test":true`):
			wrong = append(wrong, fmt.Sprintf("%s is in no book: %s", key, got))
		}
		delete(books, key)
	}
	for key, want := range books {
		wrong = append(wrong, fmt.Sprintf("%s was lost: %s", key, want))
	}
	h.t.Logf("%d records, %d versions", len(newest), versions)
	if len(wrong) > 0 {
		h.t.Errorf("%d things are wrong:", len(wrong))
		for _, text := range wrong[:min(5, len(wrong))] {
			h.t.Error(text)
		}
	}
	if h.beside == nil {
		compareWithTruth(h.t, h.figures, h.sandbox)
		return
	}
	h.compareWithEach()
}

// compareWithEach compares the figures of two houses with those of each house alone.
func (h *chaoticHouse) compareWithEach() {
	both, shown := h.figures, 0
	moved := map[string]int64{}
	add := func(r *figures.Revenue, sign int64) {
		for m, f := range r.Measures {
			for _, one := range f.Value {
				moved[fmt.Sprint(figures.Measure(m), one.Currency)] += sign * one.Amount
			}
		}
	}
	add(&both.Total, 1)
	for prefix, one := range map[string]*chaoticHouse{"": h, "second:": h.beside} {
		one.beside, one.log, one.pace = nil, one.own, quick
		stop := one.watch()
		time.Sleep(still)
		stop()
		compareWithTruth(h.t, one.figures, one.sandbox)
		add(&one.figures.Total, -1)
		for _, alone := range one.figures.Events {
			e := both.Event(prefix + alone.Event.ID)
			if e == nil {
				h.t.Errorf("there is no performance %s%s", prefix, alone.Event.ID)
				continue
			}
			shown++
			say := func(e *figures.EventFigures) string {
				return fmt.Sprint(e.Sold, e.Paid, e.Unpaid, e.Reserved, e.Available, e.Attendance, e.PresentNow, e.Gates, e.Buyers, e.Orders, e.PaidFor, e.Revenue.Measures)
			}
			if got, want := say(e), say(alone); got != want {
				h.t.Errorf("%s%s, of both\n%s\nalone\n%s", prefix, alone.Event.ID, got, want)
			}
		}
	}
	if shown != len(both.Events) || shown == 0 {
		h.t.Errorf("%d performances of both, %d of each", len(both.Events), shown)
	}
	for of, amount := range moved {
		if amount != 0 {
			h.t.Errorf("%s: both together have %d more than each alone", of, amount)
		}
	}
}

func keyOf(r record.Record) string { return string(r.RecordKind()) + " " + r.RecordID() }

func text(t *testing.T, r record.Record) string {
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pipes is a network of one server, for a synctest bubble.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPipes(t *testing.T, h http.Handler) *pipes {
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() { defer close(served); s.Serve(p) }()
	t.Cleanup(func() {
		s.Close()
		<-served
	})
	return p
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, errors.New("nobody listens")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
