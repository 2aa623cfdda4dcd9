package notify

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"housecount/aggregator/store"
)

// chatText is of two alerts of a performance whose title would call everybody, be a link, or end a header.
var chatText = Text{Name: "alerts", Subject: "De Waag: <!channel> @all *Tosca*\r\nX: y, and 1 more", Open: "https://house.example/tonight",
	Alerts: []Alert{{Level: "bad", Text: "Hold <b>Tosca</b> & [x](y)"}, {Level: "warn", Text: "Gate A is quiet"}}}

// Each chat gets a message in its own form, in which a title is a title, and with what its address says of who may send there.
func TestChats(t *testing.T) {
	title, lines := "De Waag: <!channel> @all *Tosca* X: y, and 1 more", "Hold <b>Tosca</b> & [x](y)\nGate A is quiet"
	run := func(text string, more string) string {
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return `{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": ` + string(b) + more + `}]}`
	}
	for _, c := range []struct {
		address             string // HOST is that of the receiver
		path, authorization string
		body                string
	}{
		{"ntfy+http://HOST/hush-hush", "/", "",
			`{"topic": "hush-hush", "title": "De Waag: <!channel> @all *Tosca*\r\nX: y, and 1 more", "message": "Hold <b>Tosca</b> & [x](y)\nGate A is quiet", "priority": 5, "click": "https://house.example/tonight"}`},
		{"ntfy+http://tk_hush@HOST/under/alerts/", "/under/", "Bearer tk_hush", ""},
		{"ntfy+http://:tk_hush@HOST/alerts", "/", "Bearer tk_hush", ""},
		{"ntfy+http://mia:hush@HOST/alerts", "/", "Basic bWlhOmh1c2g=", ""},
		{"slack+http://HOST/services/T0/B0/hush", "/services/T0/B0/hush", "",
			`{"text": "De Waag: &lt;!channel&gt; @\u200ball *Tosca* X: y, and 1 more\nHold &lt;b&gt;Tosca&lt;/b&gt; &amp; [x](y)\nGate A is quiet\nhttps://house.example/tonight"}`},
		{"telegram+http://HOST/bot12:hush/sendMessage?chat_id=-100", "/bot12:hush/sendMessage", "",
			`{"chat_id": "-100", "text": "` + title + `\n` + strings.ReplaceAll(lines, "\n", `\n`) + `\nhttps://house.example/tonight", "link_preview_options": {"is_disabled": true}}`},
		{"teams+http://HOST/workflows/hush/run?sig=hush%2Fhush", "/workflows/hush/run?sig=hush%2Fhush", "",
			`{"type": "message", "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": {"type": "AdaptiveCard", "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "version": "1.4",
			"body": [` + strings.Join([]string{run(title, `, "weight": "bolder"`), run("Hold <b>Tosca</b> & [x](y)", ""), run("Gate A is quiet", ""),
				run("https://house.example/tonight", `, "selectAction": {"type": "Action.OpenUrl", "url": "https://house.example/tonight"}`)}, ", ") + `]}}]}`},
	} {
		t.Run(c.address, func(t *testing.T) {
			requests := 0
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				body, err := io.ReadAll(r.Body)
				if err != nil || r.Method != http.MethodPost || r.URL.String() != c.path || r.Header.Get("Authorization") != c.authorization || r.Header.Get("Content-Type") != "application/json" ||
					r.Header.Get(SignatureHeader) != "" || r.Header.Get("Idempotency-Key") == "" {
					t.Errorf("%s %s with %v (%v)", r.Method, r.URL, r.Header, err)
				}
				var got, want any
				if err := json.Unmarshal(body, &got); err != nil {
					t.Error(err)
				}
				if c.body != "" {
					if err := json.Unmarshal([]byte(c.body), &want); err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("got  %s\nwant %s", body, c.body)
					}
				}
			}))
			defer receiver.Close()
			host := strings.TrimPrefix(receiver.URL, "http://")
			w, err := NewWebhook(strings.ReplaceAll(c.address, "HOST", host), "")
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Send(t.Context(), "a", store.Subscriber{}, chatText, time.Hour); err != nil || requests != 1 {
				t.Errorf("sent %d times: %v", requests, err)
			}
			if name, of, _ := strings.Cut(w.Host(), " · "); !strings.EqualFold(name, c.address[:strings.Index(c.address, "+")]) || of != host {
				t.Errorf("administrators see %q", w.Host())
			}
		})
	}
}

