// Package profile is the language in which a file says how to reach a ticketing service and
// what its rows mean: it parses and checks a Profile, finds the list in an answer, and turns
// its rows into records, by jq programs where they differ from ours. It makes no call and
// reads no file; nothing that a profile or a row says can make it.
//
// Faults of a profile are named all at once, each with its line and its mend. What comes from
// a service is bounded: the rows of a page, what they become, and how long a program takes. A
// row that cannot be used is refused by itself. A Profile never changes and may be used by many
// goroutines at once.
package profile

import (
	"slices"
	"time"

	"housecount/apiclient/record"

	"github.com/itchyny/gojq"
)

// Profile says how to reach a service and what its rows mean. It is made by Parse or
// Builtin, never changes, and may be used by many goroutines at once.
type Profile struct {
	// Rules are what the file says, with the variables filled in by With.
	Rules
	// Streams are the lists of the service, in the order of the file.
	Streams []*Stream
	// RowTime is how long a program may take for one row: a second.
	RowTime time.Duration

	file    string         // that the profile was read from, as messages name it
	vars    map[string]any // as programs see them
	formats []timeFormat   // at least one
	zone    *time.Location // nil where none is said
	words   map[string]map[string]string
	zones   *zoneCache
}

// The words of a profile that code compares with.
const (
	AuthBearer = "bearer"
	AuthHeader = "header"
	AuthBasic  = "basic"
	AuthQuery  = "query"
	AuthNone   = "none"

	OAuthBasic = "basic"
	OAuthPost  = "post"
	OAuthJSON  = "json"

	unitMinor     = "minor"
	unitMajor     = "major"
	roundHalfEven = "half_even"

	BasisUpdated = "updated"
	BasisCreated = "created"
)

// The bounds of what a profile, or who runs the program, may ask for.
const (
	MaxPerMinute = 1_000_000 // requests
	MinPerDay    = 24
	MaxPerDay    = 1_000_000_000
	MaxPageSize  = 10_000 // rows
)

// Rules is a profile as its file says it.
type Rules struct {
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

	Auth    AuthRule          `yaml:"auth"`
	Headers map[string]string `yaml:"headers"` // further ones, with every call
	Limits  LimitRule         `yaml:"limits"`
	Errors  ErrorRule         `yaml:"errors"`
	// ServerTime names the header that tells what to ask changes since, where it is not Date.
	ServerTime string `yaml:"server_time"`

	Money MoneyRule `yaml:"money"`
	Time  TimeRule  `yaml:"time"`
	// Words says what the service's words for a state mean in ours: by ticket.status,
	// event.status, payment.status, payment.kind, planning.status, planning.kind and
	// scan.direction, then by the service's word, number, true or false, whatever its case.
	// A word that is not here is taken for our own.
	Words map[string]map[string]string `yaml:"words"`

	Streams []StreamRule `yaml:"streams"`
}

// AuthRule says how the credential travels.
type AuthRule struct {
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
	OAuth OAuthRule `yaml:"oauth"`
}

// OAuthRule says where and how a token is had.
type OAuthRule struct {
	TokenURL string            `yaml:"token_url"`
	Style    string            `yaml:"style"` // basic, post or json; basic when empty
	Scopes   []string          `yaml:"scopes"`
	Params   map[string]string `yaml:"params"` // such as audience
}

// LimitRule is what the service is known to bear; the lower of it and of what the operator
// allows holds. 0 is not said.
type LimitRule struct {
	PerMinute int `yaml:"per_minute"`
	PerDay    int `yaml:"per_day"`
}

// ErrorRule helps where a refusal is in none of the usual forms.
type ErrorRule struct {
	Message string `yaml:"message"` // dotted path of what the service says
	Retry   []int  `yaml:"retry"`   // further statuses that pass by themselves
}

// MoneyRule says how the service writes money. An amount is a text or a number, by itself
// or as the amount or value of an object. Its currency is the one beside it there, else the
// record's own ("currency"), else Currency; without any the record is refused. Amounts are
// read digit by digit: a program should hand them on as they are, for what it computes with
// fractions passes through a float.
type MoneyRule struct {
	// Unit is minor (2450 is 24.50 EUR), of which only integers are read, or major (24.5,
	// "24.50"); minor when empty.
	Unit string `yaml:"unit"`
	// Currency is that of amounts beside which there is none. It may be a {variable}.
	Currency string `yaml:"currency"`
	// Rounding is half_even where amounts may have more digits than the currency; without
	// it such a record is refused.
	Rounding string `yaml:"rounding"`
}

