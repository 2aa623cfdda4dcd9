package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"housecount/cmd/housecount/options"
)

// runFor runs the program with an environment of its own and returns what it came to.
func runFor(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	code = run(t.Context(), args, env, &out, &problems)
	return code, out.String(), problems.String()
}

func TestServeNamesEveryFaultAtOnce(t *testing.T) {
	code, _, stderr := runFor(t, nil, "serve", "--language", "fy", "--timezone", "Mars/Olympus", "--day-cutoff", "25:00",
		"--roles", "staff=king", "--grace", "1s", "--season-start", "13", "--listen", "nowhere", "--poll-busy", "1ms", "--log-level", "loud")
	if code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	for _, want := range []string{
		"--public-url is missing", "--api-url is missing", "no other credential for the service is given",
		"--oidc-issuer is missing", "--oidc-client-id is missing", `"king" is no role`,
		`--language "fy"`, `--timezone "Mars/Olympus"`, `--day-cutoff "25:00"`, `--listen "nowhere"`, "--poll-busy must be", "--grace must be", "--season-start must be", `--log-level "loud"`,
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the message does not say %q:\n%s", want, stderr)
		}
	}
}

func TestServeFaults(t *testing.T) {
	good := map[string]string{
		"HOUSECOUNT_PUBLIC_URL": "https://dash.example.org", "HOUSECOUNT_API_URL": "https://tickets.example.org",
		"HOUSECOUNT_API_KEY": "sesame", "HOUSECOUNT_OIDC_ISSUER": "https://id.example.org", "HOUSECOUNT_OIDC_CLIENT_ID": "hc",
	}
	cases := []struct {
		name string
		env  map[string]string
		args []string
		want string
	}{
		{"public address without TLS", nil, []string{"--public-url", "http://dash.example.org"}, "is not https"},
		{"path in public address", nil, []string{"--public-url", "https://example.org/dash"}, "has a path"},
		{"no month", nil, []string{"--season-start", "0"}, "--season-start must be a month, 1 to 12, not 0"},
		{"no requests", nil, []string{"--requests-per-minute", "0"}, "--requests-per-minute must be at least 1, not 0"},
		{"no rows", nil, []string{"--page-size", "0"}, "--page-size must be at least 1, not 0"},
		{"no unit", nil, []string{"--grace", "30"}, "housecount: --grace 30 has no unit: give 30s, 30m or 30h\n"},
		{"days where hours are", nil, []string{"--poll-idle", "1d"}, "housecount: --poll-idle \"1d\" is not a time: give one like 30s, 15m or 24h\n"},
		{"issuer without TLS", nil, []string{"--oidc-issuer", "http://id.example.org"}, `--oidc-issuer "http://id.example.org" is not https`},
		{"public address without a scheme", nil, []string{"--public-url", "dash.example.org"}, "housecount: --public-url \"dash.example.org\" is not an address: give one like https://example.org\n"},
		{"no configuration file", nil, []string{"--config", "/nowhere/house.yaml"}, "housecount: configuration file: open /nowhere/house.yaml: no such file or directory\n"},
		{"no directory for backups", nil, []string{"--backup-to", "/nowhere/backups"}, "--backup-to /nowhere/backups is not there: make the directory"},
		{"password in address", nil, []string{"--api-url", "https://u:p@example.org"}, "--api-url has a user name or a password in it"},
		{"no scheme", nil, []string{"--api-url", "example.org"}, "--api-url does not begin with http"},
		{"query", nil, []string{"--api-url", "https://example.org?x=1"}, "--api-url has a query"},
		{"two credentials", nil, []string{"--api-client-id", "x"}, "two ways to the same thing"},
		{"half a credential", map[string]string{"HOUSECOUNT_API_KEY": ""}, []string{"--api-client-id", "x"}, "--api-client-secret is missing"},
		{"two logins", nil, []string{"--oauth-auth-url", "https://id.example.org/a"}, "two ways to the same thing"},
		{"alerts without a key", nil, []string{"--alerts-to", "https://example.org,ntfy://ntfy.sh/a"}, "--alerts-key goes with an https address of --alerts-to"},
		{"a key of alerts alone", nil, []string{"--alerts-to", "ntfy://ntfy.sh/a", "--alerts-key", strings.Repeat("a", 32)}, "--alerts-key goes with an https address of --alerts-to"},
		{"a short key of alerts", nil, []string{"--alerts-to", "https://example.org", "--alerts-key", "short"}, "--alerts-key is too short"},
		{"alerts without TLS", nil, []string{"--alerts-to", "http://example.org", "--alerts-key", strings.Repeat("a", 32)}, "--alerts-to is not https"},
		{"alerts to no chat", nil, []string{"--alerts-to", "telegram://api.telegram.org/bot1:sesame/getMe"}, "--alerts-to is not one of Telegram"},
		{"alerts of a role that has none", nil, []string{"--alerts-to", "https://example.org", "--alerts-key", strings.Repeat("a", 32), "--alerts-role", "admin"}, `--alerts-role "admin" is not offered`},
		{"a key of webhooks alone", nil, []string{"--hook-key", "k"}, "--hook-key goes with --hook-secret"},
		{"a key with which nothing is signed", nil, []string{"--hook-secret", strings.Repeat("a", 32), "--hook-key", "k"}, "does not say how messages are signed"},
		{"signed webhooks without the key", nil, []string{"--hook-secret", strings.Repeat("a", 32), "--profile", "ticket-tailor"}, "as --hook-key"},
		{"a short secret of webhooks", nil, []string{"--hook-secret", "short"}, "--hook-secret is too short"},
		{"a secret that is no part of an address", nil, []string{"--hook-secret", strings.Repeat("a/", 20)}, "an address cannot have"},
		{"unknown flag", nil, []string{"--colour", "red"}, "unknown flag --colour"},
		{"no database", nil, []string{"--database", ""}, "--database is missing"},
		{"another kind of database", nil, []string{"--database", "mysql://u:sesame@db/house"}, `--database: the database is neither`},
		{"a connection string", nil, []string{"--database", "host=db password=sesame dbname=house"}, `--database: the database is no path`},
		{"versions kept for too short a time", nil, []string{"--keep-versions", "3h"}, "--keep-versions must be at least 1d, or 0 to keep all, not 3h"},
		{"versions kept for less than no time", nil, []string{"--keep-versions=-48h"}, "--keep-versions must be at least 1d"},
		{"scans kept for too short a time", nil, []string{"--keep-scans", "3h"}, "--keep-scans must be at least 1d, or 0 to keep all, not 3h"},
		{"contacts kept for too short a time", nil, []string{"--keep-contacts", "3h"}, "--keep-contacts must be at least 1d, or 0 to keep all, not 3h"},
		{"what was done kept for too short a time", nil, []string{"--keep-audit", "3h"}, "--keep-audit must be at least 1d, or 0 to keep all, not 3h"},
		{"no number of days", nil, []string{"--keep-versions=-1d"}, `"-1d" is not a number of days`},
		{"no time", nil, []string{"--keep-versions", "long"}, `"long" is not a time`},
		{"no address of a proxy", nil, []string{"--trusted-proxies", "10.0.0.1,10.0.0.0/8,proxy"}, `--trusted-proxies: "proxy" is no address`},
		{"idle too soon", nil, []string{"--session-idle", "1s"}, "--session-idle must be at least 1m, or 0"},
		{"unchecked too soon", nil, []string{"--session-unchecked", "9m"}, "--session-unchecked must be at least 10m, or 0"},
		{"half a certificate", nil, []string{"--tls-cert", "/nowhere"}, "--tls-cert and --tls-key go together"},
		{"no certificate", nil, []string{"--tls-cert", "/nowhere", "--tls-key", "/nowhere"}, "--tls-cert, --tls-key: open /nowhere"},
		{"garbage for a certificate", nil, []string{"--tls-cert", os.Args[0], "--tls-key", os.Args[0]}, "are no certificate and its key"},
		{"two ways to certificates", nil, []string{"--tls-cert", "/nowhere", "--tls-key", "/nowhere", "--acme-domain", "dash.example.org"}, "--tls-cert and --acme-domain are two ways"},
		{"an authority without a name", nil, []string{"--acme-email", "a@example.org"}, "go with --acme-domain"},
		{"no name for an authority", nil, []string{"--acme-domain", "dash.example.org,*.example.org,localhost,127.0.0.1"}, `--acme-domain "*.example.org" is no name`},
		{"an authority by plain HTTP", nil, []string{"--acme-domain", "dash.example.org", "--acme-directory", "http://ca.example.org"}, "--acme-directory"},
		{"a name without a certificate", nil, []string{"--acme-domain", "other.example.org"}, `"https://dash.example.org" has another name`},
		{"TLS on loopback", nil, []string{"--acme-domain", "dash.example.org", "--public-url", "http://127.0.0.1:8080"}, "is not https, which is what is spoken"},
		{"nothing to lead to", nil, []string{"--redirect-listen", ":80"}, "--redirect-listen goes with"},
		{"nowhere to lead from", nil, []string{"--acme-domain", "dash.example.org", "--redirect-listen", "80"}, "--redirect-listen \"80\" is not host:port"},
		{"no sockets", nil, []string{"--max-sockets=-1"}, "--max-sockets must be at least 1"},
		{"a short secret", map[string]string{"HOUSECOUNT_SECRET_KEY": "sesame"}, nil, "--secret-key is too short"},
		{"a short secret before", map[string]string{"HOUSECOUNT_SECRET_KEY_FALLBACK": "sesame"}, nil, "--secret-key-fallback is too short"},
		{"no contact", nil, []string{"--security-contact", "me", "--security-expires", "2027-11-30"}, `--security-contact "me" is no address`},
		{"a contact for ever", nil, []string{"--security-contact", "mailto:a@example.org"}, "go together"},
		{"a contact until whenever", nil, []string{"--security-contact", "mailto:a@example.org", "--security-expires", "soon"}, `--security-expires "soon" is not a day`},
		{"no number", nil, []string{"--page-size", "many"}, "page-size"},
		{"both a value and a file", map[string]string{"HOUSECOUNT_API_KEY_FILE": "/nowhere"}, nil, "unset one of them"},
		{"missing settings file", nil, []string{"--config", "/nowhere/at/all.yaml"}, "no such file"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{}
			for k, v := range good {
				env[k] = v
			}
			for k, v := range c.env {
				env[k] = v
			}
			code, _, stderr := runFor(t, env, append([]string{"serve"}, c.args...)...)
			if code != exitUsage || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, message:\n%s\nwant code %d and %q", code, stderr, exitUsage, c.want)
			}
			if strings.Contains(stderr, "sesame") {
				t.Errorf("the message shows the API key: %s", stderr)
			}
		})
	}
}

