package handlers

import (
	"slices"
	"strings"

	"housecount/web"
)

// roleOf is the role with the most rights that the claims give, by the mapping from the
// claim's values; false when they give none.
func roleOf(claims map[string]any, claim string, mapping map[string]web.Role) (web.Role, bool) {
	best := -1
	for _, value := range claimValues(claims, claim) {
		if role, ok := mapping[value]; ok {
			best = max(best, slices.Index(web.Roles, role))
		}
	}
	if best < 0 {
		return "", false
	}
	return web.Roles[best], true
}

// claimValues reads a claim that is a text or a list of texts; scopes are a text of
// several. A name with dots goes into objects, unless it is a claim's whole name, as
// addresses are.
func claimValues(claims map[string]any, name string) []string {
	value, ok := claims[name]
	for rest := name; !ok; {
		var first string
		var deeper bool
		first, rest, deeper = strings.Cut(rest, ".")
		if !deeper {
			value = claims[first]
			break
		}
		object, isObject := claims[first].(map[string]any)
		if !isObject {
			return nil
		}
		claims = object
	}
	switch v := value.(type) {
	case string:
		if name == "scope" || name == "scp" {
			return strings.Fields(v)
		}
		return []string{v}
	case []any:
		var values []string
		for _, e := range v {
			if text, ok := e.(string); ok {
				values = append(values, text)
			}
		}
		return values
	}
	return nil
}
