package profile

import (
	"fmt"
	"slices"
	"strings"

	"housecount/apiclient/record"

	"github.com/bojanz/currency"
)

// ownHeaders are the headers that a profile cannot set: the credential's, those of the connection,
// and those that could make a response other than the whole list.
var ownHeaders = []string{
	"authorization", "accept-encoding", "connection", "content-length", "content-type", "expect", "host", "if-modified-since",
	"if-none-match", "if-range", "proxy-authorization", "range", "te", "trailer", "transfer-encoding", "upgrade",
}

// check reports every fault of p that YAML parsing does not.
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
	c.origins()
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
		for _, origin := range sortedKeys(p.Origins) {
			if holdsVariable(p.Headers[name]) && !p.Origins[origin].Credential {
				f.add(at, "has a variable, and would also be sent to origins.%s, which gets no credential; send it with auth, or give the origin credential: true", origin)
			}
		}
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
	c.webhook()
	c.conversions()
	c.streams()
}

func (c *profileChecker) auth() {
	a := c.p.Auth
	c.oneOf("auth.kind", a.Kind, AuthBearer, AuthHeader, AuthBasic, AuthQuery, AuthHMAC, AuthNone)
	for _, only := range []struct{ name, value, kind string }{
		{"header", a.Header, AuthHeader}, {"scheme", a.Scheme, AuthHeader}, {"template", a.Template, AuthHeader}, {"user", a.User, AuthBasic}, {"param", a.Param, AuthQuery},
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
		c.add("auth.scheme", "has a space or a character that cannot travel; give one word such as Token, or write the whole value as auth.template, such as Token token={key}")
	}
	c.template(a)
	c.text("auth.user", a.User, false)
	c.sign(a)
	if a.Kind == AuthQuery && a.Param == "" {
		c.add("auth.param", "is missing; give the parameter that carries the key")
	}
	c.oneOf("auth.oauth.style", a.OAuth.Style, OAuthBasic, OAuthPost, OAuthJSON)
	c.oneOf("auth.oauth.grant", a.OAuth.Grant, GrantClient, GrantCode)
	c.address("auth.oauth.authorize_url", a.OAuth.AuthorizeURL)
	switch {
	case a.OAuth.Grant == GrantCode && (a.OAuth.AuthorizeURL == "" || a.OAuth.TokenURL == ""):
		c.add("auth.oauth.grant", "needs authorize_url, where a person allows it, and token_url; give both")
	case a.OAuth.Grant != GrantCode && a.OAuth.AuthorizeURL != "":
		c.add("auth.oauth.authorize_url", "is of use with the grant authorization_code only; leave it out, or set auth.oauth.grant")
	}
	c.address("auth.oauth.token_url", a.OAuth.TokenURL)
	for i, s := range a.OAuth.Scopes {
		if s == "" || !FitsHeader(s) {
			c.add(fmt.Sprintf("auth.oauth.scopes[%d]", i), "is empty or has a space; give each scope by itself")
		}
	}
	c.query("auth.oauth.params", a.OAuth.Params)
}

// template checks the value of the header that carries the key.
func (c *profileChecker) template(a AuthRule) {
	if a.Template == "" {
		return
	}
	c.text("auth.template", a.Template, true)
	switch {
	case a.Scheme != "":
		c.add("auth.template", "is the whole value, and scheme its beginning; leave one of them out")
	case strings.Count(a.Template, "{key}") != 1:
		c.add("auth.template", "says not once where the key goes; write {key} in its place, such as Token token={key}")
	}
}

// origins checks the further addresses of the service.
func (c *profileChecker) origins() {
	for _, name := range sortedKeys(c.p.Origins) {
		at := "origins." + name
		if !streamName.MatchString(name) {
			c.add(at, "is no name of an origin; use lower case, digits, hyphens and underscores")
		}
		if c.p.Origins[name].BaseURL == "" {
			c.add(at+".base_url", "is missing; give the address, such as https://checkin.example.com/api")
		}
		c.address(at+".base_url", c.p.Origins[name].BaseURL)
		if !slices.ContainsFunc(c.p.Rules.Streams, func(s StreamRule) bool { return s.Origin == name }) {
			c.add(at, "is the origin of no list; name it as origin of a stream, or leave it out")
		}
	}
}

// conversions checks how values are converted: money, time and words.
func (c *profileChecker) conversions() {
	m, t := c.p.Money, c.p.Time
	c.oneOf("money.unit", m.Unit, unitMinor, unitMajor)
	c.oneOf("money.rounding", m.Rounding, roundHalfEven)
	c.oneOf("money.decimal", m.Decimal, "point", decimalComma)
	c.oneOf("money.fee", m.Fee, "apart", feeIncluded)
	c.text("money.currency", m.Currency, false)
	if code := c.p.filledForCheck(m.Currency); !holdsVariable(m.Currency) && code != "" && !currency.IsValid(code) {
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
		seen := map[string]bool{}
		for _, theirs := range sortedKeys(c.p.Words[field]) {
			if seen[wordKey(theirs)] {
				c.add("words."+field+"."+theirs, "is there in another case, which makes no difference; give each word once")
			}
			seen[wordKey(theirs)] = true
			if ours := c.p.Words[field][theirs]; !slices.Contains(words, ours) {
				c.add("words."+field+"."+theirs, "is %.60q; %s", ours, knownWords(words))
			}
		}
	}
}
