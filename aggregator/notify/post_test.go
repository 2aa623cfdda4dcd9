package notify

import (
	"context"
	"errors"
	"log/slog"
	"mime"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	gomail "github.com/wneessen/go-mail"

	"housecount/aggregator/notify/mailtest"
	"housecount/aggregator/store"
)

// listener hands over connections that are no sockets, so that hours pass in a moment.
type listener chan net.Conn

func (l listener) Accept() (net.Conn, error) {
	c, open := <-l
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l listener) Close() error {
	close(l)
	return nil
}
func (l listener) Addr() net.Addr { return &net.TCPAddr{} }

// house is a Post with a database and a mail server, in a bubble.
type house struct {
	mailtest.Server
	t        *testing.T
	letters  *store.Letters
	server   *SMTP
	push     pushes
	webhooks []*Webhook // of the house's own addresses
	changed  <-chan struct{}
	stop     func()

	mu     sync.Mutex // of those below
	due    []Due
	write  func([]store.Letter, store.Subscriber) (Text, error)
	states []string
	down   bool // the server cannot be reached
}

func inHouse(t *testing.T, f func(*house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		h := &house{t: t, letters: st.Letters()}
		h.write = func(all []store.Letter, to store.Subscriber) (Text, error) {
			return Text{Subject: "Last night: 12 came", Plain: "12 came, for " + to.Person, HTML: "<p>12 came – " + abouts(all) + "</p>", Stop: "https://house.example/letters/stop/" + to.Token}, nil
		}
		if h.server, err = NewSMTP("smtp://127.0.0.1:25", "", "", "Theater De Waag <house@house.example>"); err != nil {
			t.Fatal(err)
		}
		l := make(listener)
		h.server.options = append(h.server.options, gomail.WithDialContextFunc(func(ctx context.Context, _, _ string) (net.Conn, error) {
			h.mu.Lock()
			down := h.down
			h.mu.Unlock()
			if down {
				return nil, errors.New("connection refused")
			}
			ours, theirs := net.Pipe()
			l <- theirs
			return ours, nil
		}))
		h.Serve(t, l)
		h.changed, _ = st.Watch(store.SubjectLetters)
		h.begin()
		f(h)
		h.stop()
	})
}

// abouts returns what letters are about.
func abouts(all []store.Letter) string {
	var texts []string
	for _, l := range all {
		texts = append(texts, l.About)
	}
	return strings.Join(texts, ", ")
}

// begin starts a process that makes and sends letters.
func (h *house) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Post{Letters: h.letters, Changed: h.changed, Mail: h.server, Push: &h.push, Log: slog.New(slog.NewTextHandler(h.t.Output(), nil)),
		Due: func() []Due {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.due
		},
		Write: func(_ context.Context, all []store.Letter, to store.Subscriber) (Text, error) {
			h.mu.Lock()
			write := h.write
			h.mu.Unlock()
			return write(all, to)
		},
		Done: func(state string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.states = append(h.states, state)
		}}
	for _, w := range h.webhooks {
		p.House = append(p.House, Address{store.Subscriber{Person: w.Person(), Language: "en", Names: []string{"alerts"}}, w})
	}
	var running sync.WaitGroup
	running.Go(func() {
		if err := p.Run(ctx); err != nil {
			h.t.Error(err)
		}
	})
	h.stop = func() {
		cancel()
		running.Wait()
	}
}

func (h *house) subscribe(name string, letters ...string) {
	h.t.Helper()
	err := h.letters.Subscribe(h.t.Context(), store.Subscriber{Person: "idp " + name, Address: name + "@house.example", Language: "en", Names: letters, Who: []byte(`{}`)}, store.Act{Actor: "idp " + name, Action: store.ActLettersChosen})
	if err != nil {
		h.t.Fatal(err)
	}
}

// writes has letters written by a function.
func (h *house) writes(f func([]store.Letter, store.Subscriber) (Text, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.write = f
}

// isDue makes letters due besides those that are.
func (h *house) isDue(all ...Due) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.due = append(h.due, all...)
}

// became checks what became of the letters, in the order in which they were done.
func (h *house) became(want ...string) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.states, want) {
		h.t.Errorf("the letters are %q, want %q", h.states, want)
	}
}

