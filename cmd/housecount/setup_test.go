package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
	"housecount/web/setup"
)

// settingUp is a serve without options whose setup is open.
type settingUp struct {
	t         *testing.T
	directory string
	out       *output
	address   string // of the setup
	stop      func() int
}

// newSetup starts a serve without a service and a provider in a directory.
func newSetup(t *testing.T, directory string) *settingUp {
	t.Helper()
	s := &settingUp{t: t, directory: directory, out: newOutput()}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--database", filepath.Join(directory, "house.db"), "--setup-file", s.file(".yaml"), "--requests-per-minute", "6000"}, nil, s.out, s.out)
	}()
	var code *int
	s.stop = func() int {
		if code == nil {
			cancel()
			code = new(<-ended)
		}
		return *code
	}
	t.Cleanup(func() { s.stop() })
	s.out.await(t, "Code  ")
	s.address = regexp.MustCompile(`Set up housecount at  (\S+)`).FindStringSubmatch(s.out.String())[1]
	return s
}

func (s *settingUp) file(suffix string) string { return filepath.Join(s.directory, "house"+suffix) }

// code returns the newest code of the terminal.
func (s *settingUp) code() string {
	all := regexp.MustCompile(`Code  (\S+)`).FindAllStringSubmatch(s.out.String(), -1)
	return all[len(all)-1][1]
}

// formVisitor is a browser without scripts.
type formVisitor struct {
	t *testing.T
	*http.Client
	address string
}

func (s *settingUp) visitor() *formVisitor {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &formVisitor{s.t, &http.Client{Jar: jar, Timeout: 2 * time.Minute}, s.address}
}

// get and post return the page and its status; a post follows to the page after it.
func (v *formVisitor) get() (int, string) { return v.answer(v.Get(v.address)) }

func (v *formVisitor) post(pairs ...string) (int, string) {
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return v.answer(v.PostForm(v.address, form))
}

func (v *formVisitor) answer(r *http.Response, err error) (int, string) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'self'") || strings.Contains(csp, "unsafe") {
		v.t.Errorf("policy %q", csp)
	}
	return r.StatusCode, string(b)
}

// wants fails unless an answer has a status and texts.
func (v *formVisitor) wants(what string, status int, body string, want int, texts ...string) {
	v.t.Helper()
	if status != want {
		v.t.Fatalf("%s is answered %d, want %d: %s", what, status, want, body)
	}
	for _, text := range texts {
		if !strings.Contains(body, text) {
			v.t.Errorf("%s lacks %q: %s", what, text, body)
		}
	}
}

// refuses fails unless an answer is a page that says what is wrong, with texts. It is not that of the form itself.
func (v *formVisitor) refuses(what string, status int, body string, texts ...string) {
	v.t.Helper()
	v.wants(what, status, body, http.StatusOK, append(texts, `role="alert"`)...)
}

// newSetupService is a service, and a provider at its address at which housecount is known.
func newSetupService(t *testing.T) *countedService {
	return newService(t, func(o *sandbox.Options) {
		o.Past, o.Coming, o.Start = 1, 2, time.Now()
		o.Clients = []idp.Client{{ID: "housecount", Secret: "sesame", RedirectURIs: []string{"http://127.0.0.1/login/callback"}}}
	})
}

// here returns the directory of the test.
func here(t *testing.T) string {
	t.Helper()
	directory, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return directory
}

// ownProfile is a house's own profile of the sandbox.
const ownProfile = `
name: ours
about: The house's own system.
base_url: https://tickets.example.org
vars: {part: ""}
streams:
  - {name: events, path: "{part}/events", list: data, gives: [event]}
  - {name: tickets, path: "{part}/tickets", list: data, gives: [ticket]}
`

