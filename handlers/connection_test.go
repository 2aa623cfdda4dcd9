package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/setup"
)

// connected is a connection whose service takes one key.
type connected struct {
	present setup.Connection
	stored  []string
	broken  bool // it cannot be stored
	allows  bool // a person has to allow housecount there
	asked   int  // how often
}

func (c *connected) Present(chosen string) setup.Connection {
	p := c.present
	if chosen == "mini" {
		p.Other = &setup.Other{Profile: "mini", Service: "Mini", NeedsKey: true, Vars: []setup.Field{{Name: "organizer", Value: "waag"}, {Name: "pin", Secret: true}}}
	}
	return p
}

func (c *connected) Waits() bool { return c.present.Waits }

func (c *connected) Check(_ context.Context, form url.Values) (handlers.ConnectionChange, error) {
	if form.Get("part") == setup.PartService && form.Get("key") != "right-key" {
		return handlers.ConnectionChange{}, &setup.Fault{Code: "unauthorized", What: "events"}
	}
	change := handlers.ConnectionChange{Before: c.present.APIURL, After: form.Get("api_url") + form.Get("issuer"), Store: func() error {
		if c.broken {
			return &setup.Fault{Code: "write"}
		}
		c.stored = append(c.stored, form.Get("part"))
		return nil
	}}
	if form.Get("profile") == "mini" {
		change.Plan, change.Found, change.After = "anew", &setup.Found{Tonight: 3, Sold: 214, SoldKnown: true}, "Mini, organizer="+form.Get("var.organizer")
	}
	return change, nil
}

// Allow leads to a service whose answer is good with the code and with the state of the last question.
func (c *connected) Allow(back string) (all []*handlers.Allowance) {
	if !c.allows {
		return nil
	}
	for _, service := range []string{"Weeztix", "Weeztix (bar)"} {
		all = append(all, c.allow(service, back))
	}
	return all
}

func (c *connected) allow(service, back string) *handlers.Allowance {
	c.asked++
	state := fmt.Sprint("state-", c.asked)
	return &handlers.Allowance{Service: service, State: state, Address: "https://login.example/allow?" + url.Values{"redirect_uri": {back}, "state": {state}}.Encode(),
		Finish: func(_ context.Context, answer url.Values) (func(context.Context) error, error) {
			if answer.Get("state") != state {
				return nil, &setup.Fault{Code: "other_answer"}
			}
			if answer.Get("code") != "the-code" {
				return nil, &setup.Fault{Code: "declined"}
			}
			return func(context.Context) error { c.stored = append(c.stored, "grant of "+service); return nil }, nil
		}}
}

