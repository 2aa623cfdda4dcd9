package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/certificates"
	"housecount/web"
	"housecount/web/words"
)

// meanwhile answers at the program's address while the database is opened, and says how far an upgrade is.
type meanwhile struct {
	server   *http.Server
	ended    chan error
	step     atomic.Pointer[store.UpgradeStep] // nil before any
	language web.Locale
}

// answerMeanwhile answers at the address of ln, whose connections it shares, until stop. With certificates of an authority,
// which are in the database, nobody is answered before that is open.
func answerMeanwhile(ln net.Listener, c configuration, log *slog.Logger) (*meanwhile, error) {
	m := &meanwhile{language: web.Locale(c.Language)}
	tcp, ok := ln.(*net.TCPListener)
	if !ok || len(c.ACMEDomain) > 0 {
		return m, nil
	}
	file, err := tcp.File()
	if err != nil {
		return nil, err
	}
	shared, err := net.FileListener(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	m.server = newServer(m, log)
	m.server.WriteTimeout = 10 * time.Second
	if c.TLSCert != "" {
		certificate, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
		if err != nil { // newProgram says what is wrong with it
			return &meanwhile{language: m.language}, shared.Close()
		}
		shared = tls.NewListener(shared, &tls.Config{Certificates: []tls.Certificate{certificate}, CipherSuites: certificates.Suites()})
	}
	m.ended = make(chan error, 1)
	go func() { m.ended <- m.server.Serve(shared) }()
	return m, nil
}

// report takes a step of an upgrade.
func (m *meanwhile) report(s store.UpgradeStep) {
	m.step.Store(&s)
}

// stop ends the answers; those under way are given.
func (m *meanwhile) stop() error {
	if m.server == nil {
		return nil
	}
	err := shutdown(m.server, 2*time.Second)
	if ended := <-m.ended; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

func (m *meanwhile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	state, s := "the database is being opened", m.step.Load()
	if s != nil {
		state = fmt.Sprintf("the database is brought up to date: step %d of %d, %s", s.Step, s.Of, s.What)
	}
	switch r.URL.Path {
	case "/healthz":
		fmt.Fprintln(w, "ok")
		return
	case "/readyz":
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, state)
		return
	}
	w.Header().Set("Retry-After", "5")
	w.Header().Set("Refresh", "5")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	if s == nil {
		s = new(store.UpgradeStep)
	}
	title, says := words.Opening(m.language, s.Step, s.Of)
	fmt.Fprintf(w, "<!doctype html><html lang=%q><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>housecount</title><h1>%s</h1><p>%s</p></html>\n",
		m.language, html.EscapeString(title), html.EscapeString(says))
}
