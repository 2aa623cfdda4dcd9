package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
	"golang.org/x/crypto/acme/autocert"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/certificates"
	"housecount/cmd/housecount/options"
	"housecount/web/live"
)

const acmeDomain = "dash.example.org"

// authority is Let's Encrypt's own stand-in for itself, which asks for names at the addresses of its
// validator.
type authority struct {
	*httptest.Server
	roots *x509.CertPool
}

func newAuthority(t *testing.T, plain, encrypted net.Listener) authority {
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	names := &dns.Server{Listener: listen(t, "127.0.0.1:0"), Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		a := new(dns.Msg).SetReply(q)
		if q.Question[0].Qtype == dns.TypeA {
			a.Answer = []dns.RR{&dns.A{Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)}}
		}
		_ = w.WriteMsg(a) // an error means that who asked has gone
	})}
	serving := make(chan error, 1)
	go func() { serving <- names.ActivateAndServe() }()
	t.Cleanup(func() {
		if err := errors.Join(names.Shutdown(), <-serving); err != nil {
			t.Error(err)
		}
	})
	quiet, memory := log.New(io.Discard, "", 0), db.NewMemoryStore()
	issuer := ca.New(quiet, memory, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {}})
	validator := va.New(quiet, portOf(plain), portOf(encrypted), true, names.Listener.Addr().String(), memory)
	front := wfe.New(quiet, memory, validator, issuer, []string{"example.org"}, true, false, 1, 1)
	a := authority{httptest.NewTLSServer(front.Handler()), x509.NewCertPool()}
	t.Cleanup(a.Close)
	if !a.roots.AppendCertsFromPEM(issuer.GetRootCert(0).PEM()) {
		t.Fatal("the authority has no root")
	}
	return a
}

func portOf(ln net.Listener) int { return ln.Addr().(*net.TCPAddr).Port }

// serveCertified starts a replica on a database that gets its certificates from an authority.
func serveCertified(t *testing.T, ln listeners, database string, from authority) *program {
	t.Helper()
	st, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	const secret = "a secret of thirty-two characters"
	seal, err := st.Seal(t.Context(), secret, "")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{store: st, log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	if err := p.configureTLS(t.Context(), configuration{serveCommand: serveCommand{
		LoginFlags: options.LoginFlags{PublicURLFlag: options.PublicURLFlag{PublicURL: "https://" + acmeDomain}},
		EdgeFlags:  options.EdgeFlags{TLSFlags: options.TLSFlags{ACMEDomain: []string{acmeDomain}}, ACMEDirectory: from.URL + "/dir", ACMEEmail: "anna@example.org", RedirectListen: ":80"},
	}}, seal); err != nil {
		t.Fatal(err)
	}
	p.certificates.(*certificates.ACME).Manager.Client.HTTPClient = from.Client()
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	// In earnest it is port 80, which the authority does not name.
	atPort80 := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host, _, _ = strings.Cut(r.Host, ":")
		p.redirect.ServeHTTP(w, r)
	})
	pages, redirect := newServer(hello, p.log), newServer(atPort80, p.log)
	failed := make(chan error, 2)
	go func() { failed <- serve(pages, live.Listen(ln.pages), p.certificates) }()
	go func() { failed <- serve(redirect, ln.redirect, nil) }()
	t.Cleanup(func() {
		if err := errors.Join(pages.Close(), redirect.Close(), <-failed, <-failed); err != nil {
			t.Error(err)
		}
	})
	return p
}

func newListeners(t *testing.T) listeners {
	return listeners{pages: listen(t, "127.0.0.1:0"), redirect: listen(t, "127.0.0.1:0")}
}

// ask asks for a page by the name that is certified, and returns the certificate that came with it.
func ask(t *testing.T, roots *x509.CertPool, ln listeners) *x509.Certificate {
	t.Helper()
	transport := &http.Transport{ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, ln.pages.Addr().String())
		}}
	a, err := (&http.Client{Transport: transport, Timeout: patience}).Get("https://" + acmeDomain + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if body, err := io.ReadAll(a.Body); err != nil || string(body) != "hello" || a.ProtoMajor != 2 {
		t.Errorf("%s over %s, %v", body, a.Proto, err)
	}
	return a.TLS.PeerCertificates[0]
}

// One of two replicas gets a certificate, and the authority asks the other whether the name is
// ours, in either of its ways. The other has the certificate then too, and so has one that starts
// when the authority is gone. The database does not show the keys.
func TestACME(t *testing.T) {
	nowhere := listen(t, "127.0.0.1:0")
	nowhere.Close()
	for _, way := range []string{"tls-alpn-01", "http-01"} {
		t.Run(way, func(t *testing.T) {
			database := filepath.Join(t.TempDir(), "house.db")
			one, other := newListeners(t), newListeners(t)
			asked := other.pages
			if way == "http-01" {
				asked = nowhere
			}
			a := newAuthority(t, other.redirect, asked)
			p := serveCertified(t, one, database, a)
			serveCertified(t, other, database, a)
			looking := start(p.certificates.Run, "certificates", make(chan error, 1))
			got := ask(t, a.roots, one)
			// Who waited beside the one that got it has it before it is stored.
			cache := p.certificates.(*certificates.ACME).Manager.Cache
			for deadline, stored := time.Now().Add(patience), false; !stored; time.Sleep(10 * time.Millisecond) {
				_, err := cache.Get(t.Context(), acmeDomain)
				if stored = err == nil; err != nil && !errors.Is(err, autocert.ErrCacheMiss) || time.Now().After(deadline) {
					t.Fatalf("the certificate is not stored: %v", err)
				}
			}
			if err := looking.stop(patience); err != nil {
				t.Error(err)
			}
			if also := ask(t, a.roots, other); !also.Equal(got) {
				t.Error("the other replica has another certificate")
			}
			a.Close()
			third := newListeners(t)
			serveCertified(t, third, database, a)
			if also := ask(t, a.roots, third); !also.Equal(got) {
				t.Error("a replica that starts later has another certificate")
			}
			shared := sealedIn(t, database)
			if len(shared) == 0 || bytes.Contains(shared, []byte("PRIVATE")) || bytes.Contains(shared, []byte("CERTIFICATE")) {
				t.Errorf("the database holds %q", shared)
			}
		})
	}
}

// sealedIn returns all that a database holds of certificates.
func sealedIn(t *testing.T, database string) (all []byte) {
	t.Helper()
	d, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows, err := d.QueryContext(t.Context(), `SELECT value FROM certificate`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value []byte
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		all = append(all, value...)
	}
	return all
}
