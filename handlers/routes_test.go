package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/assets"
	"housecount/handlers"
	"housecount/web"
)

// Who may see what: every route for everybody.
func TestRoutes(t *testing.T) {
	h := newHouse(t, nil)
	const login = "303 /login"
	tokens := make(map[web.Role]string)
	for _, role := range web.Roles {
		tokens[role] = h.loggedIn(t, role).session()
	}
	for _, c := range []struct {
		method, path                            string
		anyone, door, boxOffice, manager, admin string
	}{
		{"GET", "/", "303 /tonight", "303 /tonight", "303 /tonight", "303 /tonight", "303 /tonight"},
		{"GET", "/tonight", login, "200", "200", "200", "200"},
		{"HEAD", "/tonight", login, "200", "200", "200", "200"},
		{"GET", "/tonight?x=1", login, "400", "400", "400", "400"},
		{"GET", "/tonight?%zz", login, "400", "400", "400", "400"},
		{"GET", "/events", login, "200", "200", "200", "200"},
		{"GET", "/events?q=an+evening&from=2026-11-01&to=&hall=&status=coming&free=1&sort=-title", login, "200", "200", "200", "200"},
		{"GET", "/events?status=open", login, "400", "400", "400", "400"},
		{"GET", "/events/" + eventID, login, "200", "200", "200", "200"},
		{"GET", "/events/evt_none", login, "404", "404", "404", "404"},
		{"GET", "/events/" + strings.Repeat("e", 300), login, "404", "404", "404", "404"},
		{"GET", "/events/" + eventID + "?event=" + eventID, login, "404", "404", "404", "404"},
		{"GET", "/events/", "404", "404", "404", "404", "404"},
		{"GET", "/revenue", login, "403", "403", "200", "200"},
		{"GET", "/revenue?period=week", login, "403", "403", "200", "200"},
		{"GET", "/revenue?period=season", login, "403", "403", "200", "200"},
		{"GET", "/revenue?period=8", login, "403", "403", "400", "400"},
		{"GET", "/revenue?period=-7", login, "403", "403", "400", "400"},
		{"GET", "/revenue?period=x", login, "403", "403", "400", "400"},
		{"GET", "/wall", login, "200", "200", "200", "200"},
		{"GET", "/wall?hall=Grote+zaal", login, "200", "200", "200", "200"},
		{"GET", "/wall?hall=Nergens", login, "404", "404", "404", "404"},
		{"GET", "/tonight?language=nl", login, "303 /tonight", "303 /tonight", "303 /tonight", "303 /tonight"},
		{"GET", "/tonight?language=xx", login, "400", "400", "400", "400"},
		{"GET", "/wall?hall=" + strings.Repeat("h", 300), login, "400", "400", "400", "400"},
		{"GET", "/wall?hall=%00", login, "400", "400", "400", "400"},
		{"GET", "/events?q=a%00", login, "400", "400", "400", "400"},
		{"GET", "/sessions?who=%00", login, "403", "403", "403", "400"},
		{"GET", "/wall?hall=%ff", login, "400", "400", "400", "400"},
		{"GET", "/screens", login, "403", "403", "403", "200"},
		{"GET", "/settings", login, "403", "403", "403", "200"},
		{"POST", "/settings", login, "403", "403", "403", "400"},
		{"GET", "/settings/connection", login, "403", "403", "403", "200"},
		{"POST", "/settings/connection", login, "403", "403", "403", "400"},
		{"POST", "/screens/act", login, "403", "403", "403", "400"},
		{"GET", "/screens/edit?screen=none", login, "403", "403", "403", "303 /screens"},
		{"POST", "/screens/edit", login, "403", "403", "403", "200"},
		{"GET", "/screens/revoke?screen=none", login, "403", "403", "403", "303 /screens"},
		{"POST", "/screens/revoke", login, "403", "403", "403", "303 /screens"},
		{"GET", "/screens/picture?screen=none", login, "403", "403", "403", "404"},
		{"GET", "/screens/message", login, "403", "403", "403", "200"},
		{"POST", "/screens/message", login, "403", "403", "403", "200"},
		{"POST", "/screens/withdraw", login, "403", "403", "403", "303 /screens"},
		{"GET", "/screens/programme", login, "403", "403", "403", "200"},
		{"POST", "/screens/programme", login, "403", "403", "403", "200"},
		{"GET", "/sessions/end?person=none", login, "403", "403", "403", "303 /sessions"},
		{"GET", "/login", "303 authorize", "303 /tonight", "303 /tonight", "303 /tonight", "303 /tonight"},
		{"GET", "/login/callback", "400", "303 /tonight", "303 /tonight", "303 /tonight", "303 /tonight"},
		{"GET", "/logout", "405", "405", "405", "405", "405"},
		{"GET", "/signed-out", "200", "303 /tonight", "303 /tonight", "303 /tonight", "303 /tonight"},
		{"GET", "/signed-out?return=/wall", "200", "200", "200", "200", "200"},
		{"POST", "/language", "400", "400", "400", "400", "400"},
		{"GET", "/healthz", "200", "200", "200", "200", "200"},
		{"GET", "/readyz", "200", "200", "200", "200", "200"},
		{"GET", "/favicon.ico", "200", "200", "200", "200", "200"},
		{"GET", "/robots.txt", "200", "200", "200", "200", "200"},
		{"GET", "/.well-known/security.txt", "404", "404", "404", "404", "404"},
		{"GET", "/manual", "200", "200", "200", "200", "200"},
		{"GET", "/manual?q=certificate", "200", "200", "200", "200", "200"},
		{"GET", "/manual?q=%00", "400", "400", "400", "400", "400"},
		{"GET", "/manual?%zz", "400", "400", "400", "400", "400"},
		{"GET", "/manual?q=" + strings.Repeat("q", 201), "400", "400", "400", "400", "400"},
		{"GET", "/manual/tls", "200", "200", "200", "200", "200"},
		{"GET", "/manual/nothing", "404", "404", "404", "404", "404"},
		{"POST", "/manual", "405", "405", "405", "405", "405"},
		{"GET", "/nowhere", "404", "404", "404", "404", "404"},
		{"GET", "/admin", "404", "404", "404", "404", "404"},
		{"GET", "/tonight/", "404", "404", "404", "404", "404"},
		{"POST", "/tonight", "405", "405", "405", "405", "405"},
		{"DELETE", "/events/" + eventID, "405", "405", "405", "405", "405"},
		{"PUT", "/live", "405", "405", "405", "405", "405"},
		{"POST", "/nowhere", "404", "404", "404", "404", "404"},
		// The last, as it ends the sessions.
		{"POST", "/logout", "303 /signed-out", "200", "200", "200", "200"},
	} {
		want := map[web.Role]string{"": c.anyone, web.Door: c.door, web.BoxOffice: c.boxOffice, web.Manager: c.manager, web.Admin: c.admin}
		for role, want := range want {
			t.Run(fmt.Sprintf("%s %.40s as %s", c.method, c.path, role), func(t *testing.T) {
				b := h.browser(t)
				if role != "" {
					b = h.withSession(t, tokens[role])
				}
				p := b.stay().do(c.method, c.path, nil)
				got := fmt.Sprint(p.status)
				if p.status == http.StatusSeeOther {
					u, err := url.Parse(p.header.Get("Location"))
					if err != nil {
						t.Fatal(err)
					}
					if u.Host != "" {
						u.Path = u.Path[1:] // the sign-in service's
					}
					got += " " + u.Path
				}
				if got != want {
					t.Errorf("got %s, want %s: %s", got, want, p.body)
				}
				if p.status == http.StatusMethodNotAllowed && p.header.Get("Allow") == "" {
					t.Error("405 without Allow")
				}
				if p.status >= 400 && c.method != "HEAD" {
					id := p.header.Get("X-Request-Id")
					if id == "" || !strings.Contains(p.body, id) || !strings.Contains(p.body, "<") {
						t.Errorf("no page with the request id %q: %s", id, p.body)
					}
				}
			})
		}
	}
}

