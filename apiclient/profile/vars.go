package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bojanz/currency"
)

// variable matches a variable in a text.
var variable = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

func holdsVariable(s string) bool { return variable.MatchString(s) }

// fill replaces the variables in s. A name without a value, such as key, stays.
func fill(s string, values map[string]string, escape func(string) string) string {
	if !strings.Contains(s, "{") {
		return s
	}
	return variable.ReplaceAllStringFunc(s, func(m string) string {
		value, ok := values[m[1:len(m)-1]]
		if !ok {
			return m
		}
		return escape(value)
	})
}

// verbatim and jsonEscape are escape functions for fill.
func verbatim(s string) string { return s }

func jsonEscape(s string) string {
	quoted, _ := json.Marshal(s) // cannot fail for a string
	return string(quoted[1 : len(quoted)-1])
}

// Locates returns the variables that say what of the service is read in a list: those of its path, else of the service's address,
// else of the headers; none if there are none, or no such list.
func (p *Profile) Locates(stream string) (names []string) {
	i := slices.IndexFunc(p.Rules.Streams, func(s StreamRule) bool { return s.Name == stream })
	if i < 0 {
		return nil
	}
	headers := slices.Collect(maps.Values(p.Rules.Headers))
	for _, text := range []string{p.Rules.Streams[i].Path, p.Rules.BaseURL, strings.Join(headers, " ")} {
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			if _, known := p.Rules.Vars[m[1]]; known && !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
		if names != nil {
			slices.Sort(names)
			return names
		}
	}
	return nil
}

// filledForCheck returns s with the profile's default values, and a placeholder for variables
// without one.
func (p *Profile) filledForCheck(s string) string {
	values := maps.Clone(p.Rules.Vars)
	for name, value := range values {
		if value == "" {
			values[name] = "x"
			if s == "{"+name+"}" {
				values[name] = "https://x"
			}
		}
	}
	return fillAddress(s, values)
}

// fillAddress fills in an address. A variable that is the whole address is one itself.
func fillAddress(s string, values map[string]string) string {
	if m := variable.FindString(s); m != "" && m == s {
		return fill(s, values, verbatim)
	}
	return fill(s, values, url.PathEscape)
}

// VarFault is why a variable, or the profile with all variables filled in, cannot be used.
type VarFault struct {
	Var     string // name; empty if several variables together are at fault
	Missing bool   // it has no value
	text    string
}

func (f VarFault) Error() string { return f.text }

// VarFaults returns the faults that an error of With joins.
func VarFaults(err error) (all []VarFault) {
	joined, _ := err.(interface{ Unwrap() []error })
	for _, one := range joined.Unwrap() {
		if f, ok := errors.AsType[VarFault](one); ok {
			all = append(all, f)
		}
	}
	return all
}

// With returns p with its variables filled in, ready for use; {key} stays. The error joins a
// VarFault for every variable that is missing, unknown or invalid.
func (p *Profile) With(vars map[string]string) (*Profile, error) {
	var faults []error
	fault := func(name, format string, a ...any) {
		faults = append(faults, VarFault{Var: name, text: "the profile " + p.Name + " " + fmt.Sprintf(format, a...)})
	}
	names := sortedKeys(p.Rules.Vars)
	values := maps.Clone(p.Rules.Vars)
	for _, name := range sortedKeys(vars) {
		switch _, ok := p.Rules.Vars[name]; {
		case !ok && len(names) == 0:
			fault(name, "has no variable %.60q, nor any other; leave it out", name)
		case !ok:
			fault(name, "has no variable %.60q; %s", name, knownWords(names))
		default:
			values[name] = vars[name]
		}
	}
	for _, name := range names {
		switch value := values[name]; {
		case value == "":
			faults = append(faults, VarFault{name, true, fmt.Sprintf("the profile %s needs the variable %s; give it", p.Name, name)})
		case !Printable(value) || len(value) > 1000:
			fault(name, "has a variable %s that is too long, or has a line end or another character that cannot be printed; give it anew", name)
		case value == "." || value == "..":
			fault(name, "has a variable %s that is only dots; give it anew", name)
		}
	}
	if faults != nil {
		return nil, errors.Join(faults...)
	}

	q := &Profile{Rules: p.Rules.withValues(values), file: p.file, isolated: p.isolated}
	type text struct{ rule, filled string }
	addresses := map[string]text{"base_url": {p.Rules.BaseURL, q.Rules.BaseURL}, "auth.oauth.token_url": {p.Rules.Auth.OAuth.TokenURL, q.Auth.OAuth.TokenURL},
		"auth.oauth.authorize_url": {p.Rules.Auth.OAuth.AuthorizeURL, q.Auth.OAuth.AuthorizeURL}}
	for name, o := range q.Origins {
		addresses["origins."+name+".base_url"] = text{p.Rules.Origins[name].BaseURL, o.BaseURL}
	}
	for what, s := range addresses {
		if _, why := ParseAddress(s.filled); s.filled != "" && why != "" {
			fault(firstVariable(s.rule), "has a %s that %s, with the variables filled in; give them anew", what, why)
		}
	}
	if m := q.Money.Currency; m != "" && !currency.IsValid(m) {
		fault(firstVariable(p.Rules.Money.Currency), "has the money.currency %.20q, with the variables filled in; give one such as EUR", m)
	}
	zones := []text{{p.Rules.Time.Zone, q.Time.Zone}}
	for i, s := range q.Rules.Streams {
		rule := p.Rules.Streams[i]
		zones = append(zones, text{rule.Since.Zone, s.Since.Zone}, text{rule.Window.Zone, s.Window.Zone})
		if _, err := time.Parse(time.DateOnly, s.Window.Start); err != nil && s.Windows() {
			fault(firstVariable(rule.Window.Start), "has the window start %.60q of %s, with the variables filled in; give a day such as 2024-01-01", s.Window.Start, s.Name)
		}
	}
	for _, zone := range zones {
		if zone.filled != "" && loadZone(zone.filled) == nil {
			fault(firstVariable(zone.rule), "has the time zone %.60q, with the variables filled in; give one such as Europe/Amsterdam", zone.filled)
		}
	}
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	for i, s := range p.Streams {
		q.Streams = append(q.Streams, &Stream{StreamRule: q.Rules.Streams[i], Profile: q, keep: s.keep, program: s.program})
	}
	q.prepare()
	return q, nil
}

