package admission

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"no proxy", "192.0.2.1:5", nil, "192.0.2.1"},
		{"a stranger who claims", "192.0.2.1:5", []string{"198.51.100.1"}, "192.0.2.1"},
		{"our proxy", "10.0.0.1:5", []string{"198.51.100.1"}, "198.51.100.1"},
		{"our proxy says nothing", "10.0.0.1:5", nil, "10.0.0.1"},
		{"what a stranger put before", "10.0.0.1:5", []string{"10.9.9.9, 1.1.1.1, 198.51.100.1"}, "198.51.100.1"},
		{"in another header", "10.0.0.1:5", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1"},
		{"two proxies", "10.0.0.1:5", []string{"198.51.100.1, 10.0.0.2"}, "198.51.100.1"},
		{"only proxies", "10.0.0.1:5", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"nonsense", "10.0.0.1:5", []string{"198.51.100.1, <script>, 10.0.0.2"}, "10.0.0.2"},
		{"IPv6", "[fd00::1]:5", []string{"2001:db8::1"}, "2001:db8::1"},
		{"with ports", "[fd00::1]:5", []string{"[2001:db8::1]:7, 10.0.0.2:8"}, "2001:db8::1"},
		{"IPv4 in IPv6", "[::ffff:10.0.0.1]:5", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a socket file", "@", []string{"198.51.100.1"}, "invalid IP"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		r.Header["X-Forwarded-For"] = c.forwarded
		if got := (&Proxies{Trusted: proxies}).Address(r).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
