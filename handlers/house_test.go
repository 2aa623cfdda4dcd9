package handlers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/notify"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/assets"
	"housecount/handlers"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/live"
)

const eventID = "evt_1"

// house is the whole site over HTTP, with a real store and a real hub.
type house struct {
	*httptest.Server
	idp   *standIn
	store *store.Store
	// database is what store.Open takes; a file of the house's own when empty.
	database string
	// secretKey is not the database's own unless it is empty.
	secretKey string
	// still keeps what runs in the background from running.
	still bool
	// replica serves the house's address; a test may put another in its place, as a proxy does.
	replica atomic.Pointer[handlers.Site]
	hub     *live.Hub
	log     *logBuffer
	ready   atomic.Bool
	// version is the bundle's.
	version string
	// failWrites is how often the sessions refuse from now on to be changed or touched.
	failWrites atomic.Int64
	// opened counts the topics that the hub has opened.
	opened atomic.Int64
	// snapshot is called for each page.
	snapshot atomic.Pointer[func() *figures.Snapshot]
	// entered is what staff entered, and whileEntered is called meanwhile.
	entered      []string
	enteredAt    []time.Time // of settings
	whileEntered func(context.Context)
	// onSet is called with each setting that somebody sets; nil for nothing.
	onSet func(*record.Setting)
	// whileSet returns what came of it that somebody set something; nil for nothing.
	whileSet func() error
}

func (h *house) Acknowledge(_ context.Context, a *evening.Alert, s evening.Seen) error {
	h.entered = append(h.entered, a.Key+" by "+s.By)
	return nil
}

func (h *house) Message(_ context.Context, m *record.ScreenMessage) error {
	h.entered = append(h.entered, fmt.Sprintf("%s says %q until %s on %v, urgent %v, withdrawn %v", m.By, m.Text, m.Until.UTC().Format("15:04"), m.Screens, m.Urgent, m.Withdrawn))
	return nil
}

func (h *house) Unacknowledge(_ context.Context, a *evening.Alert, s evening.Seen) error {
	h.entered = append(h.entered, a.Key+" not by "+s.By)
	return nil
}

func (h *house) WalkIn(ctx context.Context, w record.WalkIn) error {
	h.entered = append(h.entered, fmt.Sprint(w.EventID, " ", w.Gate, " ", w.Count, " by ", w.By))
	if h.whileEntered != nil {
		h.whileEntered(ctx)
	}
	return nil
}

func (h *house) Set(_ context.Context, read int64, _ time.Time, settings []*record.Setting, acts []store.Act) error {
	for i, s := range settings {
		if h.onSet != nil {
			h.onSet(s)
		}
		of, value := admin.SettingWords(s)
		h.enteredAt = append(h.enteredAt, s.At)
		h.entered = append(h.entered, fmt.Sprintf("%s of %q is %q by %s, read at %d; audited %s %q: %q to %q", s.Name, of, value, s.By, read, acts[i].Reason, acts[i].ObjectName, acts[i].Before, acts[i].After))
	}
	if h.whileSet != nil {
		return h.whileSet()
	}
	return nil
}

// newHouse starts a house whose staff sign in at a sign-in service of their own. change
// may alter the options.
func newHouse(t testing.TB, change func(*handlers.Options)) *house {
	t.Helper()
	h := &house{}
	h.open(t, change)
	return h
}

// newHouseAt starts a house whose sign-in service is as set makes it, from before it is discovered.
func newHouseAt(t testing.TB, set func(p *standIn)) *house {
	t.Helper()
	h := &house{}
	h.open(t, func(*handlers.Options) { h.idp.set(set) })
	return h
}

func (h *house) open(t testing.TB, change func(*handlers.Options)) {
	t.Helper()
	h.idp, h.log = newIDP(t), newLog(t)
	h.Server = httptest.NewUnstartedServer(nil)
	public := "http://" + h.Listener.Addr().String()
	h.replica.Store(h.build(t, public, change))
	h.Listener = live.Listen(h.Listener)
	h.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.replica.Load().ServeHTTP(w, r) })
	h.Start()
	t.Cleanup(h.Close)
}

