package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/cmd/housecount/certificates"
	"housecount/cmd/housecount/certificates/certtest"

	"github.com/chromedp/chromedp"
)

// TestBrowserTLS serves by TLS without a proxy: pages come over HTTP/2 and sockets beside them,
// signing in and out leads where it should, plain HTTP is led there, and a certificate that changes
// is taken while pages are open.
func TestBrowserTLS(t *testing.T) {
	cert := certtest.New(t, time.Now().Add(-time.Hour), time.Now().AddDate(0, 1, 0), "dash.example")
	f := certtest.NewFiles(t, cert)
	ln := newListeners(t)
	address := ln.pages.Addr().String()
	public := "https://" + address
	s := newService(t, loginAt(&front{Server: &httptest.Server{URL: public}}))
	ready, err := serveCommandFor(t, nil, append(s.arguments(filepath.Join(t.TempDir(), "house.db")), "--public-url", public, "--oidc-client-id", sandboxClient,
		"--tls-cert", f.Cert, "--tls-key", f.Key, "--redirect-listen", ln.redirect.Addr().String())[1:]...).validate()
	if err != nil {
		t.Fatal(err)
	}
	ready.now = s.Now
	p, err := newProgram(t.Context(), ready, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	running := start(func(ctx context.Context) error { return p.run(ctx, ln) }, "housecount", make(chan error, 1))
	t.Cleanup(func() {
		if err := running.stop(shutdownLimit); err != nil {
			t.Error(err)
		}
	})
	h := &testHouse{t: t, demo: &demo{service: s.Sandbox, program: p, url: public, sandboxURL: s.url}}
	h.awaitFirstSync()

	// Chromium trusts this key and no other that nobody signed.
	trusted := sha256.Sum256(cert.Leaf.RawSubjectPublicKeyInfo)
	b := newBrowserIn(t, t.TempDir(), append(windowless(), chromedp.Flag("ignore-certificate-errors-spki-list", base64.StdEncoding.EncodeToString(trusted[:])))...)
	tab := b.newTab(1440, 900)
	tab.login(h, "manager")
	if got := eval[string](tab, `performance.getEntriesByType("navigation")[0].nextHopProtocol`); got != "h2" {
		t.Errorf("the page came over %q", got)
	}
	event := h.grote().Event.ID
	tab.open(public + "/events/" + event)
	tab.live()
	before := h.grote().Sold.Value
	h.sell(event, 3)
	tab.text(strconv.Itoa(before + 3))
	tab.quiet()

	roots := x509.NewCertPool()
	roots.AddCert(cert.Leaf)
	transport := &http.Transport{ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots}}
	client := &http.Client{Transport: transport, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(address string) *http.Response {
		t.Helper()
		a, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a
	}
	if a := get("http://" + ln.redirect.Addr().String() + "/wall?hall=Foyer"); a.StatusCode != http.StatusMovedPermanently || a.Header.Get("Location") != public+"/wall?hall=Foyer" {
		t.Errorf("plain HTTP is led to %q with %s", a.Header.Get("Location"), a.Status)
	}
	if a := get("http://" + address + "/"); a.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP to the port of TLS is answered %s", a.Status)
	}
	if a := get(public + "/healthz"); a.ProtoMajor != 2 || !strings.Contains(a.Header.Get("Strict-Transport-Security"), "max-age") {
		t.Errorf("over %s with %v", a.Proto, a.Header)
	}
	if code, _, stderr := runFor(t, nil, "health", "--listen", address, "--tls-cert", f.Cert, "--tls-key", f.Key); code != exitOK {
		t.Errorf("health: %d, %s", code, stderr)
	}

	next := certtest.New(t, time.Now().Add(-time.Hour), time.Now().AddDate(0, 2, 0), "dash.example")
	f.Put(t, next)
	p.certificates.(*certificates.Files).Check(time.Now())
	roots.AddCert(next.Leaf)
	if a := get(public + "/healthz"); !a.TLS.PeerCertificates[0].Equal(next.Leaf) {
		t.Error("the certificate is the one before")
	}
	h.sell(event, 2)
	tab.text(strconv.Itoa(before + 5))

	tab.click(`form[action="/logout"] button`)
	tab.text("signed out")
}
