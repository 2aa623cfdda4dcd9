package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store"
	"housecount/aggregator/store/rowtest"
	"housecount/handlers"
	"housecount/web/live"
)

// key returns the credential of a screen's device.
func (b *browser) key() string {
	b.t.Helper()
	return b.cookie("housecount_screen").Value
}

// has gives a device a credential.
func (b *browser) has(credential string) {
	b.t.Helper()
	u, _ := url.Parse(b.h.URL)
	b.Jar.SetCookies(u, []*http.Cookie{{Name: "housecount_screen", Value: credential, Path: "/"}})
}

// shows loads the page of a screen, which has to show the picture, or a code.
func (b *browser) shows(picture bool) {
	b.t.Helper()
	if p := b.get("/screen"); p.status != http.StatusOK || (p.code() == "") != picture {
		b.t.Helper()
		b.t.Fatalf("status %d, code %q, want the picture: %v", p.status, p.code(), picture)
	}
}

// exec changes the database beside its replicas.
func (h *house) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := rowtest.Plain(t, h.database).ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// settles makes what screens were sent two minutes older, and does what Run does by then.
func (h *house) settles(t *testing.T, sites ...*handlers.Site) {
	t.Helper()
	h.exec(t, `UPDATE screen SET issued_at = issued_at - 120000`)
	for _, s := range sites {
		if err := s.SettleScreens(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// noticed checks that another device was recorded so often, and is said where screens are managed, in what needs attention and
// in the log of what was done, until somebody has dealt with it.
func (h *house) noticed(t *testing.T, admin *browser, want int) {
	t.Helper()
	acts := h.taken(t)
	if len(acts) != want || acts[0].ObjectName != "Foyer <b>" || acts[0].Address != "127.0.0.1" || acts[0].Actor != store.ActorStranger {
		t.Fatalf("recorded %+v, want %d", acts, want)
	}
	site := h.replica.Load()
	said := func(want bool) {
		t.Helper()
		if err := site.FindScreenAlerts(t.Context()); err != nil {
			t.Fatal(err)
		}
		for path, says := range map[string]string{"/screens": "Another device posed as this screen.", "/tonight": "Another device posed as screen Foyer <b>."} {
			if body := text(admin.get(path).body); strings.Contains(body, says) != want {
				t.Errorf("%s says so: %v: %s", path, !want, body)
			}
		}
	}
	said(true)
	if body := admin.get("/sessions").body; !strings.Contains(body, "Used by another device") {
		t.Errorf("the log does not have it: %s", body)
	}
	admin.stay().post(h.URL+"/screens/act?screen="+acts[0].Object, url.Values{"do": {"known"}})
	said(false)
}

// Whoever has copied the credential of a screen is out, or the screen's device is and shows a code, once either loads the page
// again, at whichever replica; it is noticed either way.
func TestCopiedCredential(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, _ time.Duration) {
		one := h.replica.Load()
		on := func(s *handlers.Site) { h.replica.Store(s) }
		opens := func(b *browser) *websocket.Conn {
			socket := b.dialScreen("&device=tv")
			firstTopic(t, socket)
			return socket
		}
		closes := func(socket *websocket.Conn, want live.CloseCode) {
			t.Helper()
			if code := closeCode(t, socket, 30*time.Second); code != want {
				t.Errorf("its socket ended with %d, want %d", code, want)
			}
		}
		for i, c := range []struct {
			name string
			do   func(tv, thief *browser, socket *websocket.Conn)
		}{
			{"a copy that only loads pages, and takes no cookie", func(tv, thief *browser, socket *websocket.Conn) {
				stolen := thief.key()
				for _, picture := range []bool{true, true, false} {
					thief.has(stolen)
					thief.shows(picture)
					on(other)
				}
				closes(socket, live.CloseRenewed)
				closes(tv.dialScreen("&device=tv"), live.CloseForbidden)
				tv.shows(false)
				thief.shows(false)
			}},
			{"a copy that only loads pages", func(tv, thief *browser, socket *websocket.Conn) {
				thief.shows(true)
				on(other)
				thief.shows(true)
				closes(socket, live.CloseRenewed)
				closes(tv.dialScreen("&device=tv"), live.CloseForbidden)
				tv.shows(false)
			}},
			{"the device loads its page after a copy has", func(tv, thief *browser, _ *websocket.Conn) {
				thief.shows(true)
				h.settles(t)
				on(other)
				tv.shows(true)
				thief.shows(false)
				opens(tv)
				tv.shows(true)
			}},
			{"a copy of before the device loaded its page", func(tv, thief *browser, _ *websocket.Conn) {
				on(other)
				tv.shows(true)
				opens(tv)
				h.settles(t, one, other)
				closes(thief.dialScreen("&device=tv"), live.CloseForbidden)
				thief.shows(false)
				tv.shows(true)
			}},
			{"a copy that has a socket", func(tv, thief *browser, socket *websocket.Conn) {
				watching := opens(thief)
				tv.shows(true)
				opens(tv)
				h.settles(t, one, other)
				closes(socket, live.CloseRenewed)
				closes(watching, live.CloseRenewed)
				closes(thief.dialScreen("&device=tv"), live.CloseForbidden)
				thief.shows(false)
			}},
		} {
			t.Run(c.name, func(t *testing.T) {
				on(one)
				tv, admin := h.paired(t)
				tv.shows(true)
				socket := opens(tv)
				h.settles(t, one)
				c.do(tv, tv.copied(), socket)
				on(one)
				h.noticed(t, admin, i+1)
			})
		}
	})
}

// takesNothing has a screen load its page while nothing about it can be stored.
func (h *house) takesNothing(t *testing.T, tv *browser) {
	t.Helper()
	before := tv.key()
	fails, works := `CREATE TRIGGER full BEFORE UPDATE ON screen BEGIN SELECT RAISE(ABORT, 'full'); END`, `DROP TRIGGER full`
	if strings.HasPrefix(h.database, "postgres") {
		h.exec(t, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''full''; END'`)
		fails, works = `CREATE TRIGGER full_disk BEFORE UPDATE ON screen EXECUTE FUNCTION full_disk()`, `DROP TRIGGER full_disk ON screen`
	}
	h.exec(t, fails)
	for range 4 {
		tv.shows(true)
		if tv.key() != before {
			t.Error("it has another credential, which is not stored")
		}
	}
	h.exec(t, works)
}

// setsBack sets what is known of screens back to before the page was loaded several times.
func (h *house) setsBack(t *testing.T, tv *browser) {
	t.Helper()
	h.exec(t, `CREATE TABLE backup AS SELECT id, key_hash, next_hash, spare_hash, issued, issued_at FROM screen`)
	for range 5 {
		tv.shows(true)
	}
	h.exec(t, `UPDATE screen SET key_hash = b.key_hash, next_hash = b.next_hash, spare_hash = b.spare_hash, issued = b.issued, issued_at = b.issued_at FROM backup b WHERE b.id = screen.id`)
}

// What happens to a screen on a wall is not taken for another device: an answer that does not arrive, power that goes before the
// browser has stored what it was sent, days without power, a page that is loaded before anybody asks for it, two tabs, a database
// that takes nothing for a while, or is set back to a backup, a program that is killed and one of before credentials followed
// on.
func TestScreenKeepsItsPlace(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, _ time.Duration) {
		one := h.replica.Load()
		tv, _ := h.paired(t)
		begins := func() (former string) {
			t.Helper()
			h.replica.Store(one)
			former = tv.key()
			tv.shows(true)
			if store.Series(tv.key()) != store.Series(former) || tv.key() == former {
				t.Errorf("%s follows %s", tv.key(), former)
			}
			firstTopic(t, tv.dialScreen("&device=tv"))
			return former
		}
		for _, c := range []struct {
			name string
			do   func(former string)
		}{
			{"an answer does not arrive", func(string) {
				before := tv.key()
				tv.shows(true)
				tv.has(before)
				h.exec(t, `UPDATE screen SET issued_at = issued_at - 864000000`)
				h.replica.Store(other)
				firstTopic(t, tv.dialScreen("&device=tv"))
			}},
			{"power goes before it is stored", func(former string) { tv.has(former) }},
			{"loaded early", func(string) {
				before := tv.key()
				for range 5 {
					p := tv.do(http.MethodGet, "/screen", http.Header{"Sec-Purpose": {"prefetch;prerender"}})
					if p.status != http.StatusServiceUnavailable || p.body != "" || tv.key() != before {
						t.Errorf("status %d: %s", p.status, p.body)
					}
					if p := tv.do(http.MethodHead, "/screen", nil); p.status != http.StatusOK || tv.key() != before {
						t.Errorf("status %d of the headers", p.status)
					}
				}
			}},
			{"two tabs at once", func(string) {
				before := tv.key()
				tv.shows(true)
				first := tv.key()
				tv.has(before)
				tv.shows(true)
				firstTopic(t, tv.dialScreen("&device=tv"))
				tv.has(first) // the first answer came last
				firstTopic(t, tv.dialScreen("&device=tv"))
				h.settles(t, one, other)
			}},
			{"a database that takes nothing", func(string) { h.takesNothing(t, tv) }},
			{"set back to a backup", func(string) {
				h.setsBack(t, tv)
				firstTopic(t, tv.dialScreen("&device=tv"))
				h.settles(t, one)
			}},
			{"another program", func(string) { h.replica.Store(h.newReplica(t)) }},
			{"a database of before", func(string) {
				tv.has(store.Series(tv.key()))
				h.exec(t, `UPDATE screen SET key_hash = NULL, next_hash = NULL, spare_hash = NULL, issued = 0, issued_at = 0`)
				firstTopic(t, tv.dialScreen("&device=tv"))
			}},
		} {
			t.Run(c.name, func(t *testing.T) {
				c.do(begins())
				tv.shows(true)
				firstTopic(t, tv.dialScreen("&device=tv"))
				h.settles(t, one, other)
				if acts := h.taken(t); len(acts) != 0 {
					t.Errorf("recorded %+v", acts)
				}
			})
		}
	})
}

// A number that somebody has made up is no credential from after a backup.
func TestMadeUpCredential(t *testing.T) {
	h := newHouse(t, nil)
	tv, admin := h.paired(t)
	tv.shows(true)
	thief := tv.copied()
	firstTopic(t, tv.dialScreen(""))
	for _, made := range []string{".", ".AAAA", "." + strings.Repeat("A", 48), ".x.y"} {
		thief.has(store.Series(tv.key()) + made)
		if code := closeCode(t, thief.dialScreen(""), 30*time.Second); code != live.CloseForbidden {
			t.Errorf("%s: its socket ended with %d", made, code)
		}
		thief.shows(false)
	}
	tv.shows(true)
	h.noticed(t, admin, 4)
}
