package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/faults"
)

// serveHouse serves a small sandbox on loopback and returns its address.
func serveHouse(t *testing.T, o sandbox.Options) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	o.PublicURL = "http://" + server.Listener.Addr().String()
	o.Seed, o.Speed, o.Start, o.APIKey = 5, 1, time.Now(), "sesame"
	if o.Events == 0 {
		o.Events, o.Tickets = 12, 600
	}
	s, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = s
	server.Start()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return o.PublicURL
}

func checked(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	code, stdout, stderr = runFor(t, map[string]string{"HOUSECOUNT_API_KEY": "sesame", "HOUSECOUNT_REQUESTS_PER_MINUTE": "60000"}, append([]string{"check"}, args...)...)
	if strings.Contains(stdout+stderr, "sesame") {
		t.Errorf("the key is shown:\n%s%s", stdout, stderr)
	}
	return code, stdout, stderr
}

// Whatever way the service cuts its lists, check finds it by itself and every list is read
// to its end.
func TestCheckFindsThePaging(t *testing.T) {
	for style, words := range map[string]string{
		"page": "page numbers", "offset": "offsets", "cursor": "cursor", "next": "link in the body",
		"link-header": "Link header", "bare": "one answer",
	} {
		t.Run(style, func(t *testing.T) {
			url := serveHouse(t, sandbox.Options{Paging: style})
			code, stdout, stderr := checked(t, "--api-url", url)
			if code != exitOK || !strings.Contains(stdout, "all is well") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			tickets, _, _ := strings.Cut(stdout[strings.Index(stdout, "\ntickets"):], "tickets\n")
			if !strings.Contains(tickets, words) || !strings.Contains(tickets, "600") || !strings.Contains(tickets, "all") || !strings.Contains(tickets, string(probe.FilterHonoured)) {
				t.Errorf("tickets are said to be %q, want 600, all, %s", tickets, words)
			}
			if !strings.Contains(stderr, "payments: asking") {
				t.Errorf("no progress in %q", stderr)
			}
		})
	}
}

func TestCheckOfALessFortunateService(t *testing.T) {
	faults := func(t *testing.T, text string) sandbox.Options {
		f, err := faults.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return sandbox.Options{Faults: f}
	}
	for _, c := range []struct {
		name   string
		faults string
		args   []string
		code   int
		want   []string
	}{
		{"wrong key", "", []string{"--api-key", "wrong"}, exitUsage, []string{"unauthorized (401)", "events: unauthorized", "is the key right, and is it sent as the service wants it? auth in the profile"}},
		{"words that nobody knows", "unknown-status=1", nil, exitFailed, []string{"words that nobody has mapped", "ticket.status"}},
		{"a fast clock", "clock-skew=1:1h", nil, exitOK, []string{"ahead of ours; set one of them right", "counted that much later", "all is well, but for the clock"}},
		{"a slow clock", "clock-skew=1:-1h", nil, exitOK, []string{"behind ours; set one of them right", "counted as that old", "all is well, but for the clock"}},
		{"a wrong clock and something missing", "clock-skew=1:1h,unknown-status=1", nil, exitFailed, []string{"ahead of ours; set one of them right", "ticket.status"}},
		{"a clock that is good enough", "clock-skew=1:20s", nil, exitOK, []string{"ahead of ours\n", "\nall is well\n"}},
		{"limits", "", []string{"--rows", "100"}, exitOK, []string{"default: Our own records", "100   600", "RateLimit"}},
		{"another profile", "", []string{"--profile", "eventgoose"}, exitUsage, []string{"not_offered (404)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := faults(t, c.faults)
			o.RateLimit = 60_000
			code, stdout, stderr := checked(t, append([]string{"--api-url", serveHouse(t, o)}, c.args...)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, want := range c.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %q in\n%s%s", want, stdout, stderr)
				}
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		ln := listen(t, "127.0.0.1:0")
		url := "http://" + ln.Addr().String()
		ln.Close()
		if code, stdout, _ := checked(t, "--api-url", url); code != exitUsage || !strings.Contains(stdout, "events: unreachable") {
			t.Errorf("exit code %d\n%s", code, stdout)
		}
	})
}

func TestCheckRefusesItsConfiguration(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no profile":          {[]string{"--profile", "nowhere.yaml"}, `"nowhere.yaml" is neither a file nor a built-in profile`},
		"no variable":         {[]string{"--profile", "pretix"}, "--var organizer=… is missing: the profile pretix needs the variable"},
		"foreign variable":    {[]string{"--var", "colour=red"}, "the profile default has no variable"},
		"no address":          {nil, "--api-url is missing"},
		"unknown paging":      {[]string{"--paging", "books"}, `--paging is not known; give one of auto, page`},
		"two things":          {[]string{"--sample", "x", "--openapi", "y"}, "one of them at a time"},
		"no sample":           {[]string{"--sample", "nowhere/events.json"}, "no such file"},
		"an address with /v2": {[]string{"--api-url", "http://127.0.0.1:1/v2"}, "--api-url ends in /v2; leave that out"},
		"no document":         {[]string{"--openapi", "nowhere.yaml"}, "no such file"},
		"not a document":      {[]string{"--openapi", "check_test.go"}, "no OpenAPI 3 document"},
		"rows below naught":   {[]string{"--rows=-1"}, "--rows must be at least 0"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, _, stderr := checked(t, c.args...); code != exitUsage || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, want %d and %q in\n%s", code, exitUsage, c.want, stderr)
			}
		})
	}
}

