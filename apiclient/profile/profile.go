// Package profile is the language in which a file describes a ticketing service. It parses and
// checks a Profile, finds the list in a response, and turns its rows into records, with jq programs
// where the rows differ from our records. It makes no calls and reads no files, whatever a profile
// or a row contains.
//
// Parse reports all faults of a profile at once, each with its line and how to fix it. Input from a
// service is bounded: the rows of a page, the records they become, and the time that a program
// takes. A row that cannot be used is refused on its own. A Profile never changes and is safe for
// concurrent use.
//
// The files in the order of the data: profile and paging (the language), parse, yaml, faults and
// the checks (reading a file), vars (filling in variables), list (a response), mapping and
// jq (its rows), shape, normalize, amount and moment (a record's values), since (asking for changes),
// sample (a run without a service).
package profile

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Profile describes a service and its rows. Parse and Builtin return one; it never changes and is
// safe for concurrent use.
type Profile struct {
	// Rules is the file's content, with the variables filled in by With.
	Rules
	// Streams are the service's lists in the order of the file.
	Streams []*Stream
	// RowTime is how long a program may take for one row.
	RowTime time.Duration

	file string         // name of the file, for error messages
	vars map[string]any // as programs see them
	// isolated runs the programs in a process of their own; nil if they are run in this one.
	isolated *isolated
	formats  []timeFormat   // at least one
	zone     *time.Location // nil if not set
	words    map[string]map[string]string
	zones    *zoneCache
}

// Values of a profile's fields that code compares with.
const (
	AuthBearer = "bearer"
	AuthHeader = "header"
	AuthBasic  = "basic"
	AuthQuery  = "query"
	AuthHMAC   = "hmac"
	AuthNone   = "none"

	GrantClient = "client_credentials"
	GrantCode   = "authorization_code"

	ParamsBody  = "body"
	FormatLines = "lines"

	OAuthBasic = "basic"
	OAuthPost  = "post"
	OAuthJSON  = "json"

	unitMinor     = "minor"
	unitMajor     = "major"
	roundHalfEven = "half_even"
	decimalComma  = "comma"
	feeIncluded   = "included"

	BasisUpdated = "updated"
	BasisCreated = "created"
)

// Limits on what a profile or the operator may configure.
const (
	MaxPerMinute = 1_000_000 // requests
	MinPerDay    = 24
	MaxPerDay    = 1_000_000_000
	MaxPageSize  = 10_000 // rows
)

// Rules is the content of a profile's file.
type Rules struct {
	// Name identifies the profile: lower case, digits and hyphens.
	Name string `yaml:"name"`
	// About says in one sentence what the profile is for and how far it has been verified.
	About string `yaml:"about"`
	// BaseURL is the address that paths are relative to unless the operator gives another. It may
	// contain {variables}.
	BaseURL string `yaml:"base_url"`
	// Vars are the variables that addresses, queries and headers may contain as {name}, and that
	// programs see as $vars.name, with their default values. A variable without a default has to be
	// set by the operator.
	Vars map[string]string `yaml:"vars"`
	// Prefixes are placed before every path. With several, a stream that is not found under one is
	// tried under the next, and the prefix found is used for all streams.
	Prefixes []string `yaml:"prefixes"`

	Auth    AuthRule          `yaml:"auth"`
	Headers map[string]string `yaml:"headers"` // sent with every call
	// Origins are further addresses of the service, by the names by which streams choose them.
	Origins map[string]OriginRule `yaml:"origins"`
	Limits  LimitRule             `yaml:"limits"`
	Errors  ErrorRule             `yaml:"errors"`
	// ServerTime names the header with the time from which to ask for changes, if it is not Date.
	ServerTime string `yaml:"server_time"`

	Webhook WebhookRule `yaml:"webhook"`

	Money MoneyRule `yaml:"money"`
	Time  TimeRule  `yaml:"time"`
	// Words translates the service's words into ours: by ticket.status, event.status,
	// payment.status, payment.kind, planning.status, planning.kind and scan.direction, then by the
	// service's word, number, true or false, ignoring case. Words that are not listed are taken as
	// ours.
	Words map[string]map[string]string `yaml:"words"`

	Streams []StreamRule `yaml:"streams"`
}

// AuthRule is how the credential is sent.
type AuthRule struct {
	// Kind is bearer, header, basic, query, hmac or none; bearer when empty. With header, the value
	// of Header (Authorization when empty) is Scheme, a space and the key, or the key alone if
	// Scheme is empty; or it is Template, with the key in the place of {key}. With basic, the key is
	// the user name, or the password if User is set. With query, the key is the value of the
	// parameter Param, which is also added to followed addresses. With hmac, the key is not sent:
	// each request is signed with it as Sign says.
	Kind     string `yaml:"kind"`
	Header   string `yaml:"header"`
	Scheme   string `yaml:"scheme"`
	Template string `yaml:"template"`
	User     string `yaml:"user"` // may contain {variables}
	Param    string `yaml:"param"`
	// Sign is how requests are signed, with the kind hmac.
	Sign SignRule `yaml:"sign"`
	// OAuth is how to obtain a token; the token is then sent as Kind says.
	OAuth OAuthRule `yaml:"oauth"`
}

