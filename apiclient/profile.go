package apiclient

import (
	"embed"
	"fmt"
	"housecount/apiclient/record"
	"io/fs"
	"maps"
	"path"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// Profile says how to reach a service and what its rows mean. It is made by ParseProfile
// or BuiltinProfile, never changes, and may be used by many goroutines at once.
type Profile struct {
	rules
	// file is what the profile was read from, as messages name it.
	file    string
	streams []*stream // in the order of the file

	// What the rules say, made ready to be used on rows.
	vars     map[string]any // as programs see them
	formats  []timeFormat   // at least one
	zone     *time.Location // nil where none is said
	words    map[string]map[string]string
	zones    *zoneCache
	patience time.Duration // with a program on one row
}

//go:embed profiles/*.yaml
var builtin embed.FS

// BuiltinProfiles are the names of the profiles that BuiltinProfile knows, in their order.
func BuiltinProfiles() []string {
	names, _ := fs.Glob(builtin, "profiles/*.yaml") // fails for a bad pattern only
	for i, file := range names {
		names[i] = strings.TrimSuffix(path.Base(file), ".yaml")
	}
	return names
}

// BuiltinProfile is the profile of that name among those that come with the program. The
// one called default says that the service speaks our own records.
func BuiltinProfile(name string) (*Profile, error) {
	file := "profiles/" + name + ".yaml"
	data, err := builtin.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("apiclient: there is no profile %.60q; %s", name, knownWords(BuiltinProfiles()))
	}
	return ParseProfile(file, data)
}

// Name is what the profile calls itself.
func (p *Profile) Name() string { return p.rules.Name }

// About says what the profile is for and how far it was verified.
func (p *Profile) About() string { return p.rules.About }

// Vars are the profile's variables with what they are unless Options.Vars says otherwise;
// one that is empty has to be given there.
func (p *Profile) Vars() map[string]string { return maps.Clone(p.rules.Vars) }

// BaseURL is the address that the profile has for the service, in which there may be
// {variables}; empty where the operator has to give it.
func (p *Profile) BaseURL() string { return p.rules.BaseURL }

// NeedsCredential says that the service wants to know who asks.
func (p *Profile) NeedsCredential() bool { return p.Auth.Kind != authNone }

// rules is a profile as its file says it.
type rules struct {
	// Name is how people call the profile; lower case, digits and hyphens.
	Name string `yaml:"name"`
	// About is a sentence on what it is for and how far it was verified.
	About string `yaml:"about"`
	// BaseURL is the address that paths are relative to, where the operator gives none. It
	// may hold {variables}.
	BaseURL string `yaml:"base_url"`
	// Vars are the variables that addresses, queries and headers may hold as {name}, and
	// that programs see as $vars.name, with what they are unless the operator says
	// otherwise; one that is empty has to be given.
	Vars map[string]string `yaml:"vars"`
	// Prefixes stand before every path; with several, a stream that is not found under one
	// is looked for under the next, and what was found is remembered for all.
	Prefixes []string `yaml:"prefixes"`

	Auth    authRule          `yaml:"auth"`
	Headers map[string]string `yaml:"headers"` // further ones, with every call
	Limits  limitRule         `yaml:"limits"`
	Errors  errorRule         `yaml:"errors"`
	// ServerTime names the header that tells what to ask changes since, where it is not Date.
	ServerTime string `yaml:"server_time"`

	Money moneyRule `yaml:"money"`
	Time  timeRule  `yaml:"time"`
	// Words says what the service's words for a state mean in ours: by ticket.status,
	// event.status, payment.status, payment.kind, planning.status, planning.kind and
	// scan.direction, then by the service's word, number, true or false, whatever its case.
	// A word that is not here is taken for our own.
	Words map[string]map[string]string `yaml:"words"`

	Streams []streamRule `yaml:"streams"`
}

// authRule says how the credential travels.
type authRule struct {
	// Kind is bearer, header, basic, query or none; bearer when empty. With header, the
	// value of Header (Authorization when empty) is Scheme, a space and the key, or the key
	// alone where Scheme is empty. With basic the key is the user name, or the password
	// where User is given. With query the key is the value of the parameter Param, which
	// is put on followed addresses too.
	Kind   string `yaml:"kind"`
	Header string `yaml:"header"`
	Scheme string `yaml:"scheme"`
	User   string `yaml:"user"`
	Param  string `yaml:"param"`
	// OAuth is where and how a token is had by the client credentials flow; it then travels
	// as the Kind says.
	OAuth oauthRule `yaml:"oauth"`
}

type oauthRule struct {
	TokenURL string            `yaml:"token_url"`
	Style    string            `yaml:"style"` // basic, post or json; basic when empty
	Scopes   []string          `yaml:"scopes"`
	Params   map[string]string `yaml:"params"` // such as audience
}

// limitRule is what the service is known to bear; the lower of it and of what the operator
// allows holds. 0 is not said.
type limitRule struct {
	PerMinute int `yaml:"per_minute"`
	PerDay    int `yaml:"per_day"`
}

// errorRule helps where a refusal is in none of the usual forms.
type errorRule struct {
	Message string `yaml:"message"` // dotted path of what the service says
	Retry   []int  `yaml:"retry"`   // further statuses that pass by themselves
}

