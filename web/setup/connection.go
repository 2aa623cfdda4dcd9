package setup

import (
	"io"

	"housecount/web"
	"housecount/web/words"
)

// The parts of a Connection, which its forms name.
const (
	PartService = "service"
	PartSignIn  = "sign_in"
)

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
	// At is the part whose form is open after a Fault.
	At    string
	Fault Fault

	Service      string   // the name of the ticketing service, or of the profile's file
	Vars         []string // names of the profile's variables, whose values may be secret
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
}

// Fault is what is wrong with what was submitted: a code of the family setup_fault, and the field or the list that it
// is about.
type Fault struct{ Code, What string }

func (f *Fault) Error() string { return f.Code + " " + f.What }

// Write writes the page as a document.
func (c Connection) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: c.Locale, User: c.User, Title: words.Of(c.Locale).Text("connection.title"), Body: c.html()})
}

// kept is the text in place of a secret.
func kept(w *words.Words, is bool) string {
	if is {
		return w.Text("connection.stored")
	}
	return words.Dash
}
