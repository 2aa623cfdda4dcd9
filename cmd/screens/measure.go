package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/live"
)

const (
	slowdown    = 6 // how much slower than this machine a screen's device is
	loads       = 5 // of which the median is printed
	restFor     = time.Minute
	manyScreens = 2000
)

// measure returns what the wall of the house costs the device that shows it, and what many screens with it cost the
// program: before the doors open, and as people come in.
func measure(ctx context.Context, b *browser, h *house, o options) error {
	admin, err := b.login(h.url, staff("admin"))
	if err != nil {
		return err
	}
	id, err := admin.saveProgramme("Wall", performance{}, 60, "wall")
	if err != nil {
		return err
	}
	v, err := b.stranger(h)
	if err != nil {
		return err
	}
	if err := errors.Join(v.do(dress(screen{1920, 1080, "dark"})), v.pair(admin, map[string]string{"name": "Measured", "shows": "office", "programme": id}),
		admin.do(chromedp.Navigate("about:blank"))); err != nil {
		return err
	}
	for _, clock := range []string{"17:30", "20:05"} {
		at, err := o.at(clock)
		if err != nil {
			return err
		}
		if err := h.jump(ctx, at); err != nil {
			return err
		}
		fmt.Printf("At %s\n", clock)
		for _, cached := range []bool{false, true} {
			if err := v.measureLoads(cached); err != nil {
				return err
			}
		}
		if err := v.measureRest(); err != nil {
			return err
		}
	}
	return h.measureMany(ctx, id)
}

// load is how a page was loaded: bytes over the line, and milliseconds until its figures were painted.
type load struct{ Bytes, Figures float64 }

// measureLoads loads the page a few times on a slow device, with what the browser keeps of it or without.
func (v *visitor) measureLoads(cached bool) error {
	slow := func(rate float64) error {
		_, err := chromedp.Call(v.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate})
		return err
	}
	if err := slow(slowdown); err != nil {
		return err
	}
	all := make([]load, loads)
	for i := range all {
		if err := v.do(chromedp.Navigate("about:blank")); err != nil {
			return err
		}
		if !cached {
			if err := v.forget(); err != nil {
				return err
			}
		}
		if err := v.do(chromedp.Navigate(v.base+"/screen"), loaded); err != nil {
			return err
		}
		text, err := v.text(paints)
		if err == nil {
			err = json.Unmarshal([]byte(text), &all[i])
		}
		if err != nil {
			return err
		}
	}
	median := func(of func(load) float64) float64 {
		slices.SortFunc(all, func(x, y load) int { return cmp.Compare(of(x), of(y)) })
		return of(all[loads/2])
	}
	fmt.Printf("  loaded on a device %d times slower, cache %t: %.1f kB, figures after %.0f ms\n", slowdown, cached,
		median(func(l load) float64 { return l.Bytes / 1000 }), median(func(l load) float64 { return l.Figures }))
	return slow(1)
}

// paints prints the loads, once the page has recorded them.
const paints = `new Promise(done => setTimeout(() => new PerformanceObserver(list => {
	const figures = list.getEntries().filter(e => e.element?.closest("#wall-main"));
	const loads = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
	done(JSON.stringify({Bytes: loads.reduce((sum, e) => sum + e.transferSize, 0), Figures: figures.at(-1)?.startTime}));
}).observe({type: "largest-contentful-paint", buffered: true}), 4000))`

// forget has the browser keep nothing of the page but who it is.
func (v *visitor) forget() error {
	_, err := chromedp.Call(v.ctx, network.ClearBrowserCache, cdp.Empty{})
	_, failed := chromedp.Call(v.ctx, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: v.base, StorageTypes: "service_workers,cache_storage,local_storage"})
	return errors.Join(err, failed)
}

// measureRest leaves the page alone for a while and returns how much processor time its process takes, and
// how many frames it draws.
func (v *visitor) measureRest() error {
	ctx, cancel := context.WithTimeout(v.ctx, 2*restFor)
	defer cancel()
	var drawn atomic.Int64
	complete := make(chan struct{})
	if err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *tracing.EventDataCollected:
			for _, one := range ev.Value {
				if bytes.Contains(one, []byte(`"name":"DrawFrame"`)) {
					drawn.Add(1)
				}
			}
		case *tracing.EventTracingComplete:
			close(complete)
		}
	}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"disabled-by-default-devtools.timeline.frame"}}}); err != nil {
		return err
	}
	before, err := chromedp.Run(ctx, metrics)
	if err != nil {
		return err
	}
	time.Sleep(restFor)
	after, err := chromedp.Run(ctx, metrics)
	if err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, tracing.End, cdp.Empty{}); err != nil {
		return err
	}
	<-complete
	fmt.Printf("  a minute of it there: %.1f%% of a core, %d frames\n", 100*slowdown*(after["ProcessTime"]-before["ProcessTime"])/restFor.Seconds(), drawn.Load())
	return nil
}

