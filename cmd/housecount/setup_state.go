package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"housecount/apiclient"
	"housecount/cmd/housecount/options"
	"housecount/web"
	"housecount/web/setup"
)

// setupState is what was filled in so far. Its secrets are in files of their own, which it never holds when
// it is stored.
type setupState struct {
	Profile  string            `json:"profile"`
	Vars     map[string]string `json:"vars"`
	APIURL   string            `json:"api_url"`
	ClientID string            `json:"client_id"`
	APIKey   string            `json:"-"` // or the client's secret, with a ClientID
	Found    *setup.Found      `json:"found"`
	// KeyRefused means that the service refused the client's secret and has not taken it since.
	KeyRefused bool `json:"key_refused"`

	Venue    string       `json:"venue"`
	Timezone string       `json:"timezone"`
	Cutoff   string       `json:"cutoff"`
	Language string       `json:"language"`
	Halls    []setup.Hall `json:"halls"`
	Whole    string       `json:"whole"`
	VenueSet bool         `json:"venue_set"`

	Provider     string        `json:"provider"`
	PublicURL    string        `json:"public_url"`
	Issuer       string        `json:"issuer"`
	LoginID      string        `json:"login_id"`
	LoginSecret  string        `json:"-"`
	Admin        string        `json:"admin"`
	RoleClaim    string        `json:"role_claim"`
	Groups       string        `json:"groups"`
	Grants       []setup.Grant `json:"grants"`
	LoginChecked bool          `json:"login_checked"`

	// given and givenLogin are the further options of a house that runs.
	given      options.ServiceFlags
	givenLogin options.LoginFlags
}

// reached returns the first step that is not done.
func (s setupState) reached() int {
	switch {
	case s.Profile == "":
		return setup.StepService
	case s.Found == nil:
		return setup.StepKey
	case !s.VenueSet:
		return setup.StepVenue
	case !s.LoginChecked:
		return setup.StepLogin
	}
	return setup.StepDone
}

// roles returns the groups with their roles, a line each; a role alone is the group of its name. An error names a line that is
// none.
func (s setupState) roles() (map[string]string, error) {
	all := map[string]string{}
	for line := range strings.Lines(s.Groups) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if slices.Contains(web.Roles, web.Role(line)) {
			line += "=" + line
		}
		i := strings.LastIndex(line, "=")
		if i < 1 || options.Checks["role"](reflect.ValueOf(strings.TrimSpace(line)), "") != "" {
			return nil, fmt.Errorf("%q is no group with its role", line)
		}
		all[strings.TrimSpace(line[:i])] = strings.TrimSpace(line[i+1:])
	}
	return all, nil
}

// service returns the options for the service.
func (s setupState) service() options.ServiceFlags {
	f := s.given
	f.Profile, f.Var, f.APIURL = s.Profile, s.Vars, s.APIURL
	f.RequestsPerMinute, f.PageSize = cmp.Or(f.RequestsPerMinute, apiclient.DefaultRequestsPerMinute), cmp.Or(f.PageSize, apiclient.DefaultPageSize)
	if f.APIKey, f.APIClientID, f.APIClientSecret = s.APIKey, "", ""; s.ClientID != "" {
		f.APIKey, f.APIClientID, f.APIClientSecret = "", s.ClientID, s.APIKey
	}
	return f
}

// login returns the options for the login.
func (s setupState) login() options.LoginFlags {
	roles, _ := s.roles() // the form refuses others
	f := s.givenLogin
	f.PublicURLFlag, f.OIDCIssuer, f.OIDCClientID, f.OIDCClientSecret, f.RoleClaim, f.Roles = options.PublicURLFlag{PublicURL: s.PublicURL}, s.Issuer, s.LoginID, s.LoginSecret, s.RoleClaim, roles
	if s.Admin != "" {
		f.Admins = []string{s.Admin}
	}
	return f
}

