package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/options"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/setup"
	"housecount/web/words"
)

// profileTitles are the names of services where their profiles' are not.
var profileTitles = map[string]string{"default": "housecount API", "weeztix": "Weeztix", "alfio": "alf.io", "hievents": "Hi.Events", "voordemensen": "VoordeMensen", "pretix": "pretix", "ticketsource": "TicketSource"}

// titleOf returns the name of a profile's service.
func titleOf(name string) string {
	if title := profileTitles[name]; title != "" {
		return title
	}
	parts := strings.Split(name, "-")
	for i, part := range parts {
		if part != "" {
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, " ")
}

// setupProfiles returns the names of the profiles that a house can begin with: those that have performances.
func setupProfiles() []string {
	return slices.DeleteFunc(profile.BuiltinNames(), func(name string) bool {
		p, err := profile.Builtin(name)
		return err != nil || !hasEvents(p)
	})
}

// hasEvents reports whether a profile has performances.
func hasEvents(p *profile.Profile) bool {
	return slices.ContainsFunc(p.Streams, func(s *profile.Stream) bool { return slices.Contains(s.Gives, record.KindEvent) })
}

// filledIn returns what was typed into a field of a step that is not done, or else what is stored.
func (s *setupServer) filledIn(name, stored string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, form := range s.typed { // no two steps have fields of one name
		if form.Has(name) {
			return form.Get(name)
		}
	}
	return stored
}

// page returns the page of a state, with what was typed where that is not stored.
func (s *setupServer) page(state setupState, r *http.Request) setup.Page {
	typed := s.filledIn
	p := setup.Page{Found: state.Found, Venue: typed("venue", state.Venue), Zone: typed("zone", cmp.Or(state.Timezone, s.command.Timezone)), Cutoff: typed("cutoff", cmp.Or(state.Cutoff, "06:00")),
		Whole: typed("whole", state.Whole), PublicURL: typed("public_url", state.PublicURL), Issuer: typed("issuer", state.Issuer), LoginID: typed("login_id", state.LoginID), SecretStored: state.LoginSecret != "",
		Admin: typed("admin", state.Admin), RoleClaim: typed("role_claim", state.RoleClaim), Groups: typed("groups", state.Groups), Grants: state.Grants, File: s.files.config,
		Address: typed("address", ""), APIURL: typed("api_url", state.APIURL), ClientID: typed("client_id", state.ClientID), KeyStored: state.APIKey != ""}
	for _, name := range profilesBeside(s.files.config, "") {
		p.Services = append(p.Services, web.Choice{ID: name, Name: choiceTitle(name), Chosen: name == state.Profile})
	}
	if chosen, err := options.ReadProfile(state.Profile); err == nil && state.Profile != "" {
		p.Profile, p.Service, p.About, p.Example = state.Profile, serviceTitle(state.Profile), chosen.About, chosen.Rules.BaseURL
		p.NeedsKey, p.OAuth = needsKey(chosen)
		if needsPerson(chosen) {
			p.Register, p.Allow = s.authorizedAddress(r), s.allow(state)
		}
		for _, name := range slices.Sorted(maps.Keys(chosen.Rules.Vars)) {
			p.Vars = append(p.Vars, setup.Field{Name: name, Value: typed("var."+name, cmp.Or(state.Vars[name], chosen.Rules.Vars[name]))})
		}
	}
	language := typed("language", cmp.Or(state.Language, s.command.Language))
	for _, l := range words.Locales {
		p.Languages = append(p.Languages, web.Choice{ID: string(l), Name: words.Of(l).Code("language", string(l)), Chosen: string(l) == language})
	}
	for i, h := range state.Halls {
		h.Allowed = typed("hall."+strconv.Itoa(i), h.Allowed)
		p.Halls = append(p.Halls, h)
	}
	provider := typed("provider", cmp.Or(state.Provider, providers[0].id))
	if providerIssuer(provider) != "" { // it is not typed, and must not stay for another
		p.Issuer = ""
	}
	for _, one := range providers {
		p.Providers = append(p.Providers, web.Choice{ID: one.id, Name: one.name, Chosen: one.id == provider})
	}
	w := words.Of(words.Preferred(r.Header.Get("Accept-Language"), web.Locale(s.command.Language)))
	for _, role := range web.Roles {
		p.Roles = append(p.Roles, web.Choice{ID: string(role), Name: w.Code("role", string(role)), Chosen: string(role) == typed("role", string(web.BoxOffice))})
	}
	return p
}

// step takes the form of a step and returns the one to go on with, after StepDone when all is done.
func (s *setupServer) step(r *http.Request) (next int, err error) {
	state, form := s.current(), r.PostForm
	at, err := strconv.Atoi(form.Get("step"))
	if err != nil || at < setup.StepService || at > state.reached() {
		return 0, &setupFault{code: "form"}
	}
	switch at {
	case setup.StepService:
		before := state.Profile
		if err = state.takeService(form, profilesBeside(s.files.config, "")); state.Profile != before {
			s.forget(setup.StepKey, setup.StepVenue)
		}
	case setup.StepKey:
		var ask bool
		if ask, err = s.takeKey(r, &state); ask {
			return at, cmp.Or(s.store(state), err)
		}
		if err == nil {
			s.forget(setup.StepVenue) // there may be other halls
		}
	case setup.StepVenue:
		err = state.takeVenue(form)
	case setup.StepLogin:
		var again bool
		if again, err = state.takeLogin(r.Context(), form); again && err == nil {
			return at, s.store(state)
		}
	case setup.StepDone:
		if err := s.finish(r.Context(), state); err != nil {
			return at, err
		}
		return at + 1, nil
	}
	if err != nil {
		s.holdSecret(at, form, err)
		return at, err
	}
	return state.reached(), s.store(state)
}

// forget forgets what was typed at steps.
func (s *setupServer) forget(steps ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, step := range steps {
		delete(s.typed, step)
	}
}

// holdSecret holds a secret in memory that was typed beside what is wrong, so that it is not typed again, unless it is what is
// wrong itself.
func (s *setupServer) holdSecret(at int, form url.Values, err error) {
	faults, wrong := faultsOf(err), []string{"unauthorized", "unauthorized_with", "key_unfit", "client", "client_unfit", "client_refused"}
	if faults == nil || slices.ContainsFunc(faults, func(f *setupFault) bool { return slices.Contains(wrong, f.code) }) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key, secret := strings.TrimSpace(form.Get("key")), strings.TrimSpace(form.Get("login_secret"))
	switch of, known := options.ReadProfile(s.state.Profile); {
	case at == setup.StepKey && key != "" && known == nil && !needsPerson(of):
		s.state.APIKey = key
	case at == setup.StepLogin && secret != "":
		s.state.LoginSecret = secret
	}
}

// store makes a state the current one.
func (s *setupServer) store(state setupState) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.files.save(state); err != nil {
		return err
	}
	s.state = state
	return nil
}