// Who may not see a page reads who that is, with which role, and what to ask for; the log has it too.
func TestForbiddenNamesWhoAndWhat(t *testing.T) {
	h := newHouse(t, nil)
	p := h.loggedIn(t, web.BoxOffice).get("/revenue")
	for _, want := range []string{"Name of the box_office", "Box office", "Manager", "ask an administrator"} {
		if p.status != http.StatusForbidden || !strings.Contains(p.body, want) {
			t.Errorf("status %d, without %q: %s", p.status, want, p.body)
		}
	}
	if log := h.log.String(); !regexp.MustCompile(`path=/revenue status=403 .*person="the box_office" role=box_office session=\w+ `).MatchString(log) {
		t.Error("the log does not say who was refused what")
	}
}

// Who mistypes an address is told what is wrong with it and what it has to be.
func TestWrongParameters(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Manager)
	for path, want := range map[string]string{
		"/revenue?period=8":             "Its parameter &#34;period&#34; has to be today, yesterday, week, last_week, month, season or custom.",
		"/revenue?period=week&period=8": "Its parameter &#34;period&#34; is given more than once.",
		"/events?from=21-11-2026":       "Its parameter &#34;from&#34; has to be a day like 2026-11-21.",
		"/events?to=2026-02-30":         "Its parameter &#34;to&#34; has to be a day like 2026-11-21.",
		"/events?free=-1":               "Its parameter &#34;free&#34; has to be a whole number from 0 to 1000000.",
		"/events?free=many":             "Its parameter &#34;free&#34; has to be a whole number from 0 to 1000000.",
		"/events?skip=1000001":          "Its parameter &#34;skip&#34; has to be a whole number from 0 to 1000000.",
		"/events?status=Over":           "Its parameter &#34;status&#34; has to be coming, on-sale, sold-out, postponed, cancelled or over.",
		"/events?sort=price":            "Its parameter &#34;sort&#34; has to be date, -date, title, -title, hall, -hall, free, -free, sold, -sold, occupancy or -occupancy.",
		"/events?q=a&q=b":               "Its parameter &#34;q&#34; is given more than once.",
		"/wall?hal=%3Ci%3E":             "Its parameter &#34;hal&#34; is not known here: this page takes hall and language.",
		"/wall?%3Ci%3E=1":               "Its parameter &#34;&lt;i&gt;&#34; is not known here: this page takes hall and language.",
		"/tonight?%zz":                  "name=value",
	} {
		if p := b.get(path); p.status != http.StatusBadRequest || !strings.Contains(p.body, want) {
			t.Errorf("%s: status %d, want 400 with %q: %s", path, p.status, want, p.body)
		}
	}
}

