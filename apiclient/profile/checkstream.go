package profile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// streams checks the service's lists.
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

// request checks how a list is requested.
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
	c.window(at+".window", s)
	c.params(at, s)
	if _, ok := c.p.Origins[s.Origin]; !ok && s.Origin != "" {
		c.add(at+".origin", "names %.60q, which is not in origins; %s", s.Origin, knownWords(sortedKeys(c.p.Origins)))
	}
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

// params checks where the parameters of a list are sent.
func (c *profileChecker) params(at string, s *StreamRule) {
	c.oneOf(at+".params", s.Params, "query", ParamsBody)
	if s.Params != ParamsBody {
		return
	}
	body := cmp.Or(s.Body, "{}")
	switch {
	case s.Method != "POST":
		c.add(at+".params", "travel in a body with POST only; set method to POST")
	case !strings.HasPrefix(strings.TrimSpace(body), "{"):
		c.add(at+".params", "become members of the body, which is no object; begin body with {")
	}
	names := append([]string{s.Since.Param, s.ByEvent, s.Paging.Param, s.Paging.SizeParam, s.Window.From, s.Window.To}, sortedKeys(s.Full)...)
	for _, name := range append(names, sortedKeys(s.Changes)...) {
		c.dotted(at+".params", name)
	}
}

func (c *profileChecker) since(at string, s SinceRule) {
	if s.Param == "" && s != (SinceRule{}) {
		c.add(at+".param", "is missing; give the parameter that asks for changes, or leave since out")
	}
	c.printable(at+".param", s.Param)
	c.timeFormat(at, s.Format, s.Zone)
	c.oneOf(at+".basis", s.Basis, BasisUpdated, BasisCreated)
}

// timeFormat checks the format and the zone in which a time is sent.
func (c *profileChecker) timeFormat(at, format, zone string) {
	if format != "" {
		if _, why := newTimeFormat(format); why != "" {
			c.add(at+".format", "%s", why)
		} else if in := cmp.Or(zone, c.p.Time.Zone, "UTC"); literalZ(format) && in != "UTC" {
			c.add(at+".format", "ends in a Z, which means UTC, and would be written in the zone %.60q; set zone to UTC, or write Z07:00", in)
		}
	}
	c.zone(at+".zone", zone)
}

// answer checks how a list is found in its response, and how it is paged.
func (c *profileChecker) answer(at string, s *StreamRule) {
	c.oneOf(at+".format", s.Format, "json", FormatLines)
	if s.Format == FormatLines && (s.List != "" || s.EachKey) {
		c.add(at+".list", "is of no use with the format lines, where each line is a row; leave it and each_key out")
	}
	if s.List != "." {
		c.dotted(at+".list", s.List)
	}
	c.dotted(at+".row_id", s.RowID)
	c.dotted(at+".row_updated", s.RowUpdated)
	g := s.Paging
	at += ".paging"
	c.oneOf(at+".style", string(g.Style), PagingNames()...)
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

// uses checks the name of a stream whose shared rows another one needs.
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

// circular reports whether a stream needs itself.
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

// rule returns the rule of the stream called name, nil if there is none.
func (p *Profile) rule(name string) *StreamRule {
	for i := range p.Rules.Streams {
		if p.Rules.Streams[i].Name == name {
			return &p.Rules.Streams[i]
		}
	}
	return nil
}
