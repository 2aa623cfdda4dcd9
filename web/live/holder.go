package live

import (
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
	// Address and Agent are those of the socket that was opened last.
	Address, Agent string
}

// Presence lists what the credentials that have open sockets watch, each credential once, in no
// order. Strangers are not among them.
func (h *Hub) Presence() []Presence {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]Presence, 0, len(h.holders))
	for credential, sockets := range h.holders {
		p := Presence{Credential: credential}
		var last time.Time
		for w := range sockets {
			if w.holder.Stranger {
				continue
			}
			p.Sockets++
			for _, s := range w.subs { // which change only with h.mu held
				p.Topics = append(p.Topics, s.topic.name)
			}
			if !w.joined.Before(last) {
				last, p.Address, p.Agent = w.joined, w.address, w.agent
			}
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

// Command has every page of a credential do something, and returns how many there are. A page that
// lags hears of it once it drains.
func (h *Hub) Command(credential string, c Command) (pages int, err error) {
	m, err := prepare(c)
	if err != nil {
		return 0, err
	}
	sockets := h.socketsOf(credential)
	for _, w := range sockets {
		w.say(m)
	}
	return len(sockets), nil
}

func (h *Hub) socketsOf(credential string) []*watcher {
	h.mu.Lock()
	defer h.mu.Unlock()
	return members(h.holders[credential])
}

// members lists a set, in no order.
func members[V comparable](set map[V]struct{}) []V {
	all := make([]V, 0, len(set))
	for v := range set {
		all = append(all, v)
	}
	return all
}