// build makes the house's handler for a public URL.
func (h *house) build(t testing.TB, public string, change func(*handlers.Options)) *handlers.Site {
	t.Helper()
	if h.database == "" {
		h.database = newDatabase(t)
	}
	st, err := store.Open(t.Context(), h.database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() }) // again, where a test has closed it
	seal, err := st.Seal(t.Context(), h.secretKey, "")
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := assets.Load()
	if err != nil {
		t.Fatal(err)
	}
	var site *handlers.Site
	renderer, err := web.New(web.Options{Bundle: bundle, Sources: web.Sources{
		Sessions:     func(q web.SessionsQuery) (web.Sessions, error) { return site.SignedIn(q) },
		Screens:      func() (web.Screens, error) { return site.Fleet() },
		ScreenAlerts: func() []web.ScreenAlert { return site.ScreenAlerts() },
		Letters:      func(session string) (web.Letters, error) { return site.LettersOf(session) },
		Told:         func(alert string) ([]web.LetterReader, error) { return site.Told(alert) },
	}})
	if err != nil {
		t.Fatal(err)
	}
	first := snapshot()
	read := func() *figures.Snapshot { return first }
	h.snapshot.Store(&read)
	h.ready.Store(true)
	hub, err := live.New(live.Options{
		Open: func(topic string) (live.Topic, error) {
			h.opened.Add(1)
			if q, err := web.ParseTopic(topic); err == nil && q.Page == "sessions" { // as it is
				return live.Topic{Wakes: q.Wakes(), Render: func(last live.Content) (live.Content, error) {
					return renderer.Content(q, (*h.snapshot.Load())(), time.Now(), last)
				}}, nil
			}
			return live.Topic{Render: func(live.Content) (live.Content, error) {
				return live.Content{HTML: map[string]string{"a": `<p id="a">` + topic + `</p>`}}, nil
			}}, nil
		},
		Origin: public, Version: bundle.Version(), Log: slog.New(slog.NewTextHandler(h.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.store, h.hub, h.version = st, hub, bundle.Version()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := hub.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	changed, stop := st.Watch(store.SubjectSessions)
	t.Cleanup(stop)
	screensChanged, stop := st.Watch(store.SubjectScreens)
	t.Cleanup(stop)
	people, stopPeople := st.Watch(store.SubjectSessions, store.SubjectAudit, store.SubjectPresence)
	t.Cleanup(stopPeople)
	key, err := seal.PushKey()
	if err != nil {
		t.Fatal(err)
	}
	push := notify.NewPush(key, "https://house.example")
	o := handlers.Options{
		SessionsChanged: changed,
		PeopleChanged:   people,
		Audit:           st.Audit(),
		Presence:        st.Presence(),
		Screens:         st.Screens(), Programmes: st.Programmes(),
		ScreensChanged: screensChanged,
		PublicURL:      public,
		Login:          signin.Login{Issuer: h.idp.URL, ClientID: clientID, ClientSecret: clientSecret},
		Snapshot:       func() *figures.Snapshot { return (*h.snapshot.Load())() },
		Ready:          h.ready.Load,
		Renderer:       renderer,
		Entries:        h,
		Hub:            hub,
		Sessions:       unreliable{st.Sessions(), &h.failWrites},
		Grants:         st.Grants(),
		Attempts:       st.Attempts(),
		Seal:           seal,
		Ping:           st.Ping,
		Keys:           st.Keys(),
		Letters:        st.Letters(), Mail: true, Push: push, MorningAt: 7*time.Hour + 30*time.Minute, NightAt: 23*time.Hour + 30*time.Minute, Venue: "De Waag",
		Bundle: bundle,
		Log:    slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	if site, err = handlers.New(ctx, o); err != nil {
		t.Fatal(err)
	}
	if !h.still {
		running.Go(func() { site.Run(ctx) })
		running.Go(func() { st.Run(ctx) })
	}
	return site
}

// emptyDatabase is a SQLite file with the newest schema and nothing in it.
var emptyDatabase = sync.OnceValues(func() ([]byte, error) {
	directory, err := os.MkdirTemp("", "housecount")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	file := filepath.Join(directory, "housecount.db")
	st, err := store.Open(context.Background(), file)
	if err != nil {
		return nil, err
	}
	if err := st.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// newDatabase returns a SQLite file of the test's own. It is a copy: to make the schema takes longer
// than most tests do.
func newDatabase(t testing.TB) string {
	t.Helper()
	empty, err := emptyDatabase()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "housecount.db")
	if err := os.WriteFile(file, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func snapshot() *figures.Snapshot {
	l := ledger.New(figures.Calendar{})
	l.Apply(record.Version{Revision: 1, Head: true, Record: &record.Event{ID: eventID, Title: "An evening", Date: "2026-11-21", Capacity: new(100),
		StartsAt: time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC), Hall: "Grote zaal"}})
	l.Apply(record.Version{Revision: 2, Head: true, Record: &record.Event{ID: "evt_2", Title: "Another", Date: "2026-11-21", Hall: "A&B"}})
	return l.Snapshot(figures.Position{Epoch: "e", Revision: 1}, ledger.Coverage{})
}

// unreliable are sessions that refuse as often as left says to be changed or touched.
type unreliable struct {
	sessions.Store
	left *atomic.Int64
}

func (u unreliable) Replace(ctx context.Context, id string, data []byte) error {
	if u.left.Add(-1) >= 0 {
		return errors.New("the database does not answer")
	}
	return u.Store.Replace(ctx, id, data)
}

func (u unreliable) Touch(ctx context.Context, tokens []string) error {
	if u.left.Add(-1) >= 0 {
		return errors.New("the database does not answer")
	}
	return u.Store.Touch(ctx, tokens)
}

// scsOf reads and writes the house's sessions from outside.
func (h *house) scsOf() *scs.SessionManager {
	return &scs.SessionManager{Store: h.store.Sessions(), Codec: scs.GobCodec{}, Lifetime: time.Hour}
}

// logBuffer keeps what was logged.
type logBuffer struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	out  io.Writer
	more chan struct{} // closed by the next line, for who waits
}

// newLog returns a log that shows its lines in the test's output until the test has ended: a socket's request is
// logged when the socket is closed, which nobody waits for.
func newLog(t testing.TB) *logBuffer {
	l := &logBuffer{out: t.Output()}
	t.Cleanup(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.out = io.Discard
	})
	return l
}

// await waits until the log has a text.
func (l *logBuffer) await(t testing.TB, text string) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		l.mu.Lock()
		found := strings.Contains(l.buf.String(), text)
		if l.more == nil {
			l.more = make(chan struct{})
		}
		more := l.more
		l.mu.Unlock()
		if found {
			return
		}
		select {
		case <-more:
		case <-limit:
			t.Fatalf("nothing about %q is in the log", text)
		}
	}
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	l.out.Write(b)
	return l.buf.Write(b)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