// An administrator allows housecount again at a service that takes what was allowed no longer: in the session that was asked,
// and nobody else's answer is taken.
func TestConnectionIsAllowedAgain(t *testing.T) {
	c := &connected{allows: true, present: setup.Connection{File: "/etc/house.yaml", Profile: "weeztix", Service: "Weeztix"}}
	h := newHouse(t, func(o *handlers.Options) { o.Connection = c })
	manager, admin, second := h.loggedIn(t, web.Manager), h.loggedIn(t, web.Admin), h.loggedIn(t, web.Admin)
	leadsTo := func(b *browser, service string) string {
		t.Helper()
		m := regexp.MustCompile(`href="(https://login\.example/allow[^"]*)">Allow at ` + regexp.QuoteMeta(service) + `<`).FindStringSubmatch(b.get(web.ConnectionPath).body)
		if m == nil {
			t.Fatal("the page leads nowhere")
		}
		u, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
		if err != nil || !strings.HasSuffix(u.Query().Get("redirect_uri"), setup.AuthorizedPath) {
			t.Fatalf("it leads to %s (%v)", m[1], err)
		}
		return u.Query().Get("state")
	}
	leads := func(b *browser) string { return leadsTo(b, "Weeztix") }
	back := func(b *browser, code, state string) page {
		return b.get(setup.AuthorizedPath + "?" + url.Values{"code": {code}, "state": {state}}.Encode())
	}
	first := leads(admin)
	for what, p := range map[string]page{"a manager": back(manager, "the-code", first), "another administrator who was not asked": back(second, "the-code", first)} {
		if p.status != http.StatusForbidden && p.status != http.StatusUnprocessableEntity || c.stored != nil {
			t.Errorf("%s: %d, stored %v", what, p.status, c.stored)
		}
	}
	if p := back(admin, "the-code", "state-guessed"); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "older question") || c.stored != nil {
		t.Errorf("the answer to no question: %d %s, stored %v", p.status, p.body, c.stored)
	}
	if p := back(admin, "guessed-77", leads(admin)); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "did not allow it") || strings.Contains(p.body, "guessed-77") || c.stored != nil {
		t.Errorf("not allowed: %d %s, stored %v", p.status, p.body, c.stored)
	}
	if acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActServiceChanged}, 0, 10); err != nil || len(acts) > 0 {
		t.Errorf("before anything was stored: %+v (%v)", acts, err)
	}
	leads(admin) // in another tab
	if p := back(admin, "the-code", first); p.status != http.StatusOK || !strings.Contains(p.body, "Allowed. It is used at once.") || !slices.Equal(c.stored, []string{"grant of Weeztix"}) {
		t.Errorf("allowed: %d %s, stored %v", p.status, p.body, c.stored)
	}
	if acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActServiceChanged}, 0, 10); err != nil || len(acts) != 1 || acts[0].After != "Weeztix, authorize" {
		t.Errorf("audited %+v (%v)", acts, err)
	}
	if p := back(admin, "the-code", first); p.status != http.StatusUnprocessableEntity || len(c.stored) != 1 {
		t.Errorf("the same answer again: %d %s, stored %v", p.status, p.body, c.stored)
	}
	if strings.Contains(h.log.String(), "the-code") {
		t.Error("the log has the code")
	}
	if p := back(admin, "the-code", leadsTo(admin, "Weeztix (bar)")); p.status != http.StatusOK || c.stored[len(c.stored)-1] != "grant of Weeztix (bar)" {
		t.Errorf("allowed at another service: %d %s, stored %v", p.status, p.body, c.stored)
	}
	c.allows = false
	if p := admin.get(web.ConnectionPath); strings.Contains(p.body, "Allow at") {
		t.Error("a service with a key asks for somebody's permission")
	}
}

