package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// testCert is a certificate that signed itself, as two files have it.
type testCert struct {
	cert, key []byte
	leaf      *x509.Certificate
}

// newTestCert makes one for 127.0.0.1 and some names that is valid from one time to another.
func newTestCert(t *testing.T, from, to time.Time, names ...string) testCert {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "housecount"}, NotBefore: from, NotAfter: to,
		DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return testCert{leaf: leaf, cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})}
}

// files are a certificate's two files.
type files struct{ cert, key string }

func newFiles(t *testing.T, c testCert) files {
	dir := t.TempDir()
	f := files{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	f.put(t, c)
	return f
}

func (f files) put(t *testing.T, c testCert) {
	t.Helper()
	write(t, f.cert, string(c.cert))
	write(t, f.key, string(c.key))
}

// What replaces a certificate is taken when it is whole and valid, and the one before stays until
// then. What is wrong is said once.
func TestCertificateFilesChange(t *testing.T) {
	began := time.Now()
	year := began.AddDate(1, 0, 0)
	first, next := newTestCert(t, began.Add(-time.Hour), year, "dash.example"), newTestCert(t, began.Add(-time.Hour), year, "dash.example")
	for _, c := range []struct {
		name   string
		change func(t *testing.T, f files)
		taken  bool
		log    string // what is said at the second look, of the program's own
	}{
		{"nothing", func(*testing.T, files) {}, false, ""},
		{"another", func(t *testing.T, f files) { f.put(t, next) }, true, ""},
		{"garbage", func(t *testing.T, f files) { write(t, f.cert, "garbage") }, false, "are no certificate and its key"},
		{"emptied", func(t *testing.T, f files) { write(t, f.cert, "") }, false, "are no certificate and its key"},
		{"removed", func(t *testing.T, f files) {
			if err := os.Remove(f.key); err != nil {
				t.Fatal(err)
			}
		}, false, "no such file"},
		{"half written", func(t *testing.T, f files) { write(t, f.cert, string(next.cert[:len(next.cert)/2])) }, false, "are no certificate and its key"},
		{"without its key", func(t *testing.T, f files) { write(t, f.cert, string(next.cert)) }, false, "does not match"},
		{"expired", func(t *testing.T, f files) {
			f.put(t, newTestCert(t, began.AddDate(0, -2, 0), began.AddDate(0, -1, 0), "dash.example"))
		}, false, "expired on"},
		{"valid from tomorrow", func(t *testing.T, f files) { f.put(t, newTestCert(t, began.AddDate(0, 0, 1), year, "dash.example")) }, false, "valid only from"},
		{"another's name", func(t *testing.T, f files) { f.put(t, newTestCert(t, began.Add(-time.Hour), year, "other.example")) }, true, "not for the public address"},
		{"about to expire", func(t *testing.T, f files) {
			f.put(t, newTestCert(t, began.Add(-time.Hour), began.AddDate(0, 0, 3), "dash.example"))
		}, true, "expires soon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			f := newFiles(t, first)
			s, err := newCertFiles(f.cert, f.key, "dash.example", slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
			if err != nil || log.Len() > 0 {
				t.Fatalf("%v %s", err, &log)
			}
			c.change(t, f)
			s.check(began)
			half := strings.Count(log.String(), "is not taken")
			s.check(began)
			s.check(began)
			got, err := s.GetCertificate(nil)
			if err != nil || got.Leaf.Equal(first.leaf) == c.taken {
				t.Errorf("taken: %v, %v; want %v", !got.Leaf.Equal(first.leaf), err, c.taken)
			}
			if lines := strings.Count(log.String(), "\n"); half > 0 || (c.log == "") != (lines == 0) || lines > 1 || !strings.Contains(log.String(), c.log) {
				t.Errorf("the log says %d lines, %d of them at the first look: %s; want %q", lines, half, &log, c.log)
			}
			f.put(t, next)
			s.check(began)
			if got, err := s.GetCertificate(nil); err != nil || !got.Leaf.Equal(next.leaf) {
				t.Errorf("a whole one is not taken after that (%v)", err)
			}
		})
	}
}

// A certificate that has expired serves all the same, from the start and as time goes on, and the
// log says so; files that are none are a fault of the configuration.
func TestCertificateExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		now := time.Now()
		f := newFiles(t, newTestCert(t, now.AddDate(0, -2, 0), now.Add(-time.Hour), "dash.example"))
		s, err := newCertFiles(f.cert, f.key, "dash.example", slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || !strings.Contains(log.String(), "it expired on") {
			t.Fatalf("an expired certificate at the start: %v, %s", err, &log)
		}
		f.put(t, newTestCert(t, now.Add(-time.Hour), now.AddDate(0, 0, 8), "dash.example"))
		looking := start(s.Run, "certificates", make(chan error, 1))
		time.Sleep(2 * checkEvery)
		if err := looking.stop(time.Second); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		for hours := range 9 * 24 {
			s.check(now.Add(time.Duration(hours) * time.Hour))
		}
		if text := log.String(); strings.Count(text, "expires soon") != 1 || strings.Count(text, "it expired on") != 1 || strings.Count(text, "\n") != 2 {
			t.Errorf("the log says:\n%s", text)
		}
		if c, err := s.GetCertificate(new(tls.ClientHelloInfo)); err != nil || c.Leaf == nil {
			t.Errorf("it does not serve any more: %v", err)
		}
	})
}