// Where an authority certifies names, the first of them is the public address unless given.
func TestPublicAddressOfCertificates(t *testing.T) {
	args := (&countedService{url: "http://127.0.0.1:1"}).arguments("house.db")[1:]
	for given, want := range map[string]string{"": "https://dash.example.org", "https://b.example.org": "https://b.example.org", "https://DASH.example.org": "https://DASH.example.org"} {
		s, err := serveCommandFor(t, nil, append(args, "--acme-domain", "dash.example.org,b.example.org", "--public-url", given)...).validate()
		if err != nil || s.PublicURL != want {
			t.Errorf("given %q: %q, %v; want %q", given, s.PublicURL, err, want)
		}
	}
}

// serveCommandFor parses args as the program would and returns what serve would be run with.
func serveCommandFor(t *testing.T, env map[string]string, args ...string) serveCommand {
	t.Helper()
	cli, command, err := parse(t.Context(), append([]string{"serve"}, args...), env, environment{})
	if err != nil || command == nil {
		t.Fatalf("parse: %v", err)
	}
	return cli.Serve
}

// A path is made absolute, an address is left as it is, and nobody is shown what it hides.
func TestSettingsOfTheDatabase(t *testing.T) {
	const address = "postgres://house:sesame@db.example.org:5433/figures?sslmode=require"
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ given, want, shown string }{
		{address, address, "postgres://db.example.org:5433/figures"},
		{"postgresql:///figures?host=/run/postgresql&password=sesame", "postgresql:///figures?host=/run/postgresql&password=sesame", "postgresql:///figures"},
		{"a#b@c?.db", filepath.Join(here, "a#b@c?.db"), filepath.Join(here, "a#b@c?.db")},
		{"/var/lib/house.db", "/var/lib/house.db", "/var/lib/house.db"},
	} {
		got := serveCommandFor(t, map[string]string{"HOUSECOUNT_DATABASE": c.given})
		if string(got.Database) != c.want || got.Database.String() != c.shown {
			t.Errorf("%s: got %s shown as %s, want %s shown as %s", c.given, string(got.Database), got.Database, c.want, c.shown)
		}
	}
	if got := serveCommandFor(t, nil); string(got.Database) != filepath.Join(here, "housecount.db") || got.KeepVersions.String() != "400d" || got.KeepScans != 0 || got.KeepContacts != 0 {
		t.Errorf("unless given: %s, %s, %s, %s", got.Database, got.KeepVersions, got.KeepScans, got.KeepContacts)
	}
	for given, want := range map[string]time.Duration{"0": 0, "0d": 0, "30d": 30 * options.Day, "36h": 36 * time.Hour} {
		got := serveCommandFor(t, nil, "--keep-versions", given, "--keep-audit", given, "--keep-scans", given, "--keep-contacts", given)
		if time.Duration(got.KeepVersions) != want || time.Duration(got.KeepAudit) != want || time.Duration(got.KeepScans) != want || time.Duration(got.KeepContacts) != want {
			t.Errorf("%s is %s, %s, %s and %s, want %s", given, got.KeepVersions, got.KeepAudit, got.KeepScans, got.KeepContacts, want)
		}
	}
}

