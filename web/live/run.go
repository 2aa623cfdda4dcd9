package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// topic is what at least one watcher watches.
type topic struct {
	Topic
	name string
	now  atomic.Pointer[state] // nil until it has been rendered
	// failed is sent to watchers while the topic cannot be rendered; nil while it can.
	failed atomic.Pointer[message]

	// Guarded by Hub.mu.
	watchers  crowd
	woken     time.Time // the earliest wake that is not rendered yet; zero for none
	urgent    bool      // woken by something other than the minute
	rendering bool
	sending   bool          // its watchers are being written to
	began     time.Time     // the beginning of the last rendering
	cost      time.Duration // how long the last rendering took, until every watcher was written to

	// Used by the rendering goroutine only.
	last  Content // what Render made last
	fault string  // the last failure's text, so that it is logged once
}

// Wake renders the topics that any of the subjects wakes: at once, except those that were rendered recently and
// still rest. Call it after what they show has changed. It does not block for long.
func (h *Hub) Wake(subjects ...string) {
	minute := h.o.Now().Truncate(time.Minute)
	h.mu.Lock()
	if slices.Contains(subjects, Minute) {
		h.minute = minute
	}
	for _, subject := range subjects {
		for t := range h.subjects[subject] {
			h.rouse(t, subject != Minute)
		}
	}
	h.mu.Unlock()
	signal(h.woken)
}

// rouse adds a topic to the agenda; h.mu must be locked.
func (h *Hub) rouse(t *topic, urgent bool) {
	if t.woken.IsZero() {
		t.woken = time.Now()
		h.agenda.add(t, urgent)
	} else if urgent && !t.urgent {
		h.agenda.add(t, urgent)
	}
	t.urgent = t.urgent || urgent
	signal(h.woken)
}

// agenda is the topics that were woken, in the order of waking.
type agenda struct {
	urgent, rest, aside []*topic
}

func (a *agenda) add(t *topic, urgent bool) {
	if t.Aside {
		a.aside = append(a.aside, t)
	} else if urgent {
		a.urgent = append(a.urgent, t)
	} else {
		a.rest = append(a.rest, t)
	}
}

// pause returns how long a topic rests after the beginning of a rendering, so that it uses a quarter of a
// processor. It is shorter, and the use up to half of a processor, if changes would otherwise reach watchers more
// than a tick late. It is at most a tick, and at least a fifth of one and Topic.Rest.
func (t *topic) pause(tick time.Duration) time.Duration {
	return max(t.Rest, tick/5, min(4*t.cost, max(tick-t.cost, 2*t.cost), tick))
}

// next removes and returns the first topic whose pause is over. If there is none, t is nil and in is the time
// until there is one; negative for never. Those aside are left out before asideIn has passed.
func (a *agenda) next(now time.Time, tick, asideIn time.Duration) (t *topic, in time.Duration) {
	in = -1
	lists := []*[]*topic{&a.urgent, &a.rest, &a.aside}
	if asideIn > 0 && len(a.aside) > 0 {
		lists, in = lists[:2], asideIn
	}
	for _, list := range lists {
		for i := 0; i < len(*list); i++ {
			t := (*list)[i]
			due := t.began.Add(t.pause(tick)).Sub(now)
			switch {
			case t.woken.IsZero() || t.urgent && list == &a.rest:
				*list = deleteAt(*list, i) // it was rendered since, or is in the urgent list
				i--
			case t.rendering || t.sending: // the end of that checks again; a page that skipped a frame would need the whole topic
			case due <= 0:
				*list = deleteAt(*list, i)
				return t, 0
			case in < 0 || due < in:
				in = due
			}
		}
	}
	return nil, in
}

// deleteAt removes an element. It is cheap for the first one.
func deleteAt(list []*topic, i int) []*topic {
	copy(list[1:i+1], list[:i])
	list[0] = nil
	return list[1:]
}

// Run renders and sends until ctx ends, then closes every socket with
// CloseGoingAway and returns when they are closed. It runs once.
func (h *Hub) Run(ctx context.Context) error {
	if err := h.start(ctx); err != nil {
		return err
	}
	defer h.end()
	var renderings sync.WaitGroup
	defer renderings.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	minute := h.o.Now().Truncate(time.Minute)
	var turned time.Time // when the minute turned for which Minute is still to be woken; zero for none
	for beats := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-h.woken:
		case <-timer.C:
		case <-beat.C:
			beats++
			h.beatAll(beats%pingEvery == 0)
		}
		if m := h.o.Now().Truncate(time.Minute); !m.Equal(minute) { // earlier, if a clock was turned back
			if minute = m; turned.IsZero() {
				turned = time.Now()
			}
		}
		if !turned.IsZero() && h.minuteIsDue(minute, turned) {
			turned = time.Time{}
		}
		in := h.dispatch(&renderings)
		h.mu.Lock()
		waited, next := h.overdue(time.Now())
		h.mu.Unlock()
		for _, w := range waited {
			w.bring(nil)
		}
		if next >= 0 {
			in = min(in, next)
		}
		timer.Reset(in)
	}
}

