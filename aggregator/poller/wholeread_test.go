package poller_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// soldOut returns a service with a past event and n tickets of two places for it.
func soldOut(n int) *service {
	s := newService()
	s.put(eveningEvent("evt", -100*time.Hour))
	for i := range n {
		s.put(ticketOf(i))
	}
	return s
}

// ticketOf returns the i-th ticket of soldOut.
func ticketOf(i int) *record.Ticket {
	t := sale(fmt.Sprint("tkt_", i), "evt")
	t.SoldAt = time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)
	t.CreatedAt, t.UpdatedAt = t.SoldAt, t.SoldAt
	return t
}

// wholeReads returns the requests for a stream that started a whole read.
func (s *service) wholeReads(stream string, since time.Time) []request {
	return slices.DeleteFunc(s.requests(stream, since), func(a request) bool {
		return !a.query.UpdatedSince.IsZero() || a.query.EventID != "" || a.query.From != ""
	})
}

func (h *house) alarms() []string {
	var texts []string
	for _, d := range h.Snapshot().Diagnostics {
		if d.Code == figures.CodeSweepGuard {
			texts = append(texts, fmt.Sprintf("%s %d: %s", d.Kind, d.Count, d.Text))
		}
	}
	return texts
}

// The first sync is at 19:00, so the first night with a whole read is the second: 04:00 is then
// 33 hours later.
const secondNight = 33 * time.Hour

func TestWholeRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := soldOut(10), logtest.New()
		s.pageSize = 4
		h := run(t, s, log)
		gone := ticketOf(3)
		s.drop(gone)
		began := time.Now().Add(time.Second)
		pass(22 * time.Hour)
		if got := h.sold("evt"); got != 20 || len(h.wholeReads("tickets", began)) > 0 {
			t.Errorf("%d places sold before the second night, %d whole reads", got, len(h.wholeReads("tickets", began)))
		}
		pass(secondNight - 22*time.Hour)
		if got := h.sold("evt"); got != 18 {
			t.Errorf("%d places sold after the whole read, want 18", got)
		}
		if got := len(h.wholeReads("tickets", began)); got != 2 {
			t.Errorf("%d whole reads of tickets, want one and one more to make sure", got)
		}
		if got := len(h.wholeReads("payments", began)); got != 1 {
			t.Errorf("%d whole reads of payments, want one", got)
		}
		held := log.Newest("ticket", "tkt_3").(*record.Ticket)
		if want := *gone; !held.Deleted || !held.UpdatedAt.Equal(want.UpdatedAt) || held.EventID != want.EventID {
			t.Errorf("the log has %+v", held)
		}
		if got := markOf(h.log, "tickets"); time.Since(got.Whole) > time.Hour || time.Since(got.Since) > 20*time.Minute {
			t.Errorf("mark %+v", got)
		}

		// An unchanged list costs one request.
		began = time.Now()
		revision := h.Snapshot().Position.Revision
		pass(24 * time.Hour)
		if got := h.wholeReads("tickets", began); len(got) != 1 || !got[0].query.Conditional || h.Snapshot().Position.Revision != revision {
			t.Errorf("asked %+v at revision %d, want one question at %d", got, h.Snapshot().Position.Revision, revision)
		}

		// A record that comes back unchanged counts again.
		s.put(gone)
		pass(24 * time.Hour)
		if got := h.sold("evt"); got != 20 {
			t.Errorf("%d places sold after the return, want 20", got)
		}
	})
}

// A whole read deletes records of every kind.
func TestWholeReadOfEveryKind(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := orders(), logtest.New()
		plan := &record.Planning{ID: "pln_0", EventID: "evt_big", Capacity: new(50), UpdatedAt: time.Now()}
		s.put(plan)
		h := run(t, s, log)
		s.drop(eveningEvent("evt_big", 20*time.Hour), sale("tkt_0", ""), paid("pay_0", ""), &record.Contact{ID: "con_0"}, entry("scn_0", ""), plan)
		pass(secondNight)
		for _, one := range []struct {
			kind record.Kind
			id   string
		}{{"event", "evt_big"}, {"ticket", "tkt_0"}, {"payment", "pay_0"}, {"contact", "con_0"}, {"scan", "scn_0"}, {"planning", "pln_0"}} {
			if r := log.Newest(one.kind, one.id); !record.Deleted(r) {
				t.Errorf("%s %s is still there: %+v", one.kind, one.id, r)
			}
		}

		if text := fmt.Sprintf("%+v", log.Newest("ticket", "tkt_1")); !strings.Contains(text, "Deleted:false") {
			t.Errorf("tkt_1 is gone: %s", text)
		}
		shown := h.Snapshot()
		if len(shown.Events) > 0 || shown.Total.Of(figures.Received).Value != nil || shown.Total.Of(figures.Booked).Value.In("EUR") != 2*2*2500 {
			t.Errorf("%d events, received %v, booked %v", len(shown.Events), shown.Total.Of(figures.Received), shown.Total.Of(figures.Booked))
		}
	})
}

