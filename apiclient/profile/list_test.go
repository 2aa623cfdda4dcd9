package profile_test

import (
	"encoding/json"
	"testing"

	"housecount/apiclient/profile"
)

// A list is found only in valid JSON.
func FuzzFind(f *testing.F) {
	for _, path := range []string{"", ".", "a", "a.b", "a.b.c"} {
		for _, body := range []string{`{"a":{"b":[1,{"x":"]"}],"c":{}},"d":[2]}`, `{"a":[1]}`, `{"a":null}`, `[{"a":[]}]`, `{"a":{"b":{"c":[]},"x":1}}`,
			`{"k":{},"l":{"key":1},"a":{"b":{"":{}}}}`, `{"a":{"b":[1}]}`, `{"a":{]}`, `{"a":{,}}`, `{"a" 1}`, `7`, ``} {
			f.Add([]byte(body), path, true)
			f.Add([]byte(body), path, false)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, path string, eachKey bool) {
		l, err := profile.Find(body, path, eachKey)
		if err != nil || json.Valid(body) {
			return
		}
		for _, row := range l.Rows {
			if !json.Valid(row) {
				return
			}
		}
		t.Errorf("%d rows at %q of %q, which is no JSON", len(l.Rows), path, body)
	})
}
