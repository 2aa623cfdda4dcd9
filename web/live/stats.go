package live

import "time"

// Stats are what a Hub has open, and what it has done since it was made.
type Stats struct {
	Sockets, Topics int
	// Lagging are the sockets whose page has not taken yet what it was sent, Failing the topics that
	// cannot be rendered.
	Lagging, Failing int
	// Frames are those that were sent, each as often as it was; Bytes everything that was, of
	// sockets that are or were open.
	Frames, Bytes uint64
	// Renderings took so long together.
	Renderings uint64
	Rendering  time.Duration
}

// Stats counts. It asks every socket.
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
