package compress_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"housecount/handlers/compress"
)

func handler(t *testing.T, h http.HandlerFunc) http.Handler {
	t.Helper()
	wrap, err := compress.New()
	if err != nil {
		t.Fatal(err)
	}
	return wrap(h)
}

func ask(h http.Handler, accept string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// read returns the text of an answer.
func read(t *testing.T, a *http.Response) string {
	t.Helper()
	var from io.Reader = a.Body
	var err error
	switch a.Header.Get("Content-Encoding") {
	case "br":
		from = brotli.NewReader(a.Body)
	case "gzip":
		from, err = gzip.NewReader(a.Body)
	case "zstd":
		from, err = zstd.NewReader(a.Body)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whatever encodings somebody takes, they get the whole page in one of them, and those that take none get it as it is.
func TestEncodings(t *testing.T) {
	page := "<title>Tonight</title>" + strings.Repeat("<tr><td>Hamlet</td></tr>", 4000)
	h := handler(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		for part := range strings.SplitAfterSeq(page, "</tr>") {
			io.WriteString(w, part)
		}
	})
	for accept, want := range map[string]string{
		"br":                      "br",
		"br;q=0.5, identity":      "br",
		"br, gzip;q=0":            "br",
		"gzip":                    "gzip",
		"gzip, deflate, br":       "gzip",
		"gzip, deflate, br, zstd": "zstd",
		"br, zstd":                "zstd",
		"br;q=0":                  "",
		"":                        "",
	} {
		a := ask(h, accept)
		got := a.Header.Get("Content-Encoding")
		if got != want || a.StatusCode != http.StatusNotFound || !strings.Contains(a.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%q: %q instead of %q, status %d, varies by %q", accept, got, want, a.StatusCode, a.Header.Get("Vary"))
		}
		if read(t, a) != page {
			t.Errorf("%q: not the page", accept)
		}
	}
}

// What is short, of no use to compress, or said to be sent as it is, is sent as it is.
func TestAsItIs(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"short": func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<p>No</p>") },
		"told": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(compress.No, "yes")
			w.Write(bytes.Repeat([]byte("text "), 5000))
		},
		"nothing": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) },
	} {
		for _, accept := range []string{"br", "gzip", "zstd"} {
			a := ask(handler(t, h), accept)
			if a.Header.Get("Content-Encoding") != "" || a.Header.Get(compress.No) != "" {
				t.Errorf("%s for %s: %v", name, accept, a.Header)
			}
		}
	}
}

// Pages that compress alike have many lengths in each encoding, so that none says what is in it.
func TestLengthsVary(t *testing.T) {
	var n atomic.Int64
	h := handler(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>%d</p>%s", 1000+n.Add(1), strings.Repeat("<p>1,024 of 1,400</p>", 200))
	})
	for _, accept := range []string{"br", "gzip", "zstd"} {
		lengths := map[int]bool{}
		for range 200 {
			a := ask(h, accept)
			if got := a.Header.Get("Content-Encoding"); got != accept {
				t.Fatalf("%s: %q", accept, got)
			}
			b, err := io.ReadAll(a.Body)
			if err != nil {
				t.Fatal(err)
			}
			lengths[len(b)] = true
		}
		if len(lengths) < 16 {
			t.Errorf("%s: %d lengths", accept, len(lengths))
		}
	}
}

// What is sent while it is made is with its reader before it is whole.
func TestFlushed(t *testing.T) {
	for _, accept := range []string{"br", "gzip", "zstd"} {
		half := make(chan struct{})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		server := httptest.NewServer(handler(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, strings.Repeat("first half\n", 1000))
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			select {
			case <-half:
			case <-ctx.Done():
			}
			io.WriteString(w, "second half\n")
		}))
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", accept)
		a, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(a.Body, make([]byte, 20)); err != nil {
			t.Fatal(err)
		}
		close(half)
		a.Body.Close()
		server.Close()
	}
}
