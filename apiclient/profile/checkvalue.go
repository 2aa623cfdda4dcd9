package profile

import (
	"regexp"
	"strings"
	"time"
)

// profileChecker checks values that may contain variables.
type profileChecker struct {
	*faults
	p *Profile
}

// text checks s, which may contain variables, and {key} if key is set.
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

// address checks an address of a service; empty is valid.
func (c *profileChecker) address(path, s string) {
	if s == "" {
		return
	}
	c.text(path, s, false)
	u, why := ParseAddress(c.p.filledForCheck(s))
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

func (c *profileChecker) zone(path, name string) {
	c.text(path, name, false)
	if name != "" && !holdsVariable(name) && loadZone(name) == nil {
		c.add(path, "is %.60q; give a time zone such as Europe/Amsterdam", name)
	}
}

func (c *profileChecker) duration(path string, d, most time.Duration) {
	if d < 0 || d > most {
		c.add(path, "is %v; give at most %v, or leave it out", d, most)
	}
}

var (
	profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	streamName  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)
	varName     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	dottedPath  = regexp.MustCompile(`^[^.\s]+(\.[^.\s]+)*$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
)