// morning makes the letters of a morning due for four hours.
func (h *house) morning(day string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.due = []Due{{Name: "morning", About: day, For: 4 * time.Hour}}
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// want checks who got letters.
func (h *house) want(to ...string) {
	h.t.Helper()
	var got []string
	for _, m := range h.Got() {
		got = append(got, m.To)
	}
	slices.Sort(got) // several are sent at once
	if !slices.Equal(got, to) {
		h.t.Errorf("sent to %q, want %q", got, to)
	}
}

// reach has the server reached, or not.
func (h *house) reach(is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = !is
}

// Each letter goes once to whoever wants it, readable in both forms, and can be stopped in one click.
func TestUpkeepOfLetters(t *testing.T) {
	inHouse(t, func(h *house) {
		h.subscribe("anna", "morning", "night")
		h.subscribe("bert", "night")
		pass(time.Hour)
		h.want()
		h.morning("2026-11-22")
		pass(5 * time.Hour)
		h.want("anna@house.example")
		h.stop()
		h.begin() // a process that does not know what it made
		pass(time.Hour)
		h.want("anna@house.example")
		h.morning("2026-11-23")
		h.subscribe("cleo", "morning")
		pass(time.Minute)
		h.want("anna@house.example", "anna@house.example", "cleo@house.example")

		m := h.Got()[0]
		for name, want := range map[string]string{"From": `"Theater De Waag" <house@house.example>`, "To": "<anna@house.example>", "Subject": "Last night: 12 came", "Auto-Submitted": "auto-generated",
			"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"} {
			if got := m.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if stop := m.Header.Get("List-Unsubscribe"); !strings.HasPrefix(stop, "<https://house.example/letters/stop/") || !strings.HasSuffix(stop, ">") {
			t.Errorf("List-Unsubscribe is %q", stop)
		}
		if _, err := m.Header.Date(); err != nil {
			t.Error(err)
		}
		if m.Parts["text/plain"] != "12 came, for idp anna" || m.Parts["text/html"] != "<p>12 came – 2026-11-22</p>" {
			t.Errorf("the letter has %q", m.Parts)
		}
		ids := map[string]bool{}
		for _, one := range h.Got() {
			ids[one.Header.Get("Message-ID")] = true
		}
		if len(ids) != 3 {
			t.Errorf("three letters have the ids %v", ids)
		}
	})
}

// A mail server that is away or busy gets the letter as soon as it takes it, and a letter that is too old is given up.
func TestUpkeepOfLettersThatFail(t *testing.T) {
	for _, c := range []struct {
		name string
		bad  func(h *house, is bool)
	}{
		{"away", func(h *house, is bool) { h.reach(!is) }},
		{"greylisting", func(h *house, is bool) {
			if h.Refuse(0, ""); is {
				h.Refuse(451, "try again later")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				c.bad(h, true)
				h.subscribe("anna", "morning")
				h.morning("2026-11-22")
				pass(time.Hour)
				h.want()
				if tried := h.Tried(); tried > 10 {
					t.Errorf("tried %d times in an hour", tried)
				}
				c.bad(h, false)
				pass(longest + time.Minute)
				h.want("anna@house.example")

				c.bad(h, true)
				h.morning("2026-11-23")
				pass(5 * time.Hour)
				c.bad(h, false)
				pass(24 * time.Hour)
				h.want("anna@house.example")
				h.became(store.LetterSent, store.LetterLate)
			})
		})
	}
}

// An address that is refused is not tried again; the others get theirs, and so does the address the next time.
func TestUpkeepOfRefusedLetters(t *testing.T) {
	inHouse(t, func(h *house) {
		h.Refuse(550, "no such user")
		h.subscribe("anna", "morning")
		h.morning("2026-11-22")
		pass(2 * time.Hour)
		if h.Tried() != 1 {
			t.Errorf("tried %d times, want once", h.Tried())
		}
		newest, err := h.letters.Newest(h.t.Context())
		if one := newest["idp anna"]; err != nil || one.State != store.LetterRefused || !strings.Contains(one.Failure, "no such user") {
			t.Errorf("the letter is %+v (%v)", one, err)
		}
		h.Refuse(0, "")
		h.morning("2026-11-23")
		pass(time.Minute)
		h.want("anna@house.example")
	})
}

// A connection that is cut after the letter was taken sends it again, with the same id.
func TestUpkeepOfLettersSentTwice(t *testing.T) {
	inHouse(t, func(h *house) {
		h.Cut(true)
		h.subscribe("anna", "morning")
		h.morning("2026-11-22")
		pass(30 * time.Second)
		h.Cut(false)
		pass(time.Hour)
		if got := h.Got(); len(got) != 2 || got[0].Header.Get("Message-ID") != got[1].Header.Get("Message-ID") || got[0].Header.Get("Message-ID") == "" {
			t.Errorf("sent %d times, want twice with one id", len(got))
		}
	})
}

// A letter that the server took is sent once, whatever comes after that: the server hangs up, or this program stops.
func TestUpkeepOfLettersThatWereTaken(t *testing.T) {
	inHouse(t, func(h *house) {
		h.HangUp()
		h.subscribe("anna", "morning")
		h.morning("2026-11-22")
		pass(5 * time.Hour)
		h.want("anna@house.example")
	})
	inHouse(t, func(h *house) {
		h.Slow(time.Second)
		h.subscribe("anna", "morning")
		h.morning("2026-11-22")
		pass(check + 500*time.Millisecond) // it is being sent
		h.stop()
		h.begin()
		pass(5 * time.Hour)
		h.want("anna@house.example")
	})
}

// A letter goes to whoever wants it when it is sent: not to those who have stopped it, and to those who have just chosen it.
func TestUpkeepOfLettersThatAreStopped(t *testing.T) {
	inHouse(t, func(h *house) {
		h.reach(false)
		h.subscribe("anna", "morning", "night")
		h.subscribe("bert", "morning")
		h.morning("2026-11-22")
		pass(time.Minute)
		h.subscribe("anna", "night")
		h.subscribe("bert")
		h.subscribe("bert", "morning")
		h.subscribe("cleo", "morning")
		h.reach(true)
		pass(time.Hour)
		h.want("bert@house.example", "cleo@house.example")
	})
}

// What a server says may be any bytes.
func TestUpkeepOfOddFailures(t *testing.T) {
	inHouse(t, func(h *house) {
		h.Refuse(550, "Empf\xe4nger unbekannt")
		h.subscribe("anna", "morning")
		h.morning("2026-11-22")
		pass(time.Hour)
		if newest, err := h.letters.Newest(h.t.Context()); err != nil || newest["idp anna"].State != store.LetterRefused || h.Tried() != 1 {
			t.Errorf("tried %d times, %+v (%v)", h.Tried(), newest["idp anna"], err)
		}
	})
}

// A letter waits until the figures are known; one with nothing in it is not sent; what stands in a title makes no header.
func TestUpkeepOfWhatIsWritten(t *testing.T) {
	inHouse(t, func(h *house) {
		right := h.write
		h.writes(func([]store.Letter, store.Subscriber) (Text, error) { return Text{}, ErrNotYet })
		h.subscribe("anna", "morning")
		h.morning("2026-11-22")
		pass(time.Hour)
		h.want()
		h.writes(func(l []store.Letter, to store.Subscriber) (Text, error) {
			text, err := right(l, to)
			text.Subject = "Tosca\r\nBcc: all@house.example\n\nÉén kwam"
			return text, err
		})
		pass(time.Minute)
		h.want("anna@house.example")
		subject, err := new(mime.WordDecoder).DecodeHeader(h.Got()[0].Header.Get("Subject"))
		if err != nil || subject != "Tosca Bcc: all@house.example Één kwam" || h.Got()[0].Header.Get("Bcc") != "" {
			t.Errorf("the subject is %q (%v), in %v", subject, err, h.Got()[0].Header)
		}
		h.writes(func([]store.Letter, store.Subscriber) (Text, error) { return Text{}, ErrVoid })
		h.morning("2026-11-23")
		pass(24 * time.Hour)
		h.want("anna@house.example")
	})
}

// Many alerts in a minute are few messages with all of them, each alert once; those that somebody does not want, or that are
// for others, are not sent.
func TestUpkeepOfManyAlerts(t *testing.T) {
	inHouse(t, func(h *house) {
		h.subscribe("anna", "alerts")
		h.subscribe("bert", "morning")
		h.subscribe("cleo", "alerts")
		raise := func(from, to int) {
			h.mu.Lock()
			defer h.mu.Unlock()
			for i := from; i < to; i++ {
				h.due = append(h.due, Due{Name: "alerts", About: strconv.Itoa(1000 + i), For: time.Hour, Apart: 5 * time.Minute, To: func(s store.Subscriber) bool { return s.Person != "idp cleo" }})
			}
		}
		for i := range 10 {
			raise(i*20, (i+1)*20)
			pass(6 * time.Second)
		}
		pass(3 * time.Minute)
		if n := len(h.Got()); n != 1 {
			t.Errorf("after 4 minutes there are %d messages, want one", n)
		}
		pass(time.Hour)
		h.want("anna@house.example", "anna@house.example")
		seen := map[string]int{}
		for _, m := range h.Got() {
			for _, about := range regexp.MustCompile(`1\d\d\d`).FindAllString(m.Parts["text/html"], -1) {
				seen[about]++
			}
		}
		if len(seen) != 200 {
			t.Errorf("%d alerts were sent, want 200", len(seen))
		}
		for about, n := range seen {
			if n != 1 {
				t.Errorf("the alert %s was sent %d times", about, n)
			}
		}
		raise(200, 201)
		pass(time.Minute)
		h.want("anna@house.example", "anna@house.example", "anna@house.example")
	})
}

// That the database fails is logged when it begins, every ten minutes and when it ends, however often it is asked for whatever.
func TestFailingDatabaseIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		p := &Post{Log: slog.New(slog.NewTextHandler(&out, nil))}
		lines := func() int { return strings.Count(out.String(), "\n") }
		p.note(t.Context(), "make", nil)
		for range 25 * 60 {
			p.note(t.Context(), "make", errors.New("away"))
			p.note(t.Context(), "mail", errors.New("away too"))
			time.Sleep(time.Second)
		}
		if lines() != 3 {
			t.Errorf("in 25 minutes it says\n%s", &out)
		}
		p.note(t.Context(), "make", nil)
		p.note(t.Context(), "make", nil)
		if lines() != 3 {
			t.Errorf("while one task fails it says\n%s", &out)
		}
		p.note(t.Context(), "mail", nil)
		p.note(t.Context(), "mail", nil)
		if lines() != 4 || !strings.Contains(out.String(), "noted again") {
			t.Errorf("at the end it says\n%s", &out)
		}
		p.note(t.Context(), "mail", errors.New("away"))
		if lines() != 5 {
			t.Errorf("when it fails again it says\n%s", &out)
		}
	})
}