// Another service is stored when somebody has said that what becomes of the figures is meant: who checked it, in that session
// and within ten minutes, once.
func TestConnectionToAnotherService(t *testing.T) {
	c := &connected{present: setup.Connection{File: "/etc/house.yaml", Profile: "pretix", Service: "pretix", APIURL: "https://old.example", NeedsKey: true, KeyStored: true, Seen: "seen-1",
		Services: []web.Choice{{ID: "pretix", Name: "pretix", Chosen: true}, {ID: "mini", Name: "Mini"}}, Vars: []setup.Field{{Name: "organizer", Value: "havendam"}, {Name: "pin", Secret: true, Stored: true}}}}
	h := newHouse(t, func(o *handlers.Options) { o.Connection = c })
	manager, admin, second := h.loggedIn(t, web.Manager), h.loggedIn(t, web.Admin), h.loggedIn(t, web.Admin)
	form := url.Values{"part": {"service"}, "profile": {"mini"}, "var.organizer": {"paard"}, "key": {"right-key"}, "seen": {"seen-1"}}
	if p := manager.get(web.ConnectionPath + "?profile=mini"); p.status != http.StatusForbidden || strings.Contains(p.body, "Mini") {
		t.Errorf("a manager: %d %s", p.status, p.body)
	}
	if p := manager.enter(web.ConnectionPath, web.ConnectionPath, form); p.status != http.StatusForbidden {
		t.Errorf("a manager's form: %d", p.status)
	}
	for language, want := range map[string]string{"nl": "Een andere dienst", "de": "Ein anderer Dienst"} {
		if p := admin.get(web.ConnectionPath + "?language=" + language); !strings.Contains(p.body, want) {
			t.Errorf("no %q: %s", want, p.body)
		}
	}
	admin.get(web.ConnectionPath + "?language=en")
	p := admin.get(web.ConnectionPath)
	for _, want := range []string{"havendam", `<option value="mini"`, `value="seen-1"`, `name="var.pin" type="password"`} {
		if !strings.Contains(p.body, want) {
			t.Errorf("no %q: %s", want, p.body)
		}
	}
	p = admin.get(web.ConnectionPath + "?profile=mini")
	for _, want := range []string{`name="profile" value="mini"`, `name="var.organizer" value="waag"`, `name="key" type="password" required`} {
		if !strings.Contains(p.body, want) {
			t.Errorf("of the other service: no %q: %s", want, p.body)
		}
	}
	form.Set("key", "wrong-key-7")
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "refuses the key") || !strings.Contains(p.body, `value="paard"`) || strings.Contains(p.body, "wrong-key") {
		t.Errorf("a wrong key: %d %s", p.status, p.body)
	}
	form.Set("key", "right-key")
	ask := func(b *browser) string {
		t.Helper()
		p := b.enter(web.ConnectionPath, web.ConnectionPath, form)
		m := regexp.MustCompile(`name="confirm" value="(\w+)"`).FindStringSubmatch(p.body)
		if p.status != http.StatusOK || m == nil || !strings.Contains(p.body, "3 performances tonight, 214 sold") || !strings.Contains(p.body, "another house") || strings.Contains(p.body, "right-key") {
			t.Fatalf("what is to be confirmed: %d %s", p.status, p.body)
		}
		return m[1]
	}
	confirm := func(b *browser, id string) page {
		return b.enter(web.ConnectionPath, web.ConnectionPath, url.Values{"part": {"service"}, "confirm": {id}})
	}
	id := ask(admin)
	for what, p := range map[string]page{"another session": confirm(second, id), "what was not asked": confirm(admin, "made-up"), "a manager": confirm(manager, id)} {
		if p.status != http.StatusUnprocessableEntity && p.status != http.StatusForbidden || c.stored != nil {
			t.Errorf("%s confirms: %d %s, stored %v", what, p.status, p.body, c.stored)
		}
	}
	if acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActServiceChanged}, 0, 10); err != nil || len(acts) > 0 {
		t.Errorf("before it is confirmed: %+v (%v)", acts, err)
	}
	// Whatever part the confirmation names, it is audited as what was checked.
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, url.Values{"part": {"sign_in"}, "confirm": {id}}); p.status != http.StatusSeeOther || !slices.Equal(c.stored, []string{"service"}) {
		t.Errorf("confirmed: %d %s, stored %v", p.status, p.body, c.stored)
	}
	if p := confirm(admin, id); p.status != http.StatusUnprocessableEntity || len(c.stored) != 1 || !strings.Contains(p.body, "too long ago") {
		t.Errorf("confirmed twice: %d, stored %v", p.status, c.stored)
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActServiceChanged}, 0, 10)
	if err != nil || len(acts) != 1 || acts[0].After != "Mini, organizer=paard" {
		t.Errorf("audited %+v (%v)", acts, err)
	}

	// A session that ends between the two stores nothing.
	c.stored, id = nil, ask(second)
	if p := second.enter("/logout", web.ConnectionPath, nil); p.status >= http.StatusInternalServerError {
		t.Fatalf("signing out: %d", p.status)
	}
	if p := confirm(second, id); p.status == http.StatusOK || c.stored != nil {
		t.Errorf("after the session ended: %d, stored %v", p.status, c.stored)
	}
	if p := confirm(h.loggedIn(t, web.Admin), id); p.status != http.StatusUnprocessableEntity || c.stored != nil {
		t.Errorf("in a later session: %d, stored %v", p.status, c.stored)
	}
}

