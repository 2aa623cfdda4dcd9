package handlers_test

import (
	"context"
	"net/http"
	"net/url"
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
}

func (c *connected) Present() setup.Connection { return c.present }

func (c *connected) Check(_ context.Context, form url.Values) (handlers.ConnectionChange, error) {
	if form.Get("part") == setup.PartService && form.Get("key") != "right-key" {
		return handlers.ConnectionChange{}, &setup.Fault{Code: "unauthorized", What: "events"}
	}
	return handlers.ConnectionChange{Before: c.present.APIURL, After: form.Get("api_url") + form.Get("issuer"), Store: func() error {
		if c.broken {
			return &setup.Fault{Code: "write"}
		}
		c.stored = append(c.stored, form.Get("part"))
		return nil
	}}, nil
}

// An administrator changes the service and the sign-in; nobody else sees them, what is refused is not stored, and no
// secret is shown or audited.
func TestConnection(t *testing.T) {
	c := &connected{present: setup.Connection{File: "/etc/house.yaml", Service: "pretix", APIURL: "https://old.example", NeedsKey: true, KeyStored: true, Vars: []string{"organizer"},
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
	for _, want := range []string{"Read from", "/etc/house.yaml", "pretix", "https://old.example", "organizer", "https://id.example", "stored", `name="key" type="password"`} {
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
