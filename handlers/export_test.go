package handlers

import (
	"net/http"
	"net/netip"
)

// AddressOf is tested by itself: the ways to lie about it are many.
func AddressOf(proxies []netip.Prefix, r *http.Request) netip.Addr {
	return (&site{Options: Options{TrustedProxies: proxies}}).address(r)
}

// RoleOf is tested by itself: the ways of claims are many.
var RoleOf = roleOf
