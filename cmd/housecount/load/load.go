// Package load watches a running housecount as many people do, and reports what they get. It knows no more of housecount than a
// browser does.
package load

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"housecount/web/live"
)

// A person watches with SocketsOfPerson sockets, and as many people log in at once as a site allows.
const (
	SocketsOfPerson = 32
	loginEvery      = 250 * time.Millisecond
)

// Options is whom to watch, and how.
type Options struct {
	// URL is the address of the housecount, without a path.
	URL string
	// Watchers is how many sockets to open, and Stalled how many of them never read what they are sent.
	Watchers, Stalled int
	// Topics are the pages to watch, by their paths; /events/* stands for all performances that Events lists.
	Topics []string
	// For is how long to watch once all are open.
	For time.Duration
	// User and Password are what the first person logs in with; the others are User-2, User-3 and so on, with the same password.
	User, Password string
}

// Watch opens the sockets, watches, and writes to out what they got.
func Watch(ctx context.Context, o Options, out io.Writer) error {
	address := strings.TrimRight(o.URL, "/")
	began := time.Now()
	var total result
	var readers sync.WaitGroup
	sockets := make([]*live.Socket, 0, o.Watchers)
	defer func() {
		for _, s := range sockets {
			s.Close()
		}
		readers.Wait()
	}()
	var topics []string
	for people := 1; len(sockets) < o.Watchers; people++ {
		p, err := o.login(ctx, address, people)
		if err != nil {
			return err
		}
		if topics == nil {
			if topics, err = p.paths(ctx, address, o.Topics); err != nil {
				return err
			}
		}
		for i := 0; i < SocketsOfPerson && len(sockets) < o.Watchers; i++ {
			n := len(sockets)
			s, err := p.open(ctx, address, topics[n%len(topics)])
			if err != nil {
				return fmt.Errorf("socket %d: %w", n+1, err)
			}
			sockets = append(sockets, s)
			if (n+1)*o.Stalled/o.Watchers > n*o.Stalled/o.Watchers { // every Watchers/Stalled-th
				err = s.Stall()
			} else {
				readers.Go(func() { total.read(s) })
			}
			if err != nil {
				return fmt.Errorf("socket %d: %w", n+1, err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(loginEvery):
		}
	}
	opened := time.Since(began)
	total.begin(sockets)
	select {
	case <-ctx.Done():
	case <-time.After(o.For):
	}
	return total.report(out, sockets, len(topics), opened)
}

// person is somebody who has logged in.
type person struct {
	client *http.Client
	pages  map[string]string // the addresses of their sockets
}

// login logs the nth person in, who is sent from the site to a form for a name and a password.
func (o Options) login(ctx context.Context, address string, n int) (*person, error) {
	user := o.User
	if n > 1 {
		user = fmt.Sprintf("%s-%d", user, n)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	p := &person{client: &http.Client{Jar: jar, Timeout: 30 * time.Second}, pages: map[string]string{}}
	form, _, err := p.send(ctx, http.MethodGet, address+"/", nil)
	if err != nil {
		return nil, err
	}
	at, _, err := p.send(ctx, http.MethodPost, form, url.Values{"username": {user}, "password": {o.Password}})
	if err != nil {
		return nil, fmt.Errorf("log in as %s: %w", user, err)
	}
	if !strings.HasPrefix(at, address+"/") {
		return nil, fmt.Errorf("log in as %s: it ends at %s", user, at)
	}
	return p, nil
}

// send returns where a request ended, and the answer.
func (p *person) send(ctx context.Context, method, address string, form url.Values) (at, body string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return "", "", err
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	a, err := p.client.Do(r)
	if err != nil {
		return "", "", err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(io.LimitReader(a.Body, 16<<20))
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s is answered %s", a.Request.URL.Redacted(), a.Status)
	}
	return a.Request.URL.String(), string(b), err
}

// anyEvent stands for the pages of all performances that the page Events lists.
const anyEvent = "/events/*"

var (
	eventLink = regexp.MustCompile(`href="(/events/[^"?]+)"`)
	nextLink  = regexp.MustCompile(`href="([^"]+)" rel="next"`)
)

// paths returns those of the pages that are asked for.
func (p *person) paths(ctx context.Context, address string, asked []string) (paths []string, err error) {
	for _, path := range asked {
		if path != anyEvent {
			paths = append(paths, path)
			continue
		}
		for list := "/events"; list != ""; {
			_, body, err := p.send(ctx, http.MethodGet, address+list, nil)
			if err != nil {
				return nil, err
			}
			for _, link := range eventLink.FindAllStringSubmatch(body, -1) {
				paths = append(paths, html.UnescapeString(link[1]))
			}
			list = ""
			if next := nextLink.FindStringSubmatch(body); next != nil {
				list = html.UnescapeString(next[1])
			}
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("the page of events lists no performance")
	}
	return paths, nil
}

// pageData matches the data of a page's socket.
var pageData = regexp.MustCompile(`<body data-live="([^"]*)"(?: data-token="([^"]*)")? data-version="([^"]*)"`)

// open opens a page's socket as its script does.
func (p *person) open(ctx context.Context, address, path string) (*live.Socket, error) {
	if p.pages[path] == "" {
		_, body, err := p.send(ctx, http.MethodGet, address+path, nil)
		if err != nil {
			return nil, err
		}
		data := pageData.FindStringSubmatch(body)
		if data == nil {
			return nil, fmt.Errorf("%s is no page with a socket", path)
		}
		p.pages[path] = "ws" + strings.TrimPrefix(address, "http") + html.UnescapeString(data[1]) +
			"&token=" + url.QueryEscape(html.UnescapeString(data[2])) + "&version=" + url.QueryEscape(data[3])
	}
	return live.Dial(ctx, p.pages[path], address, p.client.Jar)
}

// result is what all sockets got since begin.
type result struct {
	mu     sync.Mutex
	begun  bool
	bytes  int64 // before begin
	frames int
	lost   int // frames that a page had to do without, as it got the whole topic instead
	closed int // sockets that the site closed
	took   []time.Duration
}

func (t *result) begin(sockets []*live.Socket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
	t.bytes = bytesOf(sockets)
}

func bytesOf(sockets []*live.Socket) (n int64) {
	for _, s := range sockets {
		n += s.Bytes()
	}
	return n
}

// read counts a socket's frames until it ends.
func (t *result) read(s *live.Socket) {
	for token := ""; ; {
		f, err := s.Next()
		t.mu.Lock()
		switch {
		case err != nil:
			t.closed++ // or the end, after the report
		case !t.begun:
		default:
			t.frames++
			if f.Whole && token != "" {
				t.lost++
			} else {
				t.took = append(t.took, time.Since(time.UnixMilli(f.Woken)))
			}
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
		token = f.Token
	}
}

// report writes what the sockets got.
func (t *result) report(w io.Writer, sockets []*live.Socket, topics int, opened time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = false // what follows is the end
	slices.Sort(t.took)
	at := func(part float64) any {
		if len(t.took) == 0 {
			return "-"
		}
		return t.took[int(part*float64(len(t.took)-1))].Round(time.Millisecond)
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range []struct {
		name  string
		value any
	}{
		{"sockets", len(sockets)}, {"pages", topics}, {"opened in", opened.Round(time.Millisecond)}, {"frames", t.frames}, {"bytes, not compressed", bytesOf(sockets) - t.bytes},
		{"lost", t.lost}, {"closed", t.closed}, {"change to frame, p50", at(.5)}, {"change to frame, p99", at(.99)},
	} {
		fmt.Fprintf(out, "%s\t%v\n", line.name, line.value)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if t.closed > 0 {
		return errors.New("the site closed sockets")
	}
	return nil
}