// HOUSECOUNT_PROFILE_FILE is a file that holds the value, and a profile is easily taken for it.
func TestCheckRefusesAProfileForItsName(t *testing.T) {
	file, secret := filepath.Join(t.TempDir(), "house.yaml"), "x-token: sesame"
	if err := os.WriteFile(file, []byte("name: house\nheaders: {"+secret+"}\n"+strings.Repeat("# a long one\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runFor(t, map[string]string{"HOUSECOUNT_PROFILE_FILE": file}, "check", "--api-key", "x")
	if code != exitUsage || !strings.Contains(stderr, "give the profile's file as HOUSECOUNT_PROFILE") || strings.Contains(stdout+stderr, secret) {
		t.Errorf("exit code %d\n%.2000s", code, stdout+stderr)
	}
}

// An address that holds a secret is not shown with it.
func TestCheckKeepsSecretsOfAddresses(t *testing.T) {
	url := serveHouse(t, sandbox.Options{})
	for _, args := range [][]string{
		{"--api-url", "user:sesame@tickets.example.org"},
		{"--api-url", "https://user:se%zzsesame@tickets.example.org"},
		{"--api-url", "https://tickets.example.org/?key=sesame"},
		{"--openapi", strings.Replace(url, "//", "//user:sesame@", 1) + "/nothing?key=sesame"},
		{"--openapi", "http://user:sesame@127.0.0.1:1/openapi.json?key=sesame"},
		{"--openapi", "http://user:se%zzsesame@127.0.0.1/openapi.json"},
	} {
		if code, _, stderr := checked(t, args...); code != exitUsage || !strings.Contains(stderr, args[0]) {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr)
		}
	}
}

// Every built-in profile prints the records of its samples.
func TestCheckSamples(t *testing.T) {
	for _, name := range profile.BuiltinNames() {
		if _, err := os.Stat(filepath.Join("..", "..", "apiclient", "profile", "builtin", "testdata", name)); err != nil {
			continue // our own records, or one that is tested with a house of its own
		}
		t.Run(name, func(t *testing.T) {
			p, err := profile.Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"--profile", name}
			for _, list := range p.Lists() {
				args = append(args, "--sample", filepath.Join("..", "..", "apiclient", "profile", "builtin", "testdata", name, list+".json"))
			}
			// The samples hold what is refused and what nobody has mapped, too.
			code, stdout, stderr := checked(t, args...)
			for _, want := range []string{`{"record":"event"`, `{"record":"ticket"`, `"title":"De storm"`} {
				if !strings.Contains(stdout, want) {
					t.Errorf("no %s in\n%s", want, stdout)
				}
			}
			if code != exitFailed || !strings.Contains(stderr, "refused") || !strings.Contains(stderr, "never: ") {
				t.Errorf("exit code %d\n%s", code, stderr)
			}
			// Planned capacity and scans of their own stand in.
			if strings.Contains(stderr, "no event has capacity") {
				t.Errorf("misses capacity\n%s", stderr)
			}
			if strings.Contains(stderr, "no ticket has scans") {
				t.Error(stderr)
			}
		})
	}
	if code, _, stderr := checked(t, "--sample", "prices="+filepath.Join("..", "..", "apiclient", "profile", "builtin", "testdata", "pretix", "events.json")); code != exitUsage ||
		!strings.Contains(stderr, "the profile default has no such list; it has events, tickets") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func TestCheckAgainstADocument(t *testing.T) {
	url := serveHouse(t, sandbox.Options{})
	if code, stdout, stderr := checked(t, "--openapi", url+"/openapi.json"); code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ := checked(t, "--profile", "pretix", "--openapi", url+"/openapi.yaml")
	if code != exitUsage || !strings.Contains(stdout, "the document has no path like organizers/{organizer}/events") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// lists serves each of some lists of a thousand rows, ten a page, or the status that is
// given for it, and counts the questions. Its profile is written to a file.
func lists(t *testing.T, status map[string]int, profile string) (path string, asked func(list string) int) {
	t.Helper()
	counts := map[string]int{}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		list := strings.Trim(r.URL.Path, "/")
		counts[list]++
		if s := status[list]; s != 0 {
			w.WriteHeader(s)
			return
		}
		page, _ := strconv.Atoi(r.FormValue("page"))
		var rows []string
		for i := range 10 {
			rows = append(rows, fmt.Sprintf(`{"id": "%d", "date": "2026-11-21"}`, 10*page+i))
		}
		fmt.Fprintf(w, `{"data": [%s], "meta": {"total": 1000}}`, strings.Join(rows, ","))
	}))
	t.Cleanup(server.Close)
	path = filepath.Join(t.TempDir(), "house.yaml")
	if err := os.WriteFile(path, []byte(fmt.Sprintf(profile, server.URL)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func(list string) int {
		mu.Lock()
		defer mu.Unlock()
		return counts[list]
	}
}

// No more is asked than --rows needs, and rows that become nothing are told.
func TestCheckAsksNoMoreThanItNeeds(t *testing.T) {
	profile, asked := lists(t, nil, `
name: house
about: A list of which no row becomes a record.
base_url: %s
auth: {kind: bearer}
streams:
  - {name: events, path: events, gives: [event], paging: {style: page}}
  - {name: tickets, path: tickets, gives: [ticket], paging: {style: page}, records: empty}
`)
	code, stdout, stderr := checked(t, "--profile", profile, "--rows", "30", "--page-size", "10")
	if events, tickets := asked("events"), asked("tickets"); events > 4 || tickets > 4 {
		t.Errorf("asked %d and %d times for 30 rows of each, ten a page", events, tickets)
	}
	if code != exitFailed || !strings.Contains(stdout, "tickets: none of 30 rows became a record") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// What a service ignores of what it is asked, is said with what that costs.
func TestCheckNamesIgnoredFilters(t *testing.T) {
	profile, _ := lists(t, nil, `
name: house
about: A service that sends everything whatever it is asked for.
base_url: %s
auth: {kind: bearer}
streams:
  - name: tickets
    path: tickets
    gives: [ticket]
    by_event: show
    since: {param: since}
    paging: {style: page}
    records: '.id as $n | {id, status: "valid", event_id: "e\($n[-1:])", updated_at: "2026-11-21T19:0\($n[-1:]):00Z"}'
`)
	code, stdout, stderr := checked(t, "--profile", profile, "--rows", "30", "--page-size", "10")
	for _, want := range []string{
		"tickets: the service ignores the question for changes; every poll will read more than it needs",
		"tickets: the service ignores the question for one event; tonight's are not read before the others",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
}

// Who waits for a service is told so.
func TestCheckTellsThatItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		p := newPipes(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(14 * time.Second)
			if asked++; asked == 1 {
				w.Header().Set("Retry-After", "25")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			fmt.Fprint(w, `{"data": [], "meta": {"total": 0}}`)
		}))
		client, err := apiclient.New(apiclient.Options{BaseURL: "http://house.test", APIKey: "sesame", Dial: p.dial})
		if err != nil {
			t.Fatal(err)
		}
		defer client.CloseIdle()
		var told strings.Builder
		f := checkCommand{Rows: 100}.examine(t.Context(), &told, client, client.Streams()[0])
		waits, pauses := strings.Count(told.String(), "events: waiting for an answer\n"), strings.Count(told.String(), "s more, for a limit of requests\n")
		if f.Err != nil || waits < 2 || waits > 4 || pauses < 1 || pauses > 3 {
			t.Errorf("%v; told:\n%s", f.Err, told.String())
		}
	})
}