// What a chat answers decides whether it is asked again; it leads nowhere else, and nothing that its address says is shown, even
// where the chat says it.
func TestChatsThatFail(t *testing.T) {
	answer, elsewhere := 0, 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", other.URL)
		w.WriteHeader(answer)
		fmt.Fprintf(w, "no %s and no %s, %s", r.URL, r.Header.Get("Authorization"), r.Body)
	}))
	defer receiver.Close()
	host := strings.TrimPrefix(receiver.URL, "http://")
	for _, address := range []string{"ntfy+http://tk_hushhush@HOST/alerts", "ntfy+http://:hushhush1@HOST/alerts", "slack+http://HOST/services/T0/B0/hushhush1", "telegram+http://HOST/bot12:hushhush/sendMessage?chat_id=-100", "teams+http://HOST/run?sig=hushhush"} {
		for code, permanent := range map[int]bool{307: true, 308: true, 400: true, 401: true, 403: true, 404: true, 429: false, 500: false, 503: false} {
			answer = code
			w, err := NewWebhook(strings.ReplaceAll(address, "HOST", host), "")
			if err != nil {
				t.Fatal(err)
			}
			err = w.Send(t.Context(), "a", store.Subscriber{}, chatText, time.Hour)
			if err == nil || Permanent(err) != permanent || strings.Contains(err.Error(), "hush") || w.silent.IsZero() != permanent {
				t.Errorf("%s, %d: %v", address, code, err)
			}
		}
		w, err := NewWebhook(strings.ReplaceAll(address, "HOST", "127.0.0.1:1"), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Send(t.Context(), "a", store.Subscriber{}, chatText, time.Hour); err == nil || Permanent(err) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s, nobody there: %v", address, err)
		}
	}
	if elsewhere != 0 {
		t.Errorf("followed %d times", elsewhere)
	}
}

// A red alert comes with sound, one that is over without.
func TestPrioritiesOfNtfy(t *testing.T) {
	over := time.Date(2026, 11, 22, 20, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		alerts []Alert
		want   float64
	}{
		{[]Alert{{Level: "warn"}}, 3},
		{[]Alert{{Level: "warn"}, {Level: "bad"}}, 5},
		{[]Alert{{Level: "bad", Cleared: over}}, 2},
		{[]Alert{{Level: "bad", Cleared: over}, {Level: "warn"}}, 3},
	} {
		u, content := writeNtfy(*must(NewWebhook("ntfy://ntfy.example/x", "")), "", Text{Alerts: c.alerts})
		var m struct{ Priority float64 }
		b, err := encodeMessage(content)
		if err == nil {
			err = json.Unmarshal(b, &m)
		}
		if err != nil || m.Priority != c.want || u.String() != "https://ntfy.example/" {
			t.Errorf("%v to %s: %v (%v), want %v", c.alerts, &u, m.Priority, err, c.want)
		}
	}
}

// A message of 200 alerts has as many as a chat takes, in whole letters.
func TestChatsOfAStorm(t *testing.T) {
	storm := Text{Subject: "200 alerts", Open: "https://house.example/tonight"}
	for range 200 {
		storm.Alerts = append(storm.Alerts, Alert{Level: "bad", Text: strings.Repeat("Zaal é ", 5)})
	}
	for _, form := range forms {
		if form.name == "" {
			continue
		}
		_, content := form.write(*must(NewWebhook("ntfy://ntfy.example/x", "")), "", storm)
		b, err := encodeMessage(content)
		if err != nil || !utf8.Valid(b) || strings.Contains(string(b), `\ufffd`) || !strings.Contains(string(b), "…") || !strings.Contains(string(b), storm.Open) {
			t.Errorf("%s: %s (%v)", form.name, b, err)
		}
		if form.name != "Teams" && len(b) > 4000 {
			t.Errorf("%s: %d bytes", form.name, len(b))
		}
	}
}

