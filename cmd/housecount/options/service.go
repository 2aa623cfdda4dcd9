package options

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// ServiceFlags are the options for reaching the ticketing service.
type ServiceFlags struct {
	Profile           string            `help:"How the service is spoken to: the name of a built-in profile (${profiles}), or a YAML file." default:"default" placeholder:"NAME|FILE" option:"Profile" manual:"See [Connect a service](20-connect.md)."`
	Var               map[string]string `help:"What the profile's variables are for this service." mapsep:"," placeholder:"NAME=VALUE,..." option:"Vars"`
	APIURL            string            `name:"api-url" help:"Address of the ticketing service, without /v2; the profile's unless given." placeholder:"URL" option:"BaseURL"`
	APIKey            string            `name:"api-key" help:"API key for the service." placeholder:"KEY" option:"APIKey"`
	APIClientID       string            `name:"api-client-id" help:"Instead of an API key: client id for the client credentials flow." option:"ClientID"`
	APIClientSecret   string            `name:"api-client-secret" help:"Secret that goes with --api-client-id." option:"ClientSecret"`
	APITokenURL       string            `name:"api-token-url" help:"Token address that goes with --api-client-id; the profile's unless given." placeholder:"URL" option:"TokenURL"`
	APIScopes         []string          `name:"api-scopes" help:"Scopes to ask for; none unless given." option:"Scopes"`
	RequestsPerMinute int               `name:"requests-per-minute" help:"Most requests a minute to the service." default:"${requests_per_minute}" option:"RequestsPerMinute" manual:"Retry-After and rate-limit headers are always obeyed."`
	RequestsPerDay    int               `name:"requests-per-day" help:"Most requests a day to the service; 0 for no such limit." default:"0" option:"RequestsPerDay"`
	PageSize          int               `name:"page-size" help:"Rows asked for a page." default:"${page_size}" option:"PageSize"`
	Paging            string            `help:"How the service cuts its lists into pages (${pagings}); as the profile says unless given." placeholder:"STYLE" option:"Paging"`
}

// ClientVars returns what the tags of ServiceFlags refer to.
func ClientVars() kong.Vars {
	return kong.Vars{
		"profiles": strings.Join(profile.BuiltinNames(), ", "), "pagings": strings.Join(profile.PagingNames(), ", "),
		"requests_per_minute": strconv.Itoa(apiclient.DefaultRequestsPerMinute), "page_size": strconv.Itoa(apiclient.DefaultPageSize),
	}
}

// FlagOf returns the name of the flag that sets an option of the client.
func FlagOf(option string) string {
	for f := range reflect.TypeFor[ServiceFlags]().Fields() {
		if f.Tag.Get("option") == option {
			return cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name))
		}
	}
	return option
}

// Client returns the options of the client.
func (f ServiceFlags) Client(faults *Faults) apiclient.Options {
	o := apiclient.Options{
		APIKey: f.APIKey, ClientID: f.APIClientID, ClientSecret: f.APIClientSecret, TokenURL: f.APITokenURL, Scopes: f.APIScopes,
		BaseURL: strings.TrimRight(f.APIURL, "/"), Vars: f.Var, RequestsPerMinute: f.RequestsPerMinute, RequestsPerDay: f.RequestsPerDay,
		PageSize: f.PageSize, Paging: profile.Paging(f.Paging), UserAgent: "housecount/" + Version(),
	}
	for _, of := range []struct {
		flag  string
		given int
	}{{"requests-per-minute", f.RequestsPerMinute}, {"page-size", f.PageSize}} {
		if of.given == 0 { // which the client takes for its default
			faults.Add("--%s must be at least 1, not 0", of.flag)
		}
	}
	var err error
	if o.Profile, err = ReadProfile(f.Profile); err != nil {
		faults.Add("--profile: %v", err)
		return o
	}
	for _, fault := range o.Faults() {
		flag := FlagOf(fault.Option)
		if fault.Var != "" {
			flag += " " + fault.Var + "=…"
		}
		faults.Add("--%s %s", flag, fault.Why)
	}
	return o
}

// NewClient creates a client from options that were validated.
func NewClient(o apiclient.Options) (*apiclient.Client, error) {
	c, err := apiclient.New(o)
	if err != nil {
		return nil, &Faults{List: []string{err.Error()}}
	}
	return c, nil
}

// Source returns a name for where records are read from and how. Records read from another source, or in another
// way, do not mix with them, and neither do the marks of how far they were read. Variables may be secret.
func Source(o apiclient.Options) string {
	if len(o.Vars) == 0 {
		return o.Profile.Name
	}
	vars, _ := json.Marshal(o.Vars) // sorted by name; it cannot fail for texts
	sum := sha256.Sum256(vars)
	return fmt.Sprintf("%s %x", o.Profile.Name, sum[:8])
}

// ReadProfile returns a built-in profile by name, or reads it from a file.
func ReadProfile(name string) (*profile.Profile, error) {
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
	p, err := profile.Parse(name, b)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("which program this is, for a process for the profile's own programs: %w", err)
	}
	p.Isolate(self, profile.WorkerArgument)
	return p, nil
}
