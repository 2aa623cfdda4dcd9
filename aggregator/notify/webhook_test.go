package notify

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
)

const webhookKey = "a key of the house of thirty-two characters"

// received is a message as a receiver reads it.
type received struct {
	message
	header http.Header
}

// receive reads a message and checks its signature as the manual says.
func receive(t *testing.T, r *http.Request) (m received) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
		return m
	}
	at, signature, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("X-Housecount-Signature"), "t="), ",v1=")
	mac := hmac.New(sha256.New, []byte(webhookKey))
	fmt.Fprintf(mac, "%s.%s", at, body)
	if seconds, err := strconv.ParseInt(at, 10, 64); err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute || signature != hex.EncodeToString(mac.Sum(nil)) {
		t.Errorf("signed with %s", r.Header.Get("X-Housecount-Signature"))
	}
	if err := json.Unmarshal(body, &m.message); err != nil {
		t.Error(err)
	}
	m.header = r.Header.Clone()
	return m
}

var webhookText = Text{Name: "alerts", Subject: "Tosca: <b>hold</b>\r\nX: y", Open: "https://house.example/tonight",
	Alerts: []Alert{{ID: "hold:e#1", Code: "hold", Level: "bad", Raised: time.Date(2026, 11, 22, 18, 0, 0, 0, time.UTC), Text: "Hold \u2028 \"Tosca\"", Event: "e"}}}

// send sends a message to a receiver; nothing is left of an earlier failure.
func (w *Webhook) send(id string) error {
	w.silent = time.Time{}
	return w.Send(context.Background(), id, store.Subscriber{Person: store.HousePerson}, webhookText, time.Hour)
}

// A message is JSON, signed, and the same letters have the same key.
func TestWebhook(t *testing.T) {
	var got []received
	receiver := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.String() != "/alerts?token=hush" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s of %s", r.Method, r.URL, r.Header.Get("Content-Type"))
		}
		got = append(got, receive(t, r))
		w.WriteHeader([]int{200, 201, 202, 204}[len(got)%4])
	}))
	defer receiver.Close()
	w, err := NewWebhook(receiver.URL+"/alerts?token=hush", webhookKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.send("a"); err == nil || Permanent(err) || len(got) != 0 {
		t.Errorf("a receiver with a certificate of nobody: %v", err)
	}
	w.client.Transport = receiver.Client().Transport
	for _, id := range []string{"a", "a", "b", "a\nb"} {
		if err := w.send(id); err != nil {
			t.Fatal(err)
		}
	}
	keys := map[string]bool{}
	for _, m := range got {
		if keys[m.ID] = true; m.header.Get("Idempotency-Key") != m.ID || m.ID == "" {
			t.Errorf("the key of %q is %q", m.ID, m.header.Get("Idempotency-Key"))
		}
		if m.Title != webhookText.Subject || m.Letter != "alerts" || m.URL != webhookText.Open || !slices.Equal(m.Alerts, webhookText.Alerts) {
			t.Errorf("received is %+v", m.message)
		}
	}
	if got[0].ID != got[1].ID || len(keys) != 3 {
		t.Errorf("the keys are %v", keys)
	}
}