func TestHeaders(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Manager)
	bodies := 0
	check := func(name string, header http.Header, hsts, csp string) {
		t.Helper()
		bodies++
		want := map[string]string{
			"Content-Security-Policy":      csp,
			"X-Content-Type-Options":       "nosniff",
			"Referrer-Policy":              "same-origin",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Strict-Transport-Security":    hsts,
		}
		for key, want := range want {
			if got := header.Get(key); got != want {
				t.Errorf("%s: %s: %q, want %q", name, key, got, want)
			}
		}
		if allowed := header.Get("Access-Control-Allow-Origin"); allowed != "" {
			t.Errorf("%s: other origins may read it: %q", name, allowed)
		}
		if header.Get("Permissions-Policy") == "" {
			t.Errorf("%s: no Permissions-Policy", name)
		}
	}
	csp := func(socket string) string {
		return "default-src 'self'; img-src 'self' data:; connect-src 'self' " + socket +
			"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
	}
	paths := []string{"/", "/tonight", "/events/" + eventID, "/events/none", "/revenue", "/wall", "/live?view=tonight", "/login",
		"/login/callback", "/logout", "/signed-out", "/assets/app.js", "/robots.txt", "/healthz", "/readyz", "/nowhere", "//tonight"}
	for _, path := range paths {
		p := b.stay().do("GET", h.URL+path, nil)
		check(path, p.header, "", csp("ws"+strings.TrimPrefix(h.URL, "http")))
		cached := strings.HasPrefix(path, "/assets/") || strings.HasPrefix(path, "/live")
		if got := p.header.Get("Cache-Control"); !cached && got != "no-store" && path != "//tonight" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
	}
	secure := (&house{idp: h.idp, log: h.log}).build(t, "https://figures.example:443/", nil)
	for _, path := range paths {
		w := httptest.NewRecorder()
		secure.ServeHTTP(w, httptest.NewRequest("GET", "https://figures.example"+path, nil))
		check("https "+path, w.Header(), "max-age=31536000", csp("wss://figures.example"))
	}
	below := (&house{idp: h.idp, log: h.log}).build(t, "https://figures.example", func(o *handlers.Options) { o.HSTSSubdomains = true })
	w := httptest.NewRecorder()
	below.ServeHTTP(w, httptest.NewRequest("GET", "https://figures.example/healthz", nil))
	check("with names below", w.Header(), "max-age=31536000; includeSubDomains", csp("wss://figures.example"))
	if bodies != 2*len(paths)+1 {
		t.Errorf("%d answers were checked", bodies)
	}
}