// A service that has neither contacts nor plans is well all the same: its profile says that it has none. One whose list is
// not there is not.
func TestCheckOfAServiceWithoutContactsAndPlans(t *testing.T) {
	service, file := newSetupService(t), filepath.Join(t.TempDir(), "house.yaml")
	rules := `
name: house
about: A service of sales alone.
base_url: ` + service.url + `
streams:
  - {name: events, path: v2/events, list: data, gives: [event]}
  - {name: tickets, path: v2/tickets, list: data, gives: [ticket]}
  - {name: payments, path: v2/payments, list: data, gives: [payment]}
`
	write(t, file, rules)
	code, stdout, stderr := checked(t, "--profile", file, "--api-key", testKey)
	if code != exitOK || !strings.Contains(stdout, "\nall is well\n") || !strings.Contains(stdout, "as the profile says:\n  no contacts: ") || !strings.Contains(stdout, "  no planning: ") || strings.Contains(stdout, "figures that this costs") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	write(t, file, rules+"  - {name: contacts, path: v2/nowhere, list: data, gives: [contact]}\n")
	code, stdout, stderr = checked(t, "--profile", file, "--api-key", testKey)
	if code != exitFailed || !strings.Contains(stdout, "figures that this costs:\n  no contacts: ") {
		t.Errorf("with a list that is not there: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// A credential that one list refuses says nothing of the next, once a list has answered.
func TestCheckGoesOnToTheNextList(t *testing.T) {
	profile, asked := lists(t, map[string]int{"tickets": http.StatusUnauthorized}, `
name: house
about: A service that shows tickets to nobody.
base_url: %s
auth: {kind: bearer}
streams:
  - {name: events, path: events, gives: [event], paging: {style: page}}
  - {name: tickets, path: tickets, gives: [ticket], keep: "{key: .id}", paging: {style: page}}
  - {name: people, path: "tickets/{key}/people", gives: [contact], over: tickets, paging: {style: page}}
  - {name: plans, path: plans, gives: [planning], paging: {style: page}}
`)
	code, stdout, stderr := checked(t, "--profile", profile, "--rows", "20", "--page-size", "10")
	if code != exitFailed || asked("plans") == 0 || strings.Contains(stdout, "no planning") || !strings.Contains(stdout, "people: tickets: unauthorized (status 401)") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// Saved answers without the list that they need say that first: what is refused may come of it.
func TestCheckNamesMissingAnswersFirst(t *testing.T) {
	dir := filepath.Join("..", "..", "apiclient", "profile", "builtin", "testdata", "pretix")
	_, _, stderr := checked(t, "--profile", "pretix", "--var", "organizer=o", "--sample", filepath.Join(dir, "orders.json"))
	needs, refused := strings.Index(stderr, "orders needs the rows of events: give --sample events=FILE too"), strings.Index(stderr, "refused:")
	if needs < 0 || refused < needs {
		t.Errorf("it says\n%s", stderr)
	}
}
