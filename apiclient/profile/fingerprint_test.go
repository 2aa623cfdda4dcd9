package profile_test

import (
	"strings"
	"testing"

	"housecount/apiclient/profile"
)

// The mapping changes with what may make other records of the same rows, and with nothing else.
func TestMapping(t *testing.T) {
	mapping := func(rules, stream string) string {
		t.Helper()
		p, err := profile.Parse("orders.yaml", []byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		return p.Stream(stream).Mapping()
	}
	before := map[string]string{"events": mapping(orders, "events"), "orders": mapping(orders, "orders")}
	for _, c := range []struct {
		old, new string
		changed  []string
	}{
		{"name: orders\nvars", "name: orders\nabout: Ours.\nlimits: {per_minute: 3}\nvars", nil},
		{"path: orders", "path: orders\n    every: 5m", nil},
		{"{p: valid, c: void, n: reserved}", "{p: valid, c: void, n: expired}", []string{"events", "orders"}},
		{"Europe/Amsterdam", "Europe/London", []string{"events", "orders"}},
		{"type: {id: .item, name: .item_name}", "type: {id: .item}", []string{"orders"}},
		{"keep: '{key: .slug, currency}'", "keep: '{key: .slug, currency: \"EUR\"}'", []string{"events", "orders"}},
		{"path: orders", "path: orders\n    row_id: number", []string{"orders"}},
		{"path: orders", "path: orders\n    query: {all: \"1\"}", []string{"orders"}},
	} {
		if !strings.Contains(orders, c.old) {
			t.Fatalf("the profile has no %q", c.old)
		}
		rules := strings.Replace(orders, c.old, c.new, 1)
		for stream, was := range before {
			changed := strings.Contains(strings.Join(c.changed, " "), stream)
			if now := mapping(rules, stream); (now != was) != changed {
				t.Errorf("%s in place of %s: the mapping of %s changed: %v, want %v", c.new, c.old, stream, now != was, changed)
			}
		}
	}
}
