package handlers_test

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"html"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/words"
)

// What is to be recorded is, each once, and the log has the persons and no secret.
func TestWhatIsRecorded(t *testing.T) {
	h := newHouse(t, nil)
	site := h.replica.Load()
	h.idp.set(func(p *standIn) { p.refreshes = true })
	b := h.loggedIn(t, web.Manager)
	tokens := []string{b.session()}
	h.idp.set(func(p *standIn) { p.who["roles"] = []string{"door"} })
	h.later(t, 10*time.Minute)
	if err := site.Touch(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.askAgain(t)
	h.idp.as("the janitor", "janitor")
	if p := b.get("/login?another=1"); p.status != http.StatusForbidden {
		t.Errorf("status %d", p.status)
	}
	b = h.loggedIn(t, web.Door)
	tokens = append(tokens, b.session())
	h.idp.as("the box_office", "box_office")
	if p := b.get("/login?another=1"); p.status != http.StatusOK {
		t.Errorf("status %d", p.status)
	}
	b.stay().do(http.MethodPost, "/logout", nil)
	b, _ = h.mia(t, "sid-of-mia")
	tokens = append(tokens, b.session())
	if p := h.backchannel(t, h.idp.logoutToken(nil)); p.status != http.StatusOK {
		t.Errorf("status %d", p.status)
	}
	for range 3 {
		h.browser(t).get("/login/callback?state=x&code=secret-code")
	}
	stranger := h.browser(t)
	at := stranger.stopBefore("/login/callback", "/login")
	q := at.Query()
	q.Set("error", "access_denied")
	at.RawQuery = q.Encode()
	stranger.get(at.String())
	b = h.loggedIn(t, web.Admin)
	tokens = append(tokens, b.session())
	if err := site.RecordRefusals(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"stranger login_refused of :  > , sign_in_cancelled",
		"stranger login_refused of :  > , sign_in_stale x3",
		"the admin login of :  > admin, ",
		"provider session_ended of mia:  > , provider",
		"mia login of :  > manager, ",
		"the box_office logout of Name of the box_office: box_office > , ",
		"the box_office login of :  > box_office, ",
		"the box_office session_ended of Name of the door:  > , replaced",
		"the door login of :  > door, ",
		"the janitor session_ended of Name of the manager:  > , no_role",
		"the janitor login_refused of :  > , no_role",
		"provider role_changed of Name of the manager: manager > door, ",
		"the manager login of :  > manager, ",
	}
	got := h.acts(t)
	slices.Sort(got[:2]) // which come in the order of how often
	if !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	log := h.log.String()
	for _, want := range []string{"action=login_refused", "action=role_changed", "action=logout", "action=session_ended", "reason=provider", "address=127.0.0.1",
		"person=mia", "session=" + store.HolderID(tokens[3])[:12]} {
		if want == "person=mia" || strings.HasPrefix(want, "session=") {
			b.get("/tonight")
			log = h.log.String()
			want = strings.Replace(want, "person=mia", `person="the admin"`, 1)
		}
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	for _, secret := range append(tokens, "secret-code", clientSecret) {
		if strings.Contains(log, secret) {
			t.Errorf("the log has a secret: %s", secret)
		}
	}
	// Each code has words, but for groups, which are the provider's.
	page := regexp.MustCompile(`group <bdi>[a-z_]*</bdi>`).ReplaceAllString(b.get("/sessions?days=all").body, "")
	if m := regexp.MustCompile(`>\s*[a-z]+(_[a-z]+)+\s*<`).FindString(page); m != "" {
		t.Errorf("the page shows the code %s", m)
	}
	w := words.Of(words.English)
	for family, codes := range map[string][]string{"ending": append(handlers.Endings, store.EndedIdle, store.EndedLimit, store.EndedMany, store.ActorCommand), "act": admin.Actions,
		"actor": {store.ActorStranger, store.ActorProvider, store.ActorCommand, store.ActorProgram}} {
		for _, code := range codes {
			if w.Code(family, code) == code {
				t.Errorf("there are no words for %s.%s", family, code)
			}
		}
	}
	for _, action := range []string{store.ActLogin, store.ActRefused, store.ActLogout, store.ActRoleChanged, store.ActSessionEnded} {
		if !slices.Contains(admin.Actions, action) {
			t.Errorf("%s cannot be asked for", action)
		}
	}
	// The janitor, who has no role, was turned away; those who did not sign in to the end were not.
	if want := `<dt>Turned away in 7 days</dt><dd class="v">1</dd><dd class="c"><bdi>`; !strings.Contains(page, want) {
		t.Errorf("no %s", want)
	}
	// The filter.
	for query, n := range map[string]int{"days=all": 13, "days=1&what=login": 5, "who=provider": 2, "who=" + url.QueryEscape(h.idp.URL+" the door"): 1, "who=" + url.QueryEscape(h.idp.URL+" the box_office"): 3, "skip=12": 1} {
		if got := strings.Count(b.get("/sessions?"+query).body, `<tr id="act-`); got != n {
			t.Errorf("%s shows %d acts, want %d", query, got, n)
		}
	}
}

// Where acts cannot be recorded, no administrator acts; everybody else signs in and out.
func TestActsWithoutRecord(t *testing.T) {
	h := newHouse(t, nil)
	admin, b := h.loggedIn(t, web.Admin), h.loggedIn(t, web.Door)
	hers := h.sessionOf(t, "the door")
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `DROP TABLE audit`); err != nil {
		t.Fatal(err)
	}
	if p := admin.post(h.URL+"/sessions/end", url.Values{"session": {hers}}); p.status != http.StatusInternalServerError || h.sessionOf(t, "the door") != hers {
		t.Errorf("a session was ended without a record: status %d", p.status)
	}
	if p := admin.get("/sessions/audit.csv"); p.status != http.StatusInternalServerError {
		t.Errorf("exported without a record: status %d", p.status)
	}
	b.stay().do(http.MethodPost, "/logout", nil)
	if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("nobody can log out: status %d", p.status)
	}
	h.loggedIn(t, web.Door)
	if log := h.log.String(); !strings.Contains(log, "an act is not in the audit") {
		t.Error("nobody is told")
	}
}

