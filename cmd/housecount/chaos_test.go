package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/poller"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/services"
	"housecount/cmd/housecount/options"
)

const (
	// chaosKey is what the sandbox of the chaos knows the client by.
	chaosKey = "chaos-key"
	// calm is how long the service is well before the books are compared: a stream that
	// it seemed not to offer is asked for again within it. After lies there is a night in it,
	// in which the lists are read whole.
	calm, calmWithNight = 80 * time.Minute, 36 * time.Hour
	// still is how long its books then stand still, so that all of them can be read.
	still = 40 * time.Minute
)

// trouble is the body of a call that puts a fault in force.
type trouble struct {
	Kind   string  `json:"kind"`
	Stream string  `json:"stream,omitempty"`
	For    float64 `json:"for"` // seconds
	Rate   float64 `json:"rate"`
	Delay  float64 `json:"delay"` // seconds
	Status int     `json:"status"`
}

// troubles are the faults, with what there is to choose for each.
var troubles = map[string]func(*trouble, *rand.Rand){
	"stall":          nil,
	"latency":        func(x *trouble, r *rand.Rand) { x.Rate, x.Delay = max(x.Rate, .5), 4+9*r.Float64() },
	"error":          func(x *trouble, r *rand.Rand) { x.Status = pick(r, 0, 400, 401, 403, 404, 408, 422, 500, 503) },
	"rate-limit":     nil,
	"storm":          nil,
	"truncate":       nil,
	"reset":          nil,
	"reset-body":     nil,
	"endless":        nil,
	"huge":           nil,
	"garbage":        nil,
	"loop":           nil,
	"clock-skew":     func(x *trouble, r *rand.Rand) { x.Delay = 1200*r.Float64() - 600 },
	"shift":          nil,
	"duplicate":      nil,
	"vanish":         nil,
	"test-record":    nil,
	"unknown-status": nil,
	"absent":         nil,
	"null":           nil,
	"late":           func(x *trouble, _ *rand.Rand) { x.Stream, x.Rate = "", .5 }, // now late, now not
}

// lies are the faults that tell records wrongly, as nobody sees who only asks for changes:
// they are mended when the lists are read whole.
var lies = []string{"vanish", "test-record", "unknown-status", "absent", "null"}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// TestChaosKnowsEveryFault: a fault that is new to the sandbox has to be met here.
func TestChaosKnowsEveryFault(t *testing.T) {
	known := slices.Sorted(maps.Keys(troubles))
	if !slices.Equal(known, faults.Kinds()) {
		t.Errorf("the chaos has %v, the sandbox %v", known, faults.Kinds())
	}
}

// TestChaosEvenings has each fault by itself for the last two hours of an evening, lies for four, and some of them on PostgreSQL
// too.
func TestChaosEvenings(t *testing.T) {
	t.Parallel()
	for i, kind := range faults.Kinds() {
		pace, lasting := slow, 2*time.Hour
		if slices.Contains(lies, kind) {
			lasting = 4 * time.Hour
		}
		if kind == "late" { // who asks often is told what was before after what is
			pace = quick
		}
		t.Run(kind, func(t *testing.T) { chaos(t, sqlite(t), uint64(i+1), false, lasting, pace, kind) })
		if slices.Contains([]string{"late", "error", "reset-body"}, kind) {
			t.Run(kind+",postgres", func(t *testing.T) { chaos(t, pgtest.New(t), uint64(i+1), false, lasting, pace, kind) })
		}
	}
}

// sqlite returns a database file that is not there yet.
func sqlite(t *testing.T) string { return filepath.Join(t.TempDir(), "chaos.db") }