// What is at the addresses that browsers, robots and those who found a hole ask for by themselves.
func TestWellKnown(t *testing.T) {
	const address = "/.well-known/security.txt"
	for _, c := range []struct {
		name, path, want string
		contact          []string
		expires          time.Time
	}{
		{name: "robots", path: "/robots.txt", want: "User-agent: *\nDisallow: /\n"},
		{name: "icon", path: "/favicon.ico", want: string(assets.Icon)},
		{name: "contact", path: address, contact: []string{"mailto:security@house.example", "https://house.example/security"}, expires: time.Date(2126, 11, 1, 0, 0, 0, 0, time.UTC),
			want: "Contact: mailto:security@house.example\nContact: https://house.example/security\nExpires: 2126-11-01T00:00:00Z\nCanonical: https://figures.example/.well-known/security.txt\n"},
		{name: "no contact", path: address, expires: time.Date(2126, 11, 1, 0, 0, 0, 0, time.UTC)},
		{name: "expired", path: address, contact: []string{"mailto:security@house.example"}, expires: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &house{idp: &standIn{Server: &httptest.Server{URL: "http://127.0.0.1:1"}}, log: newLog(t)}
			site := h.build(t, "https://figures.example", func(o *handlers.Options) { o.SecurityContact, o.SecurityExpires = c.contact, c.expires })
			w := httptest.NewRecorder()
			site.ServeHTTP(w, httptest.NewRequest("GET", "https://figures.example"+c.path, nil))
			if c.want == "" && w.Code != http.StatusNotFound || c.want != "" && (w.Code != http.StatusOK || w.Body.String() != c.want) {
				t.Errorf("status %d: %s, want %q", w.Code, w.Body, c.want)
			}
		})
	}
}

func TestPanicIsA500(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	broken := func() *figures.Snapshot { panic(errors.New("the secret reason")) }
	h.snapshot.Store(&broken)
	p := b.get("/tonight")
	id := p.header.Get("X-Request-Id")
	if p.status != http.StatusInternalServerError || id == "" || !strings.Contains(p.body, id) || strings.Contains(p.body, "secret") {
		t.Errorf("status %d, request %q: %s", p.status, id, p.body)
	}
	for line := range strings.Lines(h.log.String()) {
		if strings.Contains(line, id) && strings.Contains(line, "level=ERROR") && strings.Contains(line, "the secret reason") &&
			strings.Contains(line, "routes_test.go") {
			return
		}
	}
	t.Errorf("the log lacks the reason and the place of request %s", id)
}

