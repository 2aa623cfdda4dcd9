package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
	"housecount/apiclient/services"
	"housecount/cmd/housecount/observe"
	"housecount/cmd/housecount/options"
	"housecount/handlers/hooks"

	"github.com/alecthomas/kong"
)

// otherFile is the configuration file of a further service, read like that of a command.
type otherFile struct {
	Config  options.File
	Service struct {
		options.ServiceFlags `embed:""`
		options.HookFlags    `embed:""`
	} `cmd:""`
}

// otherService is a service beside the first.
type otherService struct {
	name    string
	service apiclient.Options
	options.HookFlags
	secrets *options.SensitiveFiles // from which its options were read; nil for none
}

// readOther reads the options of a further service from a file alone: a variable of the environment is of the first.
func readOther(name, path string) (otherService, error) {
	var faults options.Faults
	if err := services.CheckName(name); err != nil {
		faults.Add("%v", err)
	}
	file, secrets := new(otherFile), new(options.SensitiveFiles)
	parser, err := kong.New(file, options.ClientVars(), kong.Resolvers(options.Resolver(nil, secrets)))
	if err != nil {
		return otherService{}, err
	}
	command, err := parser.Parse([]string{"--config", kong.ExpandPath(path), "service"})
	if err != nil {
		faults.Join(options.Readable(err))
		return otherService{}, faults.OrNil()
	}
	faults.Check(command)
	given := file.Service
	o := otherService{name, given.Client(&faults), given.HookFlags, secrets}
	given.CheckFor(o.service.Profile, &faults)
	return o, faults.OrNil()
}

// otherServices returns the services beside the first, which is of a profile, sorted by name.
func (c serveCommand) otherServices(first *profile.Profile, faults *options.Faults) (all []otherService) {
	for _, name := range slices.Sorted(maps.Keys(c.Services)) {
		if first != nil && name == first.Rules.Name {
			faults.Add("--services %s: the first service is called that: give another name", name)
		}
		o, err := readOther(name, c.Services[name])
		var of options.Faults
		of.Join(err)
		for _, fault := range of.List {
			faults.Add("--services %s: %s", name, strings.TrimPrefix(fault, "--"))
		}
		if err == nil {
			all = append(all, o)
		}
	}
	tellers := slices.Clone(all)
	if first != nil {
		tellers = append(tellers, otherService{name: first.Rules.Name, service: apiclient.Options{Profile: first}, HookFlags: c.HookFlags})
	}
	for _, sells := range tellers {
		if !gives(sells, record.KindTicket) || !gives(sells, record.KindPayment) || !services.ReadPayments(sells.Payments).All() {
			continue
		}
		for _, takes := range tellers {
			if gives(takes, record.KindPayment) && !gives(takes, record.KindTicket) {
				faults.Add("--payments: %s and %s both tell of payments, and the same money would count twice: give %s none, or the methods of "+
					"payment of which it alone tells", sells.name, takes.name, sells.name)
			}
		}
	}
	return all
}

// services returns the first service and those beside it.
func (c configuration) services() []otherService {
	return append([]otherService{{name: c.service.Profile.Rules.Name, service: c.service, HookFlags: c.HookFlags}}, c.others...)
}

// titleOf returns how a person knows one of services: by its name, and a further one by the name that it has here, too.
func (c configuration) titleOf(i int) string {
	if i == 0 {
		return serviceTitle(c.Profile)
	}
	o := c.others[i-1]
	return fmt.Sprintf("%s (%s)", titleOf(o.service.Profile.Rules.Name), o.name)
}

// gives reports whether a service has a list that gives records of a kind.
func gives(o otherService, kind record.Kind) bool {
	return slices.ContainsFunc(o.service.Profile.Streams, func(s *profile.Stream) bool { return slices.Contains(s.Gives, kind) })
}

// openServices connects the services of a configuration.
func (p *program) openServices(c configuration, seal *store.Seal, leading *observe.LeadingLog) (*services.Services, error) {
	var all []services.Service
	for i, o := range c.services() {
		o.service.Log, o.service.Grants = p.log, grantsOf(p.store, seal, o.service)
		if stored, needed := o.service.Grants.(grants); needed {
			p.granted = append(p.granted, grantedService{c.titleOf(i), o.service, stored})
		}
		client, err := options.NewClient(o.service)
		if err != nil {
			return nil, err
		}
		p.clients = append(p.clients, observe.Client{Service: o.name, Client: client})
		all = append(all, services.Service{Name: o.name, Source: probe.NewSource(client, leading, p.log), Payments: services.ReadPayments(o.Payments)})
	}
	return services.Join(all[0], all[1:]...)
}

// hooks returns how the services say that there is news.
func (p *program) hooks(c configuration, lists []apiclient.Stream) (all []hooks.Service) {
	for i, o := range c.services() {
		of, own := o.service.Profile, ""
		if i > 0 {
			own = o.name
		}
		h := hooks.Service{Name: o.name, Secret: o.HookSecret, Key: o.HookKey, Header: of.Webhook.Header, Base64: of.Webhook.Encoding == profile.WebhookBase64, Note: p.records.NoteMessage, NoteRefused: p.records.NoteRefused, Noted: p.records.Messages}
		switch of.Webhook.Signed {
		case profile.WebhookTimeBody:
			h.Timed = true
		case profile.WebhookTimeDotBody:
			h.Timed, h.Separator = true, "."
		}
		names := map[string]string{} // of the lists as the log has them, by what the service calls them
		for _, s := range lists {
			if s.Service == own {
				name := strings.TrimPrefix(s.Name, own+"/")
				names[name], h.Lists = s.Name, append(h.Lists, name)
			}
		}
		h.Nudge = func(ctx context.Context, list string) error {
			if list != "" {
				return p.records.Nudge(ctx, names[list])
			}
			if len(c.others) == 0 {
				return p.records.Nudge(ctx, store.AllLists)
			}
			for _, name := range h.Lists {
				if err := p.records.Nudge(ctx, names[name]); err != nil {
					return err
				}
			}
			return nil
		}
		all = append(all, h)
	}
	return all
}

// serviceNames returns the profile of the first service, and the names of the others.
func (c configuration) serviceNames() []string {
	names := []string{c.Profile}
	if c.service.Profile != nil {
		names[0] = c.service.Profile.Rules.Name
	}
	for _, o := range c.others {
		names = append(names, o.name)
	}
	return names
}

// sensitiveFiles returns all files with secrets: read, those of the further services, and the key for TLS.
func (c configuration) sensitiveFiles(read *options.SensitiveFiles) *options.SensitiveFiles {
	all := new(options.SensitiveFiles)
	add := func(more *options.SensitiveFiles) {
		if more != nil {
			for _, path := range more.Paths {
				all.Add(path)
			}
		}
	}
	add(read)
	for _, o := range c.others {
		add(o.secrets)
	}
	if c.TLSKey != "" {
		all.Add(c.TLSKey)
	}
	return all
}