// minuteIsDue reports whether Minute need not be waited for any longer: it has been woken in a minute, which turned at a time, or
// is woken now.
func (h *Hub) minuteIsDue(minute, turned time.Time) bool {
	h.mu.Lock()
	woken := h.minute.Equal(minute)
	h.mu.Unlock()
	if !woken {
		if time.Since(turned) < h.o.MinuteWait {
			return false
		}
		h.Wake(Minute)
	}
	return true
}

func (h *Hub) start(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running {
		return errors.New("live: Run was called before")
	}
	h.running = true
	h.ctx = ctx
	close(h.started)
	return nil
}

func (h *Hub) end() {
	h.mu.Lock()
	h.ended = true
	watchers := members(h.watchers)
	h.mu.Unlock()
	for _, w := range watchers {
		w.close(CloseGoingAway)
	}
	h.open.Wait()
}

// dispatch starts the renderings that are due, as many as there are workers, and returns when to check again.
func (h *Hub) dispatch(renderings *sync.WaitGroup) (in time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.rendering < h.workers {
		now := time.Now()
		asideIn := h.asideAfter.Sub(now)
		if h.aside {
			asideIn = h.o.Tick // the end of its rendering checks again
		}
		t, in := h.agenda.next(now, h.o.Tick, asideIn)
		if t == nil {
			if in < 0 || in > h.o.Tick {
				in = h.o.Tick // the minute may have turned
			}
			return in
		}
		if t.watchers.size() == 0 { // they have left in the meantime
			t.woken = time.Time{}
			continue
		}
		woken := t.woken
		t.woken, t.urgent, t.rendering, t.began = time.Time{}, false, true, now
		if !t.Waits {
			h.rendering++
		}
		h.aside = h.aside || t.Aside
		renderings.Go(func() { h.render(t, woken, now) })
	}
	return h.o.Tick
}

// render renders a topic and sends the result to its watchers. began is the present time.
func (h *Hub) render(t *topic, woken, began time.Time) {
	opened := t.now.Load() == nil
	changed := h.advance(t, woken)
	h.mu.Lock()
	ended := time.Now()
	if !t.Waits {
		h.rendering--
		h.rendered = ended
	}
	if t.Aside {
		h.aside, h.asideAfter = false, ended.Add(3*ended.Sub(t.began))
	}
	h.stats.Renderings++
	h.stats.Rendering += ended.Sub(t.began)
	t.rendering, t.sending = false, true
	watchers := h.ready(t, changed)
	h.mu.Unlock()
	signal(h.woken)
	mark, first := h.trace(t, changed && !opened)
	for _, w := range watchers {
		w.bring(first)
	}
	if first != nil {
		h.o.Trace.Sent(mark, len(watchers))
	}
	h.mu.Lock()
	t.sending, t.cost = false, time.Since(began)
	h.mu.Unlock()
	signal(h.woken)
}

// trace returns the mark of a topic that was rendered, and the message with it; nil for none.
func (h *Hub) trace(t *topic, changed bool) (mark int, first *message) {
	if h.o.Trace == nil || !changed {
		return 0, nil
	}
	if mark = h.o.Trace.Rendered(t.name); mark == 0 {
		return 0, nil
	}
	first, err := traced(mark)
	if err != nil {
		h.o.Log.Error("a trace could not be written", "error", err)
	}
	return mark, first
}

// ready lists a topic's watchers that are to be written to now that its rendering has ended. One
// that watches several topics is not while another of them is rendered, or is to be at once, so
// that it is written to once; where the topic did not change, it may have awaited just that. It
// waits for a tick at most: see overdue. h.mu is held.
func (h *Hub) ready(t *topic, changed bool) []*watcher {
	var ready []*watcher
	if changed {
		ready = make([]*watcher, 0, t.watchers.size())
	}
	now := time.Now()
	for w := range t.watchers.each {
		until, waits := h.waiting[w]
		awaits := false
		for i := range w.subs {
			awaits = awaits || w.subs[i].topic != t && h.soon(w.subs[i].topic, now)
		}
		switch {
		case !changed && len(w.subs) == 1: // there is nothing to write
		case !awaits || waits && !now.Before(until):
			delete(h.waiting, w)
			ready = append(ready, w)
		case changed && !waits:
			h.waiting[w] = now.Add(h.o.Tick)
		}
	}
	return ready
}

