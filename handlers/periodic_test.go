package handlers_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/gorilla/websocket"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/assets"
	"housecount/handlers"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/live"
)

// inBubble runs a test of a site in a bubble, whose sessions are hinted by nobody.
func inBubble(t *testing.T, idle, lifetime time.Duration, test func(t *testing.T, q quiet)) {
	bundle, err := assets.Load()
	if err != nil {
		t.Fatal(err)
	}
	renderer, err := web.New(web.Options{Bundle: bundle})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		st, err := store.Open(t.Context(), newDatabase(t))
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		seal, err := st.Seal(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		log := slog.New(slog.NewTextHandler(t.Output(), nil))
		hub, err := live.New(live.Options{
			Open: func(topic string) (live.Topic, error) {
				return live.Topic{Render: func(live.Content) (live.Content, error) {
					return live.Content{HTML: map[string]string{"a": topic}}, nil
				}}, nil
			},
			Origin: publicURL, Version: bundle.Version(), Log: log,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		stored := st.Sessions()
		stored.Idle = idle
		sessions := &failing{Store: stored}
		site, err := handlers.New(ctx, handlers.Options{
			PublicURL: publicURL, Login: signin.Login{AuthURL: "https://id.example/a", TokenURL: "https://id.example/t", JWKSURL: "https://id.example/k", ClientID: "c"},
			Snapshot: func() *figures.Snapshot { return nil }, Ready: func() bool { return false },
			Renderer: renderer, Entries: &house{}, Hub: hub, Sessions: sessions, Grants: st.Grants(), Attempts: st.Attempts(), Screens: st.Screens(), Programmes: st.Programmes(), Audit: st.Audit(), Presence: st.Presence(), Seal: seal, Ping: st.Ping, Bundle: bundle, Log: log,
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
		running.Go(func() { server.Serve(live.Listen(listener)) })
		defer func() { cancel(); server.Close(); running.Wait() }()

		sm := &scs.SessionManager{Store: st.Sessions(), Codec: scs.GobCodec{}, Lifetime: lifetime}
		session, err := sm.Load(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		who, err := json.Marshal(map[string]any{"issuer": "https://id.example/a", "subject": "mia", "claim": "roles", "values": []string{"door"}})
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
			http.Header{"Origin": {publicURL}, "Cookie": {"__Host-session=" + token}})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		q := quiet{store: st, sessions: sessions, token: token, conn: conn, ended: make(chan end, 1)}
		go func() {
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					e := end{at: time.Now()}
					if closed, ok := err.(*websocket.CloseError); ok {
						e.code = live.CloseCode(closed.Code)
					}
					q.ended <- e
					return
				}
			}
		}()
		test(t, q)
	})
}

const publicURL = "https://figures.example"

// quiet is a site with one session, which has one socket.
type quiet struct {
	store    *store.Store
	sessions *failing
	token    string
	conn     *websocket.Conn
	ended    chan end
}

// end is how the socket ended.
type end struct {
	code live.CloseCode
	at   time.Time
}

func (q quiet) stays(t *testing.T) {
	t.Helper()
	select {
	case e := <-q.ended:
		t.Fatalf("the socket was closed with %d", e.code)
	default:
	}
}

// Hints may be lost, and the database may fail for a while; then nobody's socket closes.
func TestUpkeepEndsWithoutHints(t *testing.T) {
	inBubble(t, 0, 12*time.Hour, func(t *testing.T, q quiet) {
		q.sessions.set(true)
		time.Sleep(time.Minute)
		q.stays(t)
		q.sessions.set(false)
		start := time.Now()
		if err := q.sessions.DeleteCtx(t.Context(), q.token); err != nil {
			t.Fatal(err)
		}
		if e := <-q.ended; e.code != live.CloseSignedOut || e.at.Sub(start) > 5*time.Second {
			t.Errorf("closed with %d after %v, want within 5 s", e.code, e.at.Sub(start))
		}
	})
}

// Sessions that cannot be read for long are nobody's: their pages come back when they can be.
func TestUpkeepSessionsUnreadable(t *testing.T) {
	inBubble(t, 0, 12*time.Hour, func(t *testing.T, q quiet) {
		for range 3 { // in between it works
			q.sessions.set(true)
			time.Sleep(80 * time.Second)
			q.sessions.set(false)
			time.Sleep(10 * time.Second)
		}
		q.stays(t)
		q.sessions.set(true)
		start := time.Now()
		if e := <-q.ended; e.code != live.CloseTryLater || e.at.Sub(start) < 90*time.Second || e.at.Sub(start) > 100*time.Second {
			t.Errorf("closed with %d after %v", e.code, e.at.Sub(start))
		}
	})
}

// A socket closes when its session ends, not when somebody asks next.
func TestUpkeepSocketEndsWithItsSession(t *testing.T) {
	for _, lifetime := range []time.Duration{time.Second, 2*time.Hour + time.Second} {
		start := time.Time{}
		inBubble(t, 0, lifetime, func(t *testing.T, q quiet) {
			start = time.Now() // the session began just before, at the same time
			if e := <-q.ended; e.code != live.CloseSignedOut || e.at.Sub(start) < lifetime || e.at.Sub(start) > lifetime+100*time.Millisecond {
				t.Errorf("closed with %d after %v, want %v", e.code, e.at.Sub(start), lifetime)
			}
		})
	}
}

// A page that is open keeps its session from being idle.
func TestUpkeepIdle(t *testing.T) {
	inBubble(t, time.Minute, 12*time.Hour, func(t *testing.T, q quiet) {
		time.Sleep(time.Hour)
		q.stays(t)
		q.conn.Close()
		time.Sleep(40 * time.Second)
		if _, found, err := q.sessions.FindCtx(t.Context(), q.token); !found || err != nil {
			t.Errorf("the session has ended too early: %v", err)
		}
		time.Sleep(30 * time.Second)
		if _, found, err := q.sessions.FindCtx(t.Context(), q.token); found || err != nil {
			t.Errorf("the session goes on: %v", err)
		}
	})
}

// Each process says who watches what: at once who came, went elsewhere or left, and every quarter of a
// minute who is still there.
func TestUpkeepPresenceIsWritten(t *testing.T) {
	inBubble(t, 0, 12*time.Hour, func(t *testing.T, q quiet) {
		begun := time.Now()
		is := func(sockets int, topics string, seen time.Duration) {
			t.Helper()
			all, err := q.store.Presence().Of(t.Context(), []string{store.HolderID(q.token)})
			if err != nil {
				t.Fatal(err)
			}
			w := all[store.HolderID(q.token)]
			if len(w) != 1 || w[0].Sockets != sockets || strings.Join(w[0].Topics, " ") != topics || w[0].Seen.Sub(begun).Round(time.Second) != seen {
				t.Errorf("after %v: %+v", time.Since(begun), all)
			}
		}
		time.Sleep(3 * time.Second)
		is(1, "en/money=none/tonight", 2*time.Second)
		time.Sleep(14 * time.Second)
		is(1, "en/money=none/tonight", 2*time.Second)
		time.Sleep(2 * time.Second)
		is(1, "en/money=none/tonight", 18*time.Second)
		q.conn.Close()
		time.Sleep(2 * time.Second)
		is(0, "", 20*time.Second)
		time.Sleep(time.Minute)
		is(0, "", 20*time.Second)
	})
}

// What is over is recorded soon after, though nobody asks for it.
func TestUpkeepIdleIsRecorded(t *testing.T) {
	inBubble(t, time.Minute, 12*time.Hour, func(t *testing.T, q quiet) {
		q.conn.Close()
		time.Sleep(2 * time.Minute)
		acts, err := q.store.Audit().Acts(t.Context(), store.ActQuery{}, 0, 10)
		if err != nil || len(acts) != 1 || acts[0].Actor != store.ActorProgram || acts[0].Reason != store.EndedIdle || acts[0].Object != store.HolderID(q.token) {
			t.Errorf("%+v, %v", acts, err)
		}
	})
}

// A question to the sign-in service that hangs makes no session idle.
func TestUpkeepIdleWhileAskingHangs(t *testing.T) {
	inBubble(t, time.Minute, 12*time.Hour, func(t *testing.T, q quiet) {
		q.sessions.hang.Store(true)
		time.Sleep(time.Hour)
		q.stays(t)
	})
}

// Every half a minute is looked for sessions of which the sign-in service has said nothing for five.
func TestUpkeepRecheckIsDone(t *testing.T) {
	inBubble(t, 0, 12*time.Hour, func(t *testing.T, q quiet) {
		time.Sleep(10*time.Minute + time.Second)
		q.sessions.mu.Lock()
		defer q.sessions.mu.Unlock()
		if n := len(q.sessions.claims); n != 20 {
			t.Errorf("looked %d times in ten minutes", n)
		}
		for _, age := range q.sessions.claims {
			if age != 5*time.Minute {
				t.Errorf("looked for what is %v old", age)
			}
		}
	})
}

// failing are sessions whose database can be made to fail.
type failing struct {
	sessions.Store
	mu     sync.Mutex
	down   bool
	claims []time.Duration // how long ago those were asked about that were claimed
	hang   atomic.Bool     // Claim does not return before its context ends
}

func (f *failing) Claim(ctx context.Context, before time.Time, n int) ([]store.SessionInfo, error) {
	if f.hang.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claims = append(f.claims, time.Since(before))
	return f.Store.Claim(ctx, before, n)
}

func (f *failing) set(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *failing) Alive(ctx context.Context, tokens []string) (map[string][]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return nil, net.ErrClosed
	}
	return f.Store.Alive(ctx, tokens)
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
