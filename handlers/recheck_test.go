package handlers_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

// later makes it so long ago that the sign-in service was asked about any session.
func (h *house) later(t *testing.T, d time.Duration) {
	t.Helper()
	driver := "sqlite"
	if strings.HasPrefix(h.database, "postgres:") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`UPDATE session SET checked = checked - %d`, d.Milliseconds())); err != nil {
		t.Fatal(err)
	}
}

func (h *house) askAgain(t *testing.T) {
	t.Helper()
	if err := h.replica.Load().Recheck(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What the sign-in service says of a session after the login takes effect.
func TestRecheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *standIn)
		// code is that of the open socket, 0 when it stays; revenue the status of the managers' page.
		code    live.CloseCode
		revenue int
	}{
		{"nothing new", func(p *standIn) {}, 0, http.StatusOK},
		{"fewer rights", func(p *standIn) { p.who["roles"] = []string{"door"} }, live.CloseForbidden, http.StatusForbidden},
		{"no role", func(p *standIn) { p.who["roles"] = []string{"janitor"} }, live.CloseSignedOut, http.StatusSeeOther},
		{"an empty claim", func(p *standIn) { p.who["roles"] = []string{} }, live.CloseSignedOut, http.StatusSeeOther},
		{"the renewed ID token does not have the claim", func(p *standIn) { delete(p.who, "roles") }, 0, http.StatusOK},
		{"somebody else without the claim", func(p *standIn) { p.who = map[string]any{"sub": "dan"} }, live.CloseSignedOut, http.StatusSeeOther},
		{"ended", func(p *standIn) { p.refresh = "" }, live.CloseSignedOut, http.StatusSeeOther},
		{"the token was stolen and used", func(p *standIn) { p.refresh = "another" }, live.CloseSignedOut, http.StatusSeeOther},
		{"somebody else", func(p *standIn) { p.who["sub"] = "dan" }, live.CloseSignedOut, http.StatusSeeOther},
		{"down", func(p *standIn) { p.down = true }, 0, http.StatusOK},
		{"its own fault", func(p *standIn) {
			p.refreshed = func(w http.ResponseWriter) bool {
				http.Error(w, "{}", http.StatusInternalServerError)
				return true
			}
		}, 0, http.StatusOK},
		{"our secret was changed", func(p *standIn) {
			p.refreshed = func(w http.ResponseWriter) bool {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				json.NewEncoder(w).Encode(map[string]string{"error": "invalid_client"})
				return true
			}
		}, 0, http.StatusOK},
		{"no ID token", func(p *standIn) {
			p.refreshed = func(w http.ResponseWriter) bool {
				w.Header().Set("Content-Type", "application/json")
				json.NewEncoder(w).Encode(map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 60})
				return true
			}
		}, 0, http.StatusOK},
		{"an ID token of a stranger", func(p *standIn) { p.tamper = func(_, claims map[string]any) { claims["aud"] = "another" } }, 0, http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, nil)
			h.idp.set(func(p *standIn) { p.refreshes = true })
			b := h.loggedIn(t, web.Manager)
			conn := b.watch("view=tonight")
			h.later(t, 4*time.Minute)
			h.askAgain(t)
			if n := h.idp.called("/token"); n != 1 {
				t.Errorf("the token endpoint was called %d times before it was time", n)
			}
			h.idp.set(c.change)
			h.later(t, 4*time.Minute)
			start := time.Now()
			h.askAgain(t)
			h.askAgain(t) // nothing is due any more
			if n := h.idp.called("/token"); n != 2 {
				t.Errorf("the token endpoint was called %d times, want 2", n)
			}
			h.idp.set(func(p *standIn) { p.down = false })
			if p := b.stay().get("/revenue"); p.status != c.revenue {
				t.Errorf("revenue is answered %d, want %d", p.status, c.revenue)
			}
			switch c.code {
			case 0:
				if err := conn.WriteJSON(map[string]bool{"whole": true}); err != nil {
					t.Error(err)
				}
				firstTopic(t, conn)
			default:
				if code := closeCode(t, conn, 30*time.Second); code != c.code || time.Since(start) > time.Second {
					t.Errorf("the socket closed with %d after %v, want %d", code, time.Since(start), c.code)
				}
			}
			// A refresh token that rotates is good again the next time.
			if c.name == "nothing new" {
				h.later(t, 6*time.Minute)
				h.askAgain(t)
				if p := b.stay().get("/revenue"); p.status != http.StatusOK || h.idp.called("/token") != 3 {
					t.Errorf("after the next time: %d", p.status)
				}
			}
		})
	}
}

