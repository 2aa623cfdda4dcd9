package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/figures"
	"housecount/apiclient/sandbox"
	"housecount/web/words"
)

// patience is how long a test waits for something that ought to take a moment; it only
// runs out when the thing never happens.
const patience = 2 * time.Minute

// testHouse is a running demonstration with a small season whose clock stands still
// until it is advanced.
type testHouse struct {
	*demo
	t       *testing.T
	service *part
	program *part
	cable   *cable       // between the program and its pages
	front   http.Handler // leads to the sandbox
	failed  chan error   // of the program
}

// newTestHouse starts a house of the test's own, and lets the test run beside others.
func newTestHouse(t *testing.T) *testHouse {
	t.Helper()
	t.Parallel()
	return startTestHouse(t, sandbox.Options{Seed: 7, Speed: -1, Start: testEvening(t), Past: 8, Coming: 8})
}

// testEvening is when the evening of a test's house begins, whatever day it is.
func testEvening(t *testing.T) time.Time {
	t.Helper()
	start, err := demoCommand{}.start(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return start
}

func startTestHouse(t *testing.T, o sandbox.Options) *testHouse {
	t.Helper()
	return startTestHouseBehind(t, o, nil)
}

// startTestHouseBehind starts a house whose sandbox is reached through front, unless that is nil.
func startTestHouseBehind(t *testing.T, o sandbox.Options, front func(http.Handler) http.Handler) *testHouse {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	ln := listen(t, "127.0.0.1:0")
	d, err := newDemo(t.Context(), t.TempDir(), ln, "en", 0, o, log)
	if err != nil {
		t.Fatal(err)
	}
	h := &testHouse{demo: d, t: t, cable: &cable{Listener: ln}, front: d.service}
	if front != nil {
		h.front = front(d.service)
	}
	h.serveSandbox(d.serviceLn)
	h.failed = make(chan error, 1)
	h.serve()
	t.Cleanup(func() {
		for _, p := range []*part{h.program, h.service} {
			if err := p.stop(shutdownLimit); err != nil {
				t.Error(err)
			}
		}
		select {
		case err := <-h.failed:
			t.Error(err)
		default:
		}
	})
	h.awaitFirstSync()
	return h
}

func (h *testHouse) serve() {
	p, cable := h.demo.program, h.cable
	h.program = start(func(ctx context.Context) error { return p.run(ctx, listeners{pages: cable}) }, "housecount", h.failed)
}

// restart ends the program and starts another at its address, with its database.
func (h *testHouse) restart() {
	h.t.Helper()
	h.restartAfter(func() {})
}

// restartAfter does something to the database while no program runs.
func (h *testHouse) restartAfter(meanwhile func()) {
	h.t.Helper()
	if err := h.program.stop(shutdownLimit); err != nil {
		h.t.Fatal(err)
	}
	meanwhile()
	var err error
	if h.demo.program, err = newProgram(h.t.Context(), h.demo.settings, h.demo.log); err != nil {
		h.t.Fatal(err)
	}
	h.cable = &cable{Listener: listen(h.t, strings.TrimPrefix(h.url, "http://"))}
	h.serve()
	h.awaitFirstSync()
}

// cable is a listener whose connections can be made to fail in the ways that lines do.
type cable struct {
	net.Listener

	mu    sync.Mutex
	state cableState
	conns []*end
}

type cableState int

const (
	plugged cableState = iota
	pulled             // nothing arrives any more, and neither end is told
	refused            // connections are cut, and new ones at once
)

// end is the program's end of a connection.
type end struct {
	net.Conn
	cable *cable
}

func (c *cable) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == refused {
		conn.Close()
	}
	e := &end{conn, c}
	c.conns = append(c.conns, e)
	return e, nil
}

// put puts the cable in a state. What was lost meanwhile stays lost: connections that were
// pulled are cut when it is plugged in again.
func (c *cable) put(state cableState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
	if state != pulled {
		for _, e := range c.conns {
			e.Conn.Close()
		}
		c.conns = nil
	}
}

