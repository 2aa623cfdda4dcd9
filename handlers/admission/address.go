// Package admission decides about requests of strangers before anything is done for them: where they come from, who
// of them waits for a turn, for how long, and who goes first. Nobody can use up another's turns by asking often, and
// what is remembered of strangers is bounded. It gives nobody any right.
//
// Everything here may be used by many goroutines at once.
package admission

import (
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// Proxies are our own proxies, by which requests come. Trusted and Log are set before use.
type Proxies struct {
	Trusted []netip.Prefix // whose X-Forwarded-For is trusted
	Log     *slog.Logger
	// forwarders are the other peers whose X-Forwarded-For was ignored.
	forwarders forwarders
}

// Address returns where a request came from: its peer or, if the peer is one of our own proxies, the right-most
// address in X-Forwarded-For that is not. Addresses to the left of it come from strangers and are ignored. It is
// the zero Addr if the peer has no address.
func (p *Proxies) Address(r *http.Request) netip.Addr {
	from, ok := ParseAddress(r.RemoteAddr)
	if !ok {
		return netip.Addr{}
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !p.trusted(from) {
			break
		}
		before, ok := ParseAddress(strings.TrimSpace(hop))
		if !ok {
			break
		}
		from = before
	}
	return from
}

func (p *Proxies) trusted(from netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(of netip.Prefix) bool { return of.Contains(from) })
}

const (
	// An ignored X-Forwarded-For is logged once every forwardersEvery for each peer, and for at most mostForwarders
	// peers, because any stranger may send one.
	forwardersEvery = time.Hour
	mostForwarders  = 20
)

// forwarders are the peers for which an ignored header was logged, with the time.
type forwarders struct {
	mu     sync.Mutex
	logged map[netip.Addr]time.Time
}

// isNew reports whether the ignored header of a peer is to be logged.
func (f *forwarders) isNew(peer netip.Addr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.logged, func(_ netip.Addr, at time.Time) bool { return time.Since(at) > forwardersEvery })
	if _, logged := f.logged[peer]; logged || len(f.logged) >= mostForwarders {
		return false
	}
	if f.logged == nil {
		f.logged = make(map[netip.Addr]time.Time)
	}
	f.logged[peer] = time.Now()
	return true
}

// NoteForwarder logs that a request's X-Forwarded-For is ignored because its peer is not trusted: behind a proxy that
// was not named, all people have one address.
func (p *Proxies) NoteForwarder(r *http.Request) {
	if len(r.Header.Values("X-Forwarded-For")) == 0 {
		return
	}
	if peer, ok := ParseAddress(r.RemoteAddr); ok && !p.trusted(peer) && p.forwarders.isNew(peer) {
		p.Log.Warn("X-Forwarded-For is ignored, because it comes from a peer that is not trusted: if that is your proxy, give its address as --trusted-proxies", "peer", peer.String())
	}
}

// ParseAddress reads an address with or without a port.
func ParseAddress(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		with, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		a = with.Addr()
	}
	return a.Unmap().WithZone(""), true
}
