package apiclient_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
)

// Every stream of every built-in profile can be read, whole and for changes, from a
// service that answers with the samples.
func TestBuiltinProfilesAreRead(t *testing.T) {
	for _, name := range apiclient.BuiltinProfiles() {
		if name == "default" {
			continue // has no samples
		}
		t.Run(name, func(t *testing.T) {
			p, err := apiclient.BuiltinProfile(name)
			if err != nil {
				t.Fatal(err)
			}
			vars := map[string]string{}
			for name, value := range p.Vars() {
				if value == "" {
					vars[name] = "havendam"
				}
			}
			samples := map[string]*regexp.Regexp{}
			for stream, path := range p.Paths() {
				path = strings.ReplaceAll(path, "{organizer}", "havendam")
				samples[stream] = regexp.MustCompile("^/api/" + strings.ReplaceAll(regexp.QuoteMeta(path), `\{key\}`, "[^/]+") + "$")
			}
			synctest.Test(t, func(t *testing.T) { // of which the clock leaves no sample too old
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					for stream, at := range samples {
						if at.MatchString(r.URL.EscapedPath()) {
							body, err := os.ReadFile(filepath.Join("profiles", "testdata", name, stream+".json"))
							if err != nil {
								t.Error(err)
							}
							w.Write(body)
							return
						}
					}
					t.Errorf("asked for %s", r.URL)
					http.NotFound(w, r)
				}, apiclient.Options{BaseURL: "http://api.test/api", Profile: p, Vars: vars})
				for _, s := range c.Streams() {
					for _, since := range []time.Time{{}, time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)} {
						g := gather(c.Read(t.Context(), s.Name, apiclient.Query{UpdatedSince: since}))
						if g.err != nil {
							t.Errorf("%s: %v", s.Name, g.err)
						}
						for _, kind := range s.Gives {
							if !slices.ContainsFunc(g.records, func(r apiclient.Record) bool { return r.RecordKind() == kind }) {
								t.Errorf("%s since %v gives no %s", s.Name, since, kind)
							}
						}
					}
				}
			})
		})
	}
}