func (e *end) Write(b []byte) (int, error) {
	e.cable.mu.Lock()
	state := e.cable.state
	e.cable.mu.Unlock()
	if state == pulled {
		return len(b), nil
	}
	return e.Conn.Write(b)
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func (h *testHouse) serveSandbox(ln net.Listener) {
	h.service = start(func(ctx context.Context) error { return serveSandbox(ctx, h.demo.service, h.front, ln, h.log) }, "sandbox", make(chan error, 1))
}

// stopSandbox takes the service off the network; startSandbox brings it back at the same
// address.
func (h *testHouse) stopSandbox() {
	h.t.Helper()
	if err := h.service.stop(shutdownLimit); err != nil {
		h.t.Fatal(err)
	}
}

func (h *testHouse) startSandbox() {
	h.serveSandbox(listen(h.t, strings.TrimPrefix(h.sandboxURL, "http://")))
}

// awaitFirstSync waits until the first sync of every stream has ended.
func (h *testHouse) awaitFirstSync() {
	h.t.Helper()
	h.until("the first sync", func(s *figures.Snapshot) bool {
		return !slices.ContainsFunc(s.Health.Streams, func(x figures.StreamHealth) bool { return !x.Complete })
	})
}

// until waits for the figures to satisfy ok and returns them.
func (h *testHouse) until(what string, ok func(*figures.Snapshot) bool) *figures.Snapshot {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	for {
		if s := h.demo.program.figures.Snapshot(); ok(s) {
			return s
		}
		select {
		case <-ctx.Done():
			h.t.Fatalf("waited %s for %s", patience, what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// control calls the sandbox's control path and decodes its answer into out.
func (h *testHouse) control(path string, in, out any) {
	h.t.Helper()
	b, err := json.Marshal(in)
	if err != nil {
		h.t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.sandboxURL+"/sandbox/"+path, bytes.NewReader(b))
	if err != nil {
		h.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	h.answer(q, out)
}

func (h *testHouse) answer(q *http.Request, out any) {
	h.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	a, err := client.Do(q)
	if err != nil {
		h.t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode >= 300 {
		h.t.Fatalf("%s %s: %s", q.Method, q.URL.Path, a.Status)
	}
	if out != nil {
		if err := json.NewDecoder(a.Body).Decode(out); err != nil {
			h.t.Fatal(err)
		}
	}
}

// browser is one Chromium with one profile: its tabs share their cookies.
type browser struct {
	t     *testing.T
	ctx   context.Context
	close func() // as somebody does who switches it off
}

func newBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	return newBrowserIn(t, t.TempDir(), more...)
}

// newBrowserIn starts a browser that has its profile in dir.
func newBrowserIn(t *testing.T, dir string, more ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
		chromedp.UserDataDir(dir), chromedp.WSURLReadTimeout(patience))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(options, more...)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	b := &browser{t, ctx, sync.OnceFunc(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Log("closing the browser:", err)
		}
		cancel()
	})}
	t.Cleanup(b.close)
	return b
}

// tab is one page, with all that it complained of and every frame that it received, without the beats.
type tab struct {
	t     *testing.T
	ctx   context.Context
	words *words.Words // of the language that it asks for

	mu         sync.Mutex
	complaints []string
	frames     []string
	more       chan struct{} // holds one: frames has grown
}

// newTab opens a tab of the given size.
func (b *browser) newTab(width, height int64) *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	p := &tab{t: b.t, ctx: ctx, words: words.Of(words.English), more: make(chan struct{}, 1)}
	// The tab lives as long as the context of its first step: no deadline on this one.
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		b.t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(width, height), command(network.Enable, network.EnableParams{}))
	if err := chromedp.Listen(ctx, func(ev any) {
		if f, ok := ev.(*network.EventWebSocketFrameReceived); ok && !bytes.HasPrefix(f.Response.PayloadData, []byte(`{"beat"`)) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.frames = append(p.frames, string(f.Response.PayloadData))
			select {
			case p.more <- struct{}{}:
			default:
			}
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			// At a logout the browser says that it did as the header asks.
			if m.Type == chromedp.ConsoleDebug || strings.HasSuffix(m.URL, "/favicon.ico") || strings.Contains(fmt.Sprint(m), "Clear-Site-Data header on") {
				continue
			}
			p.mu.Lock()
			p.complaints = append(p.complaints, fmt.Sprint(m))
			p.mu.Unlock()
		}
	}()
	return p
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// newTabs opens a tab of the given size in every language.
func (b *browser) newTabs(width, height int64) (all []*tab) {
	b.t.Helper()
	for _, l := range words.Locales {
		p := b.newTab(width, height)
		p.speak(l)
		all = append(all, p)
	}
	return all
}

// speak has the tab ask for pages in a language.
func (p *tab) speak(l words.Locale) {
	p.t.Helper()
	p.words = words.Of(l)
	p.do(command(network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": string(l)}}))
}

func (p *tab) open(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// command is one command of the DevTools protocol whose answer does not matter.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, c, params)
		return chromedp.Void{}, err
	}
}

// eval evaluates a JavaScript expression.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// await waits until a JavaScript condition holds, and returns how long that took. It checks whenever the
// document changes and now and then, as not all that a condition may be of is the document's. One that cannot
// be evaluated does not hold.
func (p *tab) await(condition string) time.Duration {
	p.t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	script := fmt.Sprintf(`new Promise((done, failed) => {
		const watch = new MutationObserver(check), now_and_then = setInterval(check, 100);
		function check() {
			try { if (!(%s)) return; done(true) } catch (e) { failed(e) }
			watch.disconnect();
			clearInterval(now_and_then);
		}
		watch.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
		check();
	})`, condition)
	for {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise))
		if err == nil {
			return time.Since(began)
		}
		select {
		case <-time.After(10 * time.Millisecond): // the page went elsewhere meanwhile: ask the new one
			continue
		case <-ctx.Done():
		}
		p.shoot("failed")
		p.t.Fatalf("waited for %s: %v\non the page %s:\n%s\ncomplaints: %q", condition, err, eval[string](p, "location.href"), eval[string](p, "document.body.innerText"), p.complained())
	}
}

// click clicks what a selector finds first, once it is visible. It does so within the page: a mouse would miss
// what is pushed aside at that moment.
func (p *tab) click(selector string) {
	p.t.Helper()
	found := "document.querySelector(" + quote(selector) + ")"
	p.await(found + "?.checkVisibility()")
	eval[bool](p, found+".click(), true")
}

// text waits until the page shows text.
func (p *tab) text(text string) time.Duration {
	p.t.Helper()
	return p.await(fmt.Sprintf("document.body && document.body.innerText.includes(%s)", quote(text)))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func (p *tab) html() string {
	p.t.Helper()
	return eval[string](p, "document.documentElement.outerHTML")
}

func (p *tab) complained() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.complaints)
}

func (p *tab) received() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.frames)
}

// quiet fails the test for every console error and CSP violation of the page, but for those with one of some texts.
func (p *tab) quiet(but ...string) {
	p.t.Helper()
	for _, c := range p.complained() {
		if !slices.ContainsFunc(but, func(text string) bool { return strings.Contains(c, text) }) {
			p.t.Errorf("the page %s complained: %s", eval[string](p, "location.pathname"), c)
		}
	}
}

// shoot keeps a screenshot among the test's artifacts.
func (p *tab) shoot(name string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Log("screenshot:", err)
		return
	}
	if err := os.WriteFile(filepath.Join(p.t.ArtifactDir(), name+".png"), png, 0o600); err != nil {
		p.t.Log("screenshot:", err)
	}
}
