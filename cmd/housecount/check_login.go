package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"housecount/cmd/housecount/options"
	"housecount/handlers/signin"
)

// checkLogin checks whether staff can log in with these options, and prints the findings.
func (c checkCommand) checkLogin(ctx context.Context, env environment) error {
	var checked options.Faults // without a fault, as check has found
	public, l := c.Address(&checked), c.SignIn(&checked)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	failed := false
	for _, f := range signin.CheckLogin(ctx, public, l) {
		state := "ok"
		if f.Fault {
			state, failed = "FAULT", true
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Part, state, printable(f.Text))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if failed {
		return errLogin
	}
	return nil
}

// errLogin is the result if nobody can log in.
var errLogin = errors.New("nobody can log in like this; see housecount help sign-in")
