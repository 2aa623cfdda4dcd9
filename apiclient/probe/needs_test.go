package probe_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
)

// kinds is a service whose tickets need a list that gives no records: each event has a list
// of the kinds of its tickets.
type kinds struct {
	events int
	asked  []string
}

func (k *kinds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.asked = append(k.asked, r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/events":
		text := ""
		for i := range k.events {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(`{"id":"e%d","date":"2026-11-21"}`, i)
		}
		fmt.Fprintf(w, `{"data":[%s],"meta":{"total":%d}}`, text, k.events)
	case "/events/e1/kinds": // e0 has none
		io.WriteString(w, `{"data":[{"id":"k","name":"Stalls"}],"meta":{"total":1}}`)
	case "/tickets":
		if k.events == 0 {
			io.WriteString(w, `{"data":[],"meta":{"total":0}}`)
			return
		}
		io.WriteString(w, `{"data":[{"id":"t","event":"e1","kind":"k"}],"meta":{"total":1}}`)
	default:
		http.NotFound(w, r)
	}
}

const kindsProfile = `
name: kinds
base_url: https://kinds.example
streams:
  - name: events
    path: events
    gives: [event]
    keep: "{key: .id}"
  - name: kinds
    path: events/{key}/kinds
    over: events
    keep: |
      {key: "\($over.key)/\(.id)", name}
  - name: tickets
    path: tickets
    with: [kinds]
    gives: [ticket]
    records: |
      {id, event_id: .event, status: "valid", type: {id: .kind, name: $with["\(.event)/\(.kind)"].name}}
`

// A list that is only read for others is found out about as any, also where there is none
// yet; what needs it is read.
func TestListsReadForOthers(t *testing.T) {
	p, err := profile.Parse("kinds", []byte(kindsProfile))
	if err != nil {
		t.Fatal(err)
	}
	k, log := &kinds{}, memory{}
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)
	c, err := apiclient.New(apiclient.Options{Profile: p, BaseURL: server.URL, APIKey: "key", RequestsPerMinute: 600_000, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	s := probe.NewSource(c, log, nil)
	if ids, err := read(t, s, apiclient.Query{}); err != nil || len(ids) != 0 || log[probe.Key(c, "kinds")] != nil {
		t.Errorf("without events %q, %v, answers %q", ids, err, log)
	}

	k.events, k.asked = 2, nil
	c, err = apiclient.New(apiclient.Options{Profile: p, BaseURL: server.URL, APIKey: "key", RequestsPerMinute: 600_000, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	s = probe.NewSource(c, log, nil)
	if ids, err := read(t, s, apiclient.Query{}); err != nil || !slices.Equal(ids, []string{"t"}) || log[probe.Key(c, "kinds")] == nil {
		t.Errorf("%q, %v, answers %q", ids, err, log)
	}
	if !slices.Contains(k.asked, "/events/e1/kinds") {
		t.Errorf("asked for %q", k.asked)
	}
}