// An administrator changes the service and the sign-in; nobody else sees them, what is refused is not stored, and no
// secret is shown or audited.
func TestConnection(t *testing.T) {
	c := &connected{present: setup.Connection{File: "/etc/house.yaml", Service: "pretix", APIURL: "https://old.example", NeedsKey: true, KeyStored: true, Vars: []setup.Field{{Name: "organizer", Value: "havendam"}},
		PublicURL: "https://dash.example", Issuer: "https://id.example", LoginID: "housecount", SecretStored: true}}
	h := newHouse(t, func(o *handlers.Options) { o.Connection = c })
	manager := h.loggedIn(t, web.Manager)
	if p := manager.get(web.ConnectionPath); p.status != http.StatusForbidden || strings.Contains(p.body, "old.example") {
		t.Errorf("a manager: %d %s", p.status, p.body)
	}
	form := url.Values{"part": {"service"}, "api_url": {"https://new.example"}, "key": {"right-key"}}
	if p := manager.enter(web.ConnectionPath, web.ConnectionPath, form); p.status != http.StatusForbidden || len(c.stored) > 0 {
		t.Errorf("a manager's form: %d, %v", p.status, c.stored)
	}
	admin := h.loggedIn(t, web.Admin)
	p := admin.get(web.ConnectionPath)
	for _, want := range []string{"Read from", "/etc/house.yaml", "pretix", "https://old.example", "Short name of the organizer", "havendam", "https://id.example", "stored", `name="key" type="password"`} {
		if p.status != http.StatusOK || !strings.Contains(p.body, want) {
			t.Errorf("%d, no %q: %s", p.status, want, p.body)
		}
	}
	if p := admin.get(web.SettingsPath); !strings.Contains(p.body, `href="`+web.ConnectionPath+`"`) {
		t.Error("no link in the settings")
	}
	form.Set("key", "wrong-key-7")
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "refuses the key") || !strings.Contains(p.body, "https://new.example") || strings.Contains(p.body, "wrong-key") {
		t.Errorf("a wrong key: %d %s", p.status, p.body)
	} else if strings.Count(p.body, "https://new.example") != 1 || !strings.Contains(p.body, "<bdi>https://old.example</bdi>") {
		t.Errorf("what was typed stands as if it were stored: %s", p.body)
	}
	form.Set("key", "right-key")
	c.broken = true
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "cannot be written") {
		t.Errorf("a file that cannot be written: %d %s", p.status, p.body)
	}
	c.broken = false
	for _, form := range []url.Values{form, {"part": {"sign_in"}, "issuer": {"https://other.example"}}} {
		if p := admin.enter(web.ConnectionPath, web.ConnectionPath, form); p.status != http.StatusSeeOther || p.header.Get("Location") != web.ConnectionPath+"?saved=1" {
			t.Errorf("%v: %d %s", form, p.status, p.body)
		}
	}
	if p := admin.get(web.ConnectionPath + "?saved=1"); !strings.Contains(p.body, "takes effect when housecount is started again") {
		t.Errorf("after it: %s", p.body)
	}
	if !slices.Equal(c.stored, []string{"service", "sign_in"}) {
		t.Errorf("stored %v", c.stored)
	}
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, url.Values{"part": {"other"}}); p.status != http.StatusBadRequest {
		t.Errorf("another part: %d", p.status)
	}
	for action, after := range map[string]string{store.ActServiceChanged: "https://new.example", store.ActSignInChanged: "https://other.example"} {
		acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: action}, 0, 10)
		if err != nil || len(acts) == 0 || acts[0].Before != "https://old.example" || acts[0].After != after || acts[0].Name == "" {
			t.Errorf("%s: %+v (%v)", action, acts, err)
		}
	}
	if p := admin.get(web.SessionsPath + "?what=service_changed&days=all"); !strings.Contains(p.body, "Changed the ticketing service") || !strings.Contains(p.body, "https://new.example") {
		t.Errorf("the audit: %s", p.body)
	}
	if strings.Contains(h.log.String(), "right-key") {
		t.Error("the log has the key")
	}

	c.present.APIURL, c.stored = "", nil
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, url.Values{"part": {"sign_in"}}); p.status != http.StatusSeeOther || p.header.Get("Location") != web.ConnectionPath || c.stored != nil {
		t.Errorf("nothing changed: %d %s, %v", p.status, p.header.Get("Location"), c.stored)
	}
	c.present.FixedSignIn = "oauth"
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, url.Values{"part": {"sign_in"}}); p.status != http.StatusConflict {
		t.Errorf("a sign-in that is fixed: %d", p.status)
	}
	c.present.Fixed, c.stored = "elsewhere", nil
	if p := admin.get(web.ConnectionPath); !strings.Contains(p.body, "The command line or the environment") || strings.Contains(p.body, "<form method=\"post\" action=\""+web.ConnectionPath) {
		t.Errorf("fixed: %s", p.body)
	}
	if p := admin.enter(web.ConnectionPath, web.ConnectionPath, form); p.status != http.StatusConflict || c.stored != nil {
		t.Errorf("fixed: %d, %v", p.status, c.stored)
	}
}