// TestChaosWeeks has all faults in random combination for a week, by a seed that the name
// of the subtest tells. CHAOS_SEED has that week alone, CHAOS_WEEKS
// so many of them, and then each on both databases; without, the honest one lasts two days, and
// on PostgreSQL there is that of TestSeason. The seed decides on the house and on all that befalls it; the waits of
// poller and client vary by a tenth in each run.
func TestChaosWeeks(t *testing.T) {
	t.Parallel()
	first, weeks := uint64(1), 1
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("CHAOS_SEED: %v", err)
		}
		first, weeks = n, 1
	}
	if text := os.Getenv("CHAOS_WEEKS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("CHAOS_WEEKS: %v", err)
		}
		weeks = n
	}
	// The full week is one of all faults on SQLite, unless more was asked for.
	rest, more := 2*options.Day, os.Getenv("CHAOS_SEED")+os.Getenv("CHAOS_WEEKS") != ""
	if more {
		rest = 7 * options.Day
	}
	all := slices.Sorted(maps.Keys(troubles))
	honest := slices.DeleteFunc(slices.Clone(all), func(kind string) bool { return slices.Contains(lies, kind) })
	for seed := first; seed < first+uint64(weeks); seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { chaos(t, sqlite(t), seed, false, 7*options.Day, slow, all...) })
		t.Run(fmt.Sprintf("honest,seed=%d", seed), func(t *testing.T) { chaos(t, sqlite(t), seed, false, rest, slow, honest...) })
		if more {
			t.Run(fmt.Sprintf("postgres,seed=%d", seed), func(t *testing.T) { chaos(t, pgtest.New(t), seed, false, rest, slow, all...) })
			t.Run(fmt.Sprintf("orders,seed=%d", seed), func(t *testing.T) { chaos(t, sqlite(t), seed, true, rest, slow, withoutTestRecords(all)...) })
		}
	}
}

// withoutTestRecords returns the faults without that of test records: a test order has tickets of its own.
func withoutTestRecords(faults []string) []string {
	return slices.DeleteFunc(slices.Clone(faults), func(kind string) bool { return kind == "test-record" })
}

// TestChaosMinutes has each fault, and pairs of them, for 40 seconds again and again, under a poller that asks
// every few seconds. Two minutes after the last fault every record and every figure is that of the books.
func TestChaosMinutes(t *testing.T) {
	t.Parallel()
	kinds := faults.Kinds()
	for i, kind := range kinds {
		faults := []string{kind}
		if i%5 == 0 {
			faults = append(faults, kinds[(i+7)%len(kinds)])
		}
		t.Run(strings.Join(faults, ","), func(t *testing.T) { minutes(t, sqlite(t), uint64(i+1), false, faults...) })
	}
	t.Run("absent,postgres", func(t *testing.T) { minutes(t, pgtest.New(t), 1, false, "absent", "null") })
	t.Run("orders,absent", func(t *testing.T) { minutes(t, sqlite(t), 1, true, "absent", "vanish") })
	t.Run("orders,late,postgres", func(t *testing.T) { minutes(t, pgtest.New(t), 2, true, "late", "null") })
}

// minutes is chaos for three quarters of an hour.
func minutes(t *testing.T, database string, seed uint64, orders bool, faults ...string) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2000, 3, 23, 17, 0, 0, 0, time.UTC)))
		h := newChaoticHouse(t, database, seed, poller.Cadence{Busy: 5 * time.Second, OnSale: 5 * time.Second, Idle: 5 * time.Second}, orders)
		end := time.Now().Add(45 * time.Minute)
		h.step = time.Minute
		stop := h.watch()
		time.Sleep(5 * time.Minute)
		for time.Now().Before(end) {
			h.crowd(pick(h.random, slices.Sorted(maps.Keys(h.sandbox.Truth().Events))...))
			if orders {
				h.takeOut()
			}
			for _, kind := range faults {
				x := trouble{Kind: kind, For: 40, Rate: pick(h.random, .2, .5, 1)}
				if choose := troubles[kind]; choose != nil {
					choose(&x, h.random)
				}
				h.control("fault", x)
				h.sleep(40 * time.Second)
			}
			h.sleep(2 * time.Minute)
		}
		time.Sleep(40 * time.Second)
		h.control("fault", trouble{})
		time.Sleep(time.Minute)
		h.stand()
		time.Sleep(time.Minute)
		stop()
		h.compare()
	})
}

// The paces at which the service is looked at.
var (
	slow  = poller.Cadence{Busy: 2 * time.Minute, OnSale: 10 * time.Minute, Idle: 30 * time.Minute}
	quick = poller.Cadence{Busy: 20 * time.Second, OnSale: 20 * time.Second, Idle: 30 * time.Minute}
)

