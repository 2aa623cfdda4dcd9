package sandbox

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// house is the simulated house and its records. Only its methods change records. It has no lock and never reads
// the real time.
type house struct {
	seed         uint64
	zone         *time.Location
	start        time.Time
	past, coming int // days of performances around the start
	seasons      int
	demand       float64

	now       time.Time // the time of the running task, or the time up to which all tasks have run
	taskQueue taskQueue
	seq       uint64
	serial    uint64

	events, tickets, payments, contacts, planning *stream

	shows      map[string]*show
	exchanged  map[string]string // by order, that from which its ticket was exchanged
	orders     map[string]*order // simulated orders, without those of control calls
	showCounts map[*hall]int     // performances announced so far
}

func newHouse(o Options) *house {
	start := o.Start.Round(0).UTC().Truncate(time.Millisecond)
	h := &house{
		seed: o.Seed, zone: o.Zone, start: start, past: o.Past, coming: o.Coming, seasons: o.Seasons, demand: o.Demand,
		now:    start.AddDate(0, 0, -o.Past-o.Coming-announceDays-2-yearDays*(o.Seasons-1)),
		events: newStream("events"), tickets: newStream("tickets"), payments: newStream("payments"),
		contacts: newStream("contacts"), planning: newStream("planning"),
		shows: map[string]*show{}, exchanged: map[string]string{}, orders: map[string]*order{}, showCounts: map[*hall]int{},
	}
	if o.Orders {
		h.tickets.orders = newStream("orders")
	}
	return h
}

// streams returns what the service lists.
func (h *house) streams() []*stream {
	tickets := h.tickets
	if tickets.orders != nil {
		tickets = tickets.orders
	}
	return []*stream{h.events, tickets, h.payments, h.contacts, h.planning}
}

// storeVersions starts to store the versions of all records.
func (h *house) storeVersions() {
	for _, st := range h.streams() {
		st.storeVersions()
	}
}

// blockDays returns the number of days whose performances go on sale together.
func (h *house) blockDays() int { return max(1, min(28, h.coming/2)) }

// day returns the given time of the day n days after the start, in the house's time zone.
func (h *house) day(n, hour, minute int) time.Time {
	y, m, d := h.start.In(h.zone).Date()
	return time.Date(y, m, d+n, hour, minute, 0, 0, h.zone)
}

// task is something planned for a time of the sandbox's clock.
type task struct {
	at time.Time
	// call marks a control call from the journal. It runs after all other tasks of the same time.
	call bool
	seq  uint64 // orders tasks of the same time as they were planned
	run  func()
}

// taskQueue is a heap of tasks, the next one first.
type taskQueue []task

func (d taskQueue) Len() int { return len(d) }

func (d taskQueue) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

func (d *taskQueue) Push(x any) { *d = append(*d, x.(task)) }

func (d taskQueue) Less(i, j int) bool {
	a, b := &d[i], &d[j]
	if c := a.at.Compare(b.at); c != 0 {
		return c < 0
	}
	if a.call != b.call {
		return b.call
	}
	return a.seq < b.seq
}

func (d *taskQueue) Pop() any {
	last := len(*d) - 1
	h := (*d)[last]
	(*d)[last] = task{}
	*d = (*d)[:last]
	return h
}

// at plans run for time t, or for now if t has passed.
func (h *house) at(t time.Time, run func()) {
	h.seq++
	heap.Push(&h.taskQueue, task{at: h.notBeforeNow(t), seq: h.seq, run: run})
}

// atCall plans a control call for time t, after all other tasks of that time.
func (h *house) atCall(t time.Time, run func()) {
	h.seq++
	heap.Push(&h.taskQueue, task{at: h.notBeforeNow(t), call: true, seq: h.seq, run: run})
}

func (h *house) notBeforeNow(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Millisecond)
	if t.Before(h.now) {
		return h.now
	}
	return t
}

// runNext runs the next task if it is due by until. It reports whether it did.
func (h *house) runNext(until time.Time) bool {
	if len(h.taskQueue) == 0 || h.taskQueue[0].at.After(until) {
		return false
	}
	due := heap.Pop(&h.taskQueue).(task)
	h.now = due.at
	due.run()
	return true
}

// rng returns the random numbers of a key. They depend only on the seed and the key.
func (h *house) rng(key ...uint64) rng {
	x := mix(h.seed)
	for _, k := range key {
		x = mix(x ^ k)
	}
	return rng{rand.New(rand.NewPCG(x, mix(x+1)))}
}

// id returns a new opaque identifier.
func (h *house) id(prefix string) string {
	h.serial++
	return prefix + h.opaque(h.serial)
}

// opaque maps each n below 2^60 to a different string of twelve letters and digits.
func (h *house) opaque(n uint64) string {
	const mask = 1<<60 - 1
	x := (n ^ mix(h.seed)) & mask
	x = x * 0x5851f42d4c957f2d & mask
	x ^= x >> 29
	x = x * 0x14057b7ef767814f & mask
	x ^= x >> 31
	var b [12]byte
	for i := range b {
		b[i] = idLetters[x>>(5*i)&31]
	}
	return string(b[:])
}

// idLetters leaves out i, l, o and u, which are easily misread.
const idLetters = "0123456789abcdefghjkmnpqrstvwxyz"
