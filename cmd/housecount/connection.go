package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/handlers"
	"housecount/web/setup"
)

// connection changes what the setup wrote while housecount runs, for the next start: the key and the address of the
// service, and the sign-in service. It makes the setup's own checks. Where an address changes, the secret that goes to it
// has to be given again, so that nobody can have a stored one sent elsewhere.
type connection struct {
	files setupFiles // of the --config file; empty for none
	fixed string     // why nothing can be changed
	env   environment
	log   *slog.Logger

	mu    sync.Mutex
	now   serveCommand // as it is from the next start on
	waits bool         // that differs from what runs
}

// connectionFlags are the options that a connection changes.
var connectionFlags = []string{"api-url", "api-key", "api-client-id", "api-client-secret", "public-url", "oidc-issuer", "oidc-client-id", "oidc-client-secret"}

func newConnection(c serveCommand, file string, env environment, log *slog.Logger) *connection {
	n := &connection{files: setupFiles{file}, env: env, log: log, now: c}
	switch {
	case file == "":
		n.fixed = "not_file"
	case slices.ContainsFunc(connectionFlags, n.givenElsewhere):
		n.fixed = "elsewhere"
	}
	return n
}

// givenElsewhere reports whether the command line or the environment gives an option, which wins over the file.
func (n *connection) givenElsewhere(name string) bool {
	_, direct := n.env.vars[variable(name)]
	_, named := n.env.vars[variable(name)+"_FILE"]
	return direct || named || slices.ContainsFunc(n.env.args, func(arg string) bool { return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=") })
}

// Present implements handlers.Connection.
func (n *connection) Present() setup.Connection {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.now
	p := setup.Connection{File: n.files.config, Fixed: n.fixed, Waits: n.waits, Service: c.Profile, APIURL: c.APIURL, ClientID: c.APIClientID,
		KeyStored: c.APIKey+c.APIClientSecret != "", PublicURL: c.PublicURL, Issuer: c.OIDCIssuer, LoginID: c.OIDCClientID, SecretStored: c.OIDCClientSecret != "",
		Vars: slices.Sorted(maps.Keys(c.Var))}
	if c.OIDCIssuer == "" {
		p.FixedSignIn, p.Issuer = "oauth", c.OAuthAuthURL
	}
	if slices.Contains(profile.BuiltinNames(), c.Profile) {
		p.Service = titleOf(c.Profile)
	}
	if of, err := readProfile(c.Profile); err == nil {
		p.NeedsKey, p.OAuth = needsKey(of)
		if p.APIURL == "" && !strings.Contains(of.Rules.BaseURL, "{") {
			p.APIURL = of.Rules.BaseURL
		}
	}
	return p
}

// Check implements handlers.Connection.
func (n *connection) Check(ctx context.Context, form url.Values) (change handlers.ConnectionChange, err error) {
	n.mu.Lock()
	next := n.now
	n.mu.Unlock()
	before := next
	form = maps.Clone(form)
	if form.Get("part") == setup.PartService {
		err = n.takeService(ctx, &next, form)
	} else {
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
	change.Store = func() error { return n.store(before, next) }
	return change, nil
}

// takeService takes the key and the address of the service, and asks it.
func (n *connection) takeService(ctx context.Context, c *serveCommand, form url.Values) error {
	of, err := readProfile(c.Profile)
	if err != nil {
		return &setupFault{code: "options"}
	}
	typed := strings.TrimRight(strings.TrimSpace(form.Get("api_url")), "/")
	if typed == strings.TrimRight(of.Rules.BaseURL, "/") && c.APIURL == "" {
		typed = "" // the page shows the profile's
	}
	form.Set("api_url", typed)
	key := strings.TrimSpace(form.Get("key"))
	if needs, _ := needsKey(of); needs && key == "" && (typed != strings.TrimRight(c.APIURL, "/") || strings.TrimSpace(form.Get("client_id")) != c.APIClientID) {
		return &setupFault{code: "key_again"}
	}
	for name, usual := range of.Rules.Vars { // they are the house's: another value is another database
		form.Set("var."+name, cmp.Or(c.Var[name], usual))
	}
	state := setupState{Profile: c.Profile, ClientID: c.APIClientID, APIKey: cmp.Or(c.APIKey, c.APIClientSecret), Timezone: c.Timezone, given: c.serviceFlags}
	next, options, err := state.fillKey(form)
	if err != nil {
		return err
	}
	err = withGrants(ctx, c.databaseFlags, c.sealFlags, options, next.APIKey != state.APIKey, func(o apiclient.Options) error { return next.check(ctx, o) })
	if fault, ok := errors.AsType[*setupFault](err); ok && fault.code == "unauthorized" && needsGrants(options) {
		if next.APIKey != state.APIKey {
			return &setupFault{code: "client_refused"}
		}
		return &setupFault{code: "authorize"}
	}
	if err != nil {
		return err
	}
	taken := next.service()
	c.APIURL, c.APIKey, c.APIClientID, c.APIClientSecret = taken.APIURL, taken.APIKey, taken.APIClientID, taken.APIClientSecret
	return nil
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
	form.Set("role_claim", c.RoleClaim)
	var groups []string
	for _, value := range slices.Sorted(maps.Keys(c.Roles)) {
		groups = append(groups, value+"="+c.Roles[value])
	}
	form.Set("groups", strings.Join(groups, "\n"))
	form.Set("admin", strings.Join(c.Admins[:min(len(c.Admins), 1)], ""))
	state := setupState{LoginSecret: c.OIDCClientSecret, givenLogin: c.loginFlags}
	if _, err := state.takeLogin(ctx, form); err != nil {
		return err
	}
	c.PublicURL, c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = state.PublicURL, state.Issuer, state.LoginID, state.LoginSecret
	return nil
}

// connectionChanges returns what differs between two configurations, without secrets.
func connectionChanges(before, after serveCommand) (was, is string) {
	var old, now []string
	for _, of := range []struct{ was, is string }{{before.APIURL, after.APIURL}, {before.APIClientID, after.APIClientID}, {before.PublicURL, after.PublicURL},
		{before.OIDCIssuer, after.OIDCIssuer}, {before.OIDCClientID, after.OIDCClientID}} {
		if of.was != of.is {
			old, now = append(old, of.was), append(now, of.is)
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

// store writes the configuration file, and secrets that changed into files beside it. Each is written under a name that
// the present file does not use, so that the file is always that of its secrets. It fails with a *setup.Fault.
func (n *connection) store(before, next serveCommand) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.write(before, next); err != nil {
		n.log.Error("the configuration cannot be stored", "file", n.files.config, "err", err)
		return &setup.Fault{Code: "write"}
	}
	n.now, n.waits = next, true
	return nil
}

func (n *connection) write(before, next serveCommand) (err error) {
	text, err := os.ReadFile(n.files.config)
	if err != nil {
		return err
	}
	var all yaml.MapSlice
	comments := yaml.CommentMap{}
	if err := yaml.UnmarshalWithOptions(text, &all, yaml.CommentToMap(comments)); err != nil {
		return err
	}
	var unused []string // files of secrets
	set := func(key, value string) {
		i := slices.IndexFunc(all, func(item yaml.MapItem) bool { return item.Key == key })
		switch {
		case value == "" && i >= 0:
			all = slices.Delete(all, i, i+1)
		case value != "" && i >= 0:
			all[i].Value = value
		case value != "":
			all = append(all, yaml.MapItem{Key: key, Value: value})
		}
	}
	var written []string
	setSecret := func(key, was, is, file string) error {
		if was == is {
			return nil
		}
		set(key, "")
		if i := slices.IndexFunc(all, func(item yaml.MapItem) bool { return item.Key == key+"-file" }); i >= 0 {
			named := fmt.Sprint(all[i].Value)
			if named == filepath.Base(file) || named == filepath.Base(file)+".2" {
				unused = append(unused, filepath.Join(filepath.Dir(file), named))
			}
			if named == filepath.Base(file) {
				file += ".2"
			}
		}
		if is == "" {
			set(key+"-file", "")
			return nil
		}
		written = append(written, file)
		set(key+"-file", filepath.Base(file))
		return replaceFile(file, []byte(is))
	}
	defer func() {
		if err != nil {
			unused = written
		}
		for _, file := range unused {
			_ = os.Remove(file) // nothing names it
		}
	}()
	if before.APIURL != next.APIURL {
		set("api-url", next.APIURL)
	}
	for _, of := range []struct{ key, was, is string }{{"api-client-id", before.APIClientID, next.APIClientID}, {"public-url", before.PublicURL, next.PublicURL},
		{"oidc-issuer", before.OIDCIssuer, next.OIDCIssuer}, {"oidc-client-id", before.OIDCClientID, next.OIDCClientID}} {
		if of.was != of.is {
			set(of.key, of.is)
		}
	}
	if err := errors.Join(setSecret("api-key", before.APIKey, next.APIKey, n.files.apiKey()), setSecret("api-client-secret", before.APIClientSecret, next.APIClientSecret, n.files.beside(".api-client-secret")),
		setSecret("oidc-client-secret", before.OIDCClientSecret, next.OIDCClientSecret, n.files.loginSecret())); err != nil {
		return err
	}
	b, err := yaml.MarshalWithOptions(all, yaml.WithComment(comments))
	if err != nil {
		return err
	}
	if err := n.try(b, next); err != nil {
		return err
	}
	return replaceFile(n.files.config, b)
}

func (n *connection) trial() string { return n.files.config + ".trial" }

// try reads a configuration file as the next start will, before it takes the place of the present one.
func (n *connection) try(b []byte, want serveCommand) error {
	trial := n.trial()
	if err := replaceFile(trial, b); err != nil {
		return err
	}
	defer os.Remove(trial)
	vars := maps.Clone(n.env.vars)
	delete(vars, variable("config"))
	quiet := environment{stdout: io.Discard, stderr: io.Discard}
	cli, _, err := parse(context.Background(), []string{"serve", "--config", trial}, vars, quiet)
	if err != nil {
		return err
	}
	got := cli.Serve
	if got.APIURL != want.APIURL || got.APIKey != want.APIKey || got.APIClientID != want.APIClientID || got.APIClientSecret != want.APIClientSecret ||
		got.OIDCIssuer != want.OIDCIssuer || got.OIDCClientID != want.OIDCClientID || got.OIDCClientSecret != want.OIDCClientSecret {
		return errors.New("the file would not be read as it was meant")
	}
	return nil
}