// Roles that are only at the userinfo endpoint are asked for again there, and without a refresh
// token nobody is asked.
func TestRecheckUserinfo(t *testing.T) {
	noIDToken := func(w http.ResponseWriter) bool {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 60})
		return true
	}
	h := newHouseAt(t, func(p *standIn) {
		p.refreshes, p.refreshed = true, noIDToken
		p.who, p.userinfo = map[string]any{"sub": "mia"}, map[string]any{"sub": "mia", "roles": "manager"}
	})
	b := h.browser(t)
	b.get("/login")
	h.idp.set(func(p *standIn) { p.userinfo["roles"] = "door" })
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if p := b.stay().get("/revenue"); p.status != http.StatusForbidden {
		t.Errorf("revenue is answered %d", p.status)
	}
	// Where the claim is gone there as well, so is the role.
	h.idp.set(func(p *standIn) { p.refreshed = nil; delete(p.userinfo, "roles") })
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("without the claim a page is answered %d", p.status)
	}

	h = newHouse(t, nil)
	h.loggedIn(t, web.Manager)
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if n := h.idp.called("/token"); n != 1 {
		t.Errorf("the token endpoint was called %d times", n)
	}
}

// A refresh token that was used is good no longer: the next one is kept also where something fails
// after it came, or while housecount ends.
func TestRefreshTokenIsKept(t *testing.T) {
	for name, fail := range map[string]func(h *house, refuse bool){
		"the userinfo is refused": func(h *house, refuse bool) {
			h.idp.set(func(p *standIn) { p.refuseUserinfo = refuse })
		},
		"the ID token is a stranger's": func(h *house, refuse bool) {
			h.idp.set(func(p *standIn) {
				p.tamper = func(_, claims map[string]any) {
					if refuse {
						claims["aud"] = "another"
					}
				}
			})
		},
		"the database fails once": func(h *house, refuse bool) {
			if refuse {
				h.failWrites.Store(1)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseAt(t, func(p *standIn) {
				p.refreshes = true
				p.who, p.userinfo = map[string]any{"sub": "mia"}, map[string]any{"sub": "mia", "roles": "manager"}
			})
			b := h.browser(t)
			b.get("/login")
			for i, refuse := range []bool{true, false} {
				fail(h, refuse)
				h.later(t, 6*time.Minute)
				h.askAgain(t)
				if p := b.stay().get("/revenue"); p.status != http.StatusOK || h.idp.called("/token") != 2+i {
					t.Errorf("after %d questions the page is answered %d", h.idp.called("/token")-1, p.status)
				}
			}
		})
	}
}

// A sign-in service that does not answer ends no session, unless that is asked for: then so long
// after the first question that it did not answer.
func TestUnchecked(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit time.Duration
		since time.Duration
		ended bool
	}{
		{"no limit", 0, 11 * time.Hour, false},
		{"a limit of less than ten minutes", time.Minute, 9 * time.Minute, false},
		{"ten minutes", time.Minute, 11 * time.Minute, true},
		{"within the limit", time.Hour, 59 * time.Minute, false},
		{"beyond the limit", time.Hour, 61 * time.Minute, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, func(o *handlers.Options) { o.SessionUnchecked = c.limit })
			h.idp.set(func(p *standIn) { p.refreshes = true })
			b := h.loggedIn(t, web.Manager)
			silent := func() {
				t.Helper()
				h.idp.set(func(p *standIn) { p.down = true })
				h.later(t, 6*time.Minute)
				h.askAgain(t)
				h.idp.set(func(p *standIn) { p.down = false })
			}
			// passed makes a silence so much longer, and is false if there is none.
			passed := func(d time.Duration) (was bool) {
				t.Helper()
				h.changeStaff(t, b.session(), func(who map[string]any) {
					since, _ := who["silent"].(string)
					began, err := time.Parse(time.RFC3339, since)
					if was = err == nil; was {
						who["silent"] = began.Add(-d)
					}
				})
				return was
			}
			// One silence that ended counts for nothing in the next one.
			silent()
			if !passed(c.since) {
				t.Fatal("the silence was not noticed")
			}
			h.later(t, 6*time.Minute)
			h.askAgain(t)
			if passed(c.since) {
				t.Error("the silence has not ended")
			}
			silent()
			if p := b.stay().get("/tonight"); p.status != http.StatusOK {
				t.Fatalf("at the first question in vain: status %d", p.status)
			}
			passed(c.since)
			silent()
			if p := b.stay().get("/tonight"); (p.status == http.StatusSeeOther) != c.ended {
				t.Errorf("status %d", p.status)
			}
		})
	}
}