func TestWholeReadLeaves(t *testing.T) {
	for _, c := range []struct {
		name string
		// before is called before the night, during when the first whole read of tickets requests a
		// page.
		before, during func(s *service)
		want           int // places sold, of 20
	}{
		{"what is gone", func(s *service) { s.drop(ticketOf(3)) }, nil, 18},
		{"what a page hid once", func(s *service) { s.drop(ticketOf(3)) }, func(s *service) { s.put(ticketOf(3)) }, 20},
		{"what hid the second time", nil, func(s *service) { s.drop(ticketOf(3)) }, 20},
		{"what is sold meanwhile", func(s *service) { s.drop(ticketOf(3)) }, func(s *service) {
			s.put(sale("tkt_new", "evt"))
		}, 20},
		{"what is refused", func(s *service) {
			bad := ticketOf(3)
			bad.Seat = "bad"
			s.put(bad)
			s.drop(ticketOf(4))
		}, nil, 18},
		{"all, where a row has no name", func(s *service) {
			bad := ticketOf(3)
			bad.Seat = "garbled"
			s.put(bad)
			s.drop(ticketOf(4))
		}, nil, 20},
		{"what the list's total counts", func(s *service) { s.most = 8 }, nil, 20},
		{"what it does not count", func(s *service) {
			s.most = 9
			s.drop(ticketOf(3))
		}, nil, 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := soldOut(10)
				h := run(t, s, logtest.New())
				if c.before != nil {
					c.before(s)
				}
				s.set(func() {
					s.page = func(stream string, q apiclient.Query, n int) error {
						if stream == "tickets" && q.UpdatedSince.IsZero() && c.during != nil {
							s.set(func() { s.page = nil })
							c.during(s)
						}
						return nil
					}
				})
				pass(secondNight)
				if got := h.sold("evt"); got != c.want {
					t.Errorf("%d places sold, want %d", got, c.want)
				}
			})
		})
	}
}

// Services archive: records of performances long past do not count as missing. A payment belongs to
// a performance by its order's tickets, a scan by its ticket.
func TestWholeReadLeavesTheArchived(t *testing.T) {
	for days, want := range map[int]bool{28: true, 30: false} {
		t.Run(fmt.Sprint(days, " days"), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, log := withLists(
					apiclient.Stream{Name: "events", Gives: []record.Kind{record.KindEvent}},
					apiclient.Stream{Name: "rest", Gives: []record.Kind{record.KindTicket, record.KindPayment, record.KindScan, record.KindPlanning, record.KindContact}},
				), logtest.New()
				tkt := sale("tkt", "evt")
				tkt.OrderID = "ord"
				old := []record.Record{
					eveningEvent("evt", -time.Duration(days)*24*time.Hour), tkt,
					&record.Payment{ID: "pay", OrderID: "ord", Amount: record.Money{Amount: 5000, Currency: "EUR"}, Status: record.PaymentPaid},
					&record.TicketScan{ID: "scn", TicketID: "tkt", Scan: record.Scan{Direction: record.Entry}},
					&record.Planning{ID: "pln", EventID: "evt"},
				}
				s.put(old...)
				ago := time.Now().AddDate(0, 0, -days)
				loose := []record.Record{
					&record.Payment{ID: "no event", PaidAt: ago, Amount: record.Money{Amount: 1, Currency: "EUR"}, Status: record.PaymentPaid},
					&record.Payment{ID: "unlisted event", EventID: "gone", PaidAt: ago, Amount: record.Money{Amount: 1, Currency: "EUR"}, Status: record.PaymentPaid},
				}
				s.put(loose...)
				s.put(&record.Contact{ID: "con"}, &record.Payment{ID: "loose", Amount: record.Money{Amount: 1, Currency: "EUR"}, Status: record.PaymentPaid})
				run(t, s, log)
				s.drop(old...)
				s.drop(loose...)
				s.drop(&record.Contact{ID: "con"}, &record.Payment{ID: "loose"})
				pass(secondNight)
				for _, r := range append(old, loose...) {
					if got := isDeleted(t, log, r); got != want {
						t.Errorf("%s deleted: %v, want %v", r.RecordKind(), got, want)
					}
				}
				for _, r := range []record.Record{&record.Contact{ID: "con"}, &record.Payment{ID: "loose"}} {
					if !isDeleted(t, log, r) {
						t.Errorf("%s, which belongs to no performance, was not deleted", r.RecordKind())
					}
				}
			})
		})
	}
}