// What panics while it answers itself was not served.
func TestRawPanicIsA500(t *testing.T) {
	served := 0
	h := &house{idp: &standIn{Server: &httptest.Server{URL: "http://127.0.0.1:1"}}, log: newLog(t)}
	site := h.build(t, "https://figures.example", func(o *handlers.Options) {
		o.Ready = func() bool { panic("the reason") }
		o.Served = func(_ string, status int, _ time.Duration) { served = status }
	})
	defer func() {
		if p := recover(); p != http.ErrAbortHandler || served != http.StatusInternalServerError {
			t.Errorf("panicked with %v, served %d", p, served)
		}
	}()
	site.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "https://figures.example/readyz", nil))
}

func TestRequestIDIsOurs(t *testing.T) {
	h := newHouse(t, nil)
	p := h.browser(t).do("GET", "/nowhere", http.Header{"X-Request-Id": {"theirs"}})
	if got := p.header.Get("X-Request-Id"); got == "theirs" || strings.Contains(p.body, "theirs") || len(got) < 8 {
		t.Errorf("request id %q: %s", got, p.body)
	}
}

func TestCrossSitePost(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range []struct {
		name   string
		header http.Header
		status int
	}{
		{"cross-site", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}, 403},
		{"same site, other port", http.Header{"Sec-Fetch-Site": {"same-site"}, "Origin": {h.idp.URL}}, 403},
		{"an old browser at another site", http.Header{"Origin": {"https://evil.example"}}, 403},
		{"no origin to speak of", http.Header{"Origin": {"null"}}, 403},
		{"our own page", http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {h.URL}}, 200},
		{"our own page in an old browser", http.Header{"Origin": {h.URL}}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := h.loggedIn(t, web.Door)
			token := b.session()
			p := b.stay().do("POST", "/logout", c.header)
			if p.status != c.status {
				t.Errorf("status %d, want %d", p.status, c.status)
			}
			alive := h.withSession(t, token).stay().get("/tonight").status == http.StatusOK
			if alive != (c.status == 403) {
				t.Errorf("the session lives: %v", alive)
			}
		})
	}
}

func TestHealth(t *testing.T) {
	h := &house{still: true} // the audit is verified at the start, and would meet the closed database
	h.open(t, nil)
	b := h.browser(t)
	is := func(path string, status int, text string) {
		t.Helper()
		if p := b.get(path); p.status != status || !strings.Contains(p.body, text) {
			t.Errorf("%s: status %d %q, want %d with %q", path, p.status, p.body, status, text)
		}
	}
	is("/healthz", 200, "ok")
	is("/readyz", 200, "ok")
	h.ready.Store(false)
	is("/healthz", 200, "ok")
	is("/readyz", 503, "figures")
	h.ready.Store(true)
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	is("/healthz", 200, "ok")
	is("/readyz", 503, "database")
	for line := range strings.Lines(h.log.String()) {
		if !strings.Contains(line, "level=DEBUG") {
			t.Errorf("health checks make noise: %s", line)
		}
	}
}

