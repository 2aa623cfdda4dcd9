package handlers_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gorilla/websocket"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/assets"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

// databases are what replicas may share, and how soon one notices what another writes: at
// once, or with the next poll of the file, once a second.
var databases = []struct {
	name  string
	open  func(*testing.T) string
	hints time.Duration
}{
	{"SQLite", func(t *testing.T) string { return filepath.Join(t.TempDir(), "housecount.db") }, time.Second},
	{"PostgreSQL", func(t *testing.T) string { return pgtest.New(t) }, 0},
}

// newReplica is another replica of the house: the same address, database and sign-in service.
func (h *house) newReplica(t *testing.T) *handlers.Site {
	t.Helper()
	return (&house{idp: h.idp, log: h.log, database: h.database}).build(t, h.URL, nil)
}

// onBoth runs a test of two replicas on both databases.
func onBoth(t *testing.T, test func(t *testing.T, h *house, other *handlers.Site, hints time.Duration)) {
	for _, d := range databases {
		t.Run(d.name, func(t *testing.T) {
			h := &house{database: d.open(t)}
			h.open(t, nil)
			test(t, h, h.newReplica(t), d.hints)
		})
	}
}

// A proxy may send the way to the sign-in service and the way back to different replicas.
func TestLoginAcrossReplicas(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, _ time.Duration) {
		one := h.replica.Load()
		b := h.browser(t)
		at := b.stopBefore("/login/callback", "/login?return=/wall")
		cookie := b.cookie("housecount_login_")
		h.replica.Store(other)
		if p := b.get(at.String()); p.status != http.StatusOK || p.path != "/wall" {
			t.Fatalf("status %d at %s: %s", p.status, p.path, p.body)
		}
		// The state is used up on both.
		for _, replica := range []*handlers.Site{one, other} {
			h.replica.Store(replica)
			thief := h.browser(t)
			u, _ := url.Parse(h.URL)
			thief.Jar.SetCookies(u, []*http.Cookie{{Name: cookie.Name, Value: cookie.Value}})
			h.beginsAnew(t, thief, at.String())
		}
	})
}

// A stranger who knows an address of the way back cannot use it up.
func TestAnotherBrowserDoesNotUseAnAttemptUp(t *testing.T) {
	h := newHouse(t, nil)
	b, stranger := h.browser(t), h.browser(t)
	at := b.stopBefore("/login/callback", "/login")
	u, _ := url.Parse(h.URL)
	stranger.Jar.SetCookies(u, []*http.Cookie{{Name: b.cookie("housecount_login_").Name, Value: "guessed"}})
	h.refused(t, stranger, stranger.get(at.String()), http.StatusBadRequest)
	if p := b.get(at.String()); p.status != http.StatusOK {
		t.Errorf("status %d", p.status)
	}
}

// A session that ends on one replica, in any way, closes its sockets on another.
func TestSessionEndsOnAnotherReplica(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, hints time.Duration) {
		one := h.replica.Load()
		elsewhere, err := store.Open(t.Context(), h.database)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { elsewhere.Close() })
		revoke := func(which store.Which) func(*testing.T, *browser) {
			return func(t *testing.T, _ *browser) {
				if n, err := elsewhere.Sessions().Revoke(t.Context(), which); n != 1 || err != nil {
					t.Errorf("%d sessions ended, want 1 (%v)", n, err)
				}
			}
		}
		colleague := h.loggedIn(t, web.Manager).watch("view=tonight")
		for _, test := range []struct {
			name string
			end  func(*testing.T, *browser)
		}{
			{"logout", func(t *testing.T, b *browser) {
				if p := b.stay().do(http.MethodPost, "/logout", nil); p.status >= http.StatusBadRequest {
					t.Errorf("logout: status %d", p.status)
				}
			}},
			{"by the person", revoke(store.BySubject(h.idp.URL + " mia"))},
			{"by the sign-in service's session", revoke(store.BySID("sid-of-mia"))},
		} {
			t.Run(test.name, func(t *testing.T) {
				h.replica.Store(one)
				h.idp.set(func(p *idp) {
					p.who = map[string]any{"sub": "mia", "sid": "sid-of-mia", "roles": []string{"manager"}}
				})
				b := h.browser(t)
				if p := b.get("/login"); p.status != http.StatusOK {
					t.Fatalf("login: status %d", p.status)
				}
				sockets := []*websocket.Conn{b.watch("view=tonight"), b.watch("view=wall")}
				h.replica.Store(other)
				start := time.Now()
				test.end(t, b)
				for _, conn := range sockets {
					if code := closeCode(t, conn, 5*time.Second); code != live.CloseSignedOut {
						t.Errorf("closed with %d, want %d", code, live.CloseSignedOut)
					}
				}
				if took := time.Since(start); took > hints+time.Second {
					t.Errorf("the sockets closed after %v", took)
				}
				if p := b.stay().get("/tonight"); p.status != http.StatusSeeOther {
					t.Errorf("the session lives on: status %d", p.status)
				}
			})
		}
		if err := colleague.WriteJSON(map[string]bool{"whole": true}); err != nil {
			t.Error(err)
		}
		if _, _, err := colleague.ReadMessage(); err != nil {
			t.Errorf("a colleague's socket: %v", err)
		}
	})
}