// What a receiver answers decides whether it is asked again. It is asked once, and leads nowhere else.
func TestWebhookAnswers(t *testing.T) {
	answer, requests, elsewhere := 0, 0, 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Location", other.URL)
		w.WriteHeader(answer)
		fmt.Fprint(w, strings.Repeat("because\n", 100_000))
	}))
	defer receiver.Close()
	w, err := NewWebhook(receiver.URL+"/?token=hush", webhookKey)
	if err != nil {
		t.Fatal(err)
	}
	for code, permanent := range map[int]bool{301: true, 302: true, 303: true, 304: true, 307: true, 308: true, 400: true, 401: true, 403: true, 404: true, 410: true, 413: true, 422: true,
		408: false, 425: false, 429: false, 500: false, 502: false, 503: false, 504: false} {
		answer, requests = code, 0
		err := w.send("a")
		if err == nil || Permanent(err) != permanent || errors.Is(err, ErrGone) || requests != 1 || len(err.Error()) > 600 || strings.Contains(err.Error(), "hush") {
			t.Errorf("%d: %v after %d requests", code, err, requests)
		}
		if left := !w.silent.IsZero(); left == permanent {
			t.Errorf("%d: left alone: %t", code, left)
		}
	}
	if elsewhere != 0 {
		t.Errorf("followed %d times", elsewhere)
	}
	requests, w.silent = 0, time.Now().Add(time.Minute)
	if err := w.Send(t.Context(), "a", store.Subscriber{}, webhookText, time.Hour); err == nil || Permanent(err) || requests != 0 {
		t.Errorf("one that is left alone: %v after %d requests", err, requests)
	}
}

// A receiver that does not answer, breaks off, or never ends, is not waited for; what it took is sent.
func TestWebhookThatDoesNotAnswer(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		closes, sent bool
	}{
		{name: "says nothing"},
		{name: "closes at once", closes: true},
		{name: "is no web server", answer: "220 mail.example.org\r\n"},
		{name: "never ends its header", answer: "HTTP/1.1 200 OK\r\nX-Slow: "},
		{name: "never ends its answer", answer: "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nx", sent: true},
		{name: "never ends its failure", answer: "HTTP/1.1 500 Oops\r\nContent-Length: 1000\r\n\r\nx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var serving sync.WaitGroup
			serving.Go(func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				if c.closes {
					return
				}
				if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
				}
				_, _ = io.WriteString(conn, c.answer)
				_, _ = io.Copy(io.Discard, conn) // until the sender gives up
			})
			w, err := NewWebhook("http://"+l.Addr().String()+"/hush", webhookKey)
			if err != nil {
				t.Fatal(err)
			}
			if w.client.Timeout != webhookTimeout {
				t.Errorf("waits for %v", w.client.Timeout)
			}
			w.client.Timeout = 100 * time.Millisecond
			err = w.send("a")
			l.Close()
			serving.Wait()
			if (err == nil) != c.sent || Permanent(err) || err != nil && strings.Contains(err.Error(), "hush") || w.silent.IsZero() != c.sent {
				t.Errorf("%v, left alone until %v", err, w.silent)
			}
			if err := w.send("a"); err == nil || Permanent(err) || strings.Contains(err.Error(), "hush") { // nobody listens any more
				t.Errorf("one that is away: %v", err)
			}
		})
	}
}

// The address is one that cannot be read on the way, and has no password in it.
func TestWebhookAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://example.org/alerts?token=x": true,
		"https://10.0.0.3:8443":              true,
		"http://localhost:8123/api/x":        true,
		"http://127.0.0.1:8123":              true,
		"http://[::1]:8123":                  true,
		"http://example.org":                 false,
		"http://127.0.0.1.example.org":       false,
		"http://10.0.0.3":                    false,
		"https://mia:sesame@example.org":     false,
		"https://example.org/#x":             false,
		"https:///alerts":                    false,
		"ftp://example.org":                  false,
		"file:///etc/passwd":                 false,
		"example.org":                        false,
		"":                                   false,
	} {
		if _, err := NewWebhook(address, webhookKey); (err == nil) != ok || err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// hookReceiver is the receiver of a house: what it got, and what it answers.
type hookReceiver struct {
	mu     sync.Mutex
	got    []received
	answer func(n int) int // by how many messages came before
	tried  int
}

// serve has the house's address received; each connection is a pipe.
func (r *hookReceiver) serve(t *testing.T, h *house) (stop func()) {
	return r.serveAt(t, h, "http://localhost/alerts")
}

// serveAt has an address of the house received.
func (r *hookReceiver) serveAt(t *testing.T, h *house, address string) (stop func()) {
	w, err := NewWebhook(address, webhookKey)
	if err != nil {
		t.Fatal(err)
	}
	l := make(listener)
	w.client.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		l <- theirs
		return ours, nil
	}}
	server := &http.Server{Handler: http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		m := received{header: request.Header.Clone()}
		if w.Signs() {
			m = receive(t, request)
		}
		r.mu.Lock()
		code := r.answer(r.tried)
		r.tried++
		if code == 0 || code < 300 {
			r.got = append(r.got, m)
		}
		r.mu.Unlock()
		if code == 0 { // takes it, and does not say so
			<-request.Context().Done()
			return
		}
		answer.WriteHeader(code)
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	h.webhooks = append(h.webhooks, w)
	h.writes(func(all []store.Letter, to store.Subscriber) (Text, error) {
		text := Text{Name: all[0].Name, Subject: abouts(all), Plain: "x", HTML: "x"}
		for _, one := range all {
			text.Alerts = append(text.Alerts, Alert{ID: one.About})
		}
		return text, nil
	})
	h.stop()
	h.begin()
	return func() {
		server.Close()
		serving.Wait()
	}
}

