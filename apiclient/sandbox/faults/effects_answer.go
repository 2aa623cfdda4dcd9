package faults

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	"housecount/apiclient/sandbox/idp"
)

// Handler applies the active faults to requests for a stream. Several can apply at once.
func (f *Active) Handler(stream string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits, tamper := f.match(stream, r)
		if len(hits) == 0 && tamper == (Tampering{}) {
			next.ServeHTTP(w, r)
			return
		}
		for _, h := range hits {
			f.Log.Debug("fault", "kind", h.kind, "stream", stream)
			if !h.delayAnswer(r.Context()) {
				return
			}
		}
		for _, h := range hits {
			if h.replaceAnswer(w) {
				return
			}
		}
		altered := false
		for _, h := range hits {
			if h.kind == "loop" {
				r = r.Clone(r.Context())
				v := r.URL.Query()
				v.Del("page")
				v.Del("offset")
				v.Del("cursor")
				r.URL.RawQuery = v.Encode()
			}
			altered = altered || h.altersAnswer()
		}
		r = r.WithContext(tamper.in(r.Context()))
		if !altered {
			next.ServeHTTP(w, r)
			return
		}
		whole := &buffered{header: w.Header(), status: http.StatusOK}
		next.ServeHTTP(whole, r)
		if r.Method == http.MethodGet && whole.status == http.StatusOK {
			for _, h := range hits {
				h.alterAnswer(whole, stream)
			}
		}
		whole.send(w, hits)
	})
}

// delayAnswer delays the response. It reports whether the client is still waiting.
func (h hit) delayAnswer(ctx context.Context) bool {
	switch h.kind {
	case "stall":
		return h.wait(ctx, h.until)
	case "latency":
		delay := float64(cmp.Or(h.delay, defaultLatency)) * (.5 + h.rng.Float64())
		return h.wait(ctx, time.Now().Add(time.Duration(delay)))
	}
	return true
}

// replaceAnswer responds instead of the service. It reports whether it did.
func (h hit) replaceAnswer(w http.ResponseWriter) bool {
	switch h.kind {
	case "error":
		status := h.status
		if status == 0 && h.rate > 0 {
			status = []int{500, 502, 503, 504}[h.rng.IntN(4)]
		}
		idp.WriteProblem(w, cmp.Or(status, http.StatusInternalServerError), "This fault was asked for.")
	case "rate-limit", "storm":
		after := 1
		if h.kind == "rate-limit" && h.rate == 0 {
			after = max(1, int(math.Ceil(time.Until(h.until).Seconds())))
		}
		w.Header().Set("Retry-After", strconv.Itoa(after))
		idp.WriteProblem(w, http.StatusTooManyRequests, "Too many requests; this fault was asked for.")
	case "reset":
		reset(w)
	case "endless":
		w.Header().Set("Content-Type", "application/json")
		h.writePadding(w, math.MaxInt64)
	case "huge":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(1<<30))
		h.writePadding(w, 1<<30)
	case "garbage":
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte("<!doctype html><title>Maintenance</title><p>Back soon."))
	default:
		return false
	}
	return true
}

// send sends the buffered response, or the first half of it.
func (b *buffered) send(w http.ResponseWriter, hits []hit) {
	body := b.body.Bytes()
	for _, h := range hits {
		switch {
		case h.kind == "truncate" && len(body) > 0:
			body = body[:len(body)/2]
		case h.kind == "reset-body" && len(body) > 0:
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
			w.WriteHeader(b.status)
			w.Write(body[:len(body)/2])
			_ = http.NewResponseController(w).Flush() // the connection is reset next in any case
			reset(w)
			return
		}
	}
	w.WriteHeader(b.status)
	w.Write(body)
}

// wait blocks until the given time or the end of the fault or of the request. A zero time means no limit. It
// reports false if the request ended first.
func (f *fault) wait(ctx context.Context, until time.Time) bool {
	var over <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-f.ended:
	case <-over:
	}
	return true
}

// writePadding writes the start of a list followed by spaces, n bytes in all, until the fault ends or a write
// fails.
func (f *fault) writePadding(w http.ResponseWriter, n int64) {
	// If the deadline cannot be set, a client that stops reading blocks this handler until it disconnects.
	_ = http.NewResponseController(w).SetWriteDeadline(f.until)
	space := bytes.Repeat([]byte(" "), 64<<10)
	chunk := append([]byte(`{"data":[`), space...)
	for n > 0 {
		select {
		case <-f.ended:
			return
		default:
		}
		wrote, err := w.Write(chunk[:min(int64(len(chunk)), n)])
		if err != nil {
			return
		}
		n -= int64(wrote)
		chunk = space
	}
}

// reset closes the connection with a TCP reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2 does not support Hijack: abort the stream
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close() // nothing can be done about an error
}
