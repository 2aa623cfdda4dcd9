package web

import "time"

// Sessions is the data of the sessions page: who is signed in, and the audit log.
type Sessions struct {
	// Now is the time that the other times are compared with, truncated to the minute.
	Now    time.Time
	People []Person
	Logins []Act // the last that the audit keeps, newest first, also of those who are not signed in
	// TurnedAway are the last refusals of seven days of those who have no role, one of each person, newest first.
	TurnedAway []Act
	SignsIn    string // the address of the sign-in service
	// Acts are one page of the acts that match the query, newest first. Total counts all matches. Actors did
	// anything in the period of the query, whatever its other filters; they are sorted by name.
	Acts   []Act
	Total  int
	Actors []Actor
	// Rules are what gives a role, in the order of the page.
	Rules []RoleRule
	// Keys are the keys with which programs read figures, in the order of the page.
	Keys []Key
	// Retention is how long acts are stored; 0 means forever.
	Retention time.Duration
	// Chain is whether each act fits the one before it; nil if that is not known yet.
	Chain *Chain
}

// Chain is how many acts have been compared with the one before, since when, and whether some were changed, added or
// removed beside housecount: at BrokenAt, or at the end if that is zero.
type Chain struct {
	Acts     int
	Since    time.Time
	Broken   bool
	BrokenAt time.Time
}

// Key is a key with which a program reads figures.
type Key struct {
	ID, Name string
	Role     Role
	By       string
	Used     time.Time // zero if it never was
}

// RoleRule is something that gives a role to whoever has it.
type RoleRule struct {
	// Grantee is an e-mail address or a domain that begins with @; or else a value of the role claim, if
	// Group is set.
	Grantee string
	Group   bool
	Role    Role
	// Fixed means that it is in the configuration, and not to be taken away on a page.
	Fixed bool
	By    string // the name of who gave it
	// People is how many of those who are signed in have their role by it.
	People int
}

// Person is a person with at least one session.
type Person struct {
	Subject, Name string
	Address       string // the verified e-mail address, if there is one
	Sessions      []Session
}

// Session is a sign-in.
type Session struct {
	ID string
	// Own marks the session that the page is read with. It cannot be ended there.
	Own     bool
	Role    Role   // empty means none
	Because string // what gives it: an address, a domain that begins with @, or a value of the role claim
	Started time.Time
	// Watching reports whether the session has a page open. Pages are the open pages that this version of
	// the program knows. Seen is the last use; Ends is when the session expires.
	Watching       bool
	Pages          []Request
	Seen, Ends     time.Time
	Address, Agent string // of the last use; Agent is a description of the browser
}

// Actor is a person or a part of the program that did something. Subject identifies a person by the sign-in
// service and the subject there, separated by a space; otherwise it is a code of the catalogue.
type Actor struct{ Subject, Name string }

// Act is an entry of the audit log. Actor is a Subject of Actor; Action is a code of the catalogue. The
// meaning of Reason, Object, Before and After depends on the action.
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

// SessionsQuery selects what the sessions page shows.
type SessionsQuery struct {
	Own           string // the id of the session that the page is read with
	Actor, Action string // empty means all
	Days          int    // 0 means all
	Skip, Limit   int    // in acts, from the newest
}
