package handlers_test

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web"
	"housecount/web/live"
)

// browser keeps cookies and follows redirects.
type browser struct {
	*http.Client
	t testing.TB
	h *house
}

func (h *house) browser(t testing.TB) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{Client: &http.Client{Jar: jar, Transport: h.Client().Transport}, t: t, h: h}
}

// loggedIn returns a browser of somebody with a role.
func (h *house) loggedIn(t testing.TB, role web.Role) *browser {
	t.Helper()
	h.idp.as("the "+string(role), string(role))
	b := h.browser(t)
	if p := b.get("/login"); p.status != http.StatusOK || p.path != "/tonight" {
		t.Fatalf("login as %s: status %d at %s: %s", role, p.status, p.path, p.body)
	}
	return b
}

// page is where a request ended.
type page struct {
	status int
	path   string // with the query
	header http.Header
	body   string
}

func (b *browser) get(path string) page { return b.do(http.MethodGet, path, nil) }

func (b *browser) do(method, path string, header http.Header) page {
	b.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.h.URL + path
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	return b.send(req)
}

func (b *browser) send(req *http.Request) page {
	b.t.Helper()
	resp, err := b.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return page{resp.StatusCode, resp.Request.URL.RequestURI(), resp.Header, string(body)}
}

// stay makes the browser stop at the first redirect.
func (b *browser) stay() *browser {
	c := *b.Client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &browser{Client: &c, t: b.t, h: b.h}
}

// stopBefore makes the browser stop with the redirect to the path, and returns its
// address.
func (b *browser) stopBefore(path, start string) *url.URL {
	b.t.Helper()
	c := *b.Client
	var at *url.URL
	c.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == path {
			at = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}
	(&browser{Client: &c, t: b.t, h: b.h}).get(start)
	if at == nil {
		b.t.Fatalf("%s does not lead to %s", start, path)
	}
	return at
}

func (b *browser) cookie(prefix string) *http.Cookie {
	u, _ := url.Parse(b.h.URL)
	for _, c := range b.Jar.Cookies(u) {
		if strings.HasPrefix(c.Name, prefix) {
			return c
		}
	}
	return nil
}

func (b *browser) session() string {
	if c := b.cookie("housecount_session"); c != nil {
		return c.Value
	}
	return ""
}

// withSession is another browser with a session cookie taken from elsewhere.
func (h *house) withSession(t testing.TB, token string) *browser {
	b := h.browser(t)
	u, _ := url.Parse(h.URL)
	b.Jar.SetCookies(u, []*http.Cookie{{Name: "housecount_session", Value: token}})
	return b
}

// dial opens the socket of a view; resp is the answer to the handshake.
func (b *browser) dial(query, origin string) (*websocket.Conn, *http.Response, error) {
	b.t.Helper()
	u, _ := url.Parse(b.h.URL)
	d := websocket.Dialer{Jar: b.Jar, HandshakeTimeout: 30 * time.Second, NetDialContext: (&net.Dialer{}).DialContext}
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	conn, resp, err := d.DialContext(b.t.Context(), "ws://"+u.Host+"/live?version="+b.h.version+"&"+query, header)
	if err == nil {
		b.t.Cleanup(func() { conn.Close() })
	}
	return conn, resp, err
}

// watch opens the socket of a view, as a page does, and waits for its first frame.
func (b *browser) watch(query string) *websocket.Conn {
	b.t.Helper()
	conn, _, err := b.dial(query, b.h.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	firstTopic(b.t, conn)
	return conn
}

// firstTopic returns the topic of the first frame that a socket gets after its beats.
func firstTopic(t testing.TB, conn *websocket.Conn) string {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	for {
		var frame struct {
			Topic string
		}
		if err := conn.ReadJSON(&frame); err != nil {
			t.Fatal(err)
		}
		if frame.Topic != "" {
			return frame.Topic
		}
	}
}

// closeCode waits for the end of a socket; it may be called from any goroutine.
func closeCode(t testing.TB, conn *websocket.Conn, within time.Duration) live.CloseCode {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(within))
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			ce, ok := err.(*websocket.CloseError)
			if !ok {
				t.Errorf("socket ended with %v, want a close code", err)
				return 0
			}
			return live.CloseCode(ce.Code)
		}
	}
}
