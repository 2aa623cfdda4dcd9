package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/options"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/setup"
)

// connection changes what the setup wrote while housecount runs, for the next start: the service, its profile's variables,
// its key and its address, and the sign-in service. It makes the setup's own checks. Where an address changes, the secret
// that goes to it has to be given again, so that nobody can have a stored one sent elsewhere.
type connection struct {
	files setupFiles // of the --config file; empty for none
	fixed string     // why nothing can be changed
	env   environment
	log   *slog.Logger
	runs  serveCommand
	house connectedHouse // nil before it runs

	mu         sync.Mutex
	now        serveCommand     // as it is from the next start on
	text       []byte           // of the file, as it was read or written last
	succession store.Succession // with that, as this process noted it in the database
	changes    int              // how often it was changed
	salt       string           // names this process

	waits atomic.Bool // now differs from what runs
}

// connectedHouse is what runs.
type connectedHouse interface {
	// Shows returns the performances that the log of a name has, by id; none where there is no such log.
	Shows(ctx context.Context, log string) (map[string]setup.Show, error)
	// Services returns the names of the logs that the database has.
	Services(ctx context.Context) ([]string, error)
	// Succession returns the one that is noted, by whichever process.
	Succession(ctx context.Context) (store.Succession, error)
	SetSuccession(ctx context.Context, next store.Succession) error
	// Granted returns the services that run and that a person has to allow housecount at.
	Granted() []grantedService
	// PutGrant stores what a person's authorization at a service has given, for what runs.
	PutGrant(ctx context.Context, at grants, grant []byte) error
}

// attach gives the connection the house that runs.
func (n *connection) attach(house connectedHouse) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.house = house
}

// connectionFlags are the options that a connection changes.
var connectionFlags = []string{"api-url", "api-key", "api-client-id", "api-client-secret", "public-url", "oidc-issuer", "oidc-client-id", "oidc-client-secret"}

func newConnection(c serveCommand, file string, env environment, log *slog.Logger) *connection {
	n := &connection{salt: rand.Text(), files: setupFiles{file}, env: env, log: log, runs: c, now: c}
	switch {
	case file == "":
		n.fixed = "not_file"
	case slices.ContainsFunc(connectionFlags, n.givenElsewhere):
		n.fixed = "elsewhere"
	}
	n.text, _ = os.ReadFile(file) // a change reads it, too
	return n
}

