package profile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"

	"github.com/bojanz/currency"
)

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

var (
	profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	streamName  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)
	varName     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	dottedPath  = regexp.MustCompile(`^[^.\s]+(\.[^.\s]+)*$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
)

// The bounds of what a profile, or who runs the program, may ask for.
const (
	MaxPerMinute = 1_000_000 // requests
	MinPerDay    = 24
	MaxPerDay    = 1_000_000_000
	MaxPageSize  = 10_000 // rows
)

// ownHeaders are those that a profile cannot set: the credential's, those that belong to the
// connection, and those with which an answer would not be the whole list as it is.
var ownHeaders = []string{
	"authorization", "accept-encoding", "connection", "content-length", "content-type", "expect", "host", "if-modified-since",
	"if-none-match", "if-range", "proxy-authorization", "range", "te", "trailer", "transfer-encoding", "upgrade",
}

// check tells every fault of p that its YAML alone does not show.
func (p *Profile) check(f *faults) {
	if !profileName.MatchString(p.Rules.Name) {
		f.add("name", "is %.60q; give a short one of lower case, digits and hyphens", p.Rules.Name)
	}
	f.printable("about", p.Rules.About)
	for _, name := range sortedKeys(p.Rules.Vars) {
		at := "vars." + name
		if !varName.MatchString(name) || name == "key" {
			f.add(at, "is no name of a variable; use lower case, digits and underscores, and not key")
		}
		f.printable(at, p.Rules.Vars[name])
	}
	c := profileChecker{faults: f, p: p}
	c.address("base_url", p.Rules.BaseURL)
	for i, prefix := range p.Prefixes {
		if prefix != "" {
			c.path(fmt.Sprintf("prefixes[%d]", i), prefix, false)
		}
	}
	c.auth()
	named := map[string]bool{}
	for _, name := range sortedKeys(p.Headers) {
		at := "headers." + name
		c.header(at, name)
		if named[strings.ToLower(name)] {
			f.add(at, "is there in another case; give each header once")
		}
		named[strings.ToLower(name)] = true
		if slices.Contains(ownHeaders, strings.ToLower(name)) {
			f.add(at, "cannot be set; leave it out, it is sent as auth and the call want it")
		}
		c.text(at, p.Headers[name], false)
	}
	f.within("limits.per_minute", p.Limits.PerMinute, 0, MaxPerMinute)
	if p.Limits.PerDay != 0 {
		f.within("limits.per_day", p.Limits.PerDay, MinPerDay, MaxPerDay)
	}
	c.dotted("errors.message", p.Errors.Message)
	for i, status := range p.Errors.Retry {
		f.within(fmt.Sprintf("errors.retry[%d]", i), status, 400, 599)
	}
	if p.ServerTime != "" {
		c.header("server_time", p.ServerTime)
	}
	c.meaning()
	c.streams()
}

func (f *faults) printable(path, s string) {
	if !Printable(s) || len(s) > 2000 {
		f.add(path, "has a line end or another character that cannot be printed, or is too long; write it on one line")
	}
}

func (f *faults) within(path string, n, least, most int) {
	if n < least || n > most {
		f.add(path, "is %d; give a number within %d and %d", n, least, most)
	}
}

func (f *faults) oneOf(path, s string, words ...string) {
	if s != "" && !slices.Contains(words, s) {
		f.add(path, "is %.60q; %s", s, knownWords(words))
	}
}

// profileChecker checks what may hold variables.
type profileChecker struct {
	*faults
	p *Profile
}

// text checks s, which may hold variables; {key} where key says so.
func (c *profileChecker) text(path, s string, key bool) {
	c.printable(path, s)
	c.variables(path, s, key)
	if rest := variable.ReplaceAllString(s, ""); strings.ContainsAny(rest, "{}") {
		c.add(path, "has a brace that holds no variable; write {name} with lower case, digits and underscores")
	}
}

func (c *profileChecker) variables(path, s string, key bool) {
	for _, m := range variable.FindAllStringSubmatch(s, -1) {
		if _, ok := c.p.Rules.Vars[m[1]]; ok || m[1] == "key" && key {
			continue
		}
		if m[1] == "key" {
			c.add(path, "has {key}, which is only known in path and alternatives of a stream that has over; take it out, or give over")
		} else {
			c.add(path, "has {%s}, which is not in vars; add it there, empty where the operator has to say it", m[1])
		}
	}
}

// address checks an address of a service; an empty one is fine.
func (c *profileChecker) address(path, s string) {
	if s == "" {
		return
	}
	c.text(path, s, false)
	u, why := ParseAddress(c.p.filled(s))
	switch {
	case why != "":
		c.add(path, "%s; give one such as https://tickets.example.com/api", why)
	case u.RawQuery != "" || u.ForceQuery:
		c.add(path, "has a query; give the address without it")
	}
}

// path checks a relative path.
func (c *profileChecker) path(path, s string, key bool) {
	c.text(path, s, key)
	switch {
	case s == "":
		c.add(path, "is missing; give where the list is, relative to base_url")
	case strings.HasPrefix(s, "/") || strings.Contains(s, "//"):
		c.add(path, "begins with / or has an empty part; give it relative to base_url")
	case strings.ContainsAny(s, "?#%\\ "):
		c.add(path, "has a query, a fragment or a character that no path has; give parameters as query")
	case strings.Contains("/"+s+"/", "/../") || strings.Contains("/"+s+"/", "/./"):
		c.add(path, "goes up or stays with dots; give the plain path")
	}
}

func (c *profileChecker) header(path, name string) {
	if !headerName.MatchString(name) {
		c.add(path, "is no name of a header; give one such as X-Api-Key")
	}
}

func (c *profileChecker) dotted(path, s string) {
	if s != "" && (!dottedPath.MatchString(s) || len(s) > 200) {
		c.add(path, "is %.60q; give names with dots between them, such as meta.next", s)
	}
}

func (c *profileChecker) query(path string, values map[string]string) {
	for _, name := range sortedKeys(values) {
		at := path + "." + name
		if name == "" || !Printable(name) {
			c.add(at, "is no name of a parameter; give one that can be printed")
		}
		c.text(at, values[name], false)
	}
}

func (c *profileChecker) auth() {
	a := c.p.Auth
	c.oneOf("auth.kind", a.Kind, AuthBearer, AuthHeader, AuthBasic, AuthQuery, AuthNone)
	for _, only := range []struct{ name, value, kind string }{
		{"header", a.Header, AuthHeader}, {"scheme", a.Scheme, AuthHeader}, {"user", a.User, AuthBasic}, {"param", a.Param, AuthQuery},
	} {
		if only.value != "" && a.Kind != only.kind {
			c.add("auth."+only.name, "is of use with the kind %s only; leave it out, or set auth.kind", only.kind)
		}
		c.printable("auth."+only.name, only.value)
	}
	if a.Header != "" {
		c.header("auth.header", a.Header)
		if name := strings.ToLower(a.Header); name != "authorization" && slices.Contains(ownHeaders, name) {
			c.add("auth.header", "cannot carry a key; give one such as Authorization or X-Api-Key")
		}
	}
	if !FitsHeader(a.Scheme) {
		c.add("auth.scheme", "has a space or a character that cannot travel; give one word such as Token")
	}
	if a.Kind == AuthQuery && a.Param == "" {
		c.add("auth.param", "is missing; give the parameter that carries the key")
	}
	c.oneOf("auth.oauth.style", a.OAuth.Style, OAuthBasic, OAuthPost, OAuthJSON)
	c.address("auth.oauth.token_url", a.OAuth.TokenURL)
	for i, s := range a.OAuth.Scopes {
		if s == "" || !FitsHeader(s) {
			c.add(fmt.Sprintf("auth.oauth.scopes[%d]", i), "is empty or has a space; give each scope by itself")
		}
	}
	c.query("auth.oauth.params", a.OAuth.Params)
}

// meaning checks what rows mean: money, time and words.
func (c *profileChecker) meaning() {
	m, t := c.p.Money, c.p.Time
	c.oneOf("money.unit", m.Unit, unitMinor, unitMajor)
	c.oneOf("money.rounding", m.Rounding, roundHalfEven)
	c.text("money.currency", m.Currency, false)
	if code := c.p.filled(m.Currency); !holdsVariable(m.Currency) && code != "" && !currency.IsValid(code) {
		c.add("money.currency", "is %.20q; give a currency such as EUR", code)
	}
	c.zone("time.zone", t.Zone)
	for i, word := range t.Formats {
		at := fmt.Sprintf("time.formats[%d]", i)
		switch f, why := newTimeFormat(word); {
		case why != "":
			c.add(at, "%s", why)
		case literalZ(word):
			c.add(at, "ends in a Z that stands for nothing, so that the time would be taken for one in the zone; write Z07:00, or rfc3339")
		case strings.HasPrefix(word, "unix") && slices.ContainsFunc(t.Formats[:i], func(s string) bool { return strings.HasPrefix(s, "unix") }):
			c.add(at, "is a second way to count, and a number does not tell which one is meant; give one of unix and unix_ms")
		case f.layout != "" && !f.zoned && t.Zone == "":
			c.add(at, "tells no zone, and there is no time.zone to read it in; give that, such as Europe/Amsterdam, or UTC")
		}
	}
	for _, field := range sortedKeys(c.p.Words) {
		words, ok := record.Vocabulary[field]
		if !ok {
			c.add("words."+field, "is no field with words; %s", knownWords(sortedKeys(record.Vocabulary)))
			continue
		}
		heard := map[string]bool{}
		for _, theirs := range sortedKeys(c.p.Words[field]) {
			if heard[wordKey(theirs)] {
				c.add("words."+field+"."+theirs, "is there in another case, which makes no difference; give each word once")
			}
			heard[wordKey(theirs)] = true
			if ours := c.p.Words[field][theirs]; !slices.Contains(words, ours) {
				c.add("words."+field+"."+theirs, "is %.60q; %s", ours, knownWords(words))
			}
		}
	}
}

func (c *profileChecker) zone(path, name string) {
	c.text(path, name, false)
	if name != "" && !holdsVariable(name) && loadZone(name) == nil {
		c.add(path, "is %.60q; give a time zone such as Europe/Amsterdam", name)
	}
}

func (c *profileChecker) streams() {
	if len(c.p.Rules.Streams) == 0 {
		c.add("streams", "is missing; give at least one list of the service")
	}
	if len(c.p.Rules.Streams) > 100 {
		c.add("streams", "has more than 100 streams; leave out what is not needed")
		return
	}
	used := map[string]bool{}
	for _, s := range c.p.Rules.Streams {
		used[s.Over] = true
		for _, name := range s.With {
			used[name] = true
		}
	}
	seen := map[string]bool{}
	for i := range c.p.Rules.Streams {
		s, at := &c.p.Rules.Streams[i], fmt.Sprintf("streams[%d]", i)
		if !streamName.MatchString(s.Name) {
			c.add(at+".name", "is %.60q; give a short one of lower case, digits, hyphens and underscores", s.Name)
		} else if seen[s.Name] {
			c.add(at+".name", "is %q, which another stream is called; give each its own", s.Name)
		}
		seen[s.Name] = true
		if len(s.Gives) == 0 && !used[s.Name] {
			c.add(at, "gives no record and no other stream uses it; say what it gives, or leave it out")
		}
		c.request(at, s)
		c.answer(at, s)
		c.records(at, s)
		c.uses(at+".over", s.Over)
		for j, name := range s.With {
			c.uses(fmt.Sprintf("%s.with[%d]", at, j), name)
		}
		if c.circular(s.Name) {
			c.add(at, "needs itself by over and with; take one of them out")
		}
	}
}

// request checks how a list is asked for.
func (c *profileChecker) request(at string, s *StreamRule) {
	over := s.Over != ""
	c.path(at+".path", s.Path, over)
	for i, path := range s.Alternatives {
		c.path(fmt.Sprintf("%s.alternatives[%d]", at, i), path, over)
	}
	c.oneOf(at+".method", s.Method, "GET", "POST")
	if s.Body != "" {
		c.variables(at+".body", s.Body, false)
		if s.Method != "POST" {
			c.add(at+".body", "travels with POST only; set method to POST")
		}
		if len(s.Body) > 64<<10 || !json.Valid([]byte(variable.ReplaceAllString(s.Body, "0"))) {
			c.add(at+".body", "is no JSON; mend it, with each {variable} in a text or in the place of a number")
		}
	}
	c.query(at+".query", s.Query)
	c.query(at+".full", s.Full)
	c.query(at+".changes", s.Changes)
	c.printable(at+".by_event", s.ByEvent)
	c.since(at+".since", s.Since)
	for _, path := range append([]string{s.Path}, s.Alternatives...) {
		if over && !strings.Contains(path, "{key}") {
			c.add(at+".over", "has the list read for each row of %q, but %.60q does not say for which; put {key} into it", s.Over, path)
		}
	}
	if s.Recent != 0 && !over {
		c.add(at+".recent", "is of use with over only; leave it out")
	}
	c.duration(at+".recent", s.Recent, 10*365*24*time.Hour)
	c.duration(at+".every", s.Every, 24*time.Hour)
	c.duration(at+".whole_every", s.WholeEvery, 31*24*time.Hour)
}

func (c *profileChecker) duration(path string, d, most time.Duration) {
	if d < 0 || d > most {
		c.add(path, "is %v; give at most %v, or leave it out", d, most)
	}
}

func (c *profileChecker) since(at string, s SinceRule) {
	if s.Param == "" && s != (SinceRule{}) {
		c.add(at+".param", "is missing; give the parameter that asks for changes, or leave since out")
	}
	c.printable(at+".param", s.Param)
	if s.Format != "" {
		if _, why := newTimeFormat(s.Format); why != "" {
			c.add(at+".format", "%s", why)
		} else if zone := cmp.Or(s.Zone, c.p.Time.Zone, "UTC"); literalZ(s.Format) && zone != "UTC" {
			c.add(at+".format", "ends in a Z, which means UTC, and would be written in the zone %.60q; set zone to UTC, or write Z07:00", zone)
		}
	}
	c.zone(at+".zone", s.Zone)
	c.oneOf(at+".basis", s.Basis, BasisUpdated, BasisCreated)
}

// literalZ says that a layout ends in a Z that the time package takes for a mere letter.
func literalZ(layout string) bool { return strings.HasSuffix(layout, "Z") }

// answer checks how a list is found and goes on.
func (c *profileChecker) answer(at string, s *StreamRule) {
	if s.List != "." {
		c.dotted(at+".list", s.List)
	}
	g := s.Paging
	at += ".paging"
	names := make([]string, len(Pagings))
	for i, style := range Pagings {
		names[i] = string(style)
	}
	c.oneOf(at+".style", string(g.Style), names...)
	c.printable(at+".param", g.Param)
	c.printable(at+".size_param", g.SizeParam)
	c.within(at+".size", g.Size, 0, MaxPageSize)
	c.dotted(at+".last", g.Last)
	c.dotted(at+".next", g.Next)
	c.dotted(at+".cursor", g.Cursor)
	c.dotted(at+".more", g.More)
	c.dotted(at+".total", g.Total)
	if g.Last != "" && g.Param == "" {
		c.add(at+".last", "says what the cursor is, but not by which parameter it is sent; give param")
	}
	if g.Size != 0 && g.SizeParam == "" {
		c.add(at+".size", "says how many rows may be asked for, but not by which parameter; give size_param")
	}
}

// records checks what rows become.
func (c *profileChecker) records(at string, s *StreamRule) {
	for i, kind := range s.Gives {
		at := fmt.Sprintf("%s.gives[%d]", at, i)
		if shapes[kind] == nil {
			c.add(at, "is %.60q; %s", kind, knownWords(kindNames))
		} else if slices.Contains(s.Gives[:i], kind) {
			c.add(at, "is %q once more; give each kind once", kind)
		}
	}
	switch {
	case s.Records == "" && len(s.Gives) > 1:
		c.add(at+".records", "is missing; with several kinds a program has to say which one a row is")
	case s.Records != "" && len(s.Gives) == 0:
		c.add(at+".gives", "is missing; give the kinds of record that the program makes")
	}
}

// uses checks the name of a stream whose kept rows another one uses.
func (c *profileChecker) uses(path, name string) {
	if name == "" {
		return
	}
	other := c.p.rule(name)
	switch {
	case other == nil:
		c.add(path, "names %.60q, which is no stream; give the name of one that has keep", name)
	case other.Keep == "":
		c.add(path, "names %q, which keeps nothing; give that stream a program keep", name)
	}
}

// circular says whether a stream needs itself.
func (c *profileChecker) circular(name string) bool {
	seen := map[string]bool{}
	var needs func(from string) bool
	needs = func(from string) bool {
		s := c.p.rule(from)
		if s == nil || seen[from] {
			return false
		}
		seen[from] = true
		return s.Over == name || slices.Contains(s.With, name) || needs(s.Over) || slices.ContainsFunc(s.With, needs)
	}
	return name != "" && needs(name)
}

// rule is the stream of a name, nil where there is none.
func (p *Profile) rule(name string) *StreamRule {
	for i := range p.Rules.Streams {
		if p.Rules.Streams[i].Name == name {
			return &p.Rules.Streams[i]
		}
	}
	return nil
}
