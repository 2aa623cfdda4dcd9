package setup

import (
	"io"
	"net/url"
	"slices"

	"housecount/web"
	"housecount/web/words"
)

// The parts of a Connection, which its forms name.
const (
	PartService = "service"
	PartSignIn  = "sign_in"
	PartAllow   = "allow" // what a person allows at the service
)

// FixedNotFile is Connection.Fixed of a program that was started without a file.
const FixedNotFile = "not_file"

// Connection is how a running house is connected to its ticketing service and its sign-in service: the values that the
// setup wrote, which administrators may change for the next start. It never has a secret.
type Connection struct {
	Locale web.Locale
	User   string
	// File is where the values are read from, empty for none. Fixed is why they cannot be changed here, a code of the
	// family connection_fixed; empty if they can.
	File, Fixed string
	// Saved means that they were stored just now, and Waits that what is stored takes effect at the next start.
	Saved, Waits bool
	// Allow are the services that a person has to allow housecount at, and Register is the address to be registered there. Granted
	// means that it was allowed just now.
	Allow    []Allow
	Register string
	Granted  bool
	// At is the part whose form is open after a Fault.
	At    string
	Fault Fault

	Profile string // of the ticketing service, a name or a file; empty if it cannot be read
	Service string // the name of the service, or of the profile's file
	Vars    []Field
	// Services are the services to choose from, and Other is one that was chosen and is not stored; nil for none.
	Services []web.Choice
	Other    *Other
	// GivenBy is what keeps the profile and its variables from being changed.
	GivenBy Given
	// Seen names the values that the page shows, which a form sends back.
	Seen string
	// Confirm is a change of the service that was checked and waits for a word; nil for none.
	Confirm *Confirm

	APIURL       string
	NeedsKey     bool
	OAuth        bool // the key may be a client's
	ClientID     string
	KeyStored    bool
	PublicURL    string
	Issuer       string
	LoginID      string
	SecretStored bool
	FixedSignIn  string // like Fixed, of the sign-in alone

	stored *Connection // before what was typed was taken; nil if nothing was
}

// Allow is a service, At, and the address at which a person allows housecount there.
type Allow struct{ At, Address string }

// Other is another service, and what it asks for.
type Other struct {
	Profile, Service, About string
	Vars                    []Field
	APIURL, ClientID        string
	NeedsKey, OAuth         bool
	Person                  bool // somebody has to allow housecount there
}

// Given is an option of the command line, or a variable of the environment where Where is environment, that gives a value.
type Given struct{ Where, What string }

// named returns the name of the service, with what keeps it from being changed.
func (c Connection) named(w *words.Words) string {
	if c.GivenBy.What == "" {
		return c.Service
	}
	return c.Service + " · " + c.GivenBy.text(w)
}

func (g Given) text(w *words.Words) string {
	if g.Where == "environment" {
		return w.Text("connection.given_environment", words.Text("what", g.What))
	}
	return w.Text("connection.given_command_line", words.Text("what", g.What))
}

// Confirm is a change of the service: what becomes of what was read, a code of the family connection_plan, and what the
// service gives.
type Confirm struct {
	ID, Plan string
	Service  string
	Found    *Found
}

// Fault is what is wrong with what was submitted: a code of the family setup_fault, and the field or the list that it
// is about.
type Fault struct{ Code, What string }

func (f *Fault) Error() string { return f.Code + " " + f.What }

// Take takes what was typed into a form, except secrets, so that it is shown again.
func (c *Connection) Take(form url.Values) {
	stored := *c
	stored.Vars = slices.Clone(c.Vars)
	c.stored = &stored
	api, client, vars := &c.APIURL, &c.ClientID, c.Vars
	if c.Other != nil {
		api, client, vars = &c.Other.APIURL, &c.Other.ClientID, c.Other.Vars
	}
	for name, to := range map[string]*string{"api_url": api, "client_id": client, "public_url": &c.PublicURL, "issuer": &c.Issuer, "login_id": &c.LoginID} {
		if form.Has(name) {
			*to = form.Get(name)
		}
	}
	for i, v := range vars {
		if form.Has("var."+v.Name) && !v.Secret {
			vars[i].Value = form.Get("var." + v.Name)
		}
	}
}

// present returns the values that are stored, whatever was typed.
func (c Connection) present() Connection {
	if c.stored != nil {
		return *c.stored
	}
	return c
}

// Write writes the page as a document.
func (c Connection) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: c.Locale, User: c.User, Title: words.Of(c.Locale).Text("connection.title"), Body: c.html()})
}

// service returns what the form of the service asks for: another service, or the present one.
func (c Connection) service() Other {
	if c.Other != nil {
		return *c.Other
	}
	return Other{Profile: c.Profile, Vars: c.Vars, APIURL: c.APIURL, ClientID: c.ClientID, NeedsKey: c.NeedsKey, OAuth: c.OAuth}
}

// chosen reports whether another service is to be filled in.
func (c Connection) chosen() bool { return c.Other != nil }

// kept is the text in place of a secret.
func kept(w *words.Words, is bool) string {
	if is {
		return w.Text("connection.stored")
	}
	return words.Dash
}