// givenElsewhere reports whether the command line or the environment gives an option, which wins over the file.
func (n *connection) givenElsewhere(name string) bool {
	_, direct := n.env.vars[options.Variable(name)]
	_, named := n.env.vars[options.Variable(name)+"_FILE"]
	return direct || named || slices.ContainsFunc(n.env.args, func(arg string) bool { return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=") })
}

// Present implements handlers.Connection.
func (n *connection) Present(chosen string) setup.Connection {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.now
	p := setup.Connection{File: n.files.config, Fixed: n.fixed, Waits: n.waits.Load(), Service: serviceTitle(c.Profile), APIURL: c.APIURL, ClientID: c.APIClientID,
		KeyStored: c.APIKey+c.APIClientSecret != "", PublicURL: c.PublicURL, Issuer: c.OIDCIssuer, LoginID: c.OIDCClientID, SecretStored: c.OIDCClientSecret != "",
		Seen: n.seen(), GivenBy: n.profileGivenBy()}
	if c.OIDCIssuer == "" {
		p.FixedSignIn, p.Issuer = "oauth", c.OAuthAuthURL
	}
	of, err := options.ReadProfile(c.Profile)
	if err != nil {
		return p
	}
	p.Profile, p.Vars = c.Profile, shownVars(of, c.Profile, c.Var)
	p.NeedsKey, p.OAuth = needsKey(of)
	if p.APIURL == "" && !strings.Contains(of.Rules.BaseURL, "{") {
		p.APIURL = of.Rules.BaseURL
	}
	for _, name := range n.profiles(c.Profile) {
		p.Services = append(p.Services, web.Choice{ID: name, Name: choiceTitle(name), Chosen: name == cmp.Or(chosen, c.Profile)})
	}
	if chosen != c.Profile && slices.Contains(n.profiles(c.Profile), chosen) {
		p.Other = askedOf(chosen)
	}
	return p
}

// Waits implements handlers.Connection.
func (n *connection) Waits() bool { return n.waits.Load() }

// seen names the values, so that a form that was opened before a change is known.
func (n *connection) seen() string { return fmt.Sprint(n.salt, n.changes) }

// Check implements handlers.Connection.
func (n *connection) Check(ctx context.Context, form url.Values) (change handlers.ConnectionChange, err error) {
	n.mu.Lock()
	next, seen, same := n.now, n.seen(), n.unchanged()
	n.mu.Unlock()
	before := next
	form = maps.Clone(form)
	var plan servicePlan
	if form.Get("seen") != seen || !same {
		err = &setupFault{code: "meanwhile"}
	} else if form.Get("part") == setup.PartService {
		plan, err = n.takeService(ctx, &next, form)
	} else {
		plan.keeps = true
		err = n.takeSignIn(ctx, &next, form)
	}
	if wrong, ok := errors.AsType[*setupFault](err); ok {
		return change, &setup.Fault{Code: wrong.code, What: wrong.what}
	}
	if err != nil {
		return change, err
	}
	trial := n.trial()
	if err := replaceFile(trial, nil); err != nil { // before it is audited
		n.log.Error("the configuration cannot be stored", "file", n.files.config, "err", err)
		return change, &setup.Fault{Code: "write"}
	}
	os.Remove(trial)
	change.Before, change.After = connectionChanges(before, next)
	change.Plan, change.Found = plan.code, plan.found
	change.Store = func() error { return n.store(seen, before, next, plan) }
	return change, nil
}

// takeSignIn takes the provider and asks it. Who has which role stays as it is.
func (n *connection) takeSignIn(ctx context.Context, c *serveCommand, form url.Values) error {
	issuer, client := strings.TrimSpace(form.Get("issuer")), strings.TrimSpace(form.Get("login_id"))
	if c.OIDCClientSecret != "" && strings.TrimSpace(form.Get("login_secret")) == "" && (issuer != c.OIDCIssuer || client != c.OIDCClientID) {
		return &setupFault{code: "secret_again"}
	}
	for _, name := range []string{"address", "remove", "do", "provider"} { // of the setup's form
		form.Del(name)
	}
	var groups []string
	for _, value := range slices.Sorted(maps.Keys(c.Roles)) {
		groups = append(groups, value+"="+c.Roles[value])
	}
	form.Set("groups", strings.Join(groups, "\n"))
	form.Set("admin", strings.Join(c.Admins[:min(len(c.Admins), 1)], ""))
	form.Del("role_claim")
	if len(c.Roles) > 0 {
		form.Set("role_claim", c.RoleClaim)
	}
	state := setupState{LoginSecret: c.OIDCClientSecret, givenLogin: c.LoginFlags}
	if _, err := state.takeLogin(ctx, form); err != nil {
		return err
	}
	c.PublicURL, c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = state.PublicURL, state.Issuer, state.LoginID, state.LoginSecret
	return nil
}

// connectionChanges returns what differs between two configurations, without secrets.
func connectionChanges(before, after serveCommand) (was, is string) {
	var old, now []string
	for _, of := range []struct{ was, is string }{{serviceTitle(before.Profile), serviceTitle(after.Profile)}, {before.APIURL, after.APIURL}, {before.APIClientID, after.APIClientID}, {before.PublicURL, after.PublicURL},
		{before.OIDCIssuer, after.OIDCIssuer}, {before.OIDCClientID, after.OIDCClientID}} {
		if of.was != of.is {
			old, now = append(old, of.was), append(now, of.is)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(bothVars(before, after))) {
		was, is := before.Var[name], after.Var[name]
		if was == is && before.Profile == after.Profile {
			continue
		}
		if was != "" && !isSecretVar(before.Profile, name, was) {
			old = append(old, name+"="+was)
		}
		if is != "" && isSecretVar(after.Profile, name, is) {
			now = append(now, name)
		} else if is != "" {
			now = append(now, name+"="+is)
		}
	}
	if before.APIKey != after.APIKey || before.APIClientSecret != after.APIClientSecret {
		now = append(now, "api-key")
	}
	if before.OIDCClientSecret != after.OIDCClientSecret {
		now = append(now, "oidc-client-secret")
	}
	return strings.Join(old, ", "), strings.Join(now, ", ")
}
