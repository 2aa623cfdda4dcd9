package profile_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"housecount/apiclient/record"
)

// Variables may be in addresses, parameters, headers, bodies, the currency and the zone.
func TestProfileVariables(t *testing.T) {
	p := parsed(t, `
name: test
base_url: https://{organizer}.example.com/{organizer}
vars: {organizer: "", zone: Europe/Amsterdam, currency: eur, version: "2"}
prefixes: ["v{version}"]
headers: {X-Organizer: "{organizer}"}
auth: {oauth: {token_url: "https://login.example.com/{organizer}/token", params: {audience: "{organizer}"}}}
money: {currency: "{currency}"}
time: {zone: "{zone}"}
streams:
  - {name: events, path: "{organizer}/events/", alternatives: ["{organizer}/shows"], gives: [event], keep: "{key: .id}"}
  - name: tickets
    path: "{organizer}/events/{key}/tickets"
    over: events
    method: POST
    body: '{"organizer": "{organizer}", "version": {version}}'
    query: {o: "{organizer}"}
    full: {o: "{organizer}"}
    changes: {o: "{organizer}"}
    since: {param: since, zone: "{zone}"}
    gives: [ticket]
    records: '{id, event_id: $vars.organizer}'
`)
	if want := map[string]string{"organizer": "", "zone": "Europe/Amsterdam", "currency": "eur", "version": "2"}; !maps.Equal(p.Vars, want) {
		t.Errorf("variables %v", p.Vars)
	}
	ready, err := p.With(map[string]string{"organizer": `a/b "c"`, "zone": "UTC"})
	if err == nil {
		t.Errorf("an address of %v", ready)
	}
	ready, err = p.With(map[string]string{"organizer": "bigevents", "zone": "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	got := ready.Templates()
	want := []string{
		"https://bigevents.example.com/bigevents", "v2", "bigevents", "https://login.example.com/bigevents/token", "bigevents", "EUR", "UTC",
		"bigevents/events/", "bigevents/shows", "", "bigevents/events/{key}/tickets", `{"organizer": "bigevents", "version": 2}`,
		"bigevents", "bigevents", "bigevents", "UTC",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if m := ready.MapRow("tickets", `{"id":7}`, nil, nil); len(m.Records) != 1 || m.Records[0].(*record.Ticket).EventID != "bigevents" {
		t.Errorf("got %+v", m)
	}
	if s := p.Templates(); s[0] != "https://{organizer}.example.com/{organizer}" || s[7] != "{organizer}/events/" {
		t.Errorf("the profile changed: %q", s)
	}
}

// A value in an address, a body or a parameter cannot become another part of it.
func TestProfileVariablesAreEscaped(t *testing.T) {
	p := parsed(t, `
name: test
base_url: https://x.example.com
vars: {o: ""}
streams:
  - name: tickets
    path: "{o}/tickets"
    method: POST
    body: '{"o": "{o}"}'
    query: {o: "{o}"}
    gives: [ticket]
`)
	ready, err := p.With(map[string]string{"o": `a/../b?c#d"e%{o}`})
	if err != nil {
		t.Fatal(err)
	}
	got := ready.Templates()
	want := []string{"a%2F..%2Fb%3Fc%23d%22e%25%7Bo%7D/tickets", `{"o": "a/../b?c#d\"e%{o}"}`, `a/../b?c#d"e%{o}`}
	if !slices.Equal(got[len(got)-3:], want) {
		t.Errorf("got  %q\nwant %q at the end", got, want)
	}
}

func TestProfileVariableFaults(t *testing.T) {
	p := parsed(t, `
name: test
base_url: https://{host}.example.com
vars: {host: "", zone: "", currency: EUR}
time: {zone: "{zone}"}
money: {currency: "{currency}"}
streams:
  - {name: events, path: events, gives: [event]}
`)
	tests := []struct {
		vars map[string]string
		want []string
	}{
		{nil, []string{"needs the variable host; give it", "needs the variable zone; give it"}},
		{map[string]string{"host": "a", "zone": "UTC", "hots": "b"}, []string{`has no variable "hots"; the known ones are currency, host, zone`}},
		{map[string]string{"host": "a\nb", "zone": ".."}, []string{"has a variable host that is too long, or has a line end", "has a variable zone that is only dots"}},
		{map[string]string{"host": "u:p@evil", "zone": "Mars", "currency": "XYZ"}, []string{
			"has a base_url that has a user name or a password in it, with the variables filled in", `has the money.currency "XYZ"`, `has the time zone "Mars"`,
		}},
	}
	for _, test := range tests {
		ready, err := p.With(test.vars)
		if err == nil {
			t.Errorf("%q: got %v", test.vars, ready)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		for i, want := range test.want {
			if len(lines) != len(test.want) || !strings.HasPrefix(lines[i], "the profile test "+want) {
				t.Errorf("%q: got\n%v", test.vars, err)
				break
			}
		}
	}
	if _, err := parsed(t, oneStream[:strings.Index(oneStream, "vars")]+oneStream[strings.Index(oneStream, "streams"):]).With(map[string]string{"a": "b"}); err == nil || !strings.Contains(err.Error(), `has no variable "a", nor any other; leave it out`) {
		t.Errorf("got %v", err)
	}
}
