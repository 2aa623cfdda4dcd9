// Package assets holds what a browser loads: stylesheet, script and fonts, built by npm
// into dist and embedded with hashed addresses. It serves them and nothing else; the
// same address always has the same bytes. It also embeds the chapters of the manual, and the document of what programs can read.
package assets

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed all:dist
var dist embed.FS

// The scripts that work without a page: Service keeps the page of screens for when the server is gone, and Push shows
// notifications.
const (
	Service = "service.js"
	Push    = "push.js"
)

// PushScope is where the script of notifications may work: on the page on which a device is added.
const PushScope = "/letters"

// scopes are where scripts that work without a page may.
var scopes = map[string]string{Service: "/screen", Push: PushScope}

// Icon is the program's sign, as SVG.
//
//go:embed icon.svg
var Icon []byte

// Licences returns the licences of Go and of all parts of others that are in the program. It fails if the program was
// built without make.
func Licences() ([]byte, error) { return dist.ReadFile("dist/licences.txt") }

// API describes what programs can read, in OpenAPI 3.1.
//
//go:embed api.yaml
var API []byte

// Manual has the chapters of the manual in its folder, in Markdown; package web/manual shows them.
//
//go:embed manual/*.md
var Manual embed.FS

// ErrNotBuilt is returned if the binary was built without its bundles.
var ErrNotBuilt = errors.New("this binary was built without its stylesheet and script: run make assets, then build again")

// prefix is where the files are served.
const prefix = "/assets/"

// contentTypes are of all the kinds of files that the bundle may hold.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".txt":   "text/plain; charset=utf-8",
	".woff2": "font/woff2",
}

// encodings are the compressed copies, the smaller first.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// Bundle is the embedded files. It is safe for concurrent use.
type Bundle struct {
	names   map[string]string // name at the source -> hashed name
	files   map[string]file   // hashed name -> file
	version string
}

type file struct {
	contentType string
	variants    []variant // in order of preference; the last is not compressed
}

type variant struct {
	encoding string // empty when not compressed
	etag     string
	content  []byte
}

// Load reads the manifest of the embedded files; ErrNotBuilt when there is none.
func Load() (*Bundle, error) {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, fmt.Errorf("assets: %w", err)
	}
	return Open(sub)
}

// Open is Load from another place: fsys holds manifest.json and the files that it names.
func Open(fsys fs.FS) (*Bundle, error) {
	manifest, err := fs.ReadFile(fsys, "manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotBuilt
	} else if err != nil {
		return nil, fmt.Errorf("assets: %w", err)
	}
	b := &Bundle{files: make(map[string]file)}
	if err := json.Unmarshal(manifest, &b.names); err != nil {
		return nil, fmt.Errorf("assets: manifest.json: %w", err)
	}
	digest := sha256.New()
	for _, name := range slices.Sorted(maps.Values(b.names)) {
		f, err := read(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("assets: %w", err)
		}
		b.files[name] = f
		plain := f.variants[len(f.variants)-1]
		fmt.Fprintf(digest, "%s %s\n", name, plain.etag)
	}
	b.version = hex.EncodeToString(digest.Sum(nil)[:8])
	return b, nil
}

// read reads a file and its compressed copies, of which none is required.
func read(fsys fs.FS, name string) (file, error) {
	f := file{contentType: contentTypes[path.Ext(name)]}
	if f.contentType == "" {
		return file{}, fmt.Errorf("%s: a file of a kind that is not served", name)
	}
	for _, e := range encodings {
		content, err := fs.ReadFile(fsys, name+e.suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return file{}, err
		}
		f.variants = append(f.variants, newVariant(e.name, content))
	}
	content, err := fs.ReadFile(fsys, name)
	if err != nil {
		return file{}, err
	}
	f.variants = append(f.variants, newVariant("", content))
	return f, nil
}

func newVariant(encoding string, content []byte) variant {
	sum := sha256.Sum256(content)
	return variant{encoding: encoding, etag: strconv.Quote(hex.EncodeToString(sum[:12])), content: content}
}

// URL returns the hashed address of a source file's result, such as app.js or app.css. The error is for a
// name that is not in the bundle: it was built before the program.
func (b *Bundle) URL(name string) (string, error) {
	hashed, ok := b.names[name]
	if !ok {
		return "", fmt.Errorf("assets: there is no %s in what was built: run make assets", name)
	}
	return prefix + hashed, nil
}

// Version returns a digest over the whole bundle.
func (b *Bundle) Version() string { return b.version }

// ServeHTTP serves the files below /assets/, precompressed where the browser can, for
// ever cacheable. Everything else is 404.
func (b *Bundle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, prefix)
	f, known := b.files[name]
	if !ok || !known {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	v := f.choose(r.Header)
	header := w.Header()
	header.Set("Content-Type", f.contentType)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("ETag", v.etag)
	for script, scope := range scopes {
		if name == b.names[script] {
			header.Set("Service-Worker-Allowed", scope)
		}
	}
	if len(f.variants) > 1 {
		header.Add("Vary", "Accept-Encoding")
	}
	if v.encoding != "" {
		header.Set("Content-Encoding", v.encoding)
		header.Set("Content-Length", strconv.Itoa(len(v.content))) // ServeContent leaves it out
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(v.content))
}

// choose returns the first variant that the browser takes.
func (f file) choose(h http.Header) variant {
	for _, v := range f.variants {
		if v.encoding == "" || Accepts(h, v.encoding) {
			return v
		}
	}
	return f.variants[len(f.variants)-1]
}

// Accepts reports whether Accept-Encoding names the encoding with a weight over zero.
func Accepts(h http.Header, encoding string) bool {
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(weight)), "q=")
		if !ok {
			return true
		}
		value, err := strconv.ParseFloat(q, 64)
		return err == nil && value > 0
	}
	return false
}