// setupFiles are where a setup stores what was filled in, beside the configuration file that it writes.
type setupFiles struct{ config string }

func (f setupFiles) beside(suffix string) string {
	return strings.TrimSuffix(f.config, filepath.Ext(f.config)) + suffix
}

func (f setupFiles) state() string       { return f.config + ".setup" }
func (f setupFiles) apiKey() string      { return f.beside(".api-key") }
func (f setupFiles) loginSecret() string { return f.beside(".oidc-client-secret") }

// load returns the state of a setup that was left, or an empty one.
func (f setupFiles) load() (s setupState, err error) {
	b, err := os.ReadFile(f.state())
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w (remove it to begin anew)", f.state(), err)
	}
	for path, to := range map[string]*string{f.apiKey(): &s.APIKey, f.loginSecret(): &s.LoginSecret} {
		secret, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
		*to = strings.TrimRight(string(secret), "\r\n")
	}
	return s, nil
}

// save stores the state, and its secrets in their files.
func (f setupFiles) save(s setupState) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(replaceFile(f.apiKey(), []byte(s.APIKey)), replaceFile(f.loginSecret(), []byte(s.LoginSecret)), replaceFile(f.state(), b))
}

// finish writes the configuration file and forgets the state.
func (f setupFiles) finish(s setupState, c serveCommand) error {
	b, err := f.document(s, c)
	if err != nil {
		return err
	}
	if err := replaceFile(f.config, b); err != nil {
		return err
	}
	return os.Remove(f.state())
}

// document returns the configuration file.
func (f setupFiles) document(s setupState, c serveCommand) ([]byte, error) {
	roles, err := s.roles()
	if err != nil {
		return nil, err
	}
	all := yaml.MapSlice{{Key: "public-url", Value: s.PublicURL}, {Key: "listen", Value: c.Listen}, {Key: "venue", Value: s.Venue}, {Key: "timezone", Value: s.Timezone},
		{Key: "day-cutoff", Value: s.Cutoff}, {Key: "language", Value: s.Language}, {Key: "database", Value: string(c.Database)}, {Key: "profile", Value: s.Profile}}
	add := func(key string, value any, given bool) {
		if given {
			all = append(all, yaml.MapItem{Key: key, Value: value})
		}
	}
	vars := yaml.MapSlice{}
	for _, name := range slices.Sorted(maps.Keys(s.Vars)) {
		vars = append(vars, yaml.MapItem{Key: name, Value: s.Vars[name]})
	}
	add("var", vars, len(vars) > 0)
	add("api-url", s.APIURL, s.APIURL != "")
	add("api-client-id", s.ClientID, s.ClientID != "")
	add("api-client-secret-file", filepath.Base(f.apiKey()), s.ClientID != "")
	add("api-key-file", filepath.Base(f.apiKey()), s.ClientID == "" && s.APIKey != "")
	add("oidc-issuer", s.Issuer, true)
	add("oidc-client-id", s.LoginID, true)
	add("oidc-client-secret-file", filepath.Base(f.loginSecret()), s.LoginSecret != "")
	add("role-claim", s.RoleClaim, s.RoleClaim != "")
	groups := yaml.MapSlice{}
	for _, name := range slices.Sorted(maps.Keys(roles)) {
		groups = append(groups, yaml.MapItem{Key: name, Value: roles[name]})
	}
	add("roles", groups, len(groups) > 0)
	add("admins", []string{s.Admin}, s.Admin != "")
	b, err := yaml.Marshal(all)
	return append([]byte("# Written by the setup; housecount serve --config reads it, and every option of serve may be added.\n"), b...), err
}

// replaceFile writes a file that only its owner can read, whole or not at all.
func replaceFile(path string, b []byte) error {
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(temporary, b, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// allowed returns a licensed capacity as it was typed; 0 for none.
func allowed(text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (n < 1 || n > 1_000_000) {
		err = errors.New("out of range")
	}
	return n, err
}