// TimeRule says how the service writes times.
type TimeRule struct {
	// Zone is that of times that tell none, where the record has no timezone of its own
	// ("timezone"); UTC when empty. Of an hour that the clocks show twice the first is meant.
	// It may be a {variable}. An event without a date has that of its start there.
	Zone string `yaml:"zone"`
	// Formats are tried in turn: rfc3339, unix (seconds), unix_ms, or a layout of Go's time
	// package; rfc3339 when empty. Numbers may be written as texts.
	Formats []string `yaml:"formats"`
}

// StreamRule is a list of the service.
type StreamRule struct {
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
	Paging  PagingRule `yaml:"paging"`
	Since   SinceRule  `yaml:"since"`
	// ByEvent is the parameter that asks for the rows of one event; none when empty.
	ByEvent string `yaml:"by_event"`
	// Over names a stream for each kept row of which this list is read by itself: its key
	// stands in Path and Alternatives as {key}. Recent says how long a kept row that tells
	// its time ("at") is of interest to a read of changes.
	Over   string        `yaml:"over"`
	Recent time.Duration `yaml:"recent"`
	// With names streams whose kept rows the program sees as $with, by their keys: one, or a
	// list. Of several streams the keys must be different.
	With Names `yaml:"with"`
	// Keep is a jq program that turns a row into what other streams need of it: an object
	// with a "key" that is a text or an integer, and "at" as TimeRule says; or into nothing.
	Keep string `yaml:"keep"`
	// Every is how often the list is asked for at most; of one that gives no records, how long
	// its kept rows are good. WholeEvery is how often it is to be read whole because not every
	// change of it can be asked for.
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

// Names are names of streams; in a profile a single one may stand by itself.
type Names []string

// PagingRule says how the list is cut into pages, where it does not tell by itself.
type PagingRule struct {
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

// SinceRule says how changes are asked for; without Param they cannot be, and the list is
// read whole each time.
type SinceRule struct {
	Param string `yaml:"param"`
	// Format is rfc3339, unix, unix_ms, or a layout of Go's time package, which is written
	// in Zone (that of TimeRule when empty); rfc3339 when empty.
	Format string `yaml:"format"`
	Zone   string `yaml:"zone"`
	// Basis is updated, or created where only new rows can be asked for; updated when empty.
	Basis string `yaml:"basis"`
}

// Stream is a list of the service, with its programs ready to be used.
type Stream struct {
	StreamRule
	Profile *Profile
	// OverStream and WithStreams are the streams that Over and With name, nil for none.
	OverStream  *Stream
	WithStreams []*Stream
	// IsNative says that the rows are our records as they are, with nothing to normalize.
	IsNative      bool
	keep, program *gojq.Code // nil for none
}

// OverEvents says that the stream is read for each event by itself, so that its keys are
// the ids of events.
func (s *Stream) OverEvents() bool {
	return s.OverStream != nil && slices.Contains(s.OverStream.Gives, record.KindEvent)
}

// programTime is how long a program may take for one row. It is looked at between the
// program's steps.
const programTime = time.Second

// prepare makes ready what rows need. The rules have no fault.
func (p *Profile) prepare() {
	p.vars = map[string]any{}
	for name, value := range p.Rules.Vars {
		p.vars[name] = value
	}
	for _, word := range p.Time.Formats {
		f, _ := newTimeFormat(word)
		p.formats = append(p.formats, f)
	}
	if len(p.formats) == 0 {
		p.formats = []timeFormat{{layout: time.RFC3339, zoned: true}}
	}
	p.zone = loadZone(p.Time.Zone)
	p.zones = &zoneCache{}
	p.words = map[string]map[string]string{}
	for field, words := range p.Rules.Words {
		p.words[field] = map[string]string{}
		for theirs, ours := range words {
			p.words[field][wordKey(theirs)] = ours
		}
	}
	p.RowTime = programTime
	for _, s := range p.Streams {
		s.OverStream, s.WithStreams = p.Stream(s.Over), nil
		for _, name := range s.With {
			s.WithStreams = append(s.WithStreams, p.Stream(name))
		}
		s.IsNative = len(s.Gives) == 1 && s.program == nil && len(p.Rules.Words) == 0 && p.Money.Unit != unitMajor && p.Money.Currency == "" &&
			p.Money.Rounding == "" && p.Time.Zone == "" && (len(p.Time.Formats) == 0 || slices.Equal(p.Time.Formats, []string{"rfc3339"}))
	}
}

// Stream is the stream of a name, nil where there is none.
func (p *Profile) Stream(name string) *Stream {
	for _, s := range p.Streams {
		if s.Name == name {
			return s
		}
	}
	return nil
}
