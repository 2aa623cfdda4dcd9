package main

import (
	"context"
	"fmt"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/options"
)

// forgetCommand deletes what the database has of one contact, or of everything.
type forgetCommand struct {
	options.DatabaseFlags `embed:""`

	Contact    string `help:"Take the contact with this id out of every version of every record, and keep it out." placeholder:"ID"`
	Everything bool   `help:"Take away all records, sessions, screens and what was done. A housecount that runs reads the service anew."`
	Yes        bool   `help:"With --everything: it is meant."`
}

func (c forgetCommand) Check(faults *options.Faults) {
	if (c.Contact != "") == c.Everything {
		faults.Add("say what to forget: --contact ID, or --everything")
	} else if c.Everything && !c.Yes {
		faults.Add("--everything takes all away that --database %s has, for good: give --yes as well if that is meant", c.Database)
	}
}

func (c forgetCommand) Run(ctx context.Context, env environment) error {
	db, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	act := store.Act{Actor: store.ActorCommand, Name: whoami(), Action: store.ActForgotAll}
	if c.Everything {
		if err := db.ForgetAll(ctx, act); err != nil {
			return err
		}
		_, err := fmt.Fprintln(env.stdout, "everything is forgotten; backups and the service still have it")
		return err
	}
	services, err := db.Services(ctx)
	if err != nil {
		return err
	}
	act.Action = store.ActForgotContact
	forgotten := 0
	for _, service := range services {
		log, err := db.Records(ctx, service)
		if err != nil {
			return err
		}
		n, err := log.Forget(ctx, c.Contact, act)
		if err != nil {
			return err
		}
		forgotten += n
	}
	_, err = fmt.Fprintf(env.stdout, "versions of records that were or named the contact: %d; none is left. Backups and the service still have it.\n", forgotten)
	return err
}
