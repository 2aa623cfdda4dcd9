package live_test

import (
	"encoding/json"
	"testing"

	"housecount/web/live"
)

func TestTokenNamesTheContent(t *testing.T) {
	base := live.Content{
		Position: "e.1", AsOf: "2026-11-20T19:32:00Z",
		HTML:   map[string]string{"a": "1", "b": "2"},
		Charts: map[string]json.RawMessage{"c": []byte(`{}`)},
	}
	same := live.Content{
		Position: "e.2", AsOf: "2026-11-20T19:33:00Z",
		HTML:   map[string]string{"b": "2", "a": "1"},
		Charts: map[string]json.RawMessage{"c": []byte(`{}`)},
	}
	if base.Token() != same.Token() {
		t.Error("the same fragments have two tokens")
	}
	if base.Token() == "" {
		t.Error("no token")
	}
	for name, other := range map[string]live.Content{
		"a fragment's bytes":    {HTML: map[string]string{"a": "1", "b": "3"}, Charts: base.Charts},
		"a fragment's id":       {HTML: map[string]string{"a": "1", "d": "2"}, Charts: base.Charts},
		"an id's end":           {HTML: map[string]string{"a1": "", "b": "2"}, Charts: base.Charts},
		"a fragment less":       {HTML: map[string]string{"a": "1"}, Charts: base.Charts},
		"a chart's bytes":       {HTML: base.HTML, Charts: map[string]json.RawMessage{"c": []byte(`[]`)}},
		"a chart less":          {HTML: base.HTML},
		"a chart as a fragment": {HTML: map[string]string{"a": "1", "b": "2", "c": "{}"}},
	} {
		if other.Token() == base.Token() {
			t.Errorf("another content, by %s, has the same token", name)
		}
	}
}
