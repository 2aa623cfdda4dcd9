package signin

import (
	"maps"
	"slices"
	"strings"

	"housecount/web"
)

// Grants are the roles of e-mail addresses and of domains, which begin with @, in the form of ReadGrantee.
type Grants map[string]web.Role

// RoleMap is what roles follow from in the configuration.
type RoleMap struct {
	values map[string]web.Role // of the role claim
	Admins map[string]bool     // addresses of administrators
}

func NewRoleMap(l Login) RoleMap {
	m := RoleMap{l.Roles, make(map[string]bool, len(l.Admins))}
	for _, text := range l.Admins {
		if address, err := canonicalAddress(text); err == nil { // Login.Faults names the others
			m.Admins[address] = true
		}
	}
	return m
}

// Role returns the role with the most rights of those that the values of the role claim, the verified
// address and its domain give, and what gives it: a value, an address or a domain. It is false when nothing
// does. address may be empty.
func (m RoleMap) Role(values []string, address string, given Grants) (role web.Role, because string, ok bool) {
	best := -1
	take := func(r web.Role, from string) {
		if i := slices.Index(web.Roles, r); i > best { // one that another version gave is none
			best, because = i, from
		}
	}
	if address != "" {
		if m.Admins[address] {
			take(web.Admin, address)
		}
		take(given[address], address)
		take(given[DomainOf(address)], DomainOf(address))
	}
	for _, value := range values {
		if one, ok := roleOf([]string{value}, m.values); ok {
			take(one, value)
		}
	}
	if best < 0 {
		return "", "", false
	}
	return web.Roles[best], because, true
}

// roleOf returns the role with the most rights among those that the values map to; ok is false if they map to
// none.
func roleOf(values []string, mapping map[string]web.Role) (web.Role, bool) {
	best := -1
	for _, value := range values {
		if role, ok := mapping[value]; ok {
			best = max(best, slices.Index(web.Roles, role))
		}
	}
	if best < 0 {
		return "", false
	}
	return web.Roles[best], true
}

// claimAt finds a claim by its name, or by a path with dots through objects and list elements. Names may
// contain dots themselves, as addresses and client ids do: the first reading of the path that finds
// something counts, longer names first.
func claimAt(claims map[string]any, path string) (any, bool) {
	if value, ok := claims[path]; ok {
		return value, true
	}
	for end := strings.LastIndexByte(path, '.'); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		inside, ok := claims[path[:end]]
		if !ok {
			continue
		}
		if value, ok := inValue(inside, path[end+1:]); ok {
			return value, true
		}
	}
	return nil, false
}

func inValue(v any, path string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		return claimAt(v, path)
	case []any:
		var all []any
		for _, element := range v {
			if value, ok := inValue(element, path); ok {
				all = append(all, value)
			}
		}
		return all, len(all) > 0
	}
	return nil, false
}

// valuesOf returns the values of a claim: a text, the texts of a list and of lists within it, or the names in an
// object, unless their value is false or null. A text of scopes has several values.
func valuesOf(claim any, path string) []string {
	switch v := claim.(type) {
	case string:
		if path == "scope" || path == "scp" {
			return strings.Fields(v)
		}
		return []string{v}
	case []any:
		var values []string
		for _, e := range v {
			if _, object := e.(map[string]any); !object {
				values = append(values, valuesOf(e, "")...)
			}
		}
		return values
	case map[string]any:
		var values []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] != nil && v[name] != false {
				values = append(values, name)
			}
		}
		return values
	}
	return nil
}
