package handlers

import (
	"net/url"
	"strings"
)

// securityHeaders returns the headers of every answer. subdomains makes browsers use https for the subdomains of
// the public name, too.
func securityHeaders(public *url.URL, subdomains bool) map[string]string {
	h := map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Content-Security-Policy": strings.Join([]string{
			"default-src 'self'",
			"img-src 'self' data:",
			// Some browsers do not count ws: as 'self'.
			"connect-src 'self' ws" + strings.TrimPrefix(public.String(), "http"),
			"base-uri 'none'",
			"form-action 'self'",
			"frame-ancestors 'none'",
			"object-src 'none'",
		}, "; "),
	}
	if public.Scheme == "https" {
		h["Strict-Transport-Security"] = "max-age=31536000"
		if subdomains {
			h["Strict-Transport-Security"] += "; includeSubDomains"
		}
	}
	return h
}
