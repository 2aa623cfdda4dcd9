package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/options"
	"housecount/web/setup"
)

// The plans of a change of the service: what becomes of what was read. Codes of the family connection_plan.
const (
	planReread = "reread" // it is the same house, read anew
	planAnew   = "anew"   // another house begins with nothing
	planBack   = "back"   // it goes on with what was read of it before
)

// servicePlan is what comes of a change of the service.
type servicePlan struct {
	code       string // empty where it goes on as it was
	succession store.Succession
	keeps      bool // the one that is noted stays
	found      *setup.Found
}

// runningHouse is the database of what runs, for a connection. It has the performances before figures are made of them.
type runningHouse struct {
	*store.Store
	granted []grantedService
	records *store.Records // of the services
}

// grantedService is a service that a person has to allow housecount at, with what it is asked with and where what it gives is
// stored.
type grantedService struct {
	title   string
	options apiclient.Options
	grants  grants
}

// Granted implements connectedHouse.
func (h runningHouse) Granted() []grantedService { return h.granted }

// PutGrant implements connectedHouse. The lists are polled at once.
func (h runningHouse) PutGrant(ctx context.Context, at grants, grant []byte) error {
	if err := at.put(ctx, grant); err != nil {
		return err
	}
	return h.records.Nudge(ctx, store.AllLists)
}

// Shows implements connectedHouse.
func (h runningHouse) Shows(ctx context.Context, log string) (map[string]setup.Show, error) {
	all := map[string]setup.Show{}
	for v, err := range h.HeadsOf(ctx, log, record.KindEvent) {
		if err != nil {
			return nil, err
		}
		if e, ok := v.Record.(*record.Event); ok {
			all[e.ID] = setup.Show{Title: e.Title, At: e.StartsAt}
		}
	}
	return all, nil
}

// givenWithProfile are the options that go with a profile, and stay as they are where one of them is not of the file.
var givenWithProfile = append([]string{"profile", "var"}, ofOneService...)

// profileGivenBy returns the option of the command line, or the variable of the environment, that keeps the profile and its
// variables from being changed; nothing for none.
func (n *connection) profileGivenBy() setup.Given {
	for _, name := range givenWithProfile {
		if _, direct := n.env.vars[options.Variable(name)]; direct {
			return setup.Given{Where: "environment", What: options.Variable(name)}
		}
		if _, named := n.env.vars[options.Variable(name)+"_FILE"]; named {
			return setup.Given{Where: "environment", What: options.Variable(name) + "_FILE"}
		}
		if n.givenElsewhere(name) {
			return setup.Given{Where: "command_line", What: "--" + name}
		}
	}
	return setup.Given{}
}

// serviceTitle returns the name of the service of a profile, or of the profile's file if that cannot be read.
func serviceTitle(name string) string {
	if slices.Contains(profile.BuiltinNames(), name) {
		return titleOf(name)
	}
	if own, err := options.ReadProfile(name); err == nil {
		return titleOf(own.Rules.Name)
	}
	return filepath.Base(name)
}

// choiceTitle returns the name of the service of a profile, with the profile's file where it is of one.
func choiceTitle(name string) string {
	title, file := serviceTitle(name), filepath.Base(name)
	if slices.Contains(profile.BuiltinNames(), name) || title == file {
		return title
	}
	return title + " (" + file + ")"
}

// profiles returns the profiles that can be chosen: those of profilesBeside, and the present one.
func (n *connection) profiles(present string) []string {
	all := setupProfiles()
	if n.files.config != "" {
		all = profilesBeside(n.files.config, present)
	}
	if !slices.Contains(all, present) {
		all = append(all, present)
	}
	return all
}

// profilesBeside returns the profiles that a house can begin with, and the files of profiles beside a configuration file, but
// for present. Nobody sends a profile from a browser: who may write beside that file may run programs here anyway.
func profilesBeside(config, present string) []string {
	all := setupProfiles()
	config, own := absolute(config), absolute(present)
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(config), "*.yaml")) // its only error is of the pattern
	for _, file := range files[:min(len(files), 100)] {
		if info, err := os.Stat(file); file == config || file == own || err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		if text, err := os.ReadFile(file); err == nil {
			if p, err := profile.Parse(file, text); err == nil && hasEvents(p) {
				all = append(all, file)
			}
		}
	}
	return all
}

// absolute returns a path as it is from everywhere.
func absolute(path string) string {
	if all, err := filepath.Abs(path); err == nil {
		return all
	}
	return path
}

