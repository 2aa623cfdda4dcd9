package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// serviceFlags say how the ticketing service is reached.
type serviceFlags struct {
	Profile           string            `help:"How the service is spoken to: the name of a built-in profile (${profiles}), or a YAML file." default:"default" placeholder:"NAME|FILE"`
	Var               map[string]string `help:"What the profile's variables are for this service." mapsep:"," placeholder:"NAME=VALUE,..."`
	APIURL            string            `name:"api-url" help:"Address of the ticketing service, without /v2; the profile's unless given." placeholder:"URL"`
	APIKey            string            `name:"api-key" help:"API key for the service." placeholder:"KEY"`
	APIClientID       string            `name:"api-client-id" help:"Instead of an API key: client id for the client credentials flow."`
	APIClientSecret   string            `name:"api-client-secret" help:"Secret that goes with --api-client-id."`
	APITokenURL       string            `name:"api-token-url" help:"Token address that goes with --api-client-id; the profile's unless given." placeholder:"URL"`
	APIScopes         []string          `name:"api-scopes" help:"Scopes to ask for; none unless given."`
	RequestsPerMinute int               `help:"Most requests a minute to the service." default:"60"`
	RequestsPerDay    int               `help:"Most requests a day to the service; 0 for no such limit." default:"0"`
	PageSize          int               `help:"Rows asked for a page." default:"100"`
	Paging            string            `help:"How the service cuts its lists into pages (auto, page, offset, cursor, next, link-header, bare); as the profile says unless given." placeholder:"STYLE"`
}

// settle checks the flags and returns what a client is made of.
func (f serviceFlags) settle(faults *configError) apiclient.Options {
	o := apiclient.Options{
		APIKey: f.APIKey, ClientID: f.APIClientID, ClientSecret: f.APIClientSecret, TokenURL: f.APITokenURL, Scopes: f.APIScopes,
		Vars: f.Var, RequestsPerMinute: f.RequestsPerMinute, RequestsPerDay: f.RequestsPerDay,
		PageSize: f.PageSize, Paging: profile.Paging(f.Paging), UserAgent: "housecount/" + version(),
	}
	if f.RequestsPerMinute < 1 {
		faults.add("--requests-per-minute must be at least 1, not %d", f.RequestsPerMinute)
	}
	if f.RequestsPerDay != 0 && f.RequestsPerDay < 24 {
		faults.add("--requests-per-day must be at least 24, or 0 for no such limit, not %d", f.RequestsPerDay)
	}
	if f.PageSize < 1 || f.PageSize > 1000 {
		faults.add("--page-size must be from 1 to 1000, not %d", f.PageSize)
	}
	if f.Paging != "" && !slices.Contains(profile.Pagings, o.Paging) {
		faults.add("--paging %q is not known: give auto, page, offset, cursor, next, link-header or bare", f.Paging)
	}
	var err error
	if o.Profile, err = readProfile(f.Profile); err != nil {
		faults.add("--profile: %v", err)
		return o
	}
	for name, value := range o.Profile.Vars {
		if value == "" && f.Var[name] == "" {
			faults.add("--var %s=… is missing: the profile %s needs it", name, o.Profile.Name)
		}
	}
	for name := range f.Var {
		if _, ok := o.Profile.Vars[name]; !ok {
			faults.add("--var %s=…: the profile %s has no such variable", name, o.Profile.Name)
		}
	}
	if f.APIURL != "" || o.Profile.BaseURL == "" {
		o.BaseURL = faults.address("api-url", f.APIURL, "give the address of the ticketing service, like https://tickets.example.org")
	}
	if o.Profile.NeedsCredential() {
		f.settleCredential(faults)
	}
	return o
}

func (f serviceFlags) settleCredential(faults *configError) {
	client := f.APIClientID + f.APIClientSecret + f.APITokenURL
	switch {
	case f.APIKey != "" && client != "":
		faults.add("--api-key and --api-client-id are two ways to the same thing: give one of them")
	case f.APIKey == "" && client == "":
		faults.add("a credential for the service is missing: give --api-key, or --api-client-id, --api-client-secret and --api-token-url")
	case f.APIKey == "":
		if f.APIClientID == "" {
			faults.add("--api-client-id is missing: it goes with --api-client-secret and --api-token-url")
		}
		if f.APIClientSecret == "" {
			faults.add("--api-client-secret is missing: it goes with --api-client-id")
		}
		if f.APITokenURL != "" {
			faults.address("api-token-url", f.APITokenURL, "it goes with --api-client-id")
		}
	}
}

// newClient makes a client of what was settled; what it does not accept is a fault of the
// configuration.
func newClient(o apiclient.Options) (*apiclient.Client, error) {
	c, err := apiclient.New(o)
	if err != nil {
		return nil, &configError{strings.Split(inFlags.Replace(err.Error()), "\n")}
	}
	return c, nil
}

// inFlags turns what the client calls its options into what they are called here.
var inFlags = strings.NewReplacer("apiclient: ", "", "BaseURL", "--api-url", "APIKey", "--api-key", "ClientID", "--api-client-id",
	"ClientSecret", "--api-client-secret", "TokenURL", "--api-token-url", "Scopes", "--api-scopes")

// source names what records are read from, and as what. What was read from another, or as
// something else, does not mix with them, and the marks of how far it was read do not hold.
// Variables may be secret.
func source(o apiclient.Options) string {
	if len(o.Vars) == 0 {
		return o.Profile.Name
	}
	vars, _ := json.Marshal(o.Vars) // in the order of their names; cannot fail for texts
	sum := sha256.Sum256(vars)
	return fmt.Sprintf("%s %x", o.Profile.Name, sum[:8])
}

// readProfile finds a profile by its name or in a file.
func readProfile(name string) (*profile.Profile, error) {
	if slices.Contains(profile.BuiltinNames(), name) {
		return profile.Builtin(name)
	}
	if strings.Contains(name, "\n") {
		return nil, errors.New("this is a profile, not the name of one: give the profile's file as HOUSECOUNT_PROFILE, without _FILE")
	}
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q is neither a file nor a built-in profile: give a file, or %s", name, strings.Join(profile.BuiltinNames(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return profile.Parse(name, b)
}