// Addresses of chats need what the chat needs; none is taken twice, and what is wrong is said without the address.
func TestChatAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"ntfy://ntfy.sh/de-waag":                                        true,
		"ntfy+https://ntfy.sh/de-waag":                                  true,
		"ntfy+http://localhost:8080/de-waag":                            true,
		"ntfy+http://10.0.0.3/de-waag-sesame":                           false,
		"ntfy://ntfy.sh":                                                false,
		"ntfy://ntfy.sh/":                                               false,
		"ntfy+ftp://ntfy.sh/sesame":                                     false,
		"ntfy:///sesame":                                                false,
		"slack://hooks.slack.com/services/sesame":                       true,
		"slack://mia:sesame@hooks.slack.com/x":                          false,
		"teams://prod.example/workflows/x?sig=a":                        true,
		"telegram://api.telegram.org/bot1:sesame/sendMessage?chat_id=1": true,
		"telegram://api.telegram.org/bot1:sesame/sendMessage":           false,
		"telegram://api.telegram.org/bot1:sesame/getMe?chat_id=1":       false,
		"discord://discord.com/api/webhooks/1/sesame":                   false,
		"slack://hooks.slack.com/%zzsesame":                             false,
	} {
		if _, err := NewWebhook(address, ""); (err == nil) != ok || err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, same := range []string{"ntfy://ntfy.sh/sesame", "ntfy://:sesame@ntfy.sh/house"} {
		if _, err := NewWebhooks([]string{same, "https://a.example", same}, webhookKey); err == nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s twice: %v", same, err)
		}
	}
	persons := map[string]bool{}
	for _, addresses := range [][]string{{"https://a.example", "https://b.example", "ntfy://ntfy.sh/a", "slack://ntfy.sh/a"}, {"ntfy://ntfy.sh/a", "https://a.example"}} {
		all, err := NewWebhooks(addresses, webhookKey)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range all {
			if persons[w.Person()] = true; !store.IsHouse(w.Person()) || strings.Contains(w.Person(), "ntfy") {
				t.Errorf("%s is %q", w.Host(), w.Person())
			}
		}
	}
	if len(persons) != 4 || !persons[store.HousePerson] {
		t.Errorf("four addresses are %v", persons)
	}
}

// Each address of the house is told by itself: one that hangs, or that is down, holds up none of the others, and none is told twice.
func TestUpkeepOfSeveralAddresses(t *testing.T) {
	inHouse(t, func(h *house) {
		hung := make(chan struct{})
		down := true
		r := map[string]*hookReceiver{
			"http://localhost/alerts": {answer: func(int) int { return 200 }},
			"ntfy+http://localhost/a": {answer: func(int) int { <-hung; return 200 }},
			"slack+http://localhost/a": {answer: func(int) int {
				if down {
					return 500
				}
				return 200
			}},
		}
		for address, receiver := range r {
			defer receiver.serveAt(t, h, address)()
		}
		pass(time.Second)
		h.alert("1")
		pass(check + time.Second)
		if got := r["http://localhost/alerts"].titles(); !slices.Equal(got, []string{"1"}) {
			t.Errorf("while others hang, received %q", got)
		}
		slack := r["slack+http://localhost/a"]
		slack.mu.Lock()
		down = false
		slack.mu.Unlock()
		close(hung)
		pass(time.Hour)
		for address, receiver := range r {
			if got := len(receiver.got); got != 1 && (got == 0 || !strings.HasPrefix(address, "ntfy")) { // which had hung up on a message that came
				t.Errorf("%s received %d", address, got)
			}
		}
		h.stop() // one that is not configured any more gets nothing, and the others go on
		h.webhooks = slices.DeleteFunc(h.webhooks, func(w *Webhook) bool { return w == h.webhooks[0] })
		h.alert("2")
		h.begin()
		pass(time.Hour)
		total := 0
		for _, receiver := range r {
			total += len(receiver.got)
		}
		if total < 5 || total > 6 {
			t.Errorf("received %d in all", total)
		}
	})
}

// must returns the address of a Webhook.
func must(w *Webhook, err error) *url.URL {
	if err != nil {
		panic(err)
	}
	return &w.url
}
