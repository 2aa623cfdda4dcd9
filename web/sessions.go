package web

import "time"

// Sessions is what the page of sessions shows.
type Sessions struct {
	// Now is the time to which the others are compared, to the minute.
	Now    time.Time
	People []Person
	// Acts are those of the query, the newest first, Total how many there are, and Actors who did
	// anything in its time, by name.
	Acts   []Act
	Total  int
	Actors []Actor
	// Kept is how long acts are kept, 0 for ever.
	Retention time.Duration
}

// Person is somebody who is signed in.
type Person struct {
	Subject, Name string
	Sessions      []Session // the newest first
}

// Session is a sign-in.
type Session struct {
	ID string
	// Own is true for the viewer's own session, which cannot be ended there.
	Own     bool
	Role    Role // empty for none
	Started time.Time
	// Watching is true if a page of it is open, and Pages which, as far as they are known. Seen is
	// when it was last used, and Ends when it ends by itself.
	Watching      bool
	Pages         []Request
	Seen, Ends    time.Time
	Address, From string // where it was used from last, and with what
}

// Actor is who did something: a person by the subject, or a code.
type Actor struct{ Subject, Name string }

// Act is something that was done. Actor, Action and Reason are codes of the catalogue, but for the
// Actor that is a person's subject.
type Act struct {
	ID                 int64
	At                 time.Time
	Actor, Name        string
	Action, Reason     string
	Object, ObjectName string
	Before, After      string
	Count              int
	Address            string
}

// SessionsQuery is what the page's address asks for.
type SessionsQuery struct {
	Own           string // the viewer's own session
	Actor, Action string // empty for all
	Days          int    // 0 for all
	Skip, Most    int    // of the newest, and then how many
}
