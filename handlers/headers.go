package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// securityHeaders are set on every answer.
type securityHeaders struct {
	fixed map[string]string
	// csp is the Content-Security-Policy; it names an origin more once the sign-in service
	// has been discovered.
	csp    atomic.Pointer[string]
	public *url.URL
	issuer string
}

func newSecurityHeaders(public *url.URL, issuer string) *securityHeaders {
	h := &securityHeaders{public: public, issuer: issuer, fixed: map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	}}
	if public.Scheme == "https" {
		h.fixed["Strict-Transport-Security"] = "max-age=31536000"
	}
	h.allowForms("")
	return h
}

// allowForms names an address, beside the issuer, that a form may lead to: the logout
// is a form that ends at the sign-in service.
func (h *securityHeaders) allowForms(address string) {
	forms := []string{"'self'"}
	for _, a := range []string{h.issuer, address} {
		if u, err := url.Parse(a); err == nil && u.Host != "" {
			if o := u.Scheme + "://" + u.Host; !slices.Contains(forms, o) {
				forms = append(forms, o)
			}
		}
	}
	// Not every browser counts ws: among 'self'.
	socket := "ws" + strings.TrimPrefix(h.public.String(), "http")
	csp := strings.Join([]string{
		"default-src 'self'",
		"img-src 'self' data:",
		"connect-src 'self' " + socket,
		"base-uri 'none'",
		"form-action " + strings.Join(forms, " "),
		"frame-ancestors 'none'",
		"object-src 'none'",
	}, "; ")
	h.csp.Store(&csp)
}

func (h *securityHeaders) set(to http.Header) {
	for name, value := range h.fixed {
		to.Set(name, value)
	}
	to.Set("Content-Security-Policy", *h.csp.Load())
}
