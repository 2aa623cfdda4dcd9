package handlers

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// address returns where a request came from: its peer or, if the peer is one of our own proxies, the right-most
// address in X-Forwarded-For that is not. Addresses to the left of it come from strangers and are ignored. It is
// the zero Addr if the peer has no address.
func (s *site) address(r *http.Request) netip.Addr {
	from, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return netip.Addr{}
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !slices.ContainsFunc(s.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(from) }) {
			break
		}
		before, ok := parseAddress(strings.TrimSpace(hop))
		if !ok {
			break
		}
		from = before
	}
	return from
}

// parseAddress reads an address with or without a port.
func parseAddress(text string) (netip.Addr, bool) {
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