// askedOf returns what another service asks for.
func askedOf(name string) *setup.Other {
	of, err := options.ReadProfile(name)
	if err != nil {
		return nil
	}
	o := &setup.Other{Profile: name, Service: serviceTitle(name), About: of.About, Vars: shownVars(of, name, nil), Person: needsPerson(of)}
	o.NeedsKey, o.OAuth = needsKey(of)
	if !strings.Contains(of.Rules.BaseURL, "{") {
		o.APIURL = of.Rules.BaseURL
	}
	return o
}

// shownVars returns the variables of a profile with their values, but for secrets.
func shownVars(of *profile.Profile, name string, given map[string]string) (all []setup.Field) {
	for _, v := range slices.Sorted(maps.Keys(of.Rules.Vars)) {
		f := setup.Field{Name: v, Value: cmp.Or(given[v], of.Rules.Vars[v])}
		if isSecretVar(name, v, f.Value) {
			f.Secret, f.Stored, f.Value = true, f.Value != "", ""
		}
		all = append(all, f)
	}
	return all
}

// secretVar matches names of variables that may be secrets.
var secretVar = regexp.MustCompile(`(^|_)(key|secret|token|password|pass|pin)$`)

// isSecretVar reports whether the value of a profile's variable may be a secret: by its name, or because a profile that is
// not built in sends it to the service. The profile's own value is none.
func isSecretVar(name, variable, value string) bool {
	of, err := options.ReadProfile(name)
	if err != nil {
		return true
	}
	if usual := of.Rules.Vars[variable]; usual != "" && value == usual {
		return false
	}
	return secretVar.MatchString(variable) || !slices.Contains(profile.BuiltinNames(), name) && of.Sends(variable)
}

// bothVars returns the names of the variables of two configurations.
func bothVars(a, b serveCommand) map[string]string {
	all := maps.Clone(a.Var)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b.Var)
	return all
}

// takeService takes the service, its variables, its key and its address, asks it, and plans what becomes of what was read.
func (n *connection) takeService(ctx context.Context, c *serveCommand, form url.Values) (plan servicePlan, err error) {
	before, name := *c, cmp.Or(form.Get("profile"), c.Profile)
	fixed := n.profileGivenBy() != setup.Given{}
	if name != c.Profile && (fixed || !slices.Contains(n.profiles(c.Profile), name)) {
		return plan, &setupFault{code: "service"}
	}
	of, err := options.ReadProfile(name)
	if err != nil {
		return plan, &setupFault{code: "options"}
	}
	if name != c.Profile {
		c.Profile, c.Var, c.APIURL, c.APIKey, c.APIClientID, c.APIClientSecret = name, nil, "", "", "", ""
		c.APITokenURL, c.APIScopes, c.Paging, c.HookSecret, c.HookKey = "", nil, "", "", ""
	}
	typed := strings.TrimRight(strings.TrimSpace(form.Get("api_url")), "/")
	if typed == strings.TrimRight(of.Rules.BaseURL, "/") && c.APIURL == "" {
		typed = "" // the page shows the profile's
	}
	form.Set("api_url", typed)
	var kept []string // secret variables that stay as they are stored
	for v, usual := range of.Rules.Vars {
		present := cmp.Or(c.Var[v], usual)
		secret := present != "" && isSecretVar(name, v, present)
		if stays := fixed || !form.Has("var."+v) || secret && strings.TrimSpace(form.Get("var."+v)) == ""; stays {
			form.Set("var."+v, present)
			if secret {
				kept = append(kept, v)
			}
		}
	}
	needs, _ := needsKey(of)
	stored := needs && name == before.Profile && strings.TrimSpace(form.Get("key")) == ""
	if stored && (typed != strings.TrimRight(before.APIURL, "/") || strings.TrimSpace(form.Get("client_id")) != before.APIClientID) {
		return plan, &setupFault{code: "key_again"}
	}
	state := setupState{Profile: c.Profile, ClientID: c.APIClientID, APIKey: cmp.Or(c.APIKey, c.APIClientSecret), Timezone: c.Timezone, given: c.ServiceFlags}
	next, options, err := state.fillKey(form)
	if err != nil {
		return plan, err
	}
	if name == before.Profile && !slices.Equal(sentTo(before), sentTo(n.withService(before, next))) {
		switch {
		case stored:
			return plan, &setupFault{code: "key_again"}
		case len(kept) > 0:
			return plan, &setupFault{code: "secret_again", what: slices.Min(kept)}
		case needsGrants(options): // what a person allowed at the one host is not sent to another
			return plan, &setupFault{code: "authorize"}
		}
	}
	if err := next.ask(ctx, *c, options, next.APIKey != state.APIKey); err != nil {
		return plan, err
	}
	*c = n.withService(*c, next)
	plan.found = next.Found
	return plan, n.planFor(ctx, c, of, &plan)
}

