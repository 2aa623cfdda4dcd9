package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers"
	"housecount/web/setup"
)

// standIn is a service with several accounts: the performances of each, at pretix' paths and at those of the profile mini.
func standIn(t *testing.T, accounts map[string]map[string]string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
		if parts[0] == "organizers" {
			parts = parts[1:]
		}
		w.Header().Set("Content-Type", "application/json")
		shows, known := accounts[parts[0]]
		switch {
		case r.Header.Get("Authorization") != "Token right-key":
			http.Error(w, "{}", http.StatusUnauthorized)
			return
		case !known || len(parts) < 2:
			http.NotFound(w, r)
			return
		}
		rows := []object{}
		for id, title := range shows {
			if parts[1] == "events" && len(parts) == 2 {
				at := time.Now().Add(48 * time.Hour).Truncate(24 * time.Hour).Format(time.RFC3339)
				rows = append(rows, object{"id": id, "title": title, "slug": id, "name": object{"en": title}, "live": true, "testmode": false, "currency": "EUR", "timezone": "UTC",
					"date_from": at, "starts_at": at, "updated_at": at, "has_subevents": false})
			}
		}
		json.NewEncoder(w).Encode(object{"count": len(rows), "next": nil, "results": rows}) // the test fails without it
	}))
	t.Cleanup(s.Close)
	return s
}

const miniProfile = `name: mini
base_url: "{server}"
vars: {server: "", account: "", currency: EUR, pin: ""}
headers: {X-Pin: "{pin}"}
auth: {kind: header, scheme: Token}
money: {unit: minor, currency: "{currency}"}
streams:
  - name: events
    path: "{account}/events"
    list: results
    gives: [event]
    records: '{id, title, starts_at, updated_at}'
`

// changedHouse is a house whose connection is changed, with its database.
type changedHouse struct {
	*store.Store
	t    *testing.T
	file string
	n    *connection
}

// read stores the performances of an account in a log, as a reading does before any figure is made of them.
func (h *changedHouse) read(log *store.Records, account map[string]string) {
	h.t.Helper()
	for id, title := range account {
		e := &record.Event{ID: id, Title: title, StartsAt: time.Now().Add(48 * time.Hour).Truncate(24 * time.Hour)}
		if _, err := log.Enter(h.t.Context(), time.Now(), e); err != nil {
			h.t.Fatal(err)
		}
	}
}

// start starts the house anew with the file, and returns its log.
func (h *changedHouse) start(more ...string) *store.Records {
	h.t.Helper()
	args := append([]string{"--config", h.file}, more...)
	c := serveCommandFor(h.t, nil, args...)
	s, err := c.validate()
	if err != nil {
		h.t.Fatal(err)
	}
	records, err := openRecords(h.t.Context(), h.Store, s)
	if err != nil {
		h.t.Fatal(err)
	}
	h.n = newConnection(c, h.file, environment{args: append([]string{"serve"}, args...)}, slog.New(slog.DiscardHandler))
	h.n.attach(runningHouse{Store: h.Store})
	return records
}

