package poller_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/aggregator/poller"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// service is a small ticketing service in memory. It responds at once, by the clock of its bubble.
type service struct {
	lists    []apiclient.Stream
	pageSize int // 100 when zero

	mu    sync.Mutex
	rows  map[string][]record.Record // by stream, in order of creation
	asked []request
	// fail makes every request for a stream fail, hang blocks it until the channel is closed,
	// ignore makes the service ignore filters.
	fail   map[string]error
	hang   map[string]chan struct{}
	ignore bool
	// page, if set, is called before each page; its error is the response.
	page func(stream string, q apiclient.Query, n int) error
	// most limits the rows of a whole read, whatever the total, and mostChanged those of a read of changes; 0 for no limit.
	most, mostChanged int
	// undated omits the Date header.
	undated bool
	// ahead is how far the Date header is ahead of the clock.
	ahead time.Duration
	// tags hold the state of a stream when it was read whole, for Query.Conditional; those of lists with ReadsWhole also when
	// changes were read, since a time.
	tags     map[string]string
	tagSince map[string]time.Time
	// paused is until when requests are held back on our side, limited until when because the
	// service asked for it.
	paused, limited time.Time
}

// request is one request.
type request struct {
	stream string
	query  apiclient.Query
	at     time.Time
}

// lists are the names of newService's lists.
var lists = []string{"events", "tickets", "payments"}

// newService returns a service with lists of the kinds that figures need.
func newService() *service {
	return withLists(
		apiclient.Stream{Name: "events", Gives: []record.Kind{record.KindEvent}},
		apiclient.Stream{Name: "tickets", Gives: []record.Kind{record.KindTicket}, ByEvent: true},
		apiclient.Stream{Name: "payments", Gives: []record.Kind{record.KindPayment}, ByEvent: true},
	)
}

func withLists(lists ...apiclient.Stream) *service {
	return &service{
		lists:    lists,
		rows:     map[string][]record.Record{},
		fail:     map[string]error{},
		hang:     map[string]chan struct{}{},
		tags:     map[string]string{},
		tagSince: map[string]time.Time{},
	}
}

// listOf returns the stream that a record comes from.
func (s *service) listOf(r record.Record) string {
	i := slices.IndexFunc(s.lists, func(l apiclient.Stream) bool { return slices.Contains(l.Gives, r.RecordKind()) })
	return s.lists[i].Name
}

func same(r record.Record) func(record.Record) bool {
	return func(o record.Record) bool { return o.RecordKind() == r.RecordKind() && o.RecordID() == r.RecordID() }
}

// put adds or changes records.
func (s *service) put(records ...record.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		list := s.listOf(r)
		if i := slices.IndexFunc(s.rows[list], same(r)); i < 0 {
			s.rows[list] = append(s.rows[list], r)
		} else {
			s.rows[list][i] = r
		}
	}
}

// drop removes records.
func (s *service) drop(records ...record.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range records {
		list := s.listOf(r)
		s.rows[list] = slices.DeleteFunc(slices.Clone(s.rows[list]), same(r))
	}
}

// set changes how the service behaves.
func (s *service) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// requests returns the requests for a stream since a time.
func (s *service) requests(stream string, since time.Time) []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []request
	for _, a := range s.asked {
		if a.stream == stream && !a.at.Before(since) {
			found = append(found, a)
		}
	}
	return found
}

func (s *service) Paused(string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, time.Until(s.paused), time.Until(s.limited))
}

func (s *service) Limited(string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, time.Until(s.limited))
}

func (s *service) Streams() []apiclient.Stream { return s.lists }

