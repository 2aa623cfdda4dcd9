package apiclient

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// bodyWith returns a JSON object, empty for {}, with the parameters as members of it, by dotted
// paths. Digits alone become a number.
func bodyWith(base string, params url.Values) string {
	members := map[string]any{}
	d := json.NewDecoder(strings.NewReader(base))
	d.UseNumber()
	d.Decode(&members) // fails only for an empty one; the profile's check has read the others
	for name := range params {
		setAt(members, strings.Split(name, "."), jsonValue(params.Get(name)))
	}
	text, _ := json.Marshal(members) // cannot fail: it was read from JSON
	return string(text)
}

// setAt sets the member at a path, in place of what is not an object on the way.
func setAt(members map[string]any, path []string, value any) {
	for _, name := range path[:len(path)-1] {
		inner, ok := members[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			members[name] = inner
		}
		members = inner
	}
	members[path[len(path)-1]] = value
}

// jsonValue returns a parameter as a number if it is an integer without leading zeros, true or
// false as such, else as a text.
func jsonValue(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return json.Number(s)
	}
	if slices.Contains([]string{"true", "false"}, s) {
		return s == "true"
	}
	return s
}
