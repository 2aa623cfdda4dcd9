package assets_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"housecount/assets"
)

func built() fstest.MapFS {
	return fstest.MapFS{
		"manifest.json":      {Data: []byte(`{"app.js":"app-1.js","app.css":"app-2.css","inter.woff2":"inter-3.woff2"}`)},
		"app-1.js":           {Data: []byte("script")},
		"app-1.js.br":        {Data: []byte("brotli")},
		"app-1.js.gz":        {Data: []byte("gzip")},
		"app-2.css":          {Data: []byte("style")},
		"inter-3.woff2":      {Data: []byte("font")},
		"secret.js":          {Data: []byte("not in the manifest")},
		"folder/app-1.js":    {Data: []byte("not in the manifest")},
		"folder/index.html":  {Data: []byte("not in the manifest")},
		"app-2.css.unwanted": {Data: []byte("not in the manifest")},
	}
}

func TestNotBuilt(t *testing.T) {
	if _, err := assets.Open(fstest.MapFS{".gitkeep": {}}); !errors.Is(err, assets.ErrNotBuilt) {
		t.Errorf("error %v, want ErrNotBuilt", err)
	}
	if b, err := assets.Load(); err == nil { // this test binary may be either
		checkBuilt(t, b)
		checkStrongOnWalls(t, b)
	} else if !errors.Is(err, assets.ErrNotBuilt) {
		t.Errorf("Load: %v, want a bundle or ErrNotBuilt", err)
	}
}

// urlOf returns the address of a name, and none of one that was never built.
func urlOf(b *assets.Bundle, name string) string {
	url, _ := b.URL(name)
	return url
}

// What is strong on a wall has the weight and the ink of what is strong.
func checkStrongOnWalls(t *testing.T, b *assets.Bundle) {
	css := get(b, urlOf(b, "wall.css"), "").Body.String()
	rule := regexp.MustCompile(`([^{}]*)\{font-weight:640;color:var\(--ink\)\}`).FindAllStringSubmatch(css, -1)
	for _, selector := range []string{".under b", ".last b", ".ahead .day b", ".areas b", ".then b"} {
		if !slices.ContainsFunc(rule, func(r []string) bool { return slices.Contains(strings.Split(r[1], ","), selector) }) {
			t.Errorf("%s has no weight of its own", selector)
		}
	}
}

