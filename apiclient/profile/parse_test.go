package profile_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"housecount/apiclient/profile"
)

var faultLine = regexp.MustCompile(`(?s)^fuzz\.yaml:(\d+:|) .*; `)

// head is the start of a valid profile, four lines; the fifth is the first of its only stream.
const head = `name: test
base_url: https://tickets.example.com/api
vars: {organizer: "", zone: Europe/Amsterdam}
streams:
`

const oneStream = head + "  - {name: events, path: events, gives: [event]}\n"

// Every fault is reported at its line, with how to fix it.
func TestProfileFaults(t *testing.T) {
	stream := func(members string) string {
		return head + "  - {name: events, path: events, gives: [event], keep: '{key: .id}'}\n  - name: orders\n" + members
	}
	const path = "    path: orders\n    gives: [ticket]\n"
	tests := []struct {
		name string
		yaml string
		want []string // each "line: fault; fix", compared by prefix
	}{
		{"nothing", "", []string{"1: the profile is empty; begin with name, base_url and streams"}},
		{"a comment", "# nothing\n", []string{"1: the profile is empty"}},
		{"a text", "name", []string{`1: the profile is a text, "name"; give names with values`}},
		{"a list", "- name", []string{"1: the profile is a list; give names with values"}},
		{"no YAML", "name: [\n", []string{"1: sequence end token ']' not found; mend the YAML"}},
		{"two documents", oneStream + "---\nname: b\n", []string{"7: a second document begins; a file holds one profile"}},
		{"a name twice", "name: a\n" + oneStream, []string{`2: mapping key "name" already defined at [1:1]; mend the YAML`}},
		{"too large", oneStream + "# " + strings.Repeat("x", 1<<20), []string{"1: the profile is larger than 1048576 bytes; leave out"}},
		{"too many words", oneStream + strings.Repeat("a: 1\n", 10_000), []string{"6661: the profile has more than 20000 words and signs; leave out"}},

		{"several at once", "base_ulr: x\nname: Test\nstreams:\n  - {name: events, path: /events, gives: [evnt]}\n", []string{
			"1: base_ulr is unknown; the known ones are name, about, base_url",
			`2: name is "Test"; give a short one of lower case`,
			"4: streams[0].path begins with / or has an empty part; give it relative",
			`4: streams[0].gives[0] is "evnt"; the known ones are event, ticket, payment, contact, planning, scan`,
		}},
		{"wrong types", "name: {a: 1}\nvars: [a]\nlimits: {per_minute: many, per_day: 1.5}\nstreams:\n  - {name: a, path: a, gives: event, each_key: yes, every: 15}\n", []string{
			"1: name is names with values; give a text",
			"2: vars is a list; give names with values",
			`3: limits.per_minute is a text, "many"; give an integer`,
			`3: limits.per_day is a number, "1.5"; give an integer`,
			`5: streams[0].gives is a text, "event"; give a list`,
			`5: streams[0].each_key is a text, "yes"; give true or false`,
			`5: streams[0].every is a number, "15"; give a duration such as 15m or 1h30m`,
			"5: streams[0] gives no record and no other stream uses it",
		}},
		{"tag", oneStream + "about: !!str x\n", []string{`6: about has a tag, "!!str"; leave it out`}},
		{"merge", oneStream + "money: {<<: {unit: major}}\n", []string{"6: money.<< is no name; write each value out"}},
		{"alias of nothing", oneStream + "about: *x\n", []string{"6: about is an alias of nothing before it; write the value itself"}},
		{"alias of itself", oneStream + "headers: &x {a: *x}\n", []string{"6: headers.a is names with values; give a text"}},

		{"no streams", "name: test\n", []string{"1: streams is missing; give at least one list of the service"}},
		{"too many streams", "name: test\nstreams: [" + strings.Repeat("{name: a, path: a, gives: [event]}, ", 101) + "]\n", []string{"2: streams has more than 100 streams; leave out what is not needed"}},
		{"name of a stream", head + "  - {name: My events, path: a, gives: [event]}\n  - {name: , path: b, gives: [event]}\n", []string{
			`5: streams[0].name is "My events"; give a short one of lower case, digits, hyphens and underscores`, `6: streams[1].name is ""; give a short one`,
		}},
		{"no text", oneStream + "about: [a]\nserver_time: .inf\nauth: {kind: {}}\n", []string{"6: about is a list; give a text", "7: server_time is a number; give a text", "8: auth.kind is names with values; give a text"}},
		{"one name twice", oneStream + "  - {name: events, path: x, gives: [event]}\n", []string{`6: streams[1].name is "events", which another stream is called; give each its own`}},
		{"no path", head + "  - {name: events, gives: [event]}\n", []string{"5: streams[0].path is missing; give where the list is"}},
		{"bad paths", stream("    path: a/../b\n    alternatives: [a?b, a//b, 'https://x.example.com/y']\n    gives: [ticket]\n"), []string{
			"7: streams[1].path goes up or stays with dots; give the plain path",
			"8: streams[1].alternatives[0] has a query",
			"8: streams[1].alternatives[1] begins with / or has an empty part",
			"8: streams[1].alternatives[2] begins with / or has an empty part",
		}},
		{"over nothing", stream("    path: x/{key}\n    gives: [ticket]\n    over: venues\n"), []string{`9: streams[1].over names "venues", which is no stream; give the name of one that has keep`}},
		{"over what keeps nothing", oneStream + "  - {name: a, path: 'x/{key}', gives: [ticket], over: events}\n", []string{`6: streams[1].over names "events", which keeps nothing; give that stream a program keep`}},
		{"over itself", stream("    path: x/{key}\n    gives: [ticket]\n    keep: '{key: .id}'\n    over: orders\n"), []string{"6: streams[1] needs itself by over and with; take one of them out"}},
		{"circle", head + "  - {name: a, path: 'a/{key}', gives: [event], over: b, keep: .}\n  - {name: b, path: b, gives: [event], with: a, keep: .}\n", []string{
			"5: streams[0] needs itself by over and with", "6: streams[1] needs itself by over and with",
		}},
		{"over without key", stream(path + "    over: events\n"), []string{`9: streams[1].over has the list read for each row of "events", but "orders" does not say for which; put {key} into it`}},
		{"key without over", stream("    path: x/{key}\n    gives: [ticket]\n"), []string{"7: streams[1].path has {key}, which is only known in path and alternatives of a stream that has over; take it out, or give over"}},
		{"key in a parameter", stream("    path: x/{key}\n    over: events\n    gives: [ticket]\n    query: {event: '{key}'}\n"), []string{"10: streams[1].query.event has {key}, which is only known in path"}},
		{"over without key in an alternative", stream("    path: x/{key}\n    alternatives: [y]\n    over: events\n    gives: [ticket]\n"), []string{`9: streams[1].over has the list read for each row of "events", but "y" does not say`}},
		{"recent without over", stream(path + "    recent: 24h\n"), []string{"9: streams[1].recent is of use with over only; leave it out"}},
		{"unknown variable", stream("    path: '{organiser}/x'\n    gives: [ticket]\n"), []string{"7: streams[1].path has {organiser}, which is not in vars; add it there"}},
		{"no variable", stream("    path: '{Organizer}/x'\n    gives: [ticket]\n"), []string{"7: streams[1].path has a brace that holds no variable; write {name}"}},
		{"names of variables", "name: a\nvars: {key: x, A b: y, c: \"a\\nb\"}\nstreams:\n  - {name: a, path: a, gives: [event]}\n", []string{
			"2: vars.A b is no name of a variable", "2: vars.c has a line end", "2: vars.key is no name of a variable; use lower case, digits and underscores, and not key",
		}},
		{"useless stream", stream("    path: x\n"), []string{"6: streams[1] gives no record and no other stream uses it; say what it gives, or leave it out"}},
		{"several kinds without a program", stream("    path: x\n    gives: [ticket, payment]\n"), []string{"6: streams[1].records is missing; with several kinds a program has to say which"}},
		{"a program for no kind", head + "  - {name: a, path: a, keep: ., records: .}\n  - {name: b, path: '{key}', over: a, gives: [event]}\n", []string{"5: streams[0].gives is missing; give the kinds of record that the program makes"}},
		{"a kind twice", stream("    path: x\n    gives: [ticket, ticket]\n    records: .\n"), []string{`8: streams[1].gives[1] is "ticket" once more; give each kind once`}},
		{"method", stream(path + "    method: PUT\n    body: '{\"a\": }'\n"), []string{`9: streams[1].method is "PUT"; the known ones are GET, POST`, "10: streams[1].body travels with POST only; set method to POST"}},
		{"body", stream(path + "    method: POST\n    body: '{\"a\": }'\n"), []string{"10: streams[1].body is no JSON; mend it"}},
		{"durations", stream(path + "    every: -1s\n    whole_every: 9999h\n"), []string{"9: streams[1].every is -1s; give at most 24h0m0s", "10: streams[1].whole_every is 9999h0m0s; give at most 744h0m0s"}},
		{"since", stream(path + "    since: {format: yyyy-mm-dd, zone: Mars, basis: seen}\n"), []string{
			"9: streams[1].since.param is missing; give the parameter that asks for changes",
			`9: streams[1].since.format is "yyyy-mm-dd", which tells no time; give rfc3339, unix, unix_ms, or the moment 2006-01-02 15:04:05 as the service would write it`,
			`9: streams[1].since.zone is "Mars"; give a time zone such as Europe/Amsterdam`,
			`9: streams[1].since.basis is "seen"; the known ones are updated, created`,
		}},
		{"paging", stream(path + "    paging: {style: pages, size: -1, last: id, next: 'a..b'}\n"), []string{
			`9: streams[1].paging.style is "pages"; the known ones are auto, page, offset, cursor, next, link-header, bare`,
			"9: streams[1].paging.size is -1; give a number within 0 and 10000",
			`9: streams[1].paging.next is "a..b"; give names with dots between them`,
			"9: streams[1].paging.last says what the cursor is, but not by which parameter it is sent; give param",
		}},
		{"list", stream(path + "    list: .data\n"), []string{`9: streams[1].list is ".data"; give names with dots`}},
		{"query", stream(path + "    query:\n      \"\": x\n      a: \"b\\nc\"\n"), []string{"10: streams[1].query. is no name of a parameter", "11: streams[1].query.a has a line end"}},

		{"auth", oneStream + "auth:\n  kind: digest\n  header: X Key\n  scheme: a b\n  oauth: {style: form, token_url: ftp://x, scopes: ['a b']}\n", []string{
			`7: auth.kind is "digest"; the known ones are bearer, header, basic, query, hmac, none`,
			"8: auth.header is of use with the kind header only; leave it out, or set auth.kind",
			"9: auth.scheme is of use with the kind header only",
			`10: auth.oauth.style is "form"; the known ones are basic, post, json`,
			"10: auth.oauth.token_url does not begin with http:// or https://; give one such as",
			"10: auth.oauth.scopes[0] is empty or has a space",
		}},
		{"auth header", oneStream + "auth: {kind: header, header: X Key, scheme: a b}\n", []string{"6: auth.header is no name of a header", "6: auth.scheme has a space"}},
		{"auth query", oneStream + "auth: {kind: query}\n", []string{"6: auth.param is missing; give the parameter that carries the key"}},
		{"headers", oneStream + "headers:\n  Authorization: x\n  a b: x\n  X-A: \"a\\r\\nb\"\n  X-B: '{nope}'\n", []string{
			"7: headers.Authorization cannot be set; leave it out", "8: headers.a b is no name of a header", "9: headers.X-A has a line end", "10: headers.X-B has {nope}, which is not in vars",
		}},
		{"base_url", "name: a\nbase_url: https://u:p@x.example.com\nstreams:\n  - {name: a, path: a, gives: [event]}\n", []string{"2: base_url has a user name or a password in it; give one such as"}},
		{"base_url with a query", "name: a\nbase_url: https://x.example.com?a=b\nstreams:\n  - {name: a, path: a, gives: [event]}\n", []string{"2: base_url has a query"}},
		{"limits", oneStream + "limits: {per_minute: -1, per_day: 3}\nerrors: {message: ' ', retry: [200]}\nserver_time: a b\n", []string{
			"6: limits.per_minute is -1; give a number within 0 and 1000000", "6: limits.per_day is 3; give a number within 24",
			`7: errors.message is " "; give names`, "7: errors.retry[0] is 200; give a number within 400 and 599", "8: server_time is no name of a header",
		}},
		{"a variable in a header beside an origin without the credential", oneStream + "headers: {X-Secret: '{organizer}'}\norigins: {checkin: {base_url: https://c.example.com}}\n", []string{
			"6: headers.X-Secret has a variable, and would also be sent to origins.checkin", "7: origins.checkin is the origin of no list",
		}},
		{"webhook", oneStream + "webhook: {header: a b, encoding: hax, signed: tim}\n", []string{
			"6: webhook.header is no name of a header", `6: webhook.encoding is "hax"; the known ones are hex, base64`, `6: webhook.signed is "tim"; the known ones are body, time+body, time.body`,
		}},
		{"webhook without a header", oneStream + "webhook: {encoding: hex}\n", []string{"6: webhook.encoding is of use with webhook.header only"}},
		{"money", oneStream + "money: {unit: cents, currency: EURO, rounding: up}\n", []string{
			`6: money.unit is "cents"; the known ones are minor, major`, `6: money.rounding is "up"; the known ones are half_even`, `6: money.currency is "EURO"; give a currency such as EUR`,
		}},
		{"time", oneStream + "time: {zone: Local, formats: [iso, 'Jan 2 2006 03:04', 'Jan 2 2006 15:04 MST', '15:04']}\n", []string{
			`6: time.zone is "Local"; give a time zone such as Europe/Amsterdam`, `6: time.formats[0] is "iso", which tells no time`,
			"6: time.formats[1] is", "6: time.formats[2] has MST, and a zone's short name tells no offset", "6: time.formats[3] is",
		}},
		{"times that would be another", oneStream + "  - {name: b, path: b, gives: [event], since: {param: m, format: '2006-01-02T15:04:05Z'}}\ntime: {zone: Europe/Amsterdam, formats: [unix_ms, '2006-01-02T15:04:05Z', unix]}\n", []string{
			`6: streams[1].since.format ends in a Z, which means UTC, and would be written in the zone "Europe/Amsterdam"; set zone to UTC`,
			"7: time.formats[1] ends in a Z that stands for nothing", "7: time.formats[2] is a second way to count",
		}},
		{"times in no zone", oneStream + "time: {formats: [rfc3339, '2006-01-02 15:04']}\n", []string{"6: time.formats[1] tells no zone, and there is no time.zone to read it in"}},
		{"words and headers twice", oneStream + "words: {ticket.status: {Paid: void, paid: valid}}\nheaders: {X-A: 1, x-a: 2}\n", []string{
			"6: words.ticket.status.paid is there in another case", "7: headers.x-a is there in another case",
		}},
		{"headers that change the answer", oneStream + "auth: {kind: header, header: Host}\nheaders: {Accept-Encoding: gzip, If-None-Match: '\"a\"'}\n", []string{
			"6: auth.header cannot carry a key", "7: headers.Accept-Encoding cannot be set", "7: headers.If-None-Match cannot be set",
		}},
		{"words", oneStream + "words:\n  ticket.state: {a: b}\n  ticket.status:\n    Attending: vallid\n", []string{
			"7: words.ticket.state is no field with words; the known ones are event.status, payment.kind, payment.status, planning.kind, planning.status, scan.direction, ticket.kind, ticket.status",
			`9: words.ticket.status.Attending is "vallid"; the known ones are expired, refunded, reserved, valid, void`,
		}},

		{"program", stream(path + "    records: '{id: .id'\n"), []string{"9: streams[1].records is no jq program at column 9: unexpected EOF; mend it"}},
		{"program in a block", stream(path + "    records: |\n      .a |\n      .b !\n      .c\n"), []string{`11: streams[1].records is no jq program at column 4: unexpected token "!"; mend it`}},
		{"unknown function", stream(path + "    records: fetch(1)\n    keep: $nope\n"), []string{
			"9: streams[1].records is no jq program: function not defined: fetch/1; mend it", "10: streams[1].keep is no jq program: variable not defined: $nope; mend it",
		}},
		{"input", stream(path + "    records: input\n"), []string{"9: streams[1].records is no jq program: input(s)/0 is not allowed"}},
		{"inputs", stream(path + "    records: '[inputs]'\n"), []string{"9: streams[1].records is no jq program: input(s)/0 is not allowed"}},
		{"import", stream(path + "    records: 'import \"a\" as a; .'\n"), []string{`9: streams[1].records is no jq program: cannot load module: "a"`}},
		{"include", stream(path + "    records: 'include \"/etc/passwd\"; .'\n"), []string{`9: streams[1].records is no jq program: cannot load module: "/etc/passwd"`}},
		{"import of data", stream(path + "    records: 'import \"a\" as $a; .'\n"), []string{`9: streams[1].records is no jq program: cannot load module: "a"`}},
		{"place of the row", stream(path + "    records: input_line_number\n"), []string{"9: streams[1].records is no jq program: function not defined: input_line_number/0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := profile.Parse("test.yaml", []byte(test.yaml))
			if p != nil || err == nil {
				t.Fatalf("got %v, %v", p, err)
			}
			got := strings.Split(err.Error(), "\n")
			for i, line := range got {
				if i < len(test.want) && !strings.HasPrefix(line, "test.yaml:"+test.want[i]) || !strings.Contains(line, "; ") {
					t.Errorf("got  %s", line)
				}
			}
			if len(got) != len(test.want) {
				t.Errorf("got %d faults, not %d:\n%v", len(got), len(test.want), err)
			}
		})
	}
}

