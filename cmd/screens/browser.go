package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"housecount/apiclient/sandbox/idp"
	"housecount/web/words"
)

// screen is a size of window with a colour scheme.
type screen struct {
	width, height int64
	scheme        string
}

// browser is one Chromium.
type browser struct{ ctx context.Context }

func openBrowser(ctx context.Context) (*browser, func(), error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true), chromedp.Flag("hide-scrollbars", true))
	ctx, cancelAll := chromedp.NewExecAllocator(ctx, options...)
	ctx, cancel := chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		cancelAll()
		return nil, nil, fmt.Errorf("start Chromium: %w", err)
	}
	return &browser{ctx}, func() {
		cancel()
		cancelAll()
	}, nil
}

// visitor is a member of staff at a browser of their own.
type visitor struct {
	ctx  context.Context
	base string
	role string
	// language is what pages are read in; the browser's, which is English, until it is chosen.
	language words.Locale
}

func (b *browser) login(base string, who idp.Staff) (*visitor, error) {
	ctx, _ := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext()) // it ends with the browser's
	v := &visitor{ctx: ctx, base: base, role: who.User, language: words.English}
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/")); err != nil {
		return nil, err
	}
	return v, v.do(
		chromedp.Click(chromedp.CSS("#as-"+who.User)),
		await(`location.pathname === "/tonight" && document.readyState === "complete"`),
		await(`!document.querySelector("#strip").textContent.includes("incomplete")`)) // the first read goes on
}

func (v *visitor) do(steps ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, steps...)
}

// await waits for a condition, also over a change of page.
func await(condition string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		for {
			ok, err := chromedp.Evaluate[bool](condition)(ctx, t)
			if err == nil && ok {
				return chromedp.Void{}, nil
			}
			select {
			case <-ctx.Done():
				return chromedp.Void{}, fmt.Errorf("waited for %s: %w", condition, ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

// open goes to a page and waits until it is live and drawn.
func (v *visitor) open(path string) error {
	return v.do(chromedp.Navigate(v.base+path), loaded)
}

var loaded = chromedp.Steps(
	await(`document.readyState === "complete" && (!document.body.dataset.live || document.documentElement.dataset.socket === "open")`),
	plotted,
)

// plotted waits until every chart of the open page is drawn, which each is once it is in view.
var plotted = await(`document.fonts.status === "loaded" && (() => {
	const undrawn = [...document.querySelectorAll(".chart")].find(c => c.checkVisibility() && c.children.length === 0);
	undrawn ? undrawn.scrollIntoView() : scrollTo(0, 0);
	return !undrawn;
})()`)

// speak chooses a language, and waits until the figures on Tonight are those of at.
func (v *visitor) speak(l words.Locale, at time.Time) error {
	v.language = l
	return v.do(chromedp.Navigate(v.base+"/tonight?language="+string(l)), loaded, asOf(at))
}

// asOf waits until the figures of the open page are those of at.
func asOf(at time.Time) chromedp.Action[chromedp.Void] {
	return await(fmt.Sprintf(`document.querySelector("#strip")?.textContent.includes(%q)`, at.Format("15:04:05")))
}

// link is a link on a page, with its path and query.
type link struct {
	Path, Text string
}

func (v *visitor) links(selector string) ([]link, error) {
	text, err := v.text(fmt.Sprintf(`JSON.stringify([...document.querySelectorAll(%q)].map(a => ({Path: a.pathname + a.search, Text: a.textContent.trim()})))`, selector))
	if err != nil {
		return nil, err
	}
	var all []link
	return all, json.Unmarshal([]byte(text), &all)
}

// further returns the pages that links lead to, from the given ones and on from there, one of each
// kind: the shortest path of those that differ in ids and in the values of parameters alone.
func (v *visitor) further(from []place) ([]string, error) {
	paths, err := json.Marshal(slices.Collect(func(yield func(string) bool) {
		for _, p := range from {
			if !yield(p.path) {
				return
			}
		}
	}))
	if err != nil {
		return nil, err
	}
	text, err := v.text(fmt.Sprintf(follow, paths))
	if err != nil {
		return nil, err
	}
	var all []string
	return all, json.Unmarshal([]byte(text), &all)
}

// follow reads pages without showing them. What sets a language, is an export, which is noted, or lies
// outside is left.
const follow = `(async from => {
	const kind = u => u.pathname.replace(/^\/(events|explain|screens)\/[^\/]+/, "/$1/*") + "?" + [...u.searchParams.keys()].sort();
	const seen = new Set(from.map(p => kind(new URL(p, location)))), found = [];
	for (let i = 0, all = [...from]; i < all.length; i++) {
		const answer = await fetch(all[i], {headers: {Accept: "text/html"}});
		if (!answer.ok || !answer.headers.get("Content-Type").startsWith("text/html")) continue;
		if (i >= from.length) found.push(all[i]);
		const links = [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("main a[href], footer a[href], header a[href]")]
			.map(a => new URL(a.getAttribute("href"), new URL(all[i], location)))
			.filter(u => u.origin === location.origin && u.pathname !== "/wall" && !u.pathname.endsWith(".csv") && !u.searchParams.has("language"))
			.sort((a, b) => a.href.length - b.href.length);
		for (const u of links) {
			if (seen.has(kind(u))) continue;
			seen.add(kind(u));
			all.push(u.pathname + u.search);
		}
	}
	return JSON.stringify(found);
})(%s)`

// text evaluates an expression whose value, or what it promises, is a text.
func (v *visitor) text(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
}

// dress returns the window a size and a scheme.
func dress(l screen) chromedp.Action[chromedp.Void] {
	scheme := func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return chromedp.Void{}, err
	}
	return chromedp.Steps(chromedp.EmulateViewport(l.width, l.height), scheme)
}

// drawn waits until the page is redrawn and nothing moves.
const drawn = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true), 250))))`

// shoot takes the open page: the whole of it, or the part that is clipped.
func (v *visitor) shoot(l screen, clip *page.Viewport) ([]byte, error) {
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, dress(l)); err != nil {
		return nil, err
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](drawn, chromedp.EvalAwaitPromise)); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, func(ctx context.Context, t *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: new(true), Clip: clip})
		return r.Data, err
	})
}

// take takes a page in all its screens, as far as their names match.
func (v *visitor) take(p place, dir string, only *regexp.Regexp) (taken int, err error) {
	open := false
	for _, l := range p.screens {
		path := filepath.Join(dir, p.file(v, l))
		if !only.MatchString(path) {
			continue
		}
		if !open {
			if err := errors.Join(os.MkdirAll(dir, 0o755), v.open(p.path)); err != nil {
				return taken, err
			}
			open = true
		}
		png, err := v.shoot(l, nil)
		if err != nil {
			return taken, err
		}
		if err := os.WriteFile(path, png, 0o644); err != nil {
			return taken, err
		}
		taken++
	}
	return taken, nil
}