// Read yields the rows as they are when it begins, except when it resumes.
func (s *service) Read(ctx context.Context, stream string, q apiclient.Query) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		s.mu.Lock()
		s.asked = append(s.asked, request{stream, q, time.Now()})
		rows, total := s.matching(stream, q), -1
		if q.UpdatedSince.IsZero() && q.EventID == "" && s.most > 0 {
			total = len(rows)
			rows = rows[:min(total, s.most)]
		}
		if !q.UpdatedSince.IsZero() && s.mostChanged > 0 {
			total = len(rows)
			rows = rows[:min(total, s.mostChanged)]
		}
		tag := fmt.Sprint(rows)
		whole := slices.ContainsFunc(s.lists, func(l apiclient.Stream) bool { return l.Name == stream && l.ReadsWhole })
		unchanged := (q.Conditional || whole && q.UpdatedSince.After(s.tagSince[stream])) && s.tags[stream] == tag
		s.mu.Unlock()
		size, n := cmp.Or(s.pageSize, 100), 1
		if q.From != "" {
			if _, err := fmt.Sscanf(q.From, "page %d", &n); err != nil {
				yield(nil, &apiclient.Error{Kind: apiclient.Rejected, Stream: stream})
				return
			}
		}
		for left := max(0, len(rows)-(n-1)*size); ; n++ {
			asked := time.Now()
			if err := s.answer(ctx, stream, q, n); err != nil {
				yield(nil, err)
				return
			}
			if s.ignore && q.EventID != "" {
				yield(nil, &apiclient.Error{Kind: apiclient.Contradicts, Stream: stream, Err: apiclient.ErrIgnoresEvent})
				return
			}
			page := rows[len(rows)-left:][:min(size, left)]
			left -= len(page)
			report := apiclient.Page{Number: n, Rows: len(page), Total: total, Took: max(time.Millisecond, time.Since(asked)), Unchanged: unchanged,
				Unfiltered: s.ignore && !q.UpdatedSince.IsZero()}
			if !s.undated {
				report.ServerTime = time.Now().Add(s.ahead).Truncate(time.Second)
			}
			report.Short = left == 0 && total > len(rows) && q.From == "" && q.EventID == ""
			if left > 0 {
				report.Resume = fmt.Sprint("page ", n+1)
			}
			if unchanged {
				report.Rows, report.Resume = 0, ""
			}
			q.OnPage(report)
			if unchanged {
				s.set(func() { s.tagSince[stream] = q.UpdatedSince })
				return
			}
			for _, r := range page {
				t, ok := r.(*record.Ticket)
				if ok && t.Seat == "bad" {
					if !yield(nil, &record.Refusal{Stream: stream, Kind: t.RecordKind(), ID: t.ID, EventID: t.EventID, Updated: t.UpdatedAt, Field: "seat", Why: record.Say("is bad")}) {
						return
					}
					continue
				}
				if ok && t.Seat == "garbled" {
					if !yield(nil, &record.Refusal{Stream: stream, Why: record.Say("is no object")}) {
						return
					}
					continue
				}
				if !yield(r, nil) {
					return
				}
				q.OnRow(record.Row{List: stream, Records: []record.Key{{Kind: r.RecordKind(), ID: r.RecordID()}}})
			}
			if left == 0 {
				break
			}
		}
		if (q.UpdatedSince.IsZero() || whole) && q.EventID == "" {
			s.set(func() { s.tags[stream], s.tagSince[stream] = tag, q.UpdatedSince })
		}
	}
}

func (s *service) matching(stream string, q apiclient.Query) []record.Record {
	var rows []record.Record
	if slices.ContainsFunc(s.lists, func(l apiclient.Stream) bool { return l.Name == stream && l.ReadsWhole }) {
		return slices.Clone(s.rows[stream])
	}
	for _, r := range s.rows[stream] {
		t, isTicket := r.(*record.Ticket)
		if !s.ignore && r.RecordUpdated().Before(q.UpdatedSince) || isTicket && q.EventID != "" && t.EventID != q.EventID {
			continue
		}
		rows = append(rows, r)
	}
	if !q.UpdatedSince.IsZero() {
		slices.SortStableFunc(rows, func(a, b record.Record) int { return b.RecordUpdated().Compare(a.RecordUpdated()) })
	}
	return rows
}

// answer returns the error of a page, nil if it is sent.
func (s *service) answer(ctx context.Context, stream string, q apiclient.Query, n int) error {
	s.mu.Lock()
	fail, hang, page := s.fail[stream], s.hang[stream], s.page
	s.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if fail != nil {
		return fail
	}
	if page != nil {
		return page(stream, q, n)
	}
	return ctx.Err()
}

// house is a process in a bubble: a poller, and figures that follow the same log.
type house struct {
	*aggregator.Figures
	*service
	log          *logtest.Database
	logs         *logLines
	publications atomic.Int64
	stop         func() error
	polls        chan poller.Poll // the first thousand
}

// logLines are what was logged so far. Several may write and read them.
type logLines struct {
	mu sync.Mutex
	strings.Builder
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(b)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.String()
}

// options configures a house.
type options struct {
	calendar figures.Calendar
	cadence  poller.Cadence
	now      func() time.Time
	keep     time.Duration // scans and contacts
	changes  func(figures.Changes)
	nudges   func(context.Context) (map[string]int64, error)
	nudged   <-chan struct{}
}

