package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/cmd/housecount/options"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/setup"
)

// setupCommand writes what the setup in the browser does. What is not given as a flag it asks, if the standard input is a
// terminal.
type setupCommand struct {
	SetupFile    string `name:"file" help:"YAML file to write, with secrets in files beside it." default:"housecount.yaml" type:"path"`
	Listen       string `help:"Address that serve is to listen on." default:"127.0.0.1:8080" check:"host:port one like 127.0.0.1:8080 or :8080"`
	Venue        string `help:"Name of the venue."`
	languageFlag `embed:""`
	Timezone     string `help:"The venue's time zone." default:"Europe/Amsterdam" check:"timezone"`
	DayCutoff    string `help:"When a day begins, as HH:MM." default:"06:00" check:"clock 06:00"`

	options.DatabaseFlags `embed:""`
	options.SealFlags     `embed:""`
	options.ServiceFlags  `embed:""`
	options.LoginFlags    `embed:""`
	Give                  map[string]string `help:"Roles of e-mail addresses and of domains." mapsep:"," placeholder:"ADDRESS=ROLE,..." check:"role" manual:"For example mia@house.example=manager,@house.example=door."`
}

// Run asks for what is missing, checks it with the service and the provider, and writes it.
func (c setupCommand) Run(ctx context.Context, env environment) error {
	if _, err := os.Stat(c.SetupFile); err == nil {
		return &options.Faults{List: []string{fmt.Sprintf("--file %s is there: remove it, or give another", c.SetupFile)}}
	}
	if err := c.profileFault(); err != nil { // before anything is asked
		return &options.Faults{List: []string{err.Error()}}
	}
	if info, err := os.Stdin.Stat(); env.stdin == os.Stdin && err == nil && info.Mode()&os.ModeCharDevice != 0 {
		if err := c.ask(env.stdin, env.stdout); err != nil {
			return err
		}
		fmt.Fprintln(env.stdout)
	}
	return c.write(ctx, env)
}

// ask asks for what was not given as a flag, until the input ends; write names what is missing then.
func (c *setupCommand) ask(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	ended := false
	question := func(text string, to *string) {
		if *to != "" || ended {
			return
		}
		fmt.Fprintf(out, "%s: ", text)
		if ended = !lines.Scan(); !ended {
			*to = strings.TrimSpace(lines.Text())
		}
	}
	if c.Profile == "default" && c.APIURL == "" {
		name := ""
		question("Ticketing service ("+strings.Join(setupProfiles(), ", ")+")", &name)
		c.Profile = cmp.Or(name, c.Profile)
	}
	if p, err := options.ReadProfile(c.Profile); err == nil {
		if p.Rules.BaseURL == "" {
			question("Its address", &c.APIURL)
		}
		for _, name := range slices.Sorted(maps.Keys(p.Rules.Vars)) {
			value := c.Var[name]
			if question(name, &value); value != "" && c.Var == nil {
				c.Var = map[string]string{}
			}
			c.Var[name] = value
		}
		if needsPerson(p) {
			question("Client id", &c.APIClientID)
			question("Client secret (it is shown while you type; HOUSECOUNT_API_CLIENT_SECRET_FILE names a file instead)", &c.APIClientSecret)
		} else if needs, _ := needsKey(p); needs && c.APIClientID == "" {
			question("Key (it is shown while you type; HOUSECOUNT_API_KEY_FILE names a file instead)", &c.APIKey)
		}
	}
	question("Name of the venue", &c.Venue)
	question("Address of housecount in browsers, like https://dash.example.org", &c.PublicURL)
	question("Issuer of the sign-in service, like https://accounts.google.com", &c.OIDCIssuer)
	question("Client id there", &c.OIDCClientID)
	question("Client secret there (none for a public client)", &c.OIDCClientSecret)
	if len(c.Admins) == 0 && !slices.Contains(slices.Collect(maps.Values(c.Roles)), string(web.Admin)) {
		admin := ""
		if question("E-mail address of the first administrator", &admin); admin != "" {
			c.Admins = []string{admin}
		}
	}
	return lines.Err()
}

// profileFault returns why a house cannot begin with the profile that is given, nil if it can.
func (c setupCommand) profileFault() error {
	p, err := options.ReadProfile(c.Profile)
	if err == nil && !hasEvents(p) {
		err = fmt.Errorf("--profile %s has no performances: give the one that sells, and this one under services: in the file that serve --config reads", c.Profile)
	}
	return err
}

