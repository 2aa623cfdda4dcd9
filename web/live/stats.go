package live

import "time"

// Stats are the open sockets of a Hub, and what it has done since it was created.
type Stats struct {
	Sockets, Topics int
	// Lagging is the number of sockets whose page has not taken everything that was sent, and Failing the number
	// of topics that cannot be rendered.
	Lagging, Failing int
	// Frames is the number of frames sent, counted once per socket, and Bytes all bytes sent, over all sockets
	// ever opened.
	Frames, Bytes uint64
	// Renderings is the total duration of all renderings.
	Renderings uint64
	Rendering  time.Duration
}

// Stats returns the present numbers. It visits every socket.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	s := h.stats
	s.Sockets, s.Topics = len(h.watchers), len(h.topics)
	for _, t := range h.topics {
		if t.failed.Load() != nil {
			s.Failing++
		}
	}
	watchers := members(h.watchers)
	h.mu.Unlock()
	s.Frames, s.Bytes = h.frames.Load(), h.bytes.Load()
	for _, w := range watchers {
		if w.conn.lags() {
			s.Lagging++
		}
	}
	return s
}