// An event is unknown before the log has been replayed; that is no reason for a 404.
func TestEventBeforeReady(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	empty := func() *figures.Snapshot {
		return ledger.New(figures.Calendar{}).Snapshot(figures.Position{}, ledger.Coverage{})
	}
	h.snapshot.Store(&empty)
	h.ready.Store(false)
	if p := b.get("/events/" + eventID); p.status != http.StatusOK {
		t.Errorf("before the figures are there: status %d", p.status)
	}
	// What is taken away as data or as a table does not say that nothing was sold.
	manager := h.loggedIn(t, web.Manager)
	for _, path := range []string{"/explain/sold", "/explain/sold?event=" + eventID, "/tonight/figures.csv", "/revenue/figures.csv", "/tonight/table.xlsx", "/revenue/table.csv"} {
		if p := manager.do("GET", path, http.Header{"Accept": {"application/json"}}); p.status != http.StatusServiceUnavailable || p.header.Get("Retry-After") == "" || !strings.Contains(p.body, "being read") {
			t.Errorf("%s, before the figures are there: status %d %s", path, p.status, p.body)
		}
	}
	h.ready.Store(true)
	for _, path := range []string{"/explain/sold", "/tonight/figures.csv", "/revenue/table.xlsx", "/events/table.csv"} {
		if p := manager.get(path); p.status != http.StatusOK {
			t.Errorf("%s, afterwards: status %d", path, p.status)
		}
	}
	if p := b.get("/events/" + eventID); p.status != http.StatusNotFound {
		t.Errorf("afterwards: status %d", p.status)
	}
}

// A page's workbook is a download for whoever sees the page, noted in the audit log, and nobody else's.
func TestWorkbooks(t *testing.T) {
	h := newHouse(t, nil)
	door, manager := h.loggedIn(t, web.Door), h.loggedIn(t, web.Manager)
	for path, kind := range map[string]string{"/tonight/table.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "/events/table.csv?q=x": "text/csv; charset=utf-8; header=present", "/night/table.xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"} {
		p := door.get(path)
		_, extension, _ := strings.Cut(strings.Split(path, "?")[0], ".")
		if p.status != http.StatusOK || p.header.Get("Content-Type") != kind || !strings.HasSuffix(p.header.Get("Content-Disposition"), "."+extension+`"`) {
			t.Errorf("%s: status %d, %q, %q", path, p.status, p.header.Get("Content-Type"), p.header.Get("Content-Disposition"))
		}
	}
	for path, want := range map[string]int{"/revenue/table.xlsx": http.StatusForbidden, "/revenue/table.csv": http.StatusForbidden, "/night/table.csv?day=nonsense": http.StatusBadRequest, "/marketing/table.xlsx": http.StatusNotFound} {
		if p := door.get(path); p.status != want {
			t.Errorf("%s for a door: status %d, want %d", path, p.status, want)
		}
	}
	if p := manager.get("/revenue/table.xlsx?period=month"); p.status != http.StatusOK || !strings.HasPrefix(p.body, "PK") {
		t.Errorf("a manager's workbook: status %d", p.status)
	}
}

func TestCompression(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Manager)
	for accept, want := range map[string]string{"gzip": "gzip", "br": "br", "gzip, deflate, br, zstd": "zstd"} {
		if p := b.do("GET", "/tonight", http.Header{"Accept-Encoding": {accept}}); p.header.Get("Content-Encoding") != want {
			t.Errorf("for %s a page comes as %q", accept, p.header.Get("Content-Encoding"))
		}
	}
	zip := http.Header{"Accept-Encoding": {"gzip"}}
	if p := b.do("GET", "/healthz", zip); p.header.Get("Content-Encoding") != "" {
		t.Errorf("healthz comes as %q", p.header.Get("Content-Encoding"))
	}
}

// Cookies are of one name of the machine: whoever comes by another is sent to it.
func TestOtherNameOfLoopback(t *testing.T) {
	h := newHouse(t, nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(h.URL, "http://"), ":")
	for host, want := range map[string]string{
		"localhost:" + port: h.URL + "/wall?hall=a",
		"[::1]:" + port:     h.URL + "/wall?hall=a",
		"127.0.0.1:" + port: "/login?return=%2Fwall%3Fhall%3Da",
		"localhost:1":       "/login?return=%2Fwall%3Fhall%3Da",
		"proxy.example":     "/login?return=%2Fwall%3Fhall%3Da",
	} {
		r := httptest.NewRequest("GET", "/wall?hall=a", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.Config.Handler.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != want {
			t.Errorf("%s: sent to %q, want %q", host, got, want)
		}
	}
}