// chaos lets a house go on for a while during which the service has the faults, and holds
// what was kept of it in a database against its books. The database's own clock, by which a
// PostgreSQL lease expires, is not that of the bubble; time stands still in the bubble while
// a statement is under way.
func chaos(t *testing.T, database string, seed uint64, orders bool, lasting time.Duration, pace poller.Cadence, faults ...string) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The night to a Sunday in the week has no hour from two to three.
		time.Sleep(time.Until(time.Date(2000, 3, 23, 21, 0, 0, 0, time.UTC).Add(-min(lasting, 4*time.Hour))))
		h := newChaoticHouse(t, database, seed, pace, orders)
		end := time.Now().Add(lasting)
		h.step = min(time.Hour, lasting/24)
		h.befall(faults)
		stop := h.watch()
		for time.Now().Before(end) {
			h.sleep(h.step)
			switch h.random.IntN(16) {
			case 0:
				stop()
				h.sleep(h.step)
				stop = h.watch()
			case 1:
				h.control("fault", trouble{})
			case 2, 3, 4, 5, 6, 7, 8, 9:
				h.intervene()
			default:
				h.befall(faults)
			}
		}
		h.control("fault", trouble{})
		if slices.ContainsFunc(faults, func(kind string) bool { return slices.Contains(lies, kind) }) {
			time.Sleep(calmWithNight)
		} else {
			time.Sleep(calm)
		}
		h.stand()
		time.Sleep(still)
		stop()
		h.compare()
	})
}

// chaoticHouse is a sandbox on the clock of the bubble, with a poller and figures that watch it.
type chaoticHouse struct {
	t       *testing.T
	random  *rand.Rand
	pace    poller.Cadence
	step    time.Duration // the longest time in which nothing is done to it
	sandbox *sandbox.Sandbox
	pipes   *pipes
	log     *store.Records
	own     *store.Records    // for a reading of the house alone
	figures *figures.Snapshot // when the last watch ended
	// watching are the figures of the last watch.
	watching *aggregator.Figures
	orders   []soldOrder
	profile  *profile.Profile // nil for our own records
	beside   *chaoticHouse    // another house, whose service is read too; nil for none

	mu       sync.Mutex // guards the rest
	begin    time.Time
	standing bool
}

// soldOrder is the answer to a sale.
type soldOrder struct {
	TicketIDs []string `json:"ticket_ids"`
	PaymentID string   `json:"payment_id"`
}

// partsProfile reads a service that lists tickets as parts of their orders.
const partsProfile = `
name: orders
prefixes: [api/v2]
streams:
  - {name: events, path: events, gives: [event], full: &all {sort: created_at}, changes: &changes {sort: -updated_at}, since: &since {param: updated_since}, paging: &pages {style: auto, size_param: per_page}}
  - {name: orders, path: orders, gives: [ticket], records: '.tickets[]', row_updated: updated_at, full: *all, changes: *changes, since: *since, paging: *pages}
  - {name: payments, path: payments, gives: [payment], full: *all, changes: *changes, since: *since, paging: *pages}
  - {name: contacts, path: contacts, gives: [contact], full: *all, changes: *changes, since: *since, paging: *pages}
  - {name: planning, path: planning, gives: [planning], full: *all, changes: *changes, since: *since, paging: *pages}
`

// newChaoticHouse makes a house that lists its tickets by themselves or, with orders, as parts of their orders.
func newChaoticHouse(t *testing.T, database string, seed uint64, pace poller.Cadence, orders bool) *chaoticHouse {
	h := &chaoticHouse{t: t, pace: pace, random: rand.New(rand.NewPCG(seed, seed)), begin: time.Now()}
	var err error
	if orders {
		if h.profile, err = profile.Parse("orders.yaml", []byte(partsProfile)); err != nil {
			t.Fatal(err)
		}
	}
	h.sandbox, err = sandbox.New(sandbox.Options{
		Orders: orders, Seed: seed, Start: h.begin, Speed: -1, Past: 1, Coming: 3, Demand: .06, APIKey: chaosKey,
		Paging: pick(h.random, "page", "offset", "cursor", "next", "link-header"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.sandbox.Close() })
	kept, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	if h.log, err = kept.Records(t.Context(), "chaos"); err != nil {
		t.Fatal(err)
	}
	if h.own, err = kept.Records(t.Context(), "alone"); err != nil {
		t.Fatal(err)
	}
	h.pipes = newPipes(t, h)
	return h
}

// ServeHTTP brings the sandbox's clock up to that of the bubble and asks it.
func (h *chaoticHouse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.catchUp()
	h.sandbox.ServeHTTP(w, r)
}

func (h *chaoticHouse) catchUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.standing {
		h.sandbox.Advance(time.Since(h.begin) - h.sandbox.Now().Sub(h.begin))
	}
}

