package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/goccy/go-yaml"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/options"
	"housecount/web/setup"
)

// store writes the configuration file, and secrets that changed into files beside it. Each is written under a name that
// the present file does not use, so that the file is always that of its secrets. Which log is read from then on is noted
// in the database before, and as it was again if the file cannot be written. It fails with a *setup.Fault, also where somebody
// else changed what was seen.
func (n *connection) store(seen string, before, next serveCommand, plan servicePlan) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen() != seen || !n.unchanged() {
		return &setup.Fault{Code: "meanwhile"}
	}
	was, err := n.noted()
	succession := plan.succession
	if plan.keeps {
		succession = n.succession
	} else if succession.To == "" && was != n.succession {
		plan.keeps = true // it is of another process
	}
	if err == nil && !plan.keeps {
		err = n.note(succession)
	}
	if err == nil {
		if err = n.write(before, next); err != nil && !plan.keeps {
			err = errors.Join(err, n.note(was))
		}
	}
	if err != nil {
		n.log.Error("the configuration cannot be stored", "file", n.files.config, "err", err)
		return &setup.Fault{Code: "write"}
	}
	n.now, n.succession = next, succession
	n.waits.Store(true)
	n.changes++
	return nil
}

// unchanged reports whether the file is as this process read or wrote it last; nobody else has changed it.
func (n *connection) unchanged() bool {
	text, err := os.ReadFile(n.files.config)
	return err == nil && bytes.Equal(text, n.text)
}

// noted returns which log the next start reads, as it is in the database.
func (n *connection) noted() (noted store.Succession, err error) {
	if n.house == nil {
		return noted, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteLimit)
	defer cancel()
	return n.house.Succession(ctx)
}

// note stores which log the next start reads.
func (n *connection) note(succession store.Succession) error {
	if n.house == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteLimit)
	defer cancel()
	return n.house.SetSuccession(ctx, succession)
}

// noteLimit is how long storing that is tried.
const noteLimit = 10 * time.Second

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
	set := func(key, value string) { all = setItem(all, key, value) }
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
	if all, err = serviceItems(all, before, next); err != nil {
		return err
	}
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
	if err := replaceFile(n.files.config, b); err != nil {
		return err
	}
	n.text = b
	return nil
}

// setItem sets a key of a YAML file; an empty value takes it away.
func setItem(all yaml.MapSlice, key, value string) yaml.MapSlice {
	i := slices.IndexFunc(all, func(item yaml.MapItem) bool { return item.Key == key })
	switch {
	case value == "" && i >= 0:
		all = slices.Delete(all, i, i+1)
	case value != "" && i >= 0:
		all[i].Value = value
	case value != "":
		all = append(all, yaml.MapItem{Key: key, Value: value})
	}
	return all
}

// ofOneService are the options that another service does not have.
var ofOneService = []string{"api-token-url", "api-scopes", "paging", "hook-secret", "hook-key"}

// serviceItems sets the profile and its variables in a YAML file. Variables that stay keep their places and comments.
func serviceItems(all yaml.MapSlice, before, next serveCommand) (yaml.MapSlice, error) {
	if before.Profile != next.Profile {
		for _, key := range append([]string{"profile"}, ofOneService...) {
			all = setItem(all, key+"-file", "")
			if key != "profile" {
				all = setItem(all, key, "")
			}
		}
		all = setItem(all, "profile", next.Profile)
	}
	if maps.Equal(before.Var, next.Var) {
		return all, nil
	}
	all = setItem(all, "var-file", "")
	i := slices.IndexFunc(all, func(item yaml.MapItem) bool { return item.Key == "var" })
	var vars yaml.MapSlice
	if i >= 0 {
		vars, _ = all[i].Value.(yaml.MapSlice) // or a text, in whose place it comes
	}
	vars = slices.DeleteFunc(slices.Clone(vars), func(item yaml.MapItem) bool { return next.Var[fmt.Sprint(item.Key)] == "" })
	for _, name := range slices.Sorted(maps.Keys(next.Var)) {
		vars = setItem(vars, name, next.Var[name])
	}
	switch {
	case len(vars) == 0:
		return setItem(all, "var", ""), nil
	case i >= 0:
		all[i].Value = vars
		return all, nil
	}
	return append(all, yaml.MapItem{Key: "var", Value: vars}), nil
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
	delete(vars, options.Variable("config"))
	quiet := environment{stdout: io.Discard, stderr: io.Discard}
	cli, _, err := parse(context.Background(), []string{"serve", "--config", trial}, vars, quiet)
	if err != nil {
		return err
	}
	got := cli.Serve
	if got.Profile != want.Profile || !maps.Equal(got.Var, want.Var) || got.APITokenURL != want.APITokenURL || got.APIURL != want.APIURL || got.APIKey != want.APIKey || got.APIClientID != want.APIClientID || got.APIClientSecret != want.APIClientSecret ||
		got.OIDCIssuer != want.OIDCIssuer || got.OIDCClientID != want.OIDCClientID || got.OIDCClientSecret != want.OIDCClientSecret {
		return errors.New("the file would not be read as it was meant")
	}
	return nil
}
