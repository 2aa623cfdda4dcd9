package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"housecount/web/words"
)

// patience is how long a test waits for something that ought to take a moment; it only
// runs out when the thing never happens.
const patience = 2 * time.Minute

// browser is one profile of a Chromium: its tabs share their cookies, and no other's.
type browser struct {
	t     *testing.T
	ctx   context.Context
	close func() // as somebody does who switches it off
}

// newBrowser makes a profile in a Chromium that many tests share: to start one takes longer than most tests do.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	shared, err := theBrowser.get()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return &browser{t, ctx, cancel}
}

// theBrowser is the Chromium that tests share, from the first that needs one until end.
var theBrowser shared

type shared struct {
	once sync.Once
	dir  string
	ctx  context.Context
	err  error
	end  func() // nil before it is started
}

func (s *shared) get() (context.Context, error) {
	s.once.Do(func() {
		if s.dir, s.err = os.MkdirTemp("", "housecount-browser-"); s.err == nil {
			s.ctx, s.end, s.err = startBrowser(context.Background(), s.dir, windowless()...)
		}
	})
	return s.ctx, s.err
}

// windowless are the options for a Chromium that draws no windows, which takes half of the time, where there is one.
func windowless() (options []chromedp.ExecAllocatorOption) {
	if path, err := exec.LookPath("chromium-headless-shell"); err == nil {
		options = append(options, chromedp.ExecPath(path))
	}
	return options
}

// close ends the browser, if there is one. No test may run any more.
func (s *shared) close() error {
	if s.end != nil {
		s.end()
	}
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// newBrowserIn starts a Chromium of the test's own that has its profile in dir.
func newBrowserIn(t *testing.T, dir string, more ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	ctx, end, err := startBrowser(t.Context(), dir, more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return &browser{t, ctx, end}
}

// startBrowser starts a Chromium, which ends with ctx or with end.
func startBrowser(ctx context.Context, dir string, more ...chromedp.ExecAllocatorOption) (browser context.Context, end func(), err error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("renderer-process-limit", "2"), // to start one for each page takes a fifth of the time
		// Its own pages, such as the list of tabs, are made beforehand otherwise, which takes longer than to start.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,PreloadTopChromeWebUI"),
		chromedp.UserDataDir(dir), chromedp.WSURLReadTimeout(patience))
	allocator, cancelAllocator := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	browser, cancel := chromedp.NewContext(allocator)
	end = sync.OnceFunc(func() {
		// An error only says that it has ended already.
		_ = chromedp.Cancel(browser)
		cancel()
		cancelAllocator()
	})
	if err := chromedp.Do(browser, chromedp.Navigate("about:blank")); err != nil {
		end()
		return nil, nil, err
	}
	return browser, end, nil
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

// command returns one command of the DevTools protocol whose answer does not matter.
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