// A house is set up from the first page to Tonight: with a wrong key, a wrong provider and another browser on
// the way, and left and resumed in the middle.
func TestSetupInTheBrowser(t *testing.T) {
	service, directory := newSetupService(t), t.TempDir()
	s := newSetup(t, directory)
	v := s.visitor()
	status, body := v.get()
	v.wants("a stranger", status, body, http.StatusForbidden, "terminal")
	if strings.Contains(body, "pretix") {
		t.Error("a stranger sees the services")
	}
	for path, want := range map[string]string{"/manual": "Manual", "/manual/connect": "Keys", "/manual?q=webhook": "Webhooks"} {
		status, body = v.answer(v.Get(strings.TrimSuffix(v.address, setup.Path) + path))
		v.wants("the manual before the setup", status, body, http.StatusOK, want)
	}
	status, body = v.post("step", "1", "profile", "default")
	v.wants("a stranger's form", status, body, http.StatusForbidden, "This is not the code")
	status, body = v.post("code", strings.ToLower(strings.ReplaceAll(s.code(), "-", " ")))
	v.wants("the code", status, body, http.StatusOK, "Where do you sell", "pretix", "Ticket Tailor")

	second := s.visitor()
	status, body = second.post("code", s.code())
	second.wants("a second browser", status, body, http.StatusForbidden, "another browser")
	if strings.Contains(body, "pretix") {
		t.Error("a second browser sees the services")
	}

	status, body = v.post("step", "1", "profile", "nonesuch")
	v.refuses("no such service", status, body, "Choose your ticketing service")
	status, body = v.post("step", "4", "profile", "default")
	v.refuses("a step too far", status, body)
	status, body = v.post("step", "1", "profile", "pretix")
	v.wants("the usual address", status, body, http.StatusOK, `placeholder="https://pretix.eu/api/v1"`, `href="/manual/connect#keys"`)
	own := filepath.Join(directory, "ours.yaml")
	write(t, own, ownProfile)
	write(t, filepath.Join(directory, "no-profile.yaml"), "venue: De Waag\n")
	write(t, filepath.Join(t.TempDir(), "elsewhere.yaml"), ownProfile)
	status, body = v.answer(v.Get(s.address + "?step=1"))
	v.wants("a profile beside the file", status, body, http.StatusOK, `value="`+own+`"`, "<span>Ours (ours.yaml)</span>", s.file(".yaml"))
	if strings.Contains(body, "no-profile") {
		t.Error("what is no profile is offered")
	}
	status, body = v.post("step", "1", "profile", "/etc/passwd")
	v.refuses("a file elsewhere", status, body, "Choose your ticketing service")
	status, body = v.post("step", "1", "profile", own)
	v.wants("a profile of one's own", status, body, http.StatusOK, "own system")
	status, body = v.post("step", "2", "api_url", service.url, "var.part", "v3", "key", testKey)
	v.refuses("a wrong part of the address", status, body, "<bdi>part</bdi>", "The address answers, but not for this", "leave empty to keep it")
	status, body = v.post("step", "2", "api_url", service.url, "var.part", "v2", "key", "")
	v.wants("the right one, with the key that was typed before", status, body, http.StatusOK, "You will see", "Grote Zaal")
	status, body = v.post("step", "1", "profile", "ticketmatic")
	v.wants("a service's own words", status, body, http.StatusOK, "Access key", "Secret key")
	status, body = v.post("step", "1", "profile", "default")
	v.wants("the service", status, body, http.StatusOK, "Made in your ticketing service")
	status, body = v.post("step", "2", "api_url", service.url, "key", "wrong-key-8812")
	v.refuses("a wrong key", status, body, "refuses the key")
	if strings.Contains(body, "8812") {
		t.Error("the page shows a key")
	}
	status, body = v.post("step", "2", "api_url", "http://tickets.example.org", "key", testKey)
	v.refuses("an address without TLS", status, body, "begin with https")
	status, body = v.post("step", "2", "api_url", service.url, "key", testKey)
	v.wants("the key", status, body, http.StatusOK, "You will see", "Sales and prices", "Arrivals", "Grote Zaal")
	if strings.Contains(body, testKey) {
		t.Error("the page shows the key")
	}
	if m := regexp.MustCompile(`(\d+) performances? tonight, ([\d,]+) sold`).FindStringSubmatch(body); m == nil || m[1] == "0" || m[2] == "0" {
		t.Errorf("no first number (%q): %s", m, body)
	}
	status, body = v.post("step", "3", "venue", "De Waag", "zone", "Mars/Olympus", "cutoff", "06:00", "language", "nl")
	v.refuses("a wrong zone", status, body, "Mars/Olympus", "De Waag")
	status, body = v.post("step", "3", "venue", "De Waag", "zone", "Europe/Amsterdam", "cutoff", "06:00", "language", "nl", "hall.0", "many")
	v.refuses("a wrong number", status, body, "not a number of people")
	status, body = v.post("step", "3", "venue", "De Waag: \"A & B\"", "zone", "Europe/Amsterdam", "cutoff", "06:00", "language", "nl", "hall.0", "940", "whole", "1900")
	v.wants("the venue", status, body, http.StatusOK, "/login/callback")

	// It is left here, and goes on in another process and another browser, with another code.
	old := s.code()
	if code := s.stop(); code != exitOK {
		t.Fatalf("a setup that is left ends with %d: %s", code, s.out)
	}
	s = newSetup(t, directory)
	status, body = (&formVisitor{t, v.Client, s.address}).get()
	v.wants("the browser of before", status, body, http.StatusForbidden)
	v = s.visitor()
	status, body = v.post("code", old)
	v.wants("the code of before", status, body, http.StatusForbidden, "This is not the code")
	status, body = v.post("code", s.code())
	v.wants("the new code", status, body, http.StatusOK, "A &amp; B", "/login/callback")

	public := strings.TrimSuffix(s.address, "/setup")
	login := func(more ...string) (int, string) {
		return v.post(append([]string{"step", "4", "provider", "other", "public_url", public, "issuer", service.url, "login_id", "housecount", "login_secret", "sesame", "admin", "ruben@dewaag.example"}, more...)...)
	}
	status, body = login("address", "@gmail.com", "role", "door", "do", "add")
	v.refuses("a shared domain", status, body, "Anybody can have an address")
	status, body = login("address", "@DeWaag.example", "role", "door", "do", "add")
	v.wants("a domain", status, body, http.StatusOK, "@dewaag.example")
	status, body = v.post("step", "4", "provider", "other", "public_url", public, "issuer", service.url+"/nowhere", "login_id", "housecount", "login_secret", "sesame", "admin", "ruben@dewaag.example", "do", "check")
	v.refuses("a wrong provider", status, body, "not found at this address")
	status, body = v.post("step", "4", "provider", "other", "public_url", public, "issuer", service.url, "login_id", "housecount", "login_secret", "wrong", "admin", "ruben@dewaag.example", "do", "check")
	v.refuses("a wrong secret", status, body, "client id or the secret")
	status, body = v.post("step", "4", "provider", "other", "public_url", public, "issuer", service.url, "login_id", "housecount", "login_secret", "sesame", "do", "check")
	v.refuses("nobody to look after it", status, body, "e-mail address, or a group")
	if !strings.Contains(body, `<details class="groups" open`) {
		t.Error("the roles by group are folded, which would mend it")
	}
	status, body = v.post("step", "4", "provider", "other", "public_url", public, "issuer", service.url, "login_id", "housecount", "login_secret", "", "role_claim", "team", "groups", "", "do", "check")
	v.wants("groups that are called as the roles, with the secret that was typed before", status, body, http.StatusOK, "Start housecount")
	status, body = v.answer(v.Get(s.address + "?step=4"))
	v.wants("what comes of that", status, body, http.StatusOK, "admin=admin", "box_office=box_office", "team")
	status, body = login("do", "check", "groups", "staff=king")
	v.refuses("no role", status, body, "a line each")
	status, body = login("do", "check", "groups", "admin=admin\nfoh=door")
	v.wants("the login", status, body, http.StatusOK, "Start housecount", public+"/screen", s.file(".yaml"))
	status, body = v.post("step", "5")
	v.wants("the end", status, body, http.StatusOK, "housecount starts", public+"/tonight")
	s.out.await(t, "msg=listening")
	if r, err := v.Get(public + "/healthz"); err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("housecount answers %v (%v)", r, err)
	}
	if code := s.stop(); code != exitOK {
		t.Fatalf("ends with %d: %s", code, s.out)
	}
	checkWritten(t, s)
}