func TestSettingsPrecedence(t *testing.T) {
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "housecount.yaml"), filepath.Join(dir, "secret")
	write(t, file, "venue: From the file\ntimezone: Europe/London\nrequests-per-minute: 30\nroles:\n  staff: manager\n  team: door\n")
	write(t, secret, "s3cret\n")
	got := serveCommandFor(t, map[string]string{
		"HOUSECOUNT_CONFIG": file, "HOUSECOUNT_TIMEZONE": "Europe/Paris", "HOUSECOUNT_PAGE_SIZE": "50",
		"HOUSECOUNT_API_KEY_FILE": secret,
	}, "--page-size", "20")
	if got.Venue != "From the file" || got.RequestsPerMinute != 30 {
		t.Errorf("the file does not count: venue %q, requests %d", got.Venue, got.RequestsPerMinute)
	}
	if got.Timezone != "Europe/Paris" {
		t.Errorf("timezone %q: the environment must win over the file", got.Timezone)
	}
	if got.PageSize != 20 {
		t.Errorf("page size %d: the command line must win over the environment", got.PageSize)
	}
	if got.APIKey != "s3cret" {
		t.Errorf("API key %q, want the file's content without the line's end", got.APIKey)
	}
	if got.Roles["staff"] != "manager" || got.Roles["team"] != "door" {
		t.Errorf("roles %v", got.Roles)
	}
}

