package main

import (
	"bufio"
	"context"
	"encoding/json"
	"slices"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/options"
)

// exportCommand writes what the database has from the service and from people, for use elsewhere or to tell a
// person what is stored about them. It includes deleted records only if it includes all versions.
type exportCommand struct {
	options.DatabaseFlags `embed:""`

	Kind     []string `help:"Only records of these kinds: event, ticket, payment, contact, planning, scan, acknowledgement, walk_in, screen_message, setting, admissions, reconciliation." placeholder:"KIND,..." check:"kind"`
	Contact  string   `help:"Only what is or names the contact with this id, in all versions." placeholder:"ID"`
	Versions bool     `help:"Every version of each record that is stored, in the order in which they were, instead of the newest."`
}

// exported is a line of an export. Revision and SeenAt are those of the version, if all versions are exported;
// versions from before versions were stored have no time.
type exported struct {
	Service  string        `json:"service"`
	Kind     record.Kind   `json:"kind"`
	Revision int64         `json:"revision,omitzero"`
	SeenAt   time.Time     `json:"seen_at,omitzero"`
	Record   record.Record `json:"record"`
}

func (c exportCommand) Run(ctx context.Context, env environment) error {
	var kinds []record.Kind
	for _, k := range c.Kind {
		kinds = append(kinds, record.Kind(k))
	}
	if len(kinds) == 0 {
		kinds = options.ExportedKinds
	}
	db, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Audit().Append(ctx, store.Act{Actor: store.ActorCommand, Name: whoami(), Action: store.ActExported}); err != nil {
		return err
	}
	services, err := db.Services(ctx)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(env.stdout)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, service := range services {
		log, err := db.Records(ctx, service)
		if err != nil {
			return err
		}
		if err := c.export(ctx, log, kinds, func(line exported) error {
			line.Service = service
			return lines.Encode(line)
		}); err != nil {
			return err
		}
	}
	return w.Flush()
}

// export calls write for each line of a log.
func (c exportCommand) export(ctx context.Context, log *store.Records, kinds []record.Kind, write func(exported) error) error {
	if !c.Versions && c.Contact == "" {
		for v, err := range log.Heads(ctx, kinds...) {
			if err == nil {
				err = write(exported{Kind: v.Record.RecordKind(), Record: v.Record})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	for v, err := range log.Versions(ctx, 0) {
		if err != nil {
			return err
		}
		if !slices.Contains(kinds, v.Record.RecordKind()) || c.Contact != "" && record.ContactOf(v.Record) != c.Contact {
			continue
		}
		if err := write(exported{Kind: v.Record.RecordKind(), Revision: v.Revision, SeenAt: v.SeenAt, Record: v.Record}); err != nil {
			return err
		}
	}
	return nil
}