// firstVariable returns the first variable of a profile's text; empty if there is none.
func firstVariable(text string) string {
	if m := variable.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// Proves returns the variables that are, beside the key, a part of what the service knows us by, sorted: it refuses a wrong one as
// it refuses a wrong key.
func (p *Profile) Proves() (names []string) {
	texts := slices.Concat(slices.Collect(maps.Values(p.Rules.Auth.Sign.Headers)), slices.Collect(maps.Values(p.Rules.Auth.Sign.Query)),
		[]string{p.Rules.Auth.User, p.Rules.Auth.Template, p.Rules.Auth.Sign.Text})
	for name := range p.Rules.Vars {
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "{"+name+"}") }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Sends reports whether the variable is sent in a header, a parameter or a body, and so may be a
// secret.
func (p *Profile) Sends(name string) bool {
	texts := slices.Concat(slices.Collect(maps.Values(p.Headers)), slices.Collect(maps.Values(p.Auth.OAuth.Params)),
		slices.Collect(maps.Values(p.Auth.Sign.Headers)), slices.Collect(maps.Values(p.Auth.Sign.Query)), []string{p.Auth.Template, p.Auth.Sign.Text})
	for _, s := range p.Rules.Streams {
		texts = append(texts, s.Body)
		for _, query := range []map[string]string{s.Query, s.Full, s.Changes} {
			texts = slices.AppendSeq(texts, maps.Values(query))
		}
	}
	return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "{"+name+"}") })
}

// withValues returns a copy of r with the variables filled in; r is not modified.
func (r Rules) withValues(values map[string]string) Rules {
	path := func(s string) string { return fill(s, values, url.PathEscape) }
	text := func(s string) string { return fill(s, values, verbatim) }
	texts := func(m map[string]string) map[string]string {
		m = maps.Clone(m)
		for name, s := range m {
			m[name] = text(s)
		}
		return m
	}
	paths := func(all []string) []string {
		all = slices.Clone(all)
		for i, s := range all {
			all[i] = path(s)
		}
		return all
	}
	r.Vars = values
	address := func(s string) string { return fillAddress(s, values) }
	r.BaseURL, r.Prefixes = address(r.BaseURL), paths(r.Prefixes)
	r.Headers = texts(r.Headers)
	r.Origins = maps.Clone(r.Origins)
	for name, o := range r.Origins {
		o.BaseURL = address(o.BaseURL)
		r.Origins[name] = o
	}
	r.Auth.User, r.Auth.Template = text(r.Auth.User), text(r.Auth.Template)
	r.Auth.Sign.Text, r.Auth.Sign.Headers, r.Auth.Sign.Query = text(r.Auth.Sign.Text), texts(r.Auth.Sign.Headers), texts(r.Auth.Sign.Query)
	r.Auth.OAuth.TokenURL, r.Auth.OAuth.Params = address(r.Auth.OAuth.TokenURL), texts(r.Auth.OAuth.Params)
	r.Auth.OAuth.AuthorizeURL = address(r.Auth.OAuth.AuthorizeURL)
	r.Money.Currency, r.Time.Zone = strings.ToUpper(text(r.Money.Currency)), text(r.Time.Zone)
	r.Streams = slices.Clone(r.Streams)
	for i := range r.Streams {
		s := &r.Streams[i]
		s.Path, s.Alternatives = path(s.Path), paths(s.Alternatives)
		s.Query, s.Full, s.Changes = texts(s.Query), texts(s.Full), texts(s.Changes)
		s.Body = fill(s.Body, values, jsonEscape)
		s.Since.Zone, s.Window.Zone, s.Window.Start = text(s.Since.Zone), text(s.Window.Zone), text(s.Window.Start)
	}
	return r
}