// state returns what the setup in the browser would have stored.
func (c setupCommand) state(faults *options.Faults) setupState {
	c.ServiceFlags.Client(faults)
	c.Address(faults)
	c.SignIn(faults)
	faults.Required("venue", c.Venue, "give the name of the venue")
	s := setupState{Profile: c.Profile, Vars: c.Var, APIURL: c.APIURL, ClientID: c.APIClientID, APIKey: c.APIKey + c.APIClientSecret,
		Venue: c.Venue, Timezone: c.Timezone, Cutoff: c.DayCutoff, Language: c.Language, VenueSet: true,
		PublicURL: strings.TrimRight(c.PublicURL, "/"), Issuer: c.OIDCIssuer, LoginID: c.OIDCClientID, LoginSecret: c.OIDCClientSecret, RoleClaim: c.RoleClaim}
	s.given.RequestsPerMinute, s.given.PageSize = c.RequestsPerMinute, c.PageSize
	if len(c.Admins) > 1 {
		faults.Add("--admins: give one address; serve takes more, and --give gives others their roles")
	}
	if len(c.Admins) > 0 {
		s.Admin = c.Admins[0]
	}
	for _, group := range slices.Sorted(maps.Keys(c.Roles)) {
		s.Groups += group + "=" + c.Roles[group] + "\n"
	}
	for _, text := range slices.Sorted(maps.Keys(c.Give)) {
		address, err := signin.ReadGrantee(text)
		if err != nil {
			faults.Add("--give: %q %v", text, err)
		}
		s.Grants = append(s.Grants, setup.Grant{Address: address, Role: web.Role(c.Give[text])})
	}
	if c.OAuthAuthURL != "" {
		faults.Add("setup is for an --oidc-issuer: write other options into the file that serve --config reads")
	}
	if fault := c.profileFault(); fault != nil {
		faults.Add("%v", fault)
	} else if !slices.Contains(profile.BuiltinNames(), c.Profile) {
		s.Profile = absolute(c.Profile) // wherever serve is started
	}
	return s
}

// write checks everything and writes it.
func (c setupCommand) write(ctx context.Context, env environment) error {
	var faults options.Faults
	s := c.state(&faults)
	if err := faults.OrNil(); err != nil {
		return err
	}
	zone, _ := options.ParseZone(c.Timezone)
	fmt.Fprintf(env.stderr, "asking %s\n", serviceTitle(s.Profile))
	var found *setup.Found
	service := s.service().Client(&faults)
	err := withGrants(ctx, sealedDatabase{c.DatabaseFlags, c.SealFlags}, service, true, func(o apiclient.Options) (err error) {
		found, _, err = checkService(ctx, o, zone)
		return locatedFault(err, s.Profile)
	})
	if fault, ok := errors.AsType[*setupFault](err); ok && slices.Contains([]string{"unauthorized", "authorize"}, fault.code) && needsGrants(service) {
		return errors.New("nobody has allowed housecount at the ticketing service: run housecount authorize with the same --profile, --var, --api-client-id, --api-client-secret and --database first")
	}
	if faults := faultsOf(err); faults != nil {
		return fmt.Errorf("the ticketing service: %s housecount check with the same options says more", faults.text(s.Profile))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stderr, "asking %s\n", options.Shown(s.Issuer))
	if err := s.checkLogin(ctx); err != nil {
		return fmt.Errorf("the login: %s housecount check --login with the same options says more", faultsOf(err).text(s.Profile))
	}
	path, err := filepath.Abs(c.SetupFile)
	if err != nil {
		return err
	}
	db, err := store.OpenCurrent(ctx, string(c.Database))
	if err != nil {
		return err
	}
	defer db.Close()
	if err := s.enter(ctx, db); err != nil {
		return err
	}
	files := setupFiles{path}
	if err := files.save(s); err != nil {
		return err
	}
	if err := files.finish(s, serveCommand{Listen: c.Listen, DatabaseFlags: c.DatabaseFlags}); err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "%d performances tonight\n%s is written: start with housecount serve --config %s\n", found.Tonight, path, path)
	return nil
}