// check checks a form of pairs; fault is what is wrong with it.
func (h *changedHouse) check(pairs ...string) (change handlers.ConnectionChange, fault string) {
	h.t.Helper()
	form := url.Values{"part": {setup.PartService}, "seen": {h.n.Present("").Seen}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	change, err := h.n.Check(h.t.Context(), form)
	return change, faultCode(h.t, err)
}

func faultCode(t *testing.T, err error) string {
	t.Helper()
	if wrong, ok := errors.AsType[*setup.Fault](err); ok {
		return wrong.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

// change checks and stores, and fails unless that has a plan.
func (h *changedHouse) change(plan string, pairs ...string) handlers.ConnectionChange {
	h.t.Helper()
	change, fault := h.check(pairs...)
	if fault != "" || change.Plan != plan {
		h.t.Fatalf("%v: %q, plan %q, want %q", pairs, fault, change.Plan, plan)
	}
	if code := faultCode(h.t, change.Store()); code != "" {
		h.t.Fatalf("%v is not stored: %s", pairs, code)
	}
	return change
}

func (h *changedHouse) text() string {
	b, err := os.ReadFile(h.file)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// budgets returns how many settings a log has.
func budgets(t *testing.T, log *store.Records) (n int) {
	t.Helper()
	for _, err := range log.Heads(t.Context(), record.KindSetting) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// enterBudget enters a setting.
func enterBudget(t *testing.T, log *store.Records) {
	t.Helper()
	if _, err := log.Enter(t.Context(), time.Now(), &record.Setting{Name: record.SettingLicensed, Value: new(int64(900)), At: time.Now(), By: "Mia"}); err != nil {
		t.Fatal(err)
	}
}

func newChangedHouse(t *testing.T, at *httptest.Server) *changedHouse {
	directory := t.TempDir()
	db, err := store.Open(t.Context(), filepath.Join(directory, "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	h := &changedHouse{Store: db, t: t, file: filepath.Join(directory, "house.yaml")}
	write(t, h.file, fmt.Sprintf("# ours\npublic-url: http://127.0.0.1:8080\nprofile: pretix\nvar:\n  organizer: waag # the small hall\napi-url: %s\napi-key: right-key\nhook-secret: 0123456789abcdef0123456789abcdef\nrequests-per-minute: 6000\ndatabase: %s\n"+
		"oidc-issuer: https://id.example\noidc-client-id: housecount\nadmins: [ruben@dewaag.example]\n", at.URL, filepath.Join(directory, "house.db")))
	return h
}

// accountsOf has the house, another house at the same service, and one with the same short name and other performances.
func accountsOf() (here, elsewhere map[string]map[string]string) {
	waag, paard, other := map[string]string{}, map[string]string{}, map[string]string{}
	for i := range 4 {
		id := fmt.Sprint("show-", i)
		waag[id], other[id], paard[fmt.Sprint("gig-", i)] = "Show "+id, "Match "+id, "Gig"
	}
	return map[string]map[string]string{"waag": waag, "paard": paard}, map[string]map[string]string{"waag": other}
}

// Another account is another house: its figures are apart from those of the first, which come back with its values.
func TestConnectionToAnotherAccount(t *testing.T) {
	here, elsewhere := accountsOf()
	service, other := standIn(t, here), standIn(t, elsewhere)
	h := newChangedHouse(t, service)
	waag := h.start()
	h.read(waag, here["waag"])
	enterBudget(t, waag)
	before := h.text()
	for _, c := range []struct {
		what  string
		form  []string
		fault string
	}{
		{"no such organizer", []string{"api_url", service.URL, "var.organizer", "nobody"}, "not_here"},
		{"no organizer", []string{"api_url", service.URL, "var.organizer", " "}, "var"},
		{"garbage", []string{"api_url", service.URL, "var.organizer", "a\x00b"}, "var_unfit"},
		{"a path", []string{"api_url", service.URL, "var.organizer", ".."}, "var_unfit"},
		{"no such service", []string{"profile", "nonesuch"}, "service"},
		{"a file elsewhere", []string{"profile", "/etc/passwd"}, "service"},
		{"another service without a key", []string{"profile", "tito", "var.account", "x"}, "key"},
		{"another house at the same name", []string{"api_url", other.URL, "key", "right-key"}, "other_house"},
		{"an older form", []string{"seen", "0"}, "meanwhile"},
	} {
		if _, fault := h.check(c.form...); fault != c.fault {
			t.Errorf("%s: %q, want %q", c.what, fault, c.fault)
		}
	}
	if h.text() != before {
		t.Errorf("what was refused is stored: %s", h.text())
	}

	change := h.change(planAnew, "api_url", service.URL, "var.organizer", "paard")
	if change.Before != "organizer=waag" || change.After != "organizer=paard" || change.Found.First != "Gig" {
		t.Errorf("the change is %+v of %+v", change, change.Found)
	}
	if text := h.text(); !strings.Contains(text, "organizer: paard") || !strings.Contains(text, "# ours") || !strings.Contains(text, "# the small hall") || !h.n.Present("").Waits {
		t.Errorf("stored: %s", text)
	}
	if info, err := os.Stat(h.file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	// Back before a start: nothing is another house any more.
	h.change("", "api_url", service.URL, "var.organizer", "waag")
	if ok, err := h.Succeed(t.Context(), "pretix "); ok || err != nil {
		t.Error("a log of any name is taken", err)
	}
	write(t, h.file, strings.Replace(h.text(), "organizer: waag", "organizer: paard", 1))
	if code, _, stderr := runFor(t, nil, "serve", "--config", h.file, "--listen", "127.0.0.1:0"); code == exitOK || !strings.Contains(stderr, "another --profile or --var") {
		t.Errorf("what was taken back is started: %d %s", code, stderr)
	}
	write(t, h.file, strings.Replace(h.text(), "organizer: paard", "organizer: waag", 1))

	h.change(planAnew, "api_url", service.URL, "var.organizer", "paard")
	if paard := h.start(); budgets(t, paard) != 0 || budgets(t, waag) != 1 {
		t.Errorf("the new house has %d settings, the old one %d, want 0 and 1", budgets(t, paard), budgets(t, waag))
	}
	if _, fault := h.check("api_url", other.URL, "key", "right-key", "var.organizer", "waag"); fault != "other_house" {
		t.Errorf("another house goes on with the log of the first, whose name it has: %q", fault)
	}
	h.change(planBack, "api_url", service.URL, "var.organizer", "waag")
	if budgets(t, h.start()) != 1 {
		t.Error("the first house has lost its settings")
	}
}

// A service whose profile is a file beside the configuration is chosen; a variable that is another reading of the same house
// leaves what was read, and no secret is shown.
func TestConnectionWithAProfileOfItsOwn(t *testing.T) {
	here, elsewhere := accountsOf()
	service, other := standIn(t, here), standIn(t, elsewhere)
	h := newChangedHouse(t, service)
	h.start()
	mini := filepath.Join(filepath.Dir(h.file), "mini.yaml")
	write(t, mini, miniProfile)
	write(t, filepath.Join(filepath.Dir(h.file), "notes.yaml"), "a: b\n")
	if p := h.n.Present(mini); p.Other == nil || p.Other.Service != "Mini" || len(p.Other.Vars) != 4 || !p.Other.NeedsKey {
		t.Fatalf("%+v", p)
	}
	if p := h.n.Present(filepath.Join(filepath.Dir(h.file), "notes.yaml")); p.Other != nil {
		t.Errorf("no profile is chosen: %+v", p.Other)
	}
	form := []string{"profile", mini, "var.server", service.URL, "var.account", "waag", "var.currency", "EUR", "var.pin", "4711-secret"}
	if _, fault := h.check(form...); fault != "key" {
		t.Errorf("the key of another service is used: %q", fault)
	}
	change := h.change(planAnew, append(form, "key", "right-key")...)
	if !strings.Contains(change.After, "account=waag") || strings.Contains(change.After+change.Before, "4711") {
		t.Errorf("audited %q, %q", change.Before, change.After)
	}
	if text := h.text(); strings.Contains(text, "hook-secret") || strings.Contains(text, "api-url") || !strings.Contains(text, "profile: "+mini) {
		t.Errorf("stored: %s", text)
	}
	log := h.start()
	h.read(log, here["waag"])
	enterBudget(t, log)
	for _, f := range h.n.Present("").Vars {
		if f.Name == "pin" && (!f.Secret || !f.Stored || f.Value != "") || f.Name == "account" && f.Value != "waag" {
			t.Errorf("shown %+v", f)
		}
	}
	if _, fault := h.check("var.server", other.URL); fault != "key_again" {
		t.Errorf("the stored key goes to another server: %q", fault)
	}
	if _, fault := h.check("var.server", other.URL, "key", "right-key"); fault != "secret_again" {
		t.Errorf("a stored secret variable goes to another server: %q", fault)
	}
	if change, fault := h.check("var.server", other.URL, "var.pin", "4711-secret", "key", "right-key"); fault != "" || change.Plan != planAnew {
		t.Errorf("a server with other performances: %q, the plan %q", fault, change.Plan)
	}

	// Two browsers: who is second is told.
	first, _ := h.check("var.currency", "CHF")
	second, _ := h.check("var.currency", "USD")
	if first.Plan != planReread || faultCode(t, first.Store()) != "" {
		t.Fatalf("the plan is %q", first.Plan)
	}
	if code := faultCode(t, second.Store()); code != "meanwhile" || strings.Contains(h.text(), "USD") {
		t.Errorf("the second is stored: %q %s", code, h.text())
	}
	if log := h.start(); budgets(t, log) != 1 || !strings.Contains(h.text(), "pin: 4711-secret") {
		t.Errorf("the house has %d settings, want its own: %s", budgets(t, log), h.text())
	}

	h.isNotWritten()

	// What the command line gives is said, and stays.
	h.start("--var", "server="+service.URL+",account=waag,currency=CHF,pin=4711-secret")
	if p := h.n.Present(""); p.GivenBy != (setup.Given{Where: "command_line", What: "--var"}) || p.Fixed != "" {
		t.Errorf("%+v", p)
	}
	if _, fault := h.check("profile", "tito", "key", "k", "var.account", "x"); fault != "service" {
		t.Errorf("the profile is changed: %q", fault)
	}
	if change, fault := h.check("var.account", "paard"); fault != "" || change.After != "" {
		t.Errorf("a variable of the command line is changed: %q, %+v", fault, change)
	}
}

// Of two processes with one file, the one that does not know of the other's change stores nothing, and one whose file cannot
// be written leaves what the other noted: the next start reads the log that the file names.
func TestConnectionOfTwoProcesses(t *testing.T) {
	here, _ := accountsOf()
	here["third"] = map[string]string{"act-1": "Act"}
	service := standIn(t, here)
	h := newChangedHouse(t, service)
	h.read(h.start(), here["waag"])
	of := func() *changedHouse {
		n := newConnection(serveCommandFor(t, nil, "--config", h.file), h.file, environment{args: []string{"serve", "--config", h.file}}, slog.New(slog.DiscardHandler))
		n.attach(runningHouse{Store: h.Store})
		return &changedHouse{Store: h.Store, t: t, file: h.file, n: n}
	}
	late := of()
	checked, _ := late.check("api_url", service.URL, "var.organizer", "third")
	h.change(planAnew, "api_url", service.URL, "var.organizer", "paard")
	first, err := h.Succession(t.Context())
	if err != nil || first.To == "" {
		t.Fatalf("noted is %+v (%v)", first, err)
	}
	if _, fault := late.check("api_url", service.URL, "var.organizer", "third"); fault != "meanwhile" {
		t.Errorf("who does not know of the change: %q", fault)
	}
	if code := faultCode(t, checked.Store()); code != "meanwhile" {
		t.Errorf("what was checked before the change is stored: %q", code)
	}
	second := of()
	change, fault := second.check("api_url", service.URL, "var.organizer", "third")
	if fault != "" {
		t.Fatal(fault)
	}
	if err := os.MkdirAll(filepath.Join(h.file+".new", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if code := faultCode(t, change.Store()); code != "write" {
		t.Errorf("it is written: %q", code)
	}
	if noted, err := h.Succession(t.Context()); err != nil || noted != first {
		t.Errorf("noted is %+v (%v), want %+v", noted, err, first)
	}
	h.start()
}

// isNotWritten changes a house whose file cannot be written: nothing is changed, nor which log is read.
func (h *changedHouse) isNotWritten() {
	t := h.t
	t.Helper()
	before := h.text()
	if err := os.MkdirAll(filepath.Join(h.file+".new", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	change, _ := h.check("var.currency", "GBP")
	if code := faultCode(t, change.Store()); code != "write" || h.text() != before {
		t.Errorf("%q: %s", code, h.text())
	}
	was, err := h.Services(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(h.file + ".new"); err != nil {
		t.Fatal(err)
	}
	write(t, h.file, strings.Replace(before, "CHF", "GBP", 1))
	c := serveCommandFor(t, nil, "--config", h.file)
	s, err := c.validate()
	if err == nil {
		_, err = openRecords(t.Context(), h.Store, s)
	}
	if is, _ := h.Services(t.Context()); err == nil || len(is) != len(was) {
		t.Errorf("what was not stored is started (%v): %v, %v", err, was, is)
	}
	write(t, h.file, before)
}