// soon reports whether a topic is rendered, or will be as soon as there is a worker; h.mu must be locked.
func (h *Hub) soon(t *topic, now time.Time) bool {
	if t.rendering {
		return now.Sub(t.began) < h.o.Tick
	}
	return !t.woken.IsZero() && !t.Aside && !now.Before(t.began.Add(t.pause(h.o.Tick)))
}

// overdue lists the watchers that have waited for another of their topics for a tick, and returns
// when the next one will have; negative for never. h.mu must be locked.
func (h *Hub) overdue(now time.Time) (all []*watcher, in time.Duration) {
	in = -1
	for w, until := range h.waiting {
		if left := until.Sub(now); left <= 0 {
			delete(h.waiting, w)
			all = append(all, w)
		} else if in < 0 || left < in {
			in = left
		}
	}
	return all, in
}

// advance renders a topic; changed is true if its watchers have to be written to.
func (h *Hub) advance(t *topic, woken time.Time) (changed bool) {
	old := t.now.Load()
	next, err := h.renderNext(t, old, woken)
	if err == nil {
		t.fault = ""
		recovered := t.failed.Swap(nil) != nil
		t.now.Store(next)
		return next != old || recovered
	}
	if text := err.Error(); text != t.fault {
		t.fault = text
		h.o.Log.Error("a topic could not be rendered; its watchers keep the last content", "topic", t.name, "error", err)
	}
	m, err := said(t.Failed)
	return err == nil && t.failed.CompareAndSwap(nil, m)
}

// renderNext recovers from a panic in Render, because a bug in one view must not darken every wall.
func (h *Hub) renderNext(t *topic, old *state, woken time.Time) (next *state, err error) {
	defer func() {
		if p := recover(); p != nil {
			if text := fmt.Sprint(p); text != t.fault {
				h.o.Log.Error("panic in Render", "topic", t.name, "stack", string(debug.Stack()))
			}
			err = fmt.Errorf("%v", p)
		}
	}()
	content, err := t.Render(t.last)
	if err != nil {
		return nil, err
	}
	if next, err = advance(t.name, old, content, woken); err == nil {
		t.last = content
	}
	return next, err
}

// beatAll makes every watcher send a beat, and a ping if pings is true.
func (h *Hub) beatAll(pings bool) {
	now := time.Now()
	say := h.o.Now()
	h.mu.Lock()
	watchers := make(map[*topic][]*watcher, len(h.topics)) // by the first topic that they watch
	for _, t := range h.topics {
		if h.hangs(t, now) {
			continue
		}
		if t.failed.Load() != nil {
			h.rouse(t, false) // it is retried until it succeeds
		}
		for w := range t.watchers.each {
			if w.subs[0].topic == t {
				watchers[t] = append(watchers[t], w)
			}
		}
	}
	all := members(h.watchers)
	h.mu.Unlock()
	made := make(map[string]*message) // by their times
	for t, of := range watchers {
		times := h.times(t)
		m := made[string(times)]
		if m == nil {
			var err error
			if m, err = beat(say, times); err != nil {
				h.o.Log.Error("a beat could not be written", "topic", t.name, "error", err)
				continue
			}
			made[string(times)] = m
		}
		for _, w := range of {
			w.bring(m)
		}
	}
	for _, w := range all {
		if now.Sub(w.heard()) > readTimeout {
			w.close(0)
		} else if pings {
			w.say(ping())
		}
	}
}

// hangs reports whether the topic's rendering takes longer than a beat, or has to wait while no rendering ends;
// h.mu must be locked.
func (h *Hub) hangs(t *topic, now time.Time) bool {
	if t.rendering {
		return now.Sub(t.began) > beatEvery
	}
	return !t.woken.IsZero() && h.rendering == h.workers && now.Sub(h.rendered) > beatEvery && now.Sub(t.woken) > beatEvery
}

// times returns the times for the topic's beats; nil for none, and after a panic in Times. It is called without
// locks.
func (h *Hub) times(t *topic) (times json.RawMessage) {
	if t.Times == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			h.o.Log.Error("panic in Times; a beat says only the time", "topic", t.name, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	return t.Times()
}

// signal puts a token into a channel of size one; one token stands for any number of changes.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
