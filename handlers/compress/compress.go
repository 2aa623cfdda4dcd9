// Package compress sends answers in the encoding that is least work for both sides: zstd to whoever takes it, else gzip, and brotli to
// those who take neither. It leaves alone what is short or compressed already. The length of what is sent varies with
// every change of it, so that it does not reveal what a page says.
package compress

import (
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/zstd"

	"housecount/assets"
)

// No is the header with which a handler has its answer sent as it is. It is not sent.
const No = gzhttp.HeaderNoCompression

// Levels that were measured with the site's own pages. zstd's default is smaller than gzip and less work; its fastest is larger.
const (
	zstdLevel   = zstd.SpeedDefault
	brotliLevel = 5
	// window is the binary logarithm of how far back brotli looks: as far as zstd does.
	window = 17
	// jitter is the most bytes by which an answer is longer than it needs to be; more would not fit in a block of brotli's.
	jitter = 32
)

// New returns what compresses the answers of a handler.
func New() (func(http.Handler) http.Handler, error) {
	usual, err := gzhttp.NewWrapper(gzhttp.RandomJitter(jitter, 0, false), gzhttp.ZstdCompressionLevel(int(zstdLevel)))
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	// When to compress and how to vary the length is gzhttp's; it takes what is written for gzip.
	inBrotli, err := gzhttp.NewWrapper(gzhttp.RandomJitter(jitter, 0, false), gzhttp.EnableZstd(false), gzhttp.Implementation(writer.GzipWriterFactory{
		Levels: func() (least, most int) { return brotli.BestSpeed, brotli.BestCompression },
		New:    newBrotli,
	}), gzhttp.CompressionLevel(brotliLevel))
	if err != nil {
		return nil, fmt.Errorf("compress: brotli: %w", err)
	}
	return func(h http.Handler) http.Handler {
		usual, inBrotli := usual(h), inBrotli(h)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !assets.Accepts(r.Header, "br") || assets.Accepts(r.Header, "gzip") || assets.Accepts(r.Header, "zstd") {
				usual(w, r)
				return
			}
			r = r.Clone(r.Context())
			r.Header.Set("Accept-Encoding", "gzip")
			inBrotli(&renamed{ResponseWriter: w}, r)
		})
	}, nil
}

// renamed is an answer in brotli that is said to be in gzip; it says what it is.
type renamed struct {
	http.ResponseWriter
	begun bool
}

func (w *renamed) WriteHeader(status int) {
	if h := w.Header(); h.Get("Content-Encoding") == "gzip" {
		h.Set("Content-Encoding", "br")
	}
	w.begun = true
	w.ResponseWriter.WriteHeader(status)
}

func (w *renamed) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Flush sends what was written so far.
func (w *renamed) Flush() { http.NewResponseController(w.ResponseWriter).Flush() }

// encoder writes brotli.
type encoder struct {
	*brotli.Writer
	to io.Writer
	// filling has no meaning; it is sent before the end.
	filling string
}

var encoders = sync.Pool{New: func() any {
	return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: brotliLevel, LGWin: window})
}}

func newBrotli(w io.Writer, _ int) writer.GzipWriter {
	e := &encoder{Writer: encoders.Get().(*brotli.Writer), to: w}
	e.Reset(w)
	return e
}

// SetHeader takes the filling, which in gzip is a comment.
func (e *encoder) SetHeader(h writer.Header) { e.filling = h.Comment }

func (e *encoder) Close() error {
	defer func() {
		e.Reset(nil)
		encoders.Put(e.Writer)
	}()
	if e.filling != "" {
		if err := e.Flush(); err != nil { // to the end of a byte
			return err
		}
		if _, err := io.WriteString(e.to, skipped(e.filling)); err != nil {
			return err
		}
	}
	return e.Writer.Close()
}

// skipped returns a block of brotli that has no meaning (RFC 7932, section 9.2), with a text of 1 to 256 bytes: from the lowest bit on, 0 as
// it is not the last block, 11 and 0 for one without meaning, 01 for a length of one byte, and that, less one.
func skipped(text string) string {
	head := 0b01_0_11_0 | (len(text)-1)<<6
	return string([]byte{byte(head), byte(head >> 8)}) + text
}