// OAuthRule is where and how to obtain a token.
type OAuthRule struct {
	// Grant is client_credentials, or authorization_code where a person allows it once and each
	// token is obtained with the refresh token of the one before; client_credentials when empty.
	Grant        string            `yaml:"grant"`
	AuthorizeURL string            `yaml:"authorize_url"`
	TokenURL     string            `yaml:"token_url"`
	Style        string            `yaml:"style"` // basic, post or json; basic when empty
	Scopes       []string          `yaml:"scopes"`
	Params       map[string]string `yaml:"params"` // such as audience
	PKCE         bool              `yaml:"pkce"`
}

// OriginRule is a further address of the service.
type OriginRule struct {
	BaseURL string `yaml:"base_url"`
	// Credential reports that the credential is sent there as Auth says. Without it none is sent.
	Credential bool `yaml:"credential"`
}

// LimitRule is what the service is known to accept; the lower of it and the operator's limit
// applies. 0 means no limit.
type LimitRule struct {
	PerMinute int `yaml:"per_minute"`
	PerDay    int `yaml:"per_day"`
}

// ErrorRule describes error responses that have none of the usual forms.
type ErrorRule struct {
	Message string `yaml:"message"` // dotted path of the service's message
	Retry   []int  `yaml:"retry"`   // further statuses that are transient
}

// MoneyRule is how the service writes money. An amount is a string or a number, on its own or as
// the member "amount" or "value" of an object. Its currency is the member "currency" of that
// object, else the record's own "currency", else Currency; without one the record is refused.
// Amounts are parsed as decimals: a program should pass them on unchanged, because jq computes with
// floats.
type MoneyRule struct {
	// Unit is minor (2450 is 24.50 EUR; integers only) or major (24.5 or "24.50"); minor when
	// empty.
	Unit string `yaml:"unit"`
	// Currency applies to amounts without one. It may be a {variable}.
	Currency string `yaml:"currency"`
	// Rounding is half_even if amounts may have more digits than the currency; without it such a
	// record is refused.
	Rounding string `yaml:"rounding"`
	// Decimal is comma if texts are written as "1.234,50"; point when empty. Numbers of JSON have a
	// point either way.
	Decimal string `yaml:"decimal"`
	// Fee is included if a ticket's price contains its fee, which is then taken out of the price;
	// apart when empty.
	Fee string `yaml:"fee"`
}

// TimeRule is how the service writes times.
type TimeRule struct {
	// Zone applies to times without a zone, unless the record has its own "timezone"; UTC when
	// empty. In the hour that repeats when clocks go back, the first occurrence is meant. It may be
	// a {variable}. An event without a date gets the date of its start in this zone.
	Zone string `yaml:"zone"`
	// Formats are tried in turn: rfc3339, unix (seconds), unix_ms, or a layout of Go's time
	// package; rfc3339 when empty. Numbers may be written as strings. An event's date is
	// YYYY-MM-DD or in one of them.
	Formats []string `yaml:"formats"`
}

