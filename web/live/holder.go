package live

import (
	"encoding/json"
	"slices"
	"time"
)

// Holders lists the holders that have open sockets, each once, in no order.
func (h *Hub) Holders() []Holder {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := make(map[Holder]struct{}, len(h.holders))
	for w := range h.watchers {
		seen[w.holder] = struct{}{}
	}
	return members(seen)
}

// Presence is what a credential watches.
type Presence struct {
	Credential string
	Sockets    int
	Topics     []string // sorted, each once
	// Address, Agent and Loaded are those of the socket that was opened last.
	Address, Agent string
	Loaded         time.Time
}

// Presence lists what the credentials that have open sockets watch, each credential once, in no
// order. Strangers are not among them.
func (h *Hub) Presence() []Presence {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]Presence, 0, len(h.holders))
	for credential, sockets := range h.holders {
		p := Presence{Credential: credential}
		for _, w := range sockets {
			if w.holder.Stranger {
				continue
			}
			p.Sockets++
			for i := range w.subs { // the topics of subs change only while h.mu is locked
				p.Topics = append(p.Topics, w.subs[i].topic.name)
			}
			p.Address, p.Agent, p.Loaded = w.address, w.agent, w.loaded
		}
		if p.Sockets == 0 {
			continue
		}
		slices.Sort(p.Topics)
		p.Topics = slices.Compact(p.Topics)
		all = append(all, p)
	}
	return all
}

// CloseHolder closes every socket of a credential, within a second even when its page does
// not drain it. It does not wait.
func (h *Hub) CloseHolder(credential string, code CloseCode) {
	for _, w := range h.socketsOf(credential) {
		w.close(code)
	}
}

// CloseOtherDevices closes every socket of a credential that another device than this one opened, as
// CloseHolder does.
func (h *Hub) CloseOtherDevices(credential, device string, code CloseCode) {
	for _, w := range h.socketsOf(credential) {
		if w.holder.Device != device {
			w.close(code)
		}
	}
}

// CloseFormer closes every socket of a credential with one of its keys, as CloseHolder does.
func (h *Hub) CloseFormer(credential, key string, code CloseCode) {
	for _, w := range h.socketsOf(credential) {
		if w.holder.Key == key {
			w.close(code)
		}
	}
}

// Lead is what the pages of a credential are switched to.
type Lead struct {
	// Topic is watched, and nothing else.
	Topic string
	// State is sent to the pages in addition, as JSON that the Hub does not read; nil for nothing. All of
	// it is sent whenever it changes, before the topic.
	State json.RawMessage
}

// Lead switches every page of a credential to a topic. A page that shows another topic is sent the whole of
// this one as soon as it is rendered, and shows the other until then. Pages that show it already are sent
// nothing.
func (h *Hub) Lead(credential string, to Lead) {
	for _, w := range h.socketsOf(credential) {
		if code := w.lead(to); code != 0 {
			w.close(code)
		}
	}
}

// lead makes w watch only the topic, and sends its page the state if that has changed.
func (w *watcher) lead(to Lead) CloseCode {
	w.mu.Lock()
	w.state = to.State // before the topic, which another goroutine may send as soon as it is watched
	w.mu.Unlock()
	h := w.hub
	h.mu.Lock()
	code := CloseCode(0)
	if _, joined := h.watchers[w]; joined && (len(w.subs) != 1 || w.subs[0].topic.name != to.Topic) {
		code = h.subscribe(w, map[string]string{to.Topic: ""})
	}
	h.mu.Unlock()
	if code != 0 {
		return code
	}
	w.bring(nil) // of the topic, what other pages may have had rendered
	return 0
}

func (h *Hub) socketsOf(credential string) []*watcher {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.holders[credential])
}

// members returns a set as a list, unsorted.
func members[V comparable](set map[V]struct{}) []V {
	all := make([]V, 0, len(set))
	for v := range set {
		all = append(all, v)
	}
	return all
}