// isDeleted reports whether r is deleted in the log.
func isDeleted(t *testing.T, log *logtest.Database, r record.Record) bool {
	t.Helper()
	held := log.Newest(r.RecordKind(), r.RecordID())
	if held == nil {
		t.Fatalf("the log has no %s", r.RecordKind())
	}
	return reflect.ValueOf(held).Elem().FieldByName("Deleted").Bool()
}

// A record that several lists may give is deleted once two nights' reads of each of them lack it: not while it may be on its
// way to another list, nor while one of them fails.
func TestWholeReadOfSharedKinds(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *service)
		want   int
	}{
		{"gone", func(*service) {}, 18},
		{"in the other list", func(s *service) { s.rows["gifts"] = append(s.rows["gifts"], ticketOf(3)) }, 20},
		{"the other list fails", func(s *service) { s.fail["gifts"] = &apiclient.Error{Kind: apiclient.Unreachable, Stream: "gifts"} }, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := soldOut(10)
				s.lists = append(s.lists, apiclient.Stream{Name: "gifts", Gives: []record.Kind{record.KindTicket, record.KindContact}, WholeEvery: time.Hour})
				s.rows["gifts"] = []record.Record{&record.Contact{ID: "con_0"}, &record.Contact{ID: "con_1"}}
				log := logtest.New()
				h := run(t, s, log)
				pass(secondNight)
				s.drop(ticketOf(3))
				s.set(func() { s.rows["gifts"] = s.rows["gifts"][1:] })
				s.set(func() { c.change(s) })
				pass(24 * time.Hour)
				if got := h.sold("evt"); got != 20 {
					t.Errorf("%d places sold after one night, want 20", got)
				}
				pass(48 * time.Hour)
				if got := h.sold("evt"); got != c.want {
					t.Errorf("%d places sold after three nights, want %d", got, c.want)
				}
				if c.want == 18 && !log.Newest("contact", "con_0").(*record.Contact).Deleted {
					t.Error("a contact that is gone is still there")
				}
			})
		})
	}
}

func TestQuietHours(t *testing.T) {
	for _, c := range []struct {
		name   string
		cutoff time.Duration
		start  string // an hour later the first sync begins
		hours  []int  // by the venue's clock
		nights []int  // days on which a whole read begins, of three from the start
	}{
		{"winter", 0, "2000-01-10T18:00:00+01:00", []int{3}, []int{12, 13}},
		{"clocks go forward", 0, "2000-03-24T18:00:00+01:00", []int{3}, []int{26, 27}},
		{"clocks go back", 0, "2000-10-27T18:00:00+02:00", []int{3}, []int{29, 30}},
		{"club", 6 * time.Hour, "2000-01-10T18:00:00+01:00", []int{9}, []int{12, 13}},
		{"from before midnight", 20 * time.Hour, "2000-01-10T12:00:00+01:00", []int{23}, []int{11, 12}},
		{"from midnight", 21 * time.Hour, "2000-01-10T18:00:00+01:00", []int{0}, []int{12, 13}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				start, err := time.Parse(time.RFC3339, c.start)
				if err != nil {
					t.Fatal(err)
				}
				ahead := time.Until(start.Add(time.Hour))
				calendar := amsterdam(t, c.cutoff)
				h := run(t, newService(), logtest.New(), func(o *options) {
					o.calendar, o.now = calendar, func() time.Time { return time.Now().Add(ahead) }
				})
				began := time.Now().Add(time.Second)
				pass(66 * time.Hour)
				var nights []int
				for _, a := range h.wholeReads("tickets", began) {
					at := a.at.Add(ahead).In(calendar.Zone)
					nights = append(nights, at.Day())
					if !slices.Contains(c.hours, at.Hour()) {
						t.Errorf("a whole read at %v", at)
					}
				}
				if !slices.Equal(nights, c.nights) {
					t.Errorf("sweeps on the days %v, want %v", nights, c.nights)
				}
			})
		})
	}
}