// takeService takes another service, which forgets the key of the one before.
func (s *setupState) takeService(form url.Values, all []string) error {
	name := form.Get("profile")
	if !slices.Contains(all, name) {
		return &setupFault{code: "service"}
	}
	if name != s.Profile {
		s.Profile, s.Vars, s.APIURL, s.APIKey, s.ClientID, s.KeyRefused, s.Found, s.Halls, s.VenueSet = name, nil, "", "", "", false, nil, nil, false
	}
	return nil
}

// fillKey returns the state with the key and what else the service needs, and the options for asking it.
func (s setupState) fillKey(form url.Values) (next setupState, service apiclient.Options, err error) {
	p, err := options.ReadProfile(s.Profile)
	if err != nil {
		return s, service, err
	}
	next = s
	next.APIURL, next.ClientID, next.Vars = strings.TrimRight(strings.TrimSpace(form.Get("api_url")), "/"), strings.TrimSpace(form.Get("client_id")), map[string]string{}
	var faults setupFaults
	if next.APIURL != "" && options.CheckHTTPS(next.APIURL, "") != "" {
		faults.add("api_url", "")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Rules.Vars)) {
		value := strings.TrimSpace(form.Get("var." + name))
		if value == "" {
			faults.add("var", name)
		}
		next.Vars[name] = value
	}
	if needsPerson(p) && next.ClientID == "" {
		faults.add("client_id", "")
	}
	if key := strings.TrimSpace(form.Get("key")); key != "" {
		next.APIKey = key
	}
	if needs, _ := needsKey(p); needs && next.APIKey == "" {
		faults.add("key", "")
	}
	if faults != nil {
		return s, service, faults
	}
	if service, faults = next.options(); faults != nil {
		return s, service, faults
	}
	return next, service, nil
}