// StreamRule describes a list of the service.
type StreamRule struct {
	Name string `yaml:"name"`
	// Path is the list's address under BaseURL and a prefix; {key} is replaced by the key of the
	// row of Over. Alternatives are other paths to try on 404; the one found is remembered.
	Path         string   `yaml:"path"`
	Alternatives []string `yaml:"alternatives"`
	Method       string   `yaml:"method"` // GET or POST; GET when empty
	Body         string   `yaml:"body"`   // JSON, with POST; may contain {variables}
	// Origin names one of Origins, whose address takes the place of BaseURL and the prefixes.
	Origin string `yaml:"origin"`
	// Params is body if all parameters but Query are members of the body, by dotted paths; query
	// when empty.
	Params string `yaml:"params"`
	// Format is lines if the response has one row of JSON on each line and nothing else; json when
	// empty.
	Format string `yaml:"format"`
	// Query is always sent, Full only when everything is asked for, Changes only when changes are.
	Query   map[string]string `yaml:"query"`
	Full    map[string]string `yaml:"full"`
	Changes map[string]string `yaml:"changes"`
	// List is the dotted path of the rows, or "." if the response is itself the only row; when
	// empty the list is searched for. EachKey means that it is an object each of whose members is a
	// row; the row then has the member's name as its "key".
	List    string `yaml:"list"`
	EachKey bool   `yaml:"each_key"`
	// RowID is the dotted path of what identifies a row; when empty it is the first of the members id, code, key,
	// slug and uuid that is a string or a number. A row that is the whole response, of a list that is read for each
	// row of Over, is identified by the key of that row if it has nothing of the kind. What a row with an id gave
	// before and gives no longer is deleted.
	RowID string `yaml:"row_id"`
	// RowUpdated is the dotted path of when the row was last changed; when empty, and of a row without it, that is
	// the last change of a record of the row. A service needs it whose row loses a record while the others do not
	// change.
	RowUpdated string     `yaml:"row_updated"`
	Paging     PagingRule `yaml:"paging"`
	Since      SinceRule  `yaml:"since"`
	Window     WindowRule `yaml:"window"`
	// ByEvent is the parameter that asks for the rows of one event; empty if there is none.
	ByEvent string `yaml:"by_event"`
	// Over names the parent stream: this list is read once for each shared row of it, whose key
	// replaces {key} in Path and Alternatives. Recent is how long after its time ("at") a parent
	// row's list is included in a read of changes.
	Over   string        `yaml:"over"`
	Recent time.Duration `yaml:"recent"`
	// With names streams whose shared rows the program sees as $with, by key: one name or a list.
	// Keys must be unique across several streams.
	With Names `yaml:"with"`
	// Keep is a jq program that turns a row into what other streams need of it: an object with a
	// "key" that is a string or an integer, and optionally "at" as TimeRule says. Without output
	// the row is not shared.
	Keep string `yaml:"keep"`
	// Every is the shortest interval between two reads of the list. For a list that gives no
	// records it is how long its shared rows are used. WholeEvery is how often to read the whole
	// list because the service does not report every change.
	Every      time.Duration `yaml:"every"`
	WholeEvery time.Duration `yaml:"whole_every"`
	// DropsPast reports that the service leaves out performances that are over, and what belongs to
	// them: a record of one is not deleted because the list does not have it.
	DropsPast bool `yaml:"drops_past"`
	// Gives lists the kinds of record that rows become; none for a list that is only read for
	// others.
	Gives []record.Kind `yaml:"gives"`
	// Records is a jq program that turns a row into any number of records: objects with our own
	// fields, each with its kind as "record" unless Gives names only one. They may also have a
	// "currency" and a "timezone"; any other unknown member refuses the record. Without a program
	// each row is a record, and unknown members are ignored. The program sees $vars, $over (the
	// parent row) and $with. It may take a second per row; its memory is not limited.
	Records string `yaml:"records"`
}

// Names are names of streams; a profile may give a single name instead of a list.
type Names []string

// PagingRule is how the list is paged, where its responses do not show it.
type PagingRule struct {
	Style     Paging `yaml:"style"`      // PagingAuto when empty
	Param     string `yaml:"param"`      // of the page number, offset or cursor
	SizeParam string `yaml:"size_param"` // of the number of rows per page
	Size      int    `yaml:"size"`       // most rows per page
	FromZero  bool   `yaml:"from_zero"`  // pages are counted from 0
	Last      string `yaml:"last"`       // dotted path in a row: the cursor is this value of the last row
	// Next, Cursor, More and Total are dotted paths in the response. With the styles page and
	// offset, and with cursor by Last, a Next that is null ends the list and is not followed.
	Next   string `yaml:"next"`
	Cursor string `yaml:"cursor"`
	More   string `yaml:"more"`
	Total  string `yaml:"total"`
}

// SinceRule is how to ask for changes. Without Param that is not possible and the list is always
// read whole.
type SinceRule struct {
	Param string `yaml:"param"`
	// Format is rfc3339, unix, unix_ms, or a layout of Go's time package in Zone (TimeRule's when
	// empty); rfc3339 when empty.
	Format string `yaml:"format"`
	Zone   string `yaml:"zone"`
	// Basis is updated, or created if only new rows can be asked for; updated when empty.
	Basis string `yaml:"basis"`
}

// Stream is a list of the service with its compiled programs.
type Stream struct {
	StreamRule
	Profile *Profile
	// OverStream and WithStreams are the streams that Over and With name; nil for none.
	OverStream  *Stream
	WithStreams []*Stream
	// IsNative reports that rows are our records and need no normalizing.
	IsNative      bool
	keep, program *program // nil for none
}

// OverEvents reports whether the list is read once per event, so that its keys are event ids.
func (s *Stream) OverEvents() bool {
	return s.OverStream != nil && slices.Contains(s.OverStream.Gives, record.KindEvent)
}

// SendsCredential reports whether the credential is sent with the stream's requests.
func (s *Stream) SendsCredential() bool {
	return s.Origin == "" || s.Profile.Origins[s.Origin].Credential
}

// programTime is how long a program may take for one row. It is checked between the program's
// steps.
const programTime = time.Second

// prepare derives what mapping rows needs from rules without faults.
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
			p.Money.Rounding == "" && p.Money.Decimal == "" && p.Money.Fee == "" && p.Time.Zone == "" && (len(p.Time.Formats) == 0 || slices.Equal(p.Time.Formats, []string{"rfc3339"}))
	}
}

// Stream returns the stream called name, nil if there is none.
func (p *Profile) Stream(name string) *Stream {
	for _, s := range p.Streams {
		if s.Name == name {
			return s
		}
	}
	return nil
}