// checkWritten compares what a setup wrote with what was filled in.
func checkWritten(t *testing.T, s *settingUp) {
	t.Helper()
	for _, name := range []string{".yaml", ".api-key", ".oidc-client-secret"} {
		if info, err := os.Stat(s.file(name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if _, err := os.Stat(s.file(".yaml.setup")); !os.IsNotExist(err) {
		t.Errorf("the state is still there (%v)", err)
	}
	b, err := os.ReadFile(s.file(".yaml"))
	if err != nil || strings.Contains(string(b), testKey) || strings.Contains(string(b), "sesame") || strings.Contains(s.out.String(), testKey) {
		t.Errorf("a secret is written or printed (%v): %s", err, b)
	}
	got := serveCommandFor(t, nil, "--config", s.file(".yaml"))
	if got.APIKey != testKey || got.OIDCClientSecret != "sesame" || got.Venue != "De Waag: \"A & B\"" || got.Language != "nl" || got.Roles["foh"] != "door" || got.Admins[0] != "ruben@dewaag.example" || got.DayCutoff != "06:00" {
		t.Errorf("%+v of %s", got, b)
	}
	db, err := store.Open(t.Context(), s.file(".db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if list, err := db.Grants().List(t.Context()); err != nil || len(list) != 1 || list[0].Address != "@dewaag.example" || list[0].Role != "door" {
		t.Errorf("roles of addresses: %+v (%v)", list, err)
	}
	// A second setup does not replace the first.
	code, _, stderr := runFor(t, nil, "serve", "--setup-file", s.file(".yaml"))
	if code != exitUsage || !strings.Contains(stderr, "start with --config") {
		t.Errorf("%d: %s", code, stderr)
	}
}

// Ten wrong codes make a new one, and none is taken for a minute.
func TestSetupCodeIsLimited(t *testing.T) {
	out := newOutput()
	c := serveCommandFor(t, nil, "--setup-file", filepath.Join(t.TempDir(), "house.yaml"))
	server, err := newSetupServer(c, setupFiles{c.SetupFile}, "127.0.0.1:1", out, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	server.now = func() time.Time { return now }
	server.newCode()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &http.Server{Handler: server}
	go h.Serve(ln)
	t.Cleanup(func() { h.Close() })
	s := &settingUp{t: t, out: out, address: "http://" + ln.Addr().String() + "/setup"}
	v := s.visitor()
	first := s.code()
	for i := range setupCodeTries {
		status, body := v.post("code", "AAAA-AAAA")
		if v.wants("a wrong code", status, body, http.StatusForbidden); strings.Contains(body, "Too many") != (i == setupCodeTries-1) {
			t.Errorf("after %d wrong codes: %s", i+1, body)
		}
	}
	if s.code() == first {
		t.Fatal("there is no new code")
	}
	for _, code := range []string{first, s.code()} {
		status, body := v.post("code", code)
		v.wants("a code within the minute", status, body, http.StatusForbidden, "Too many")
	}
	now = now.Add(setupCodePause)
	status, body := v.post("code", first)
	v.wants("the first code", status, body, http.StatusForbidden, "This is not the code")
	status, body = v.post("code", s.code())
	v.wants("the new code", status, body, http.StatusOK, "Where do you sell")
	// A page of another site cannot send the form.
	r, err := http.NewRequest(http.MethodPost, s.address, strings.NewReader("step=1&profile=default"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	status, body = v.answer(v.Do(r))
	v.wants("another site's form", status, body, http.StatusForbidden)
}

// The setup in a terminal writes the same, with questions and without.
func TestSetupInTheTerminal(t *testing.T) {
	service, directory := newSetupService(t), t.TempDir()
	s := &settingUp{t: t, directory: directory, out: newOutput()}
	arguments := []string{"setup", "--file", s.file(".yaml"), "--database", s.file(".db"), "--api-url", service.url, "--api-key", testKey, "--venue", "De Waag: \"A & B\"", "--language", "nl",
		"--public-url", "http://127.0.0.1:8080", "--oidc-issuer", service.url, "--oidc-client-id", "housecount", "--admins", "ruben@dewaag.example", "--roles", "foh=door", "--give", "@DeWaag.example=door", "--requests-per-minute", "6000"}
	for _, c := range []struct {
		more []string
		code int
		want string
	}{
		{[]string{"--oidc-client-secret", "sesame", "--api-key", "wrong"}, exitFailed, "the ticketing service: The service refuses the key. Copy it again. housecount check"},
		{[]string{"--oidc-client-secret", "wrong"}, exitFailed, "the login: The sign-in service refuses the client id or the secret. housecount check --login"},
		{[]string{"--oidc-client-secret", "sesame", "--give", "@gmail.com=door"}, exitUsage, "give addresses one by one"},
		{[]string{"--oidc-client-secret", "sesame", "--venue", ""}, exitUsage, "--venue is missing"},
		{[]string{"--oidc-client-secret", "sesame"}, exitOK, "is written"},
		{[]string{"--oidc-client-secret", "sesame"}, exitUsage, "is there"},
	} {
		code, stdout, stderr := runFor(t, nil, append(slices.Clone(arguments), c.more...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) || strings.Contains(stdout+stderr, testKey) {
			t.Errorf("%v: %d, want %d and %q: %s%s", c.more, code, c.code, c.want, stdout, stderr)
		}
	}
	checkWritten(t, s)

	// A profile of one's own, which serve finds wherever it is started.
	other := &settingUp{t: t, directory: t.TempDir(), out: newOutput()}
	own := filepath.Join(other.directory, "ours.yaml")
	write(t, own, ownProfile)
	write(t, filepath.Join(other.directory, "money.yaml"), strings.ReplaceAll(ownProfile, "[event]", "[planning]"))
	relative, err := filepath.Rel(here(t), own)
	if err != nil {
		t.Fatal(err)
	}
	arguments = append(arguments, "--oidc-client-secret", "sesame", "--file", other.file(".yaml"), "--database", other.file(".db"), "--var", "part=v2")
	for _, c := range []struct {
		profile string
		code    int
		want    string
	}{{filepath.Join(other.directory, "nowhere.yaml"), exitUsage, "neither a file nor"}, {filepath.Join(other.directory, "money.yaml"), exitUsage, "has no performances"}, {relative, exitOK, "is written"}} {
		code, stdout, stderr := runFor(t, nil, append(slices.Clone(arguments), "--profile", c.profile)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: %d, want %d and %q: %s%s", c.profile, code, c.code, c.want, stdout, stderr)
		}
	}
	if got := serveCommandFor(t, nil, "--config", other.file(".yaml")); got.Profile != own || got.Var["part"] != "v2" {
		t.Errorf("the profile is %s with %v, want %s", got.Profile, got.Var, own)
	}
	asked := setupCommand{}
	asked.Profile = own
	var questions strings.Builder
	if err := asked.ask(strings.NewReader("v2\nkey\n"), &questions); err != nil || asked.Var["part"] != "v2" || asked.APIKey != "key" {
		t.Errorf("%+v, %v: %s", asked, err, &questions)
	}

	var c setupCommand
	var out strings.Builder
	c.Profile = "default"
	err = c.ask(strings.NewReader("pretix\nwaag\nkey\nDe Waag\nhttps://dash.example.org\nhttps://id.example.org\nhousecount\nsesame\nruben@dewaag.example\n"), &out)
	if err != nil || c.Profile != "pretix" || c.Var["organizer"] != "waag" || c.APIKey != "key" || c.OIDCClientSecret != "sesame" || c.Admins[0] != "ruben@dewaag.example" || !strings.Contains(out.String(), "pretix") {
		t.Errorf("%+v, %v: %s", c, err, &out)
	}
}

// A secret of the configuration file may be in a file of its own beside it.
func TestSecretInAFileBesideTheConfiguration(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "house.yaml")
	write(t, filepath.Join(directory, "key"), "sesame\n")
	write(t, file, "api-url: https://tickets.example.org\napi-key-file: key\n")
	if got := serveCommandFor(t, nil, "--config", file); got.APIKey != "sesame" {
		t.Errorf("the key is %q", got.APIKey)
	}
	for _, c := range []struct{ text, want string }{
		{"api-key-file: nowhere\n", "api-key-file: open"},
		{"api-key-file: key\napi-key: other\n", "both given"},
		{"api-kee-file: key\n", "api-kee"},
	} {
		write(t, file, c.text)
		if code, _, stderr := runFor(t, nil, "serve", "--config", file); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: %d: %s", c.text, code, stderr)
		}
	}
}