// stand lets the sandbox's clock stand still.
func (h *chaoticHouse) stand() {
	h.catchUp()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standing = true
}

// control makes a call on the control path; what it refuses, like a ticket that is void
// already, is left.
func (h *chaoticHouse) control(name string, in any) (out soldOrder) {
	body, err := json.Marshal(in)
	if err != nil {
		h.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/sandbox/"+name, bytes.NewReader(body))
	r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	switch w.Code {
	case http.StatusOK:
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			h.t.Fatal(err)
		}
	case http.StatusConflict:
	case http.StatusNotFound: // a ticket that was taken out
	default:
		h.t.Fatalf("%s %s: %d %s", name, body, w.Code, w.Body)
	}
	return out
}

// befall puts one of the faults in force for a while.
func (h *chaoticHouse) befall(faults []string) {
	x := trouble{
		Kind: pick(h.random, faults...), Stream: pick(h.random, "", "", "events", h.tickets(), "payments", "contacts", "planning"),
		For: 60 + 7200*h.random.Float64(), Rate: pick(h.random, .05, .2, .5, 1),
	}
	if choose := troubles[x.Kind]; choose != nil {
		choose(&x, h.random)
	}
	h.control("fault", x)
}

// tickets is the name of the list that has the tickets.
func (h *chaoticHouse) tickets() string {
	if h.profile != nil {
		return "orders"
	}
	return "tickets"
}

// sleep lasts up to a time.
func (h *chaoticHouse) sleep(most time.Duration) {
	time.Sleep(time.Duration(h.random.Float64() * float64(most)))
}

// intervene does by hand what a house does.
func (h *chaoticHouse) intervene() {
	events := slices.Sorted(maps.Keys(h.sandbox.Truth().Events))
	event := pick(h.random, events...)
	kinds := 6
	if h.profile != nil {
		kinds = 8
	}
	switch n := h.random.IntN(kinds); {
	case n < 3 || len(h.orders) == 0:
		h.crowd(event)
	case n == 3:
		h.control("refund", map[string]any{"payment_id": pick(h.random, h.orders...).PaymentID})
	case n == 4:
		h.control("void", map[string]any{"ticket_id": pick(h.random, pick(h.random, h.orders...).TicketIDs...)})
	case n > 5:
		h.takeOut()
	case n == 5:
		h.control("rename", map[string]any{"event_id": event, "title": fmt.Sprintf("Title %d", h.random.IntN(1000))})
	}
}

// takeOut takes a ticket out of an order.
func (h *chaoticHouse) takeOut() {
	h.control("take-out", map[string]any{"ticket_id": pick(h.random, pick(h.random, h.orders...).TicketIDs...)})
}

// crowd sells places one after the other to people who go in, and out again: the records
// change again and again within minutes.
func (h *chaoticHouse) crowd(event string) {
	places := 1
	if h.profile != nil {
		places = 3
	}
	for range 6 {
		order := h.control("sell", map[string]any{"event_id": event, "quantity": places})
		h.orders = append(h.orders, order)
		for range 2 {
			h.control("scan", map[string]any{"ticket_id": order.TicketIDs[0], "gate": "A", "direction": pick(h.random, "entry", "exit")})
			h.sleep(40 * time.Second)
		}
	}
}

// client makes a client that asks the house.
func (h *chaoticHouse) client(o apiclient.Options) *apiclient.Client {
	o.Profile, o.BaseURL, o.APIKey, o.Dial = h.profile, "http://house.test", chaosKey, h.pipes.dial
	c, err := apiclient.New(o)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// read returns the services of the house, and of the one beside it, as one.
func (h *chaoticHouse) read(o apiclient.Options, answers probe.Log) (_ *services.Services, closeIdle func()) {
	c := h.client(o)
	first, others, closeIdle := services.Service{Name: "first", Source: probe.NewSource(c, answers, nil)}, []services.Service(nil), c.CloseIdle
	if h.beside != nil {
		second := h.beside.client(o)
		others = append(others, services.Service{Name: "second", Source: probe.NewSource(second, answers, nil)})
		closeIdle = func() { c.CloseIdle(); second.CloseIdle() }
	}
	read, err := services.Join(first, others...)
	if err != nil {
		h.t.Fatal(err)
	}
	return read, closeIdle
}
