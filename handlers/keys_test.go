package handlers_test

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"housecount/web"
)

// made makes a key as an administrator, and returns what is shown once.
func (h *house) madeKey(t *testing.T, admin *browser, name string, role web.Role) string {
	t.Helper()
	p := admin.enter(web.KeysPath, web.SessionsPath, url.Values{"name": {name}, "role": {string(role)}})
	secret := regexp.MustCompile(`hc_[A-Z2-7]{26}`).FindString(p.body)
	if p.status != http.StatusOK || secret == "" {
		t.Fatalf("made: %d %s", p.status, p.body)
	}
	return secret
}

// program asks as a program does, without a session: with a key in the header.
func (h *house) program(t *testing.T, path, key string, header ...string) page {
	t.Helper()
	all := http.Header{}
	if key != "" {
		all.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(header); i += 2 {
		all.Set(header[i], header[i+1])
	}
	return h.browser(t).do(http.MethodGet, path, all)
}

// A key reads what pages show to its role, until it is revoked, and nothing is said without one.
func TestKeys(t *testing.T) {
	h, _ := lettersHouse(t)
	admin := h.loggedIn(t, web.Admin)
	manager, door := h.madeKey(t, admin, "Finance <b>", web.Manager), h.madeKey(t, admin, "Calendar", web.Door)
	for _, c := range []struct {
		path, key string
		status    int
		has       string
	}{
		{"/api/figures/tonight", "", http.StatusUnauthorized, "Authorization: Bearer KEY"},
		{"/api/figures/tonight", "hc_AAAAAAAAAAAAAAAAAAAAAAAAAA", http.StatusUnauthorized, "not good"},
		{"/api/calendar.ics?key=", "", http.StatusUnauthorized, "not good"},
		{"/api/figures/tonight", manager, http.StatusOK, `"booked_eur":`},
		{"/api/figures/tonight?key=" + manager, "", http.StatusOK, `"booked_eur":`},
		{"/api/figures/tonight", door, http.StatusOK, `"sold":`},
		{"/api/figures/revenue", manager, http.StatusOK, `"tables":`},
		{"/api/figures/revenue", door, http.StatusForbidden, "may not see revenue"},
		{"/api/figures/night?day=2026-11-21", door, http.StatusOK, `"Tosca"`},
		{"/api/figures/night?day=soon", door, http.StatusBadRequest, "day"},
		{"/api/figures/night?secret=1", door, http.StatusBadRequest, "secret"},
		{"/api/figures/settings", manager, http.StatusNotFound, "tonight, events, night, revenue"},
		{"/api/figures/events.csv?language=nl", manager, http.StatusOK, "Voorstelling"},
		{"/api/calendar.ics", door, http.StatusOK, "SUMMARY:Tosca"},
		{"/api/openapi.yaml", "", http.StatusOK, "/api/figures/{table}"},
	} {
		p := h.program(t, c.path, c.key)
		if p.status != c.status || !strings.Contains(p.body, c.has) {
			t.Errorf("%s: %d, want %d with %q in %s", c.path, p.status, c.status, c.has, p.body)
		}
		if p.status == http.StatusUnauthorized && p.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s does not say how to authenticate", c.path)
		}
		if c.key == door && regexp.MustCompile(`eur|EUR|€|1,?234`).MatchString(p.body) {
			t.Errorf("%s: the door sees amounts: %s", c.path, p.body)
		}
	}
	for _, secret := range []string{manager, door} {
		if strings.Contains(h.log.String(), secret) {
			t.Error("a key is in the log")
		}
	}
	people := admin.get(web.SessionsPath)
	if !strings.Contains(people.body, "Finance &lt;b&gt;") || strings.Contains(people.body, manager) {
		t.Error("the page of people does not list the key, or has the key itself")
	}
	for _, f := range []url.Values{{"name": {"x"}, "role": {"admin"}}, {"name": {"x"}, "role": {"owner"}}, {"name": {" "}, "role": {"door"}}, {"name": {strings.Repeat("x", 81)}, "role": {"door"}}} {
		if p := admin.enter(web.KeysPath, web.SessionsPath, f); p.status != http.StatusBadRequest {
			t.Errorf("%v: %d", f, p.status)
		}
	}
	if p := h.loggedIn(t, web.Manager).enter(web.KeysPath, web.SessionsPath, url.Values{"name": {"x"}, "role": {"door"}}); p.status != http.StatusForbidden {
		t.Errorf("a manager makes a key: %d", p.status)
	}
	id := regexp.MustCompile(`name="revoke" value="([0-9a-f]+)"`).FindAllStringSubmatch(people.body, -1)
	if len(id) != 2 {
		t.Fatalf("%d keys can be revoked, want 2", len(id))
	}
	for _, one := range id {
		admin.enter(web.KeysPath, web.SessionsPath, url.Values{"revoke": {one[1]}})
	}
	for _, path := range []string{"/api/figures/tonight", "/api/calendar.ics"} {
		if p := h.program(t, path, manager); p.status != http.StatusUnauthorized {
			t.Errorf("%s with a revoked key: %d", path, p.status)
		}
	}
}