// While visitors arrive, the night is not quiet.
func TestWholeReadWaitsForVisitors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := soldOut(1)
		s.put(eveningEvent("evt_night", 52*time.Hour)) // 04:00, doors 03:00
		h := run(t, s, logtest.New())
		began := time.Now().Add(time.Second)
		pass(35 * time.Hour)
		if got := h.wholeReads("tickets", began); len(got) != 1 || got[0].at.Hour() != 4 || got[0].at.Minute() < 15 {
			t.Errorf("asked %+v, want one whole read after 04:15", got)
		}
	})
}

func TestWholeEvery(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := soldOut(10)
		s.lists[1].WholeEvery = time.Hour
		h := run(t, s, logtest.New())
		began := time.Now().Add(time.Second)
		s.drop(ticketOf(3))
		pass(80 * time.Minute)
		if got := h.sold("evt"); got != 18 {
			t.Errorf("%d places sold, want 18", got)
		}
		pass(10 * time.Hour)
		if got := len(h.wholeReads("tickets", began)); got < 9 || got > 11 {
			t.Errorf("%d whole reads in eleven hours", got)
		}
		if got := len(h.requests("tickets", began)); got < 36 {
			t.Errorf("%d questions in eleven hours", got)
		}
	})
}

// A failed whole read deletes nothing, does not hold up changes, and is retried.
func TestWholeReadFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := soldOut(10)
		s.pageSize = 4
		h := run(t, s, logtest.New())
		began := time.Now().Add(time.Second)
		s.drop(ticketOf(3))
		var failures atomic.Int64
		s.set(func() {
			s.page = func(stream string, q apiclient.Query, n int) error {
				if stream == "tickets" && q.UpdatedSince.IsZero() && n == 2 && failures.Load() < 2 {
					failures.Add(1)
					return &apiclient.Error{Kind: apiclient.Garbage, Stream: stream}
				}
				return nil
			}
		})
		pass(secondNight - 30*time.Minute) // half past three
		s.put(sale("tkt_new", "evt"))
		pass(20 * time.Minute)
		if got := h.sold("evt"); got != 22 || failures.Load() != 1 {
			t.Errorf("%d places sold after %d failures, want 22 after one", got, failures.Load())
		}
		if got := h.health("tickets"); got.Missed != 0 || got.Fault != "" {
			t.Errorf("health %+v", got)
		}
		pass(2 * time.Hour)
		if got := h.sold("evt"); got != 20 || failures.Load() != 2 {
			t.Errorf("%d places sold after %d failures, want 20 after two", got, failures.Load())
		}
		if got := h.wholeReads("tickets", began); len(got) != 4 || got[1].at.Sub(got[0].at) < 50*time.Minute {
			t.Errorf("asked %+v", got)
		}
	})
}

// Sales stay current while a list is read whole.
func TestLongWholeRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := soldOut(60)
		s.lists[1].WholeEvery = time.Hour
		s.pageSize = 1
		s.put(eveningEvent("evt_big", 21*time.Hour))
		h := run(t, s, logtest.New(), func(o *options) { o.cadence.Idle = 50 * time.Minute })
		s.set(func() {
			s.page = func(stream string, q apiclient.Query, n int) error {
				if stream == "tickets" && q.UpdatedSince.IsZero() {
					<-time.After(10 * time.Second)
				}
				return nil
			}
		})
		pass(57*time.Minute + 30*time.Second)
		s.put(sale("tkt_before", "evt_big"))
		pass(7*time.Minute + 30*time.Second) // doors are open
		s.put(sale("tkt_new", "evt_big"))
		pass(15 * time.Second)
		if got := h.sold("evt_big"); got != 4 || time.Since(markOf(h.log, "tickets").Whole) < time.Hour {
			t.Errorf("%d places sold in the middle of a whole read, want 4", got)
		}
	})
}

func amsterdam(t testing.TB, cutoff time.Duration) figures.Calendar {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	return figures.Calendar{Zone: zone, Cutoff: cutoff}
}
