package profile_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"housecount/apiclient/profile"
)

// The quick reader reads what services write, and leaves the rest to the careful one.
func TestQuickReaderReadsPages(t *testing.T) {
	for body, quickly := range map[string]bool{
		`{"data":[{"id":"a","n":[1,-2.5e+3,true,null,"\u00e9\n"]},{"id":"é"}],"meta":{"total":2},"x":null}`: true,
		"\n [ {\"id\" : 1 } ,\t2 ]\r\n": true, `{"data":[]}`: true, `[]`: true,
		`{"data":[1,]}`: false, `{"data":[,1]}`: false, `{"data":[1 2]}`: false, `{"data" [1]}`: false, `{"data":[1],}`: false, `{"data":[1]}x`: false, `{"data":[1]`: false,
		`{"data":[01]}`: false, `{"data":[1.]}`: false, `{"data":["\x"]}`: false, "{\"data\":[\"\n\"]}": false, `{"data":["\ud800"]}`: false, `{"data":[tru]}`: false, `{"data":[1]]`: false, `{:[1]}`: false, `{"data":[{"a"}]}`: false,
	} {
		if profile.IsReadQuickly([]byte(body)) != quickly {
			t.Errorf("%s: read quickly: %v", body, !quickly)
		}
	}
}

// The quick reader finds what the careful one does, also in bodies that are almost right.
func TestQuickReaderFindsAlike(t *testing.T) {
	const bytes = "\"\"\\{}[]::,,0123456789.-+eE nu\n\x00\xc3\xff"
	r := rand.New(rand.NewPCG(5, 8))
	bodies := []string{`{"data":[{"id":"a","n":[1,-2.5e+3,true,null,"\u00e9\n"]},{"id":"é"}],"meta":{"total":2},"x":null}`, "\n [ {\"id\" : 1 } ,\t2 ]\r\n",
		`{"_embedded":{"a":[{}],"b":7},"page":{"n":[]}}`, `{"a":{"b":{"c":[1,2]}},"data":{}}`, `{"k":{},"l":{"key":1}}`}
	for range 20_000 {
		body := bodies[r.IntN(len(bodies))]
		for range r.IntN(4) {
			from := r.IntN(len(body) + 1)
			to := min(len(body), from+r.IntN(3))
			if r.IntN(4) == 0 {
				body = body[:from] + body[from:min(len(body), from+r.IntN(20))] + body[from:]
			} else {
				at := r.IntN(len(bytes) + 1)
				body = body[:from] + bytes[at:min(len(bytes), at+1)] + body[to:]
			}
		}
		path, eachKey := []string{"", ".", "data", "a.b", "a.b.c"}[r.IntN(5)], r.IntN(3) == 0
		l, err := profile.Find([]byte(body), path, eachKey)
		if careful, carefulErr := profile.FindCarefully([]byte(body), path, eachKey); !reflect.DeepEqual(l, careful) || !reflect.DeepEqual(err, carefulErr) {
			t.Fatalf("%q at %q, each key %v: %+v, %v; carefully %+v, %v", body, path, eachKey, l, err, careful, carefulErr)
		}
	}
}

// A list is found only in valid JSON, and the quick reader finds what the careful one does.
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
		if careful, carefulErr := profile.FindCarefully(body, path, eachKey); !reflect.DeepEqual(l, careful) || !reflect.DeepEqual(err, carefulErr) {
			t.Errorf("%+v, %v; carefully %+v, %v", l, err, careful, carefulErr)
		}
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