// The export is whole, however much was done.
func TestExportIsWhole(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
		INSERT INTO audit (at, actor, name, action, object, object_name, before, after, reason, count, address)
		SELECT 1, 'program', '', 'logout', i, '', '', '', '', 1, '' FROM n`); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(admin.get("/sessions/audit.csv?days=all&what=logout").body)).ReadAll()
	if err != nil || len(rows) != 2501 || rows[1][4] != "2500" || rows[1000][4] != "1501" || rows[1001][4] != "1500" || rows[2500][4] != "1" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// Names, addresses and user agents are strangers' texts, on the page and in the export.
func TestHostilePeople(t *testing.T) {
	h := newHouse(t, nil)
	admin := h.loggedIn(t, web.Admin)
	name := "=cmd|'/c calc'!A1<script>alert(1)</script>\u202e"
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": "+mallory \"><b>", "name": name, "roles": []string{"door"}}
	})
	b := h.browser(t)
	agent := http.Header{"User-Agent": {`"><img src=x onerror=alert(1)>/1.0 (Windows NT 10.0) ` + strings.Repeat("x", 9000)}}
	if p := b.do(http.MethodGet, "/login", agent); p.status != http.StatusOK {
		t.Fatalf("status %d", p.status)
	}
	p := admin.get("/sessions")
	for _, bad := range []string{"<script>alert", "<img", `mallory "><b>`, strings.Repeat("x", 100)} {
		if strings.Contains(p.body, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(p.body, "<bdi>"+html.EscapeString(name)+"</bdi>") {
		t.Errorf("the name is not shown: %s", p.body)
	}
	table := admin.get("/sessions/audit.csv?days=all")
	rows, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
	if err != nil || len(rows) != 4 || !strings.HasPrefix(table.header.Get("Content-Disposition"), `attachment; filename="housecount-audit-`) {
		t.Fatalf("%d rows, %v: %s", len(rows), err, table.body)
	}
	if rows[1][3] != "audit_exported" || rows[1][5] != "days=all" || rows[2][2] != "'"+name || rows[0][0] != "time" || rows[2][6] != "" || rows[2][7] != "door" {
		t.Errorf("exported %q", rows)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.Contains("=+-@\t\r", cell[:1]) {
				t.Errorf("a formula: %q", cell)
			}
		}
	}
}

// Strangers of however many addresses make few records, which count them all.
func TestRefusalsAreFew(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	b := h.browser(t)
	for i := range 30 {
		for range 1 + i%3 {
			b.do(http.MethodGet, "/login/callback?state=x", http.Header{"X-Forwarded-For": {fmt.Sprintf("192.0.2.%d", i)}})
		}
	}
	for range 2 { // the second time there is nothing more
		if err := h.replica.Load().RecordRefusals(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	apart, sum := 0, 0
	for _, a := range acts {
		sum += a.Count
		if a.Address != "" {
			apart++
		}
	}
	if len(acts) != 21 || apart != 20 || sum != 60 {
		t.Errorf("%d records of %d addresses count %d: %+v", len(acts), apart, sum, acts)
	}
}

// What is kept for so long is forgotten then.
func TestAuditIsKept(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.KeepAudit = 400 * 24 * time.Hour })
	h.loggedIn(t, web.Door)
	h.loggedIn(t, web.Manager)
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{`DROP TRIGGER audit_never_changes`, fmt.Sprintf(`UPDATE audit SET at = at - %d WHERE after = 'door'`, (401 * 24 * time.Hour).Milliseconds())} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.replica.Load().ClearOld(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := h.acts(t); len(got) != 1 || !strings.HasPrefix(got[0], "the manager") {
		t.Errorf("left %q", got)
	}
}