// moneyRule says how the service writes money. An amount is a text or a number, by itself
// or as the amount or value of an object. Its currency is the one beside it there, else the
// record's own ("currency"), else Currency; without any the record is refused. Amounts are
// read digit by digit: a program should hand them on as they are, for what it computes with
// fractions passes through a float.
type moneyRule struct {
	// Unit is minor (2450 is 24.50 EUR), of which only integers are read, or major (24.5,
	// "24.50"); minor when empty.
	Unit string `yaml:"unit"`
	// Currency is that of amounts beside which there is none. It may be a {variable}.
	Currency string `yaml:"currency"`
	// Rounding is half_even where amounts may have more digits than the currency; without
	// it such a record is refused.
	Rounding string `yaml:"rounding"`
}

// timeRule says how the service writes times.
type timeRule struct {
	// Zone is that of times that tell none, where the record has no timezone of its own
	// ("timezone"); UTC when empty. Of an hour that the clocks show twice the first is meant.
	// It may be a {variable}. An event without a date has that of its start there.
	Zone string `yaml:"zone"`
	// Formats are tried in turn: rfc3339, unix (seconds), unix_ms, or a layout of Go's time
	// package; rfc3339 when empty. Numbers may be written as texts.
	Formats []string `yaml:"formats"`
}

// streamRule is a list of the service.
type streamRule struct {
	Name string `yaml:"name"`
	// Path is where the list is, under BaseURL and a prefix; {key} is that of the row of
	// Over. Alternatives are other names that it may have: asked on 404, then remembered.
	Path         string   `yaml:"path"`
	Alternatives []string `yaml:"alternatives"`
	Method       string   `yaml:"method"` // GET or POST; GET when empty
	Body         string   `yaml:"body"`   // JSON, with POST; may hold {variables}
	// Query is sent always, Full only when everything is asked for, Changes only when
	// changes are.
	Query   map[string]string `yaml:"query"`
	Full    map[string]string `yaml:"full"`
	Changes map[string]string `yaml:"changes"`
	// List is the dotted path of the rows; . for an answer that is the one row itself; found
	// by itself when empty. EachKey says that it is an object of which every member is a
	// row: the row then has the member's name as its key, "key".
	List    string     `yaml:"list"`
	EachKey bool       `yaml:"each_key"`
	Paging  pagingRule `yaml:"paging"`
	Since   sinceRule  `yaml:"since"`
	// ByEvent is the parameter that asks for the rows of one event; none when empty.
	ByEvent string `yaml:"by_event"`
	// Over names a stream for each kept row of which this list is read by itself: its key
	// stands in Path and Alternatives as {key}. Recent says how long a kept row that tells
	// its time ("at") is of interest to a read of changes.
	Over   string        `yaml:"over"`
	Recent time.Duration `yaml:"recent"`
	// With names a stream whose kept rows the program sees as $with, by their keys.
	With string `yaml:"with"`
	// Keep is a jq program that turns a row into what other streams need of it: an object
	// with a "key" that is a text or an integer, and "at" as timeRule says; or into nothing.
	Keep string `yaml:"keep"`
	// Every and WholeEvery are documented at Stream.
	Every      time.Duration `yaml:"every"`
	WholeEvery time.Duration `yaml:"whole_every"`
	// Gives are the kinds of record that rows become; none for a list that is only read for
	// others.
	Gives []record.Kind `yaml:"gives"`
	// Records is a jq program that turns a row into any number of records: objects of our
	// own fields, each with "record", its kind, unless Gives names only one. They may say a
	// currency and a timezone; a member that is no field refuses the record. Without a program
	// the rows are records as they are, and further members do no harm. It sees $vars, $over
	// (the kept row of Over) and $with. It has a second for a row; how much memory it takes
	// is its author's affair.
	Records string `yaml:"records"`
}

// pagingRule says how the list is cut into pages, where it does not tell by itself.
type pagingRule struct {
	Style     Paging `yaml:"style"`      // PagingAuto when empty
	Param     string `yaml:"param"`      // of the number, offset or cursor
	SizeParam string `yaml:"size_param"` // of the number of rows
	Size      int    `yaml:"size"`       // most rows that may be asked for
	FromZero  bool   `yaml:"from_zero"`  // pages are counted from 0
	Last      string `yaml:"last"`       // dotted path in a row: the cursor is that of the last row
	// Next, Cursor, More and Total are dotted paths in the answer. With the styles page,
	// offset, and cursor by Last, a Next that is null ends the list and is not followed.
	Next   string `yaml:"next"`
	Cursor string `yaml:"cursor"`
	More   string `yaml:"more"`
	Total  string `yaml:"total"`
}

// sinceRule says how changes are asked for; without Param they cannot be, and the list is
// read whole each time.
type sinceRule struct {
	Param string `yaml:"param"`
	// Format is rfc3339, unix, unix_ms, or a layout of Go's time package, which is written
	// in Zone (that of timeRule when empty); rfc3339 when empty.
	Format string `yaml:"format"`
	Zone   string `yaml:"zone"`
	// Basis is updated, or created where only new rows can be asked for; updated when empty.
	Basis string `yaml:"basis"`
}

// stream is a streamRule made ready.
type stream struct {
	streamRule
	profile *Profile
	// over and with are nil for none.
	over, with *stream
	// plain says that the rows are our records as they are, with nothing to settle.
	plain         bool
	keep, program *gojq.Code // nil for none
}