// titles returns the titles of the messages received.
func (r *hookReceiver) titles() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.got {
		all = append(all, m.Title)
	}
	return all
}

// alert makes an alert due.
func (h *house) alert(about string) {
	h.isDue(Due{Name: "alerts", About: about, For: 30 * time.Minute})
}

// A receiver that is down is told when it is back, mail goes on meanwhile, and nothing is sent that is too old.
func TestUpkeepOfTheHousesAddress(t *testing.T) {
	inHouse(t, func(h *house) {
		down := true
		r := &hookReceiver{answer: func(int) int {
			if down {
				return 503
			}
			return 204
		}}
		defer r.serve(t, h)()
		h.subscribe("anna", "alerts")
		h.alert("1")
		pass(time.Minute)
		h.want("anna@house.example")
		pass(10 * time.Minute)
		if tried := r.tried; tried < 3 || tried > 6 || len(r.titles()) != 0 {
			t.Errorf("tried %d times in eleven minutes, received %q", tried, r.titles())
		}
		r.mu.Lock()
		down = false
		r.mu.Unlock()
		pass(10 * time.Minute)
		if got := r.titles(); !slices.Equal(got, []string{"1"}) {
			t.Errorf("received %q", got)
		}
		r.mu.Lock()
		down = true
		r.mu.Unlock()
		h.alert("2")
		h.mu.Lock()
		h.due = h.due[1:]
		h.mu.Unlock()
		pass(time.Minute)
		h.mu.Lock()
		h.due = nil
		h.mu.Unlock()
		pass(time.Hour)
		r.mu.Lock()
		down = false
		r.mu.Unlock()
		pass(time.Hour)
		if got := r.titles(); !slices.Equal(got, []string{"1"}) {
			t.Errorf("received %q after an hour", got)
		}
		h.want("anna@house.example", "anna@house.example")
		h.mu.Lock()
		defer h.mu.Unlock()
		if got := h.states; !slices.Contains(got, store.LetterLate) {
			t.Errorf("the letters are %q", got)
		}
	})
}

// A receiver that takes a message and does not say so gets it again with the same key, and what came meanwhile with another;
// many alerts at once are one message.
func TestUpkeepOfTheHousesAddressTwice(t *testing.T) {
	inHouse(t, func(h *house) {
		r := &hookReceiver{answer: func(n int) int {
			if n < 2 {
				return 0
			}
			return 200
		}}
		h.alert("1")
		defer r.serve(t, h)()
		pass(90 * time.Second)
		for i := range 200 {
			h.alert(fmt.Sprintf("storm %03d", i))
		}
		pass(5 * time.Minute)
		got := r.titles()
		if len(got) != 4 && len(got) != 3 || got[0] != "1" || got[1] != "1" || r.got[0].ID != r.got[1].ID {
			t.Fatalf("received %d: %.80q", len(got), got)
		}
		told := map[string]int{}
		for i, m := range r.got {
			for _, a := range m.Alerts {
				told[a.ID]++
			}
			if i > 1 && m.ID == r.got[0].ID && len(m.Alerts) > 1 {
				t.Errorf("message %d has the key of another", i)
			}
		}
		if len(told) != 201 || told["storm 000"] != 1 || told["1"] != 3 {
			t.Errorf("told of %d alerts, of the first %d times", len(told), told["1"])
		}
	})
}