// Hints may be lost, and the database may fail for a while; then nobody's socket closes.
func TestSessionEndsWithoutHints(t *testing.T) {
	bundle, err := assets.Load()
	if err != nil {
		t.Fatal(err)
	}
	renderer, err := web.New(web.Options{Bundle: bundle})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		const public = "https://figures.example"
		st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "housecount.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		log := slog.New(slog.NewTextHandler(t.Output(), nil))
		hub, err := live.New(live.Options{
			Render: func(topic string, _ live.Content) (live.Content, error) {
				return live.Content{HTML: map[string]string{"a": topic}}, nil
			},
			Origin: public, Version: bundle.Version(), Recheck: time.Hour, Log: log,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		sessions := &failing{Sessions: st.Sessions()}
		site, err := handlers.New(ctx, handlers.Options{
			PublicURL: public, Login: handlers.Login{Issuer: "https://id.example", ClientID: "c"},
			Snapshot: func() *figures.Snapshot { return nil }, Ready: func() bool { return false },
			Renderer: renderer, Hub: hub, Sessions: sessions, Attempts: st.Attempts(), Ping: st.Ping, Bundle: bundle, Log: log,
		})
		if err != nil {
			t.Fatal(err)
		}
		near, far := net.Pipe()
		listener := oneConn{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
		listener.conn <- far
		server := &http.Server{Handler: site}
		var running sync.WaitGroup
		running.Go(func() { hub.Run(ctx) })
		running.Go(func() { site.Run(ctx) })
		running.Go(func() { server.Serve(listener) })
		defer func() { cancel(); server.Close(); running.Wait() }()

		sm := &scs.SessionManager{Store: st.Sessions(), Codec: scs.GobCodec{}, Lifetime: 12 * time.Hour}
		session, err := sm.Load(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		who, err := json.Marshal(map[string]any{"subject": "mia", "role": web.Door})
		if err != nil {
			t.Fatal(err)
		}
		sm.Put(session, "staff", who)
		token, _, err := sm.Commit(session)
		if err != nil {
			t.Fatal(err)
		}
		dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return near, nil }}
		conn, _, err := dialer.DialContext(t.Context(), "ws://figures.example/live?view=tonight&version="+bundle.Version(),
			http.Header{"Origin": {public}, "Cookie": {"__Host-session=" + token}})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		ended := make(chan time.Time, 1)
		go func() {
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					if !websocket.IsCloseError(err, int(live.CloseSignedOut)) {
						t.Errorf("the socket ended with %v", err)
					}
					ended <- time.Now()
					return
				}
			}
		}()
		sessions.set(true)
		time.Sleep(time.Minute)
		select {
		case <-ended:
			t.Fatal("the socket of a session that lives was closed")
		default:
		}
		sessions.set(false)
		start := time.Now()
		if err := st.Sessions().DeleteCtx(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		if took := (<-ended).Sub(start); took > 5*time.Second {
			t.Errorf("closed after %v, want within 5 s", took)
		}
	})
}

// failing are sessions whose database can be made to fail.
type failing struct {
	handlers.Sessions
	mu   sync.Mutex
	down bool
}

func (f *failing) set(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *failing) Alive(ctx context.Context, tokens []string) (map[string]bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return nil, net.ErrClosed
	}
	return f.Sessions.Alive(ctx, tokens)
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   chan net.Conn
	closed chan struct{}
}

func (l oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l oneConn) Close() error   { close(l.closed); return nil }
func (l oneConn) Addr() net.Addr { return &net.TCPAddr{} }