// run runs a house over s and db until stop or the end of the test.
func run(t *testing.T, s *service, db *logtest.Database, change ...func(*options)) *house {
	t.Helper()
	h := &house{service: s, log: db, logs: new(logLines), polls: make(chan poller.Poll, 1000)}
	o := options{changes: func(figures.Changes) {}}
	for _, f := range change {
		f(&o)
	}
	log, logger := db.Open(), slog.New(slog.NewTextHandler(h.logs, nil))
	var err error
	h.Figures, err = aggregator.New(aggregator.Options{
		Log: log, Streams: streamsOf(s), Calendar: o.calendar, Logger: logger,
		Published: func(c figures.Changes) {
			h.publications.Add(1)
			o.changes(c)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := poller.New(poller.Options{Source: s, Log: log, Figures: h.Figures, Calendar: o.calendar, Cadence: o.cadence, Now: o.now, Logger: logger, KeepScans: o.keep, KeepContacts: o.keep, Nudges: o.nudges, Nudged: o.nudged,
		Polled: func(p poller.Poll) {
			select {
			case h.polls <- p:
			default:
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	h.stop = start(t, h.Figures, p)
	synctest.Wait()
	return h
}

// streamsOf returns the lists of a source as figures know them.
func streamsOf(s interface{ Streams() []apiclient.Stream }) []aggregator.Stream {
	var all []aggregator.Stream
	for _, l := range s.Streams() {
		all = append(all, aggregator.Stream{Name: l.Name, Kinds: l.Gives})
	}
	return all
}

// start runs figures, and a poller unless it is nil, until stop or the end of the test.
func start(t *testing.T, f *aggregator.Figures, p *poller.Poller) (stop func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- f.Run(ctx) }()
	if p == nil {
		ended <- nil
	} else {
		go func() { ended <- p.Run(ctx) }()
	}
	stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-ended, <-ended)
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return stop
}

// mark is where a stream continues.
type mark struct {
	Since, Began time.Time
	From         string
	Whole        time.Time
}

func markOf(db *logtest.Database, stream string) mark {
	s := db.State(stream)
	return mark{s.Since, s.Began, s.Resume, s.Whole}
}

// bubble runs f in parallel, in a synctest bubble that starts at 19:00.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pass(19 * time.Hour)
		f(t)
	})
}

// pass advances the time and waits until everything is idle.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// health returns the current health of a stream.
func (h *house) health(stream string) figures.StreamHealth {
	for _, s := range h.Snapshot().Health.Streams {
		if s.Name == stream {
			return s
		}
	}
	panic("no such stream: " + stream)
}

// sold returns the places sold of an event, -1 if they are unknown.
func (h *house) sold(event string) int {
	e := h.Snapshot().Event(event)
	if e == nil {
		return -1
	}
	return e.Sold.Value
}

// evening returns an event whose curtain is on the bubble's first day.
func eveningEvent(id string, curtain time.Duration) *record.Event {
	midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	return &record.Event{
		ID: id, Title: id, Date: midnight.Add(curtain).Format(time.DateOnly), Status: record.EventSalesClosed, Capacity: new(400),
		DoorsAt: midnight.Add(curtain - time.Hour), StartsAt: midnight.Add(curtain), EndsAt: midnight.Add(curtain + 2*time.Hour),
		CreatedAt: midnight.Add(-time.Hour), UpdatedAt: midnight.Add(-time.Hour),
	}
}

// sale returns a ticket of two places that is sold now.
func sale(id, event string) *record.Ticket {
	return &record.Ticket{
		ID: id, EventID: event, Quantity: new(2), Price: &record.Money{Amount: 2500, Currency: "EUR"}, Status: record.TicketValid,
		CreatedAt: time.Now(), SoldAt: time.Now(), UpdatedAt: time.Now(),
	}
}

func paid(id, event string) *record.Payment {
	return &record.Payment{
		ID: id, EventID: event, Amount: record.Money{Amount: 5000, Currency: "EUR"}, Status: record.PaymentPaid,
		CreatedAt: time.Now(), PaidAt: time.Now(), UpdatedAt: time.Now(),
	}
}

// tonight returns a service with two events tonight, one in two days and one long past, and some
// sales for each.
func tonight() *service {
	s := newService()
	s.put(eveningEvent("evt_past", -100*time.Hour), eveningEvent("evt_big", 20*time.Hour), eveningEvent("evt_small", 20*time.Hour+30*time.Minute), eveningEvent("evt_later", 68*time.Hour))
	for i, event := range []string{"evt_past", "evt_big", "evt_small", "evt_later"} {
		for n := range 3 {
			s.put(sale(fmt.Sprintf("tkt_%d%d", i, n), event))
		}
		s.put(paid(fmt.Sprint("pay_", i), event))
	}
	return s
}

// say formats a figure.
func say[T any](f figures.Figure[T]) string {
	words := []string{"", "estimated ", "at least ", "unknown"}[f.Quality]
	if f.Known() {
		words += fmt.Sprint(f.Value)
	}
	for _, r := range f.Reasons {
		words += " " + string(r)
	}
	return words
}

// sinceOf returns the time since which changes of a list with ReadsWhole were last read to the end.
func (s *service) sinceOf(stream string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tagSince[stream]
}