// checkBuilt takes what the real build made apart as a browser would.
func checkBuilt(t *testing.T, b *assets.Bundle) {
	for name, mark := range map[string]string{"app.js": "WebSocket", "charts-core.js": "canvas", "charts.js": "IntersectionObserver", "service.js": "addEventListener", "push.js": "showNotification", "app.css": "{", "wall.css": "{", "licences.txt": "Apache License"} {
		plain := get(b, urlOf(b, name), "").Body.String()
		if !strings.Contains(plain, mark) {
			t.Errorf("%s: %d bytes without %q", name, len(plain), mark)
		}
		squeezed := get(b, urlOf(b, name), "gzip")
		z, err := gzip.NewReader(squeezed.Body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text, err := io.ReadAll(z); err != nil || string(text) != plain {
			t.Errorf("%s: the gzip copy is not the file (%v)", name, err)
		}
		if got := get(b, urlOf(b, name), "br, gzip").Header().Get("Content-Encoding"); got != "br" {
			t.Errorf("%s: no brotli copy, but %q", name, got)
		}
	}
}

// TestBudgets holds what a page loads to its size over the wire: a phone at the door has a
// slow line.
func TestBudgets(t *testing.T) {
	b, err := assets.Load()
	if errors.Is(err, assets.ErrNotBuilt) {
		return
	} else if err != nil {
		t.Fatal(err)
	}
	size := func(name string) int { return get(b, urlOf(b, name), "br").Body.Len() }
	script := size("app.js")
	wall := script + size("app.css") + size("wall.css") + get(b, urlOf(b, "inter-wall.woff2"), "").Body.Len()
	for _, part := range []struct {
		what        string
		size, limit int
	}{
		{"the script of every page", script, 25_000},
		{"the scripts of a page with charts", script + size("charts-core.js") + size("charts.js"), 180_000},
		{"the stylesheet", size("app.css"), 16_500},
		{"the stylesheet of paper", size("print.css"), 1_500},
		{"a wall's own stylesheet", size("wall.css"), 4_700},
		{"the font", get(b, urlOf(b, "inter-latin-opsz-normal.woff2"), "").Body.Len(), 80_000},
		{"what a wall loads beside its page, which is 4 kB", wall, 66_000},
	} {
		if part.size > part.limit {
			t.Errorf("%s: %d bytes, at most %d", part.what, part.size, part.limit)
		}
	}
}

func TestBrokenBundles(t *testing.T) {
	for name, files := range map[string]fstest.MapFS{
		"manifest no JSON": {"manifest.json": {Data: []byte("{")}},
		"file missing":     {"manifest.json": {Data: []byte(`{"app.js":"app-1.js"}`)}},
		"unknown kind":     {"manifest.json": {Data: []byte(`{"a.exe":"a-1.exe"}`)}, "a-1.exe": {}},
	} {
		if _, err := assets.Open(files); err == nil || errors.Is(err, assets.ErrNotBuilt) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestURLAndVersion(t *testing.T) {
	b := open(t, built())
	if got, err := b.URL("app.js"); err != nil || got != "/assets/app-1.js" {
		t.Errorf("URL %q, error %v", got, err)
	}
	other := built()
	other["app-2.css"].Data = []byte("another style")
	if v := open(t, other).Version(); v == b.Version() || v == "" {
		t.Errorf("versions %q and %q of two bundles", v, b.Version())
	}
	if v := open(t, built()).Version(); v != b.Version() {
		t.Errorf("versions %q and %q of the same bundle", v, b.Version())
	}
	if got, err := b.URL("app.ts"); err == nil || !strings.Contains(err.Error(), "app.ts") || got != "" {
		t.Errorf("URL %q of a name that was never built, error %v", got, err)
	}
}

func TestServe(t *testing.T) {
	b := open(t, built())
	for _, test := range []struct {
		path, accept               string
		status                     int
		body, encoding, kind, vary string
	}{
		{"/assets/app-1.js", "", 200, "script", "", "text/javascript; charset=utf-8", "Accept-Encoding"},
		{"/assets/app-1.js", "gzip, deflate, br, zstd", 200, "brotli", "br", "text/javascript; charset=utf-8", "Accept-Encoding"},
		{"/assets/app-1.js", "GZIP", 200, "gzip", "gzip", "text/javascript; charset=utf-8", "Accept-Encoding"},
		{"/assets/app-1.js", "br;q=0, gzip;q=0.5", 200, "gzip", "gzip", "text/javascript; charset=utf-8", "Accept-Encoding"},
		{"/assets/app-1.js", "br;q=0.000, identity", 200, "script", "", "text/javascript; charset=utf-8", "Accept-Encoding"},
		{"/assets/app-1.js", "brx, xgzip", 200, "script", "", "text/javascript; charset=utf-8", "Accept-Encoding"},
		{"/assets/app-2.css", "br", 200, "style", "", "text/css; charset=utf-8", ""},
		{"/assets/inter-3.woff2", "br", 200, "font", "", "font/woff2", ""},
		{path: "/assets/", status: 404},
		{path: "/assets/app.js", status: 404},
		{path: "/assets/manifest.json", status: 404},
		{path: "/assets/app-1.js.br", status: 404},
		{path: "/assets/secret.js", status: 404},
		{path: "/assets/folder/", status: 404},
		{path: "/assets/folder/../app-1.js", status: 404},
		{path: "/app-1.js", status: 404},
	} {
		got := get(b, test.path, test.accept)
		if got.Code != test.status {
			t.Errorf("%s: status %d, want %d", test.path, got.Code, test.status)
		}
		if test.status != 200 {
			if c := got.Header().Get("Cache-Control"); c != "" {
				t.Errorf("%s: a failure says Cache-Control %q", test.path, c)
			}
			continue
		}
		h := got.Header()
		if got.Body.String() != test.body || h.Get("Content-Encoding") != test.encoding || h.Get("Content-Type") != test.kind || h.Get("Vary") != test.vary {
			t.Errorf("%s for %q: %q %v", test.path, test.accept, got.Body, h)
		}
		if h.Get("Cache-Control") != "public, max-age=31536000, immutable" || h.Get("ETag") == "" {
			t.Errorf("%s: not cacheable for ever: %v", test.path, h)
		}
	}
}

func TestETagIsOfTheVariant(t *testing.T) {
	b := open(t, built())
	plain, squeezed := get(b, "/assets/app-1.js", "").Header().Get("ETag"), get(b, "/assets/app-1.js", "br").Header().Get("ETag")
	if plain == squeezed {
		t.Error("two variants have one ETag")
	}
	for accept, want := range map[string]int{"": http.StatusNotModified, "br": http.StatusOK} {
		r := httptest.NewRequest("GET", "/assets/app-1.js", nil)
		r.Header.Set("If-None-Match", plain)
		r.Header.Set("Accept-Encoding", accept)
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("status %d for Accept-Encoding %q, want %d", w.Code, accept, want)
		}
	}
}

func TestMethods(t *testing.T) {
	b := open(t, built())
	for method, want := range map[string]int{"HEAD": 200, "POST": 405, "DELETE": 405} {
		w := httptest.NewRecorder()
		b.ServeHTTP(w, httptest.NewRequest(method, "/assets/app-1.js", nil))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", method, w.Code, want)
		}
		if method == "HEAD" && w.Body.Len() != 0 {
			t.Error("HEAD has a body")
		}
	}
}

func open(t *testing.T, files fstest.MapFS) *assets.Bundle {
	t.Helper()
	b, err := assets.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func get(b *assets.Bundle, path, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://house"+path, nil)
	r.URL.Path = path // as it is, dots and all
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	return w
}

// The service workers, and they alone, may go further than their own address, each to its pages alone.
func TestServiceWorkerScope(t *testing.T) {
	files := built()
	files["manifest.json"].Data = []byte(`{"app.js":"app-1.js","service.js":"service-4.js","push.js":"push-5.js"}`)
	files["service-4.js"], files["push-5.js"] = &fstest.MapFile{Data: []byte("worker")}, &fstest.MapFile{Data: []byte("other worker")}
	b, err := assets.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{assets.Service: "/screen", assets.Push: "/letters", "app.js": ""} {
		if w := get(b, urlOf(b, name), ""); w.Header().Get("Service-Worker-Allowed") != want || w.Code != http.StatusOK {
			t.Errorf("%s is answered %d, %v; want the scope %q", name, w.Code, w.Header(), want)
		}
	}
}

// TestScale holds the pages of a desk and a phone to one scale of type: no size of text is written
// where it is used.
func TestScale(t *testing.T) {
	t.Parallel()
	size := regexp.MustCompile(`font(?:-size)?:\s*([^;}]+)`)
	known := regexp.MustCompile(`^(inherit|0|400 100%.*|11px|var\(--(t[1-4]|n[12]|code)\))$`) // 11px is paper's
	files, err := filepath.Glob("src/*.css")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files of styles: %v", len(files), err)
	}
	for _, file := range files {
		if base := filepath.Base(file); base == "wall.css" || base == "views.css" || base == "fonts.css" { // a screen's sizes follow its short side
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(b), "\n") {
			for _, m := range size.FindAllStringSubmatch(line, -1) {
				if v := strings.TrimSpace(m[1]); !known.MatchString(v) && !strings.HasPrefix(strings.TrimSpace(line), "/*") {
					t.Errorf("%s:%d: font size %q is not of the scale (--t1 to --t4, --n1, --n2)", file, i+1, v)
				}
			}
		}
	}
}

// TestSpace holds the same pages to one scale of space: multiples of 4 px, but for up to 3 px within a figure and the 7 above and
// below a row.
func TestSpace(t *testing.T) {
	t.Parallel()
	space, size := regexp.MustCompile(`(?:^|[\s{;])((?:margin|padding)(?:-[a-z-]+)?|(?:row-|column-)?gap):\s*([^;}]+)`), regexp.MustCompile(`\b(\d+)px`)
	files, err := filepath.Glob("src/*.css")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files of styles: %v", len(files), err)
	}
	read := 0
	for _, file := range files {
		if base := filepath.Base(file); base == "wall.css" || base == "views.css" || base == "fonts.css" {
			continue
		}
		for _, m := range space.FindAllStringSubmatch(readAll(t, file), -1) {
			for _, px := range size.FindAllStringSubmatch(m[2], -1) {
				read++
				if n, _ := strconv.Atoi(px[1]); n > 3 && n != 7 && n%4 != 0 {
					t.Errorf("%s: %s: %s is not of the scale", file, m[1], m[2])
				}
			}
		}
	}
	if read < 400 {
		t.Errorf("only %d spaces were read", read)
	}
}