// measureMany opens the sockets of many screens with a programme, and prints what the program needs for
// them.
func (h *house) measureMany(ctx context.Context, programme string) error {
	credentials, err := h.addScreens(ctx, programme)
	if err != nil {
		return err
	}
	idle, err := h.process(ctx)
	if err != nil {
		return err
	}
	var sockets []*live.Socket
	var frames atomic.Int64
	var readers sync.WaitGroup
	defer func() {
		for _, s := range sockets {
			s.Close()
		}
		readers.Wait()
	}()
	began := time.Now()
	for _, credential := range credentials {
		s, err := h.socket(ctx, credential)
		if err != nil {
			return fmt.Errorf("socket %d: %w", len(sockets)+1, err)
		}
		sockets = append(sockets, s)
		readers.Go(func() {
			for {
				if _, err := s.Next(); err != nil {
					return
				}
				frames.Add(1)
			}
		})
	}
	opened := time.Since(began)
	before := frames.Load()
	busy, err := h.process(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("  %d screens, opened in %s: the program has %.0f MB, %.0f without them; %.1f%% of a core in a minute, %.1f%% without them; %.1f frames for each\n",
		len(sockets), opened.Round(time.Millisecond), busy.memory, idle.memory, busy.core, idle.core, float64(frames.Load()-before)/float64(len(sockets)))
	return nil
}

// addScreens adds screens that show a programme, each with a device, and gives what the devices hold.
func (h *house) addScreens(ctx context.Context, programme string) (credentials []string, err error) {
	db, err := store.Open(ctx, h.database)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	by := store.Act{Actor: store.ActorCommand, Name: "screens", Action: store.ActScreenAdded}
	for range manyScreens {
		secret, credential := rand.Text(), "screen."+rand.Text()
		if _, err := db.Screens().Add(ctx, store.Screen{Name: "Measured", Programme: programme, Language: "en", Access: web.Access{Money: web.NoMoney}.String(), By: by.Name}, secret, by); err != nil {
			return nil, err
		}
		if _, err := db.Screens().Link(ctx, secret, credential, store.Device{}, by); err != nil {
			return nil, err
		}
		credentials = append(credentials, credential)
	}
	return credentials, nil
}

// screenData matches the data of a screen's socket in its page.
var screenData = regexp.MustCompile(`<body data-live="([^"]*)" data-token="([^"]*)" data-version="([^"]*)"`)

// socket loads a screen's page and opens its socket, as the device does that holds the credential.
func (h *house) socket(ctx context.Context, credential string) (*live.Socket, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	site, err := url.Parse(h.url)
	if err != nil {
		return nil, err
	}
	jar.SetCookies(site, []*http.Cookie{{Name: "housecount_screen", Value: credential, Path: "/"}})
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/screen", nil)
	if err != nil {
		return nil, err
	}
	a, err := (&http.Client{Jar: jar, Timeout: patience}).Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		return nil, err
	}
	data := screenData.FindSubmatch(body)
	if data == nil {
		return nil, fmt.Errorf("the page is answered %s, and has no socket", a.Status)
	}
	return live.Dial(ctx, "ws"+strings.TrimPrefix(h.url, "http")+html.UnescapeString(string(data[1]))+
		"?token="+url.QueryEscape(string(data[2]))+"&version="+url.QueryEscape(string(data[3])), h.url, jar)
}

// process is what the program takes: memory in MB, and the share of a core in a minute, in hundredths.
type process struct{ memory, core float64 }

// process measures the program for a minute.
func (h *house) process(ctx context.Context) (p process, err error) {
	before, _, err := h.taken()
	if err != nil {
		return p, err
	}
	select {
	case <-ctx.Done():
		return p, ctx.Err()
	case <-time.After(restFor):
	}
	after, memory, err := h.taken()
	return process{memory, 100 * (after - before) / restFor.Seconds()}, err
}

// taken returns the processor time of the program in seconds and its memory in MB, as Linux reports them.
func (h *house) taken() (seconds, memory float64, err error) {
	dir := filepath.Join("/proc", strconv.Itoa(h.command.Process.Pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // after the name, which is in brackets
	number := func(i int) float64 {
		n, failed := strconv.ParseFloat(fields[i], 64)
		err = errors.Join(err, failed)
		return n
	}
	const ticks, page = 100, 4096
	return (number(11) + number(12)) / ticks, number(21) * page / 1e6, err
}