// JSON and CSV say what the page's workbook says, typed; what a program has already is not sent again.
func TestKeysReadTables(t *testing.T) {
	h, _ := lettersHouse(t)
	key := h.madeKey(t, h.loggedIn(t, web.Admin), "Finance", web.Manager)
	p := h.program(t, "/api/figures/night?day=2026-11-21", key)
	var all struct {
		Name     string
		Position int64
		Tables   []struct {
			Columns []struct{ Key, Kind, Figure, Currency, Definition string }
			Rows    []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(p.body), &all); err != nil || len(all.Tables) != 2 || len(all.Tables[0].Rows) != 1 || len(all.Tables[1].Rows) != 1 || all.Position == 0 {
		t.Fatalf("%v in %s", err, p.body)
	}
	row := all.Tables[0].Rows[0]
	for name, want := range map[string]any{"title": "Tosca", "date": "2026-11-21", "time": "20:15", "capacity": 100., "sold": 2., "came": 1., "occupancy": .02, "booked_eur": 1235.56, "received_eur": nil} {
		if got, there := row[name]; got != want || !there {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, c := range all.Tables[0].Columns {
		if _, there := row[c.Key]; !there {
			t.Errorf("there is no value for the column %s", c.Key)
		}
		if c.Kind == "money" && (c.Currency != "EUR" || c.Figure == "" || c.Definition == "") {
			t.Errorf("an amount is described as %+v", c)
		}
	}
	tag := p.header.Get("ETag")
	if again := h.program(t, "/api/figures/night?day=2026-11-21", key, "If-None-Match", tag); tag == "" || again.status != http.StatusNotModified || again.body != "" {
		t.Errorf("again with %q: %d, %d bytes", tag, again.status, len(again.body))
	}
	for _, path := range []string{"/api/figures/night?day=2026-11-20", "/api/figures/night?day=2026-11-21&language=nl"} {
		if other := h.program(t, path, key, "If-None-Match", tag); other.status != http.StatusOK {
			t.Errorf("%s with the tag of another address: %d", path, other.status)
		}
	}
	p = h.program(t, "/api/figures/night.csv?day=2026-11-21", key)
	rows, err := csv.NewReader(strings.NewReader(p.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != "Tosca" {
		t.Errorf("%q (%v)", rows, err)
	}
	h.ready.Store(false)
	if p := h.program(t, "/api/figures/night", key); p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" {
		t.Errorf("without figures: %d", p.status)
	}
}

// A program is told in a line of text what is wrong, also where there is nothing, and how to ask again.
func TestKeysAreToldWhatIsWrong(t *testing.T) {
	h, _ := lettersHouse(t)
	key := h.madeKey(t, h.loggedIn(t, web.Admin), "Finance", web.Manager)
	text := func(what string, p page, status int, has string) {
		t.Helper()
		if p.status != status || !strings.Contains(p.body, has) || !strings.HasPrefix(p.header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d (%s) %s, want %d with %q", what, p.status, p.header.Get("Content-Type"), p.body, status, has)
		}
	}
	text("another address", h.program(t, "/api/sales", key), http.StatusNotFound, "/api/openapi.yaml")
	for _, path := range []string{"/api/figures/tonight", "/api/calendar.ics", "/api/x"} {
		p := h.browser(t).do(http.MethodPost, path, http.Header{"Authorization": {"Bearer " + key}})
		text("POST "+path, p, http.StatusMethodNotAllowed, "GET")
		if p.header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s may be %q", path, p.header.Get("Allow"))
		}
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	text("without a database", h.program(t, "/api/figures/tonight", key), http.StatusInternalServerError, "something went wrong")
}

// A program gets no second copy of an unchanged answer. On the next day the answer is another, even if the service reported nothing new.
func TestKeysHaveTheHour(t *testing.T) {
	h, clock := lettersHouse(t)
	key := h.madeKey(t, h.loggedIn(t, web.Admin), "Finance", web.Manager)
	for _, path := range []string{"/api/figures/tonight", "/api/figures/tonight.csv"} {
		clock("2026-11-21 19:40")
		tag := h.program(t, path, key).header.Get("ETag")
		if p := h.program(t, path, key, "If-None-Match", tag); p.status != http.StatusNotModified {
			t.Errorf("%s again: %d", path, p.status)
		}
		clock("2026-11-22 19:40")
		if p := h.program(t, path, key, "If-None-Match", tag); p.status != http.StatusOK || !strings.Contains(p.body, "Fado") || strings.Contains(p.body, "Tosca") {
			t.Errorf("%s the next day: %d %s", path, p.status, p.body)
		}
	}
}