// changeStaff changes what a session holds.
func (h *house) changeStaff(t *testing.T, token string, change func(who map[string]any)) {
	t.Helper()
	sm := h.scsOf()
	ctx, err := sm.Load(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	var who map[string]any
	if err := json.Unmarshal(sm.GetBytes(ctx, "staff"), &who); err != nil {
		t.Fatal(err)
	}
	change(who)
	changed, err := json.Marshal(who)
	if err != nil {
		t.Fatal(err)
	}
	sm.Put(ctx, "staff", changed)
	if _, _, err := sm.Commit(ctx); err != nil {
		t.Fatal(err)
	}
}

// A request is a use of its session, also where no page stays open, and where the database fails
// to note it at first.
func TestRequestIsAUse(t *testing.T) {
	h := newHouse(t, nil)
	used, unused := h.loggedIn(t, web.Door), h.loggedIn(t, web.Manager)
	touch := func() {
		t.Helper()
		if err := h.replica.Load().Touch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	touch() // the logins
	db, err := sql.Open("sqlite", h.database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE session SET seen = 1`); err != nil {
		t.Fatal(err)
	}
	used.get("/tonight")
	h.withSession(t, unused.session()+"x").get("/healthz")
	h.failWrites.Store(1)
	if h.replica.Load().Touch(t.Context()) == nil {
		t.Fatal("the database did not fail")
	}
	touch()
	list, err := h.store.Sessions().List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, s := range list {
		if want := s.Name == "Name of the door"; time.Since(s.Seen) < time.Minute != want {
			t.Errorf("%s was seen %v", s.Name, s.Seen)
		}
	}
	if a := list[0]; a.Address != "127.0.0.1" || a.Subject != h.idp.URL+" the manager" {
		t.Errorf("%+v", a)
	}
}

// What a session holds of the sign-in service's is sealed, and so is of no use to who sees a session
// without the key, which is elsewhere in the database.
func TestCredentialsAreSealed(t *testing.T) {
	h := newHouse(t, nil)
	h.idp.set(func(p *standIn) { p.refreshes = true })
	h.loggedIn(t, web.Manager)
	list, err := h.store.Sessions().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	if data := string(list[0].Data); !strings.Contains(data, "manager") || strings.Contains(data, "eyJ") || strings.Contains(data, h.idp.refresh) {
		t.Errorf("the session holds %q", data)
	}
}

// After a restart with another configuration, an old cookie has the new rights or none.
func TestAnotherConfiguration(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(o *handlers.Options)
		want   int // of the managers' page
	}{
		{"the same", func(o *handlers.Options) {}, http.StatusOK},
		{"managers are at the door", func(o *handlers.Options) { o.Login.Roles = map[string]web.Role{"manager": web.Door} }, http.StatusForbidden},
		{"managers are nobody", func(o *handlers.Options) { o.Login.Roles = map[string]web.Role{"boss": web.Manager} }, http.StatusSeeOther},
		{"another claim", func(o *handlers.Options) { o.Login.RoleClaim = "groups" }, http.StatusSeeOther},
		{"another issuer", func(o *handlers.Options) { o.Login.Issuer = "https://id.example" }, http.StatusSeeOther},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, nil)
			b := h.loggedIn(t, web.Manager)
			h.replica.Store((&house{idp: h.idp, log: h.log, database: h.database}).build(t, h.URL, c.change))
			p := b.stay().get("/revenue")
			if p.status != c.want {
				t.Errorf("status %d, want %d", p.status, c.want)
			}
			if c.want != http.StatusOK && strings.Contains(p.body, "€") {
				t.Error("money is on the page")
			}
		})
	}
}
