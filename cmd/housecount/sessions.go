package main

import (
	"context"
	"fmt"
	"os/user"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/options"
)

// sessionsCommand manages the sessions of a housecount, which may run on another machine: they are in the
// database.
type sessionsCommand struct {
	List   sessionsListCommand   `cmd:"" help:"List who is signed in."`
	Revoke sessionsRevokeCommand `cmd:"" help:"End sessions; their pages close within seconds."`
}

type sessionsListCommand struct {
	options.DatabaseFlags `embed:""`
}

// shownID is the length of the part of a session's id that is shown.
const shownID = 12

func (c sessionsListCommand) Run(ctx context.Context, env environment) error {
	db, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	// Sessions that have been idle for too long are listed too, because only serve knows the limit.
	list, err := db.Sessions().List(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(env.stdout, "Nobody is signed in.")
		return err
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SESSION\tNAME\tSUBJECT\tSINCE\tLAST SEEN\tFROM\tENDS")
	for _, s := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", s.ID[:shownID], printable(s.Name), printable(subject(s)),
			moment(s.Started), moment(s.Seen), s.Address, moment(s.Expiry))
	}
	return w.Flush()
}

// subject returns the subject at the sign-in service, without the issuer.
func subject(s store.SessionInfo) string {
	_, subject, _ := strings.Cut(s.Subject, " ")
	return subject
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// printable returns untrusted text as one cell: it can neither move the cursor nor begin another cell.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

type sessionsRevokeCommand struct {
	options.DatabaseFlags `embed:""`

	Session []string `arg:"" optional:"" help:"Sessions by their names, as sessions list shows them."`
	Person  string   `help:"All sessions of a person, by the subject that sessions list shows." placeholder:"SUBJECT"`
	All     bool     `help:"All sessions of everybody."`
}

func (c sessionsRevokeCommand) Check(faults *options.Faults) {
	ways := 0
	for _, given := range []bool{len(c.Session) > 0, c.Person != "", c.All} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		faults.Add("say which sessions: names as sessions list shows them, --person SUBJECT, or --all")
	}
}

func (c sessionsRevokeCommand) Run(ctx context.Context, env environment) error {
	db, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	sessions := db.Sessions()
	which, err := c.which(ctx, sessions)
	if err != nil {
		return err
	}
	ended := 0
	for _, w := range which {
		some, err := sessions.RevokeAnew(ctx, w, store.Act{Actor: store.ActorCommand, Name: whoami(), Action: store.ActSessionEnded, Reason: store.ActorCommand})
		if err != nil {
			return err
		}
		ended += len(some)
	}
	_, err = fmt.Fprintf(env.stdout, "sessions ended: %d\n", ended)
	return err
}

// whoami returns the account that runs the program; empty if it has no name.
func whoami() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

func (c sessionsRevokeCommand) which(ctx context.Context, sessions *store.Sessions) (which []store.Which, err error) {
	if c.All {
		return []store.Which{store.Everyone()}, nil
	}
	list, err := sessions.List(ctx)
	if err != nil {
		return nil, err
	}
	var faults options.Faults
	find := func(what string, is func(store.SessionInfo) bool) (found int) {
		for _, s := range list {
			if is(s) {
				which = append(which, store.ByID(s.ID))
				found++
			}
		}
		if found == 0 {
			faults.Add("there is no session of %s: housecount sessions list shows them", what)
		}
		return found
	}
	if c.Person != "" {
		find(c.Person, func(s store.SessionInfo) bool { return subject(s) == c.Person })
	}
	for _, name := range c.Session {
		if len(name) < 6 {
			faults.Add("%q is too short for a session's name", name)
		} else if n := find(name, func(s store.SessionInfo) bool { return strings.HasPrefix(s.ID, name) }); n > 1 {
			faults.Add("%q is the beginning of %d sessions' names: give more of it", name, n)
		}
	}
	return which, faults.OrNil()
}
