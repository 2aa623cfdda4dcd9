package live

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Run renders and sends until ctx ends, then closes every socket with
// CloseGoingAway and returns when they are closed. It runs once.
func (h *Hub) Run(ctx context.Context) error {
	if err := h.start(ctx); err != nil {
		return err
	}
	defer h.end()
	timer := time.NewTimer(h.o.Refresh)
	defer timer.Stop()
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.wake:
			h.hasten()
		case <-h.joined:
		case <-timer.C:
		case <-beat.C:
			h.beatAll()
		}
		timer.Reset(time.Until(h.renderDue(ctx, beat.C)))
	}
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
	for c := range h.watchers {
		c.close(CloseGoingAway)
	}
	h.mu.Unlock()
	h.open.Wait()
}

// beatAll has every watcher send a beat.
func (h *Hub) beatAll() {
	m, err := beat(h.o.Now())
	if err != nil {
		h.o.Log.Error("a beat could not be written", "error", err)
		return
	}
	h.beat.Store(m)
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.watchers {
		signal(c.beats)
	}
}

// hasten makes every topic due as soon as a tick has passed since its last rendering.
func (h *Hub) hasten() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.topics {
		if soon := t.rendered.Add(h.o.Tick); soon.Before(t.due) {
			t.due = soon
		}
	}
}

// renderDue renders what is due and returns when the next is due. Between two topics it beats
// when that is due: many of them take longer together than a page waits for a word.
func (h *Hub) renderDue(ctx context.Context, beat <-chan time.Time) (next time.Time) {
	for _, t := range h.dueTopics(time.Now()) {
		if ctx.Err() != nil {
			break
		}
		select {
		case <-beat:
			h.beatAll()
		default:
		}
		t.rendered = time.Now()
		t.due = t.rendered.Add(h.o.Refresh)
		h.advance(t)
	}
	next = time.Now().Add(h.o.Refresh)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, t := range h.topics {
		if t.due.Before(next) {
			next = t.due
		}
	}
	return next
}

func (h *Hub) dueTopics(now time.Time) []*topic {
	h.mu.Lock()
	defer h.mu.Unlock()
	var due []*topic
	for _, t := range h.topics {
		if !t.due.After(now) {
			due = append(due, t)
		}
	}
	return due
}

// advance renders a topic and, when something changed, wakes its watchers.
func (h *Hub) advance(t *topic) {
	old := t.now.Load()
	next, err := h.renderNext(t, old)
	if err != nil {
		if text := err.Error(); text != t.fault {
			t.fault = text
			h.o.Log.Error("a topic could not be rendered; its watchers keep the last content", "topic", t.name, "error", err)
		}
		return
	}
	t.fault = ""
	if next == old {
		return
	}
	t.now.Store(next)
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range t.watchers {
		signal(c.changed)
	}
}

// renderNext outlives a panic in Render: one view's bug must not darken every wall.
func (h *Hub) renderNext(t *topic, old *state) (next *state, err error) {
	defer func() {
		if p := recover(); p != nil {
			if text := fmt.Sprint(p); text != t.fault {
				h.o.Log.Error("panic in Render", "topic", t.name, "stack", string(debug.Stack()))
			}
			err = fmt.Errorf("%v", p)
		}
	}()
	content, err := h.o.Render(t.name, t.last)
	if err != nil {
		return nil, err
	}
	if next, err = advance(t.name, old, content); err == nil {
		t.last = content
	}
	return next, err
}