// ask asks the service with the grants of the database where it needs them. isNew is of the key.
func (s *setupState) ask(ctx context.Context, c serveCommand, options apiclient.Options, isNew bool) error {
	err := withGrants(ctx, sealedDatabase{c.DatabaseFlags, c.SealFlags}, options, isNew, func(o apiclient.Options) error { return s.check(ctx, o) })
	if fault, ok := errors.AsType[*setupFault](err); ok && fault.code == "unauthorized" && needsGrants(options) {
		if isNew {
			return &setupFault{code: "client_refused"}
		}
		return &setupFault{code: "authorize"}
	}
	return err
}

// withService returns a configuration with what was filled in. Variables that have the profile's own value are left out where
// they were.
func (n *connection) withService(c serveCommand, s setupState) serveCommand {
	taken := s.service()
	of, _ := options.ReadProfile(s.Profile) // which has been read
	vars := map[string]string{}
	for name, value := range s.Vars {
		if _, given := c.Var[name]; given || value != of.Rules.Vars[name] {
			vars[name] = value
		}
	}
	c.APIURL, c.APIKey, c.APIClientID, c.APIClientSecret, c.Var = taken.APIURL, taken.APIKey, taken.APIClientID, taken.APIClientSecret, vars
	return c
}

// sentTo returns the hosts that something is sent to: the key, or a variable that may be a secret.
func sentTo(c serveCommand) (all []string) {
	of, err := options.ReadProfile(c.Profile)
	if err != nil {
		return nil
	}
	if of, err = of.With(c.Var); err != nil {
		return nil
	}
	addresses := []string{cmp.Or(c.APIURL, of.Rules.BaseURL), cmp.Or(c.APITokenURL, of.Auth.OAuth.TokenURL), of.Auth.OAuth.AuthorizeURL}
	for _, name := range slices.Sorted(maps.Keys(of.Origins)) {
		addresses = append(addresses, of.Origins[name].BaseURL)
	}
	for _, address := range addresses {
		if u, err := url.Parse(address); err == nil {
			all = append(all, u.Scheme+"://"+u.Host)
		}
	}
	return all
}

// sourceOf returns the name of the log of a configuration.
func sourceOf(c serveCommand) string {
	var faults options.Faults
	return options.Source(c.ServiceFlags.Client(&faults))
}

// planFor plans what becomes of what was read. It is a fault if another house would be read into a log: its name has neither
// the address nor the key.
func (n *connection) planFor(ctx context.Context, c *serveCommand, of *profile.Profile, plan *servicePlan) error {
	if n.house == nil {
		return nil
	}
	name, runs := sourceOf(*c), sourceOf(n.runs)
	known, err := n.house.Services(ctx)
	if err != nil {
		return err
	}
	all := *c // a setup writes all variables
	all.Var = maps.Clone(of.Rules.Vars)
	maps.Copy(all.Var, c.Var)
	if len(all.Var) > 0 && !slices.Contains(known, name) && slices.Contains(known, sourceOf(all)) {
		c.Var, name = all.Var, sourceOf(all)
	}
	goesOn := slices.Contains(known, name)
	log := runs
	if goesOn {
		log = name
	}
	shows, err := n.house.Shows(ctx, log)
	if err != nil {
		return err
	}
	same := sameHouse(shows, plan.found.Shows)
	switch {
	case (goesOn || name == runs) && !same:
		return &setupFault{code: "other_house"}
	case name == runs:
	case goesOn:
		plan.code = planBack
	case c.Profile == n.runs.Profile && same:
		plan.code, plan.succession = planReread, store.Succession{To: name, From: runs}
	default:
		plan.code, plan.succession = planAnew, store.Succession{To: name}
	}
	return nil
}

// apart is the most by which the same performance may begin at another time, as it does in another time zone.
const apart = 14 * time.Hour

// sameHouse reports whether the performances that a service gives are those of a house: at least half of them, or of the
// house's if it has fewer, have the same id, title and time. A house without any may be each.
func sameHouse(house, found map[string]setup.Show) bool {
	same := 0
	for id, show := range found {
		if other, known := house[id]; known && other.Title == show.Title && other.At.Sub(show.At).Abs() <= apart {
			same++
		}
	}
	return 2*same >= min(len(house), len(found))
}