// options returns what the service is asked with, or which fields do not fit it.
func (s setupState) options() (o apiclient.Options, all setupFaults) {
	var other options.Faults
	o = s.service().Client(&other)
	for _, f := range o.Faults() {
		code, what := unfit[f.Option], f.Var
		if what != "" {
			code = "var_unfit"
		}
		if code == "" {
			code = "options"
		}
		if !slices.ContainsFunc(all, func(known *setupFault) bool { return *known == setupFault{code, what} }) {
			all.add(code, what)
		}
	}
	if all == nil && len(other.List) > 0 {
		all.add("options", "")
	}
	return o, all
}

// unfit are the codes of what is wrong with an option of the client, by its name.
var unfit = map[string]string{"BaseURL": "address_unfit", "APIKey": "key_unfit", "ClientID": "client_unfit", "ClientSecret": "client_unfit"}

// check asks the service and takes what it has. What was typed of halls that it still has stays.
func (s *setupState) check(ctx context.Context, service apiclient.Options) error {
	zone, _ := options.ParseZone(cmp.Or(s.Timezone, "Europe/Amsterdam"))
	found, halls, err := checkService(ctx, service, zone)
	if err != nil {
		return locatedFault(err, s.Profile)
	}
	for i, h := range halls {
		if j := slices.IndexFunc(s.Halls, func(known setup.Hall) bool { return known.Name == h.Name }); j >= 0 {
			halls[i].Allowed = s.Halls[j].Allowed
		}
	}
	s.Found, s.Halls = found, halls
	return nil
}

func (s *setupState) takeVenue(form url.Values) error {
	s.Venue, s.Timezone, s.Cutoff, s.Language, s.Whole = strings.TrimSpace(form.Get("venue")), strings.TrimSpace(form.Get("zone")), strings.TrimSpace(form.Get("cutoff")), form.Get("language"), strings.TrimSpace(form.Get("whole"))
	if !slices.Contains(words.Locales, words.Locale(s.Language)) {
		return &setupFault{code: "form"}
	}
	var faults setupFaults
	if s.Venue == "" || len(s.Venue) > 200 {
		faults.add("venue", "")
	}
	if _, err := options.ParseZone(s.Timezone); err != nil || s.Timezone == "" {
		faults.add("zone", s.Timezone)
	}
	if _, err := options.ParseClock(s.Cutoff); err != nil {
		faults.add("cutoff", s.Cutoff)
	}
	s.Halls = slices.Clone(s.Halls)
	for i := range s.Halls {
		s.Halls[i].Allowed = strings.TrimSpace(form.Get("hall." + strconv.Itoa(i)))
		if _, err := allowed(s.Halls[i].Allowed); err != nil {
			faults.add("allowed", s.Halls[i].Name)
		}
	}
	if _, err := allowed(s.Whole); err != nil {
		faults.add("allowed", s.Whole)
	}
	s.VenueSet = len(faults) == 0
	return faults.orNil()
}

// takeLogin takes who may sign in, and asks the provider whether they can. again is true if an
// address was added or removed: then the step is shown again.
func (s *setupState) takeLogin(ctx context.Context, form url.Values) (again bool, err error) {
	s.Provider, s.PublicURL, s.LoginID = form.Get("provider"), strings.TrimRight(strings.TrimSpace(form.Get("public_url")), "/"), strings.TrimSpace(form.Get("login_id"))
	s.Issuer = cmp.Or(providerIssuer(s.Provider), strings.TrimSpace(form.Get("issuer")))
	s.Admin, s.RoleClaim, s.Groups = strings.TrimSpace(form.Get("admin")), strings.TrimSpace(form.Get("role_claim")), strings.TrimSpace(form.Get("groups"))
	if secret := strings.TrimSpace(form.Get("login_secret")); secret != "" {
		s.LoginSecret = secret
	}
	if s.RoleClaim != "" && s.Groups == "" {
		s.Groups = groupsAsRoles()
	}
	s.LoginChecked = false
	if gone := form.Get("remove"); gone != "" {
		s.Grants = slices.DeleteFunc(slices.Clone(s.Grants), func(g setup.Grant) bool { return g.Address == gone })
		return true, nil
	}
	if added := form.Get("address"); added != "" || form.Get("do") == "add" {
		address, err := signin.ReadGrantee(added)
		role := web.Role(form.Get("role"))
		switch {
		case errors.Is(err, signin.ErrSharedDomain):
			return false, &setupFault{"shared_domain", added}
		case err != nil:
			return false, &setupFault{"grantee", added}
		case !slices.Contains(web.Roles, role):
			return false, &setupFault{code: "form"}
		}
		s.Grants = append(slices.DeleteFunc(slices.Clone(s.Grants), func(g setup.Grant) bool { return g.Address == address }), setup.Grant{Address: address, Role: role})
		if form.Get("do") == "add" {
			return true, nil
		}
	}
	if err := s.checkLogin(ctx); err != nil {
		return false, err
	}
	s.LoginChecked = true
	return false, nil
}

