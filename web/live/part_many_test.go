package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web/live"
)

// Many real sockets watch contents that change at random, some of them slowly. Every
// one must show, after every frame, exactly the content that the frame's token names,
// and end with the last.
func TestManyWatchersShowWhatTheTokenNames(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const topics, watchers, rounds = 4, 120, 150

	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 0))
	contents := make(map[string]live.Content)
	rendered := make(chan struct{}, 1)
	shuffle := func() {
		mu.Lock()
		defer mu.Unlock()
		for i := range topics {
			c := live.Content{HTML: map[string]string{}, Charts: map[string]json.RawMessage{}}
			for id := range 6 {
				if random.IntN(4) > 0 {
					text := func() string { return fmt.Sprint(random.IntN(3), "&lt;é\u2028") }
					c.HTML[fmt.Sprint("f", id)] = fmt.Sprintf(`<p id="f%d">%s<b id="b%d">%s</b><b id="c%[1]d">%[4]s</b></p>`, id, text(), id, text())
					if random.IntN(2) > 0 { // a list
						c.HTML[fmt.Sprint("f", id)] = fmt.Sprintf(`<p id="f%[1]d"><b id="f%[1]d-%[2]d">%[3]s</b><b id="f%[1]d-x">%[4]s</b></p>`, id, random.IntN(3), text(), text())
					}
				}
				if random.IntN(4) > 0 {
					c.Charts[fmt.Sprint("c", id)] = fmt.Appendf(nil, `{"a":[%d,{"b":%d}],"c":"\u003c\u2028"}`, random.IntN(3), random.IntN(2))
				}
			}
			contents[fmt.Sprint("topic", i)] = c
		}
	}
	shuffle()
	hub, err := live.New(live.Options{
		Origin: origin, Tick: time.Millisecond,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Open: func(topic string) (live.Topic, error) {
			return live.Topic{Wakes: []string{"figures"}, Render: func(live.Content) (live.Content, error) {
				select {
				case rendered <- struct{}{}:
				default:
				}
				mu.Lock()
				defer mu.Unlock()
				return contents[topic], nil
			}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		hub.Serve(w, r, live.Watcher{Topics: map[string]string{q.Get("topic"): ""}, Holder: live.Holder{Credential: q.Get("holder")}})
	}))

	last := make(chan struct{}) // closed when contents do not change any more
	var pages sync.WaitGroup
	for i := range watchers {
		topic := fmt.Sprint("topic", i%topics)
		conn, _, err := websocket.DefaultDialer.Dial("ws"+server.URL[len("http"):]+"?topic="+topic+"&holder="+strconv.Itoa(i%10), http.Header{"Origin": {origin}})
		if err != nil {
			t.Fatal(err)
		}
		pages.Go(func() {
			defer conn.Close()
			final, token := "", ""
			var shown live.Content
			go func() {
				<-last
				conn.WriteMessage(websocket.TextMessage, []byte(`{"whole":true}`)) // so that there is a frame after the last
			}()
			for final == "" || token != final {
				var f live.Frame
				if err := conn.ReadJSON(&f); err != nil {
					if i%10 != 0 || !websocket.IsCloseError(err, 4401) {
						t.Errorf("page %d: %v", i, err)
					}
					return
				}
				if f.Token == "" { // a beat
					continue
				}
				if f.Whole && token != "" && !closed(last) {
					t.Errorf("page %d: a whole topic, though it reads what it is sent", i)
				}
				if !f.Whole && f.From != token {
					t.Errorf("page %d: a frame from %q for a page that shows %q", i, f.From, token)
				}
				var err error
				if shown, err = f.Apply(shown); err != nil {
					t.Errorf("page %d: %v", i, err)
				}
				token = f.Token
				if got := shown.Token(); got != token {
					t.Errorf("page %d: shows %v, which is not what the frame's token names", i, shown)
				}
				if closed(last) {
					mu.Lock()
					final = contents[topic].Token()
					mu.Unlock()
				}
			}
			if i%10 == 0 {
				t.Errorf("page %d: its holder was closed, its socket not", i)
			}
		})
	}
	for round := range rounds {
		shuffle()
		hub.Wake("figures")
		<-rendered
		if round == rounds/2 {
			hub.CloseHolder("0", live.CloseSignedOut)
		}
	}
	close(last)
	pages.Wait()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := hub.Watchers(); n != 0 {
		t.Errorf("%d watchers after the end", n)
	}
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