// Every built-in profile is valid and named after its file.
func TestBuiltinProfiles(t *testing.T) {
	names := profile.BuiltinNames()
	if !slices.Contains(names, "default") || !slices.IsSorted(names) {
		t.Fatalf("got %q", names)
	}
	for _, name := range names {
		p, err := profile.Builtin(name)
		if err != nil {
			t.Error(err)
		} else if p.Name != name || p.About == "" {
			t.Errorf("%s calls itself %q, %q", name, p.Name, p.About)
		}
	}
	for _, name := range []string{"", "nope", "../profile", "default.yaml"} {
		if p, err := profile.Builtin(name); err == nil || !strings.Contains(err.Error(), "the known ones are "+strings.Join(names, ", ")) {
			t.Errorf("%q: got %v, %v", name, p, err)
		}
	}
}

// Any input is either refused with a line for each fault or a usable profile.
func FuzzParseProfile(f *testing.F) {
	files, err := filepath.Glob("builtin/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), order)
	}
	f.Add(orders, order)
	f.Add(oneStream, `{"id":"e","date":"2026-11-21"}`)
	f.Add("name: a\nstreams:\n  - &s {name: a, path: a, gives: &g [event]}\n  - {name: b, path: b, gives: *g, records: '.[]?'}\n", `[{"id":1}]`)
	f.Add("name: a\nmoney: {unit: major, currency: EUR}\nwords: {payment.kind: {sale: payment}}\nstreams: [{name: a, path: a, gives: [payment]}]", `{"id":1,"kind":"sale","amount":"1.5"}`)
	f.Add("name: a\nstreams:\n  - {name: a, path: a, gives: [event], \"\\x07\": 1, records: '\"\\\xef'}\n", "{}")
	f.Add("? - [{a: &x *x}]\n: |\n  !!str", "{}")
	f.Fuzz(func(t *testing.T, text, row string) {
		p, err := profile.Parse("fuzz.yaml", []byte(text))
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !faultLine.MatchString(line) || !utf8.ValidString(line) {
					t.Errorf("fault %q", line)
				}
			}
			return
		}
		vars := map[string]string{}
		for name, value := range p.Vars {
			if value == "" {
				vars[name] = "x"
			}
		}
		ready, err := p.With(vars)
		if err != nil {
			return // x is not a zone or a currency
		}
		ready.RowTime = 10 * time.Millisecond
		for _, stream := range ready.Lists() {
			checkMapped(t, ready.MapRow(stream, row, nil, nil))
			if !ready.Stream(stream).SharesRows() {
				continue
			}
			if key, stored, err := ready.ShareRow(stream, row, nil); err == nil && (key == "") != (stored == nil) {
				t.Errorf("kept %v under %q", stored, key)
			}
		}
	})
}
