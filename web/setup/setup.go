// Package setup has the page on which a house is set up in a browser: five steps on one page, each filled in
// from the one before. It also has the page on which administrators change how the house is connected later (connection.go).
// The caller fills a Page or a Connection and reads what is submitted; the package stores nothing and never gets a secret.
package setup

import (
	"io"
	"slices"
	"strings"
	"time"

	"housecount/web"
	"housecount/web/words"
)

// Path is the address of the page and of its form.
const Path = "/setup"

// KeysHelp is the section of the manual on where each service gives its key.
const KeysHelp = web.ManualPath + "/connect#keys"

// AuthorizedPath is where a service leads the browser back to whose person has allowed housecount there.
const AuthorizedPath = Path + "/authorized"

// The steps.
const (
	StepService = iota + 1
	StepKey
	StepVenue
	StepLogin
	StepDone
)

// Page is the setup as far as it is.
type Page struct {
	Locale web.Locale
	// Closed asks for the code of the terminal and shows nothing else. Elsewhere means that another browser
	// has used it.
	Closed, Elsewhere bool
	// Finished means that housecount starts now; only PublicURL is shown.
	Finished bool
	// At is the step whose form is open; the steps before Reached are done.
	At, Reached int
	// Faults are what is wrong with what was submitted last.
	Faults []Fault

	Services []web.Choice
	Profile  string // of the chosen one
	Service  string // its name
	About    string // what its profile says of itself
	// Vars are the variables of its profile, APIURL its address and Example the usual one. NeedsKey, NeedsClient and KeyStored are
	// about its credential.
	Vars      []Field
	APIURL    string
	Example   string
	NeedsKey  bool
	OAuth     bool
	ClientID  string
	KeyStored bool
	// Register is the address to register at a service that a person has to allow housecount at, and Allow the one at
	// which that is done, once it is known.
	Register, Allow string
	Found           *Found

	Venue, Zone, Cutoff string
	Languages           []web.Choice
	Halls               []Hall
	Whole               string // allowed in the whole building

	Providers    []web.Choice
	PublicURL    string
	Issuer       string
	LoginID      string
	SecretStored bool
	LoginChecked bool
	Admin        string
	RoleClaim    string
	Groups       string // a line each: value=role
	Grants       []Grant
	Address      string // that is to get a role
	Roles        []web.Choice
	File         string // that is written
}

// Field is a text to be filled in. Of a Secret that is stored the value is not there.
type Field struct {
	Name, Value    string
	Secret, Stored bool
}

// Found is what the service gives.
type Found struct {
	// Tonight is how many performances there are tonight, and Sold how many places of them, if SoldKnown.
	Tonight, Sold int
	SoldKnown     bool
	Next          string // the day of the next performance, if there is none tonight
	Sees, Misses  []Seen
	// First is the title of the next performance to begin, and FirstAt when, so that a wrong clock shows; empty for none.
	First, FirstAt string
	// Shows are the performances by id, to be compared with those of a house that runs.
	Shows map[string]Show `json:"-"`
}

// Show is what a performance is known by.
type Show struct {
	Title string
	At    time.Time
}

// Seen is a kind of record, and how many of it came; More means that there are more.
type Seen struct {
	Kind string
	N    int
	More bool
}

// Hall is a hall that was found. Allowed is as it was typed.
type Hall struct {
	Name    string
	Places  int
	Events  int
	Allowed string
}

// places returns how many places it has, which is not known of every service before all is read.
func (h Hall) places(w *words.Words) string {
	if h.Places == 0 {
		return words.Dash
	}
	return w.Count(h.Places)
}

// Grant is the role of an e-mail address or a domain.
type Grant struct {
	Address string
	Role    web.Role
}

// Write writes the page as a document.
func (p Page) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: p.Locale, Title: words.Of(p.Locale).Text("setup.title"), Body: p.html()})
}

// class returns the class of a step.
func (p Page) class(step int) string {
	switch {
	case step == p.At:
		return "cur"
	case step < p.Reached:
		return "ok"
	}
	return ""
}

// open reports whether the form of a step is shown.
func (p Page) open(step int) bool { return p.At == step }

// change reports whether a step is done, so that it can be changed.
func (p Page) change(step int) bool { return p.At != step && step < p.Reached }

// keyName returns what a profile's service calls the key.
func keyName(w *words.Words, profile string) string {
	if name := w.Code("setup_key", profile); profile != "" && name != profile {
		return name
	}
	return w.Text("setup.key")
}

// hasPlaces reports whether the places of a hall are known yet.
func (p Page) hasPlaces() bool {
	return slices.ContainsFunc(p.Halls, func(h Hall) bool { return h.Places > 0 })
}

// about returns what is wrong, in words: variables of a profile by their names, and kinds of records by theirs; empty if the
// fault says it itself.
func (f Fault) about(w *words.Words, profile string) string {
	switch f.Code {
	case "var", "var_unfit", "not_here", "not_for_key", "secret_again":
		return w.Code("setup_var", f.What)
	case "unauthorized_with":
		all := []string{}
		for _, name := range strings.Fields(f.What) {
			all = append(all, w.Code("setup_var", name))
		}
		return strings.Join(append(all, keyName(w, profile)), "; ")
	}
	return w.Code("setup_sees", f.What)
}

// Text returns the fault as a sentence with what it is about. profile is that of the service.
func (f Fault) Text(w *words.Words, profile string) string {
	text := w.Code("setup_fault", f.Code)
	if f.What != "" {
		text = f.about(w, profile) + ": " + text
	}
	return text
}

// has reports whether a fault has one of the codes.
func (p Page) has(codes ...string) bool {
	return slices.ContainsFunc(p.Faults, func(f Fault) bool { return slices.Contains(codes, f.Code) })
}

// byGroup reports whether roles by group were filled in, or may mend what is wrong.
func (p Page) byGroup() bool {
	return p.Groups+p.RoleClaim != "" || p.has("groups", "admin", "unverified")
}

// first returns the sentence about tonight.
func (f Found) first(w *words.Words) words.Sentence {
	switch {
	case f.Tonight > 0 && f.SoldKnown:
		return w.Say("setup.tonight_sold", words.Int("n", f.Tonight), words.Int("sold", f.Sold))
	case f.Tonight > 0:
		return w.Say("setup.tonight", words.Int("n", f.Tonight))
	case f.Next != "":
		return w.Say("setup.next", words.Text("day", f.Next))
	}
	return w.Say("setup.nothing_coming")
}

// count returns how many of a kind came.
func (s Seen) count(w *words.Words) string {
	switch {
	case s.N == 0: // they come within another kind
		return ""
	case s.More:
		return w.Text("setup.more", words.Int("n", s.N))
	}
	return w.Text("setup.count", words.Int("n", s.N))
}