// groupsAsRoles returns the lines of groups that are called as the roles that they give.
func groupsAsRoles() string {
	var lines []string
	for _, role := range web.Roles {
		lines = append(lines, fmt.Sprintf("%s=%s", role, role))
	}
	return strings.Join(lines, "\n")
}

// checkLogin reports what is wrong with the login, as far as that can be found out without a person.
func (s *setupState) checkLogin(ctx context.Context) error {
	if faults := s.loginFaults(); faults != nil {
		return faults
	}
	var faults options.Faults
	l := s.login().SignIn(&faults)
	if len(faults.List) > 0 {
		return &setupFault{code: "login"}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, f := range signin.CheckLogin(ctx, s.PublicURL, l) {
		if f.Fault { // its text may have what the provider answered
			return &setupFault{code: map[string]string{"issuer": "issuer", "client": "client", "redirect address": "redirect"}[f.Part]}
		}
	}
	return nil
}

// loginFaults returns what is wrong with the login before the provider is asked.
func (s *setupState) loginFaults() (faults setupFaults) {
	if !isPublicAddress(s.PublicURL) {
		faults.add("public_url", "")
	}
	if s.Issuer == "" || options.CheckHTTPS(s.Issuer, "") != "" {
		faults.add("issuer", "")
	}
	roles, err := s.roles()
	byGroup := slices.Contains(slices.Collect(maps.Values(roles)), string(web.Admin))
	address, unread := signin.ReadGrantee(s.Admin)
	switch {
	case err != nil:
		faults.add("groups", "")
	case strings.HasPrefix(s.Issuer, "https://login.microsoftonline.com/") && !byGroup:
		faults.add("unverified", "")
	case s.Admin == "" && !byGroup:
		faults.add("admin", "")
	case s.Admin != "" && (unread != nil || strings.HasPrefix(address, "@")):
		faults.add("grantee", s.Admin)
	}
	return faults
}

// finish stores what belongs into the database, and then the configuration file. What fails may be repeated.
func (s *setupServer) finish(ctx context.Context, state setupState) error {
	if state.reached() != setup.StepDone {
		return &setupFault{code: "form"}
	}
	db, err := store.OpenCurrent(ctx, string(s.command.Database))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := state.enter(ctx, db); err != nil {
		return err
	}
	return s.files.finish(state, s.command)
}

// enter stores the roles of addresses and how many people are allowed inside.
func (s *setupState) enter(ctx context.Context, db *store.Store) error {
	by := store.Act{Actor: store.ActorCommand, Action: store.ActRoleGiven}
	for _, g := range s.Grants {
		if err := db.Grants().Give(ctx, store.Grant{Address: g.Address, Role: string(g.Role), By: "setup"}, by); err != nil {
			return err
		}
	}
	now := time.Now()
	var settings []record.Record
	add := func(hall, text string) {
		if n, err := allowed(text); err == nil && n > 0 {
			settings = append(settings, &record.Setting{Name: record.SettingLicensed, Of: hall, Value: &n, At: now, By: "setup"})
		}
	}
	add("", s.Whole)
	for _, h := range s.Halls {
		add(h.Name, h.Allowed)
	}
	if len(settings) == 0 {
		return nil
	}
	var faults options.Faults
	client := s.service().Client(&faults)
	if err := faults.OrNil(); err != nil {
		return err
	}
	records, err := db.Records(ctx, options.Source(client))
	if err != nil {
		return err
	}
	_, err = records.Enter(ctx, now, settings...)
	return err
}