// An alert that joins one that was perhaps taken makes it another message.
func TestUpkeepOfTheHousesAddressJoined(t *testing.T) {
	inHouse(t, func(h *house) {
		r := &hookReceiver{answer: func(n int) int { return 200 * min(n, 1) }}
		h.alert("1")
		defer r.serve(t, h)()
		pass(75 * time.Second)
		h.alert("2")
		pass(time.Minute)
		if got := r.titles(); !slices.Equal(got, []string{"1", "1, 2"}) || r.got[0].ID == r.got[1].ID {
			t.Errorf("received %q", got)
		}
	})
}

// What the receiver refuses is not sent again; the next alert is tried. Without the address nothing is sent.
func TestUpkeepOfTheHousesAddressRefused(t *testing.T) {
	for _, code := range []int{404, 410, 401, 307} {
		inHouse(t, func(h *house) {
			r := &hookReceiver{answer: func(n int) int {
				if n == 0 {
					return code
				}
				return 200
			}}
			defer r.serve(t, h)()
			h.alert("1")
			pass(time.Hour)
			h.alert("2")
			pass(time.Minute)
			if got := r.titles(); !slices.Equal(got, []string{"2"}) {
				t.Errorf("%d: received %q", code, got)
			}
			h.became(store.LetterRefused, store.LetterSent)
			h.stop() // an address that is not configured any more gets nothing
			h.webhooks = nil
			h.alert("3")
			h.begin()
			pass(time.Hour)
			if got := r.titles(); len(got) != 1 {
				t.Errorf("without the address: %q", got)
			}
		})
	}
}

// What hangs holds up nobody else: neither a receiver that takes a connection and says nothing, nor a mail server that takes
// its time for each message.
func TestUpkeepOfWaysThatHang(t *testing.T) {
	inHouse(t, func(h *house) {
		hung := make(chan struct{})
		r := &hookReceiver{answer: func(int) int { <-hung; return 200 }}
		defer r.serve(t, h)()
		defer close(hung)
		h.subscribe("anna", "alerts")
		pass(time.Second)
		h.alert("1")
		pass(check) // the receiver is waited for since a second ago
		h.want("anna@house.example")
	})
	inHouse(t, func(h *house) {
		r := &hookReceiver{answer: func(int) int { return 200 }}
		defer r.serve(t, h)()
		for i := range 10 {
			h.subscribe("anna"+strconv.Itoa(i), "alerts")
		}
		pass(time.Second)
		h.Slow(20 * time.Second)
		h.mu.Lock()
		h.due = []Due{{Name: "alerts", About: "1", For: time.Hour, To: func(s store.Subscriber) bool { return s.Person != store.HousePerson }}}
		h.mu.Unlock()
		pass(check)
		h.alert("2")
		pass(check)
		if got := r.titles(); !slices.Equal(got, []string{"2"}) {
			t.Errorf("while the mail server is slow, received %q", got)
		}
		pass(time.Hour)
		told := map[string]int{}
		for _, m := range h.Got() {
			for about := range strings.SplitSeq(m.Header.Get("Subject"), ", ") {
				told[m.To+" "+about]++
			}
		}
		for who, n := range told {
			if n != 1 {
				t.Errorf("%s: told %d times", who, n)
			}
		}
		if len(told) != 20 {
			t.Errorf("told of %d, want two alerts to each of ten", len(told))
		}
	})
}
