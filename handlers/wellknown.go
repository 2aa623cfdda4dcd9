package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"housecount/assets"
)

// securityTextPath is where RFC 9116 has those look who found a hole.
const securityTextPath = "/.well-known/security.txt"

// icon is the icon that browsers show next to the title, whether a page names it or not.
func (s *site) icon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Write(assets.Icon) // an error means that the visitor has gone
}

// screenApp is what a device reads that installs a screen's page: it fills the screen.
func (s *site) screenApp(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/manifest+json")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	fmt.Fprintf(w, `{"name":"housecount","id":%[1]q,"start_url":%[1]q,"scope":%[1]q,"display":"fullscreen","background_color":"#111214","theme_color":"#111214","icons":[{"src":"/favicon.ico","type":"image/svg+xml","sizes":"any"}]}`,
		screenPath) // an error means that the visitor has gone
}

// robots excludes search engines: nothing behind the login is for them, nor is the login itself.
func (s *site) robots(w http.ResponseWriter, _ *http.Request) {
	plain(w, http.StatusOK, "User-agent: *\nDisallow: /")
}

// securityText answers with the contacts for reporting a vulnerability. There is none without a contact, or once it has expired.
func (s *site) securityText(w http.ResponseWriter, r *http.Request) error {
	if len(s.SecurityContact) == 0 || time.Now().After(s.SecurityExpires) {
		return errNotFound()
	}
	var b strings.Builder
	for _, contact := range s.SecurityContact {
		fmt.Fprintf(&b, "Contact: %s\n", contact)
	}
	fmt.Fprintf(&b, "Expires: %s\nCanonical: %s%s", s.SecurityExpires.UTC().Format(time.RFC3339), s.public, securityTextPath)
	plain(w, http.StatusOK, b.String())
	return nil
}