// Lists and maps of the file are what they would be as flags, whatever stands in them.
func TestSettingsOfSeveralValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "housecount.yaml")
	write(t, file, "var: {organizer: 4711, series: 'a,b=c'}\noidc-scopes: [openid, 'e,mail']\napi-scopes: a,b\n")
	got := serveCommandFor(t, map[string]string{"HOUSECOUNT_CONFIG": file})
	if want := map[string]string{"organizer": "4711", "series": "a,b=c"}; !maps.Equal(got.Var, want) {
		t.Errorf("var %q, want %q", got.Var, want)
	}
	if want := []string{"openid", "e,mail"}; !slices.Equal(got.OIDCScopes, want) {
		t.Errorf("scopes at login %q, want %q", got.OIDCScopes, want)
	}
	if want := []string{"a", "b"}; !slices.Equal(got.APIScopes, want) {
		t.Errorf("scopes at the service %q, want %q", got.APIScopes, want)
	}
	for text, want := range map[string]string{
		"var: {organizer: {name: havendam}}":  "var.organizer must be a single value",
		"var: {organizer: }":                  "var.organizer must be a single value",
		"api-scopes: [[a]]":                   "api-scopes must hold single values",
		"var: havendam":                       `--var: expected "<key>=<value>"`,
		"profile: pretix\nvar: {orgniser: a}": "--var organizer=… is missing",
	} {
		write(t, file, text)
		if code, _, stderr := runFor(t, nil, "check", "--config", file); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%q: code %d, want %q in: %s", text, code, want, stderr)
		}
	}
}

func TestSettingsFileWithMistypedKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "housecount.yaml")
	write(t, file, "venu: Typo\nroels: {a: b}\nhelp: true\n")
	code, _, stderr := runFor(t, nil, "serve", "--config", file)
	if code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	for _, want := range []string{
		`there is no setting "venu"; did you mean venue?`, `there is no setting "roels"; did you mean roles?`,
		`there is no setting "help"; housecount serve --help lists them all`,
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the message does not say %q:\n%s", want, stderr)
		}
	}
}

// Every line of the log is a JSON object with a time and its offset, whatever strangers ask for, and nothing else is printed.
func TestLogIsJSON(t *testing.T) {
	out := newOutput()
	c := child(t, out, append((&countedService{url: "http://127.0.0.1:1"}).arguments(filepath.Join(t.TempDir(), "house.db")), "--log-format", "json")...)
	out.await(t, `"msg":"listening"`)
	_, rest, _ := strings.Cut(out.String()[strings.Index(out.String(), `"msg":"listening"`):], `"address":"`)
	address, _, _ := strings.Cut(rest, `"`)
	a, err := http.Get("http://" + address + "/a%0a%22%7d%0aINFO")
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	out.await(t, `"msg":"request"`)
	if err := errors.Join(c.Process.Signal(syscall.SIGTERM), c.Wait()); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(out.String()) {
		var said struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &said); err != nil || said.Level == "" || said.Msg == "" {
			t.Errorf("%v: %s", err, line)
		}
		if _, err := time.Parse(time.RFC3339Nano, said.Time); err != nil {
			t.Error(err)
		}
	}
}

func TestVersionAndHelp(t *testing.T) {
	if code, out, _ := runFor(t, nil, "version"); code != exitOK || !strings.HasPrefix(out, "housecount ") {
		t.Errorf("version: code %d, %q", code, out)
	}
	if code, out, _ := runFor(t, nil, "serve", "--help"); code != exitOK || !strings.Contains(out, "--oidc-issuer") {
		t.Errorf("help: code %d, %q", code, out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