// TestBarsHaveColors finds the parts of bars that no stylesheet fills: they are black, on a wall on black.
func TestBarsHaveColors(t *testing.T) {
	t.Parallel()
	styles, hatched := readAll(t, "src/*.css"), readAll(t, "../web/charts/markup.go")
	for _, m := range regexp.MustCompile(`charts\.Piece\{Class: "([\w-]+)"`).FindAllStringSubmatch(readAll(t, "../web/*.go", "../web/*/*.go"), -1) {
		if !strings.Contains(hatched, `case "`+m[1]+`":`) && !regexp.MustCompile(`(?m)^(\.wall \.bar |rect)?\.`+m[1]+`\b[^{,]*\{[^}]*fill:`).MatchString(styles) {
			t.Errorf("nothing fills the part %q of a bar", m[1])
		}
	}
}

// TestClasses finds the classes of the templates that no stylesheet and no script knows: a rule that went with
// the page it was written for leaves another page without it.
func TestClasses(t *testing.T) {
	t.Parallel()
	templates := readAll(t, "../web/*.templ", "../web/*/*.templ")
	own := strings.Join(regexp.MustCompile(`(?s)<style>.*?</style>`).FindAllString(templates, -1), " ") // a letter has its styles in itself
	selectors := readAll(t, "src/*.css") + own + strings.Join(regexp.MustCompile("\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`").FindAllString(readAll(t, "src/*.ts"), -1), " ")
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`\.([a-zA-Z][\w-]*)`).FindAllStringSubmatch(selectors, -1) {
		known[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`class="([^"]+)"`).FindAllStringSubmatch(templates, -1) {
		for _, class := range strings.Fields(m[1]) {
			if !known[class] {
				t.Errorf("class %q of a template has neither a style nor a script", class)
			}
		}
	}
}

// readAll returns the files that match patterns, of which each has some, one after another.
func readAll(t *testing.T, patterns ...string) (all string) {
	t.Helper()
	for _, p := range patterns {
		files, err := filepath.Glob(p)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", p, err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all += string(b)
		}
	}
	return all
}
