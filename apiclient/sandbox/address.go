package sandbox

import (
	"net/netip"
	"net/url"
	"strings"
)

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// sameOrigin compares scheme and host; on loopback the port may differ.
func sameOrigin(given, registered string) bool {
	a, err := url.Parse(given)
	b, err2 := url.Parse(registered)
	if err != nil || err2 != nil || a.User != nil || a.Scheme != b.Scheme || !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	return a.Port() == b.Port() || loopback(a.Hostname())
}

// sameAddress compares whole addresses, but for the port on loopback.
func sameAddress(given, registered string) bool {
	if given == registered {
		return true
	}
	if !sameOrigin(given, registered) {
		return false
	}
	a, _ := url.Parse(given) // both were parsed above
	b, _ := url.Parse(registered)
	return loopback(a.Hostname()) && a.Path == b.Path && a.RawQuery == b.RawQuery && a.Fragment == ""
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}
