package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/cmd/housecount/certificates"
	"housecount/cmd/housecount/certificates/certtest"
	"housecount/cmd/housecount/options"
)

// rsaFiles returns a certificate with an RSA key.
func rsaFiles(t *testing.T) certtest.Files {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0),
		DNSNames: []string{"dash.example"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return certtest.NewFiles(t, certtest.Cert{PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})})
}

// With certificates of its own, of either kind of key, serve agrees in TLS 1.2 to no suite but those with forward secrecy
// and authenticated encryption, so none with CBC, also while the database is being opened.
func TestCipherSuites(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	served := func(f certtest.Files) net.Addr {
		source, err := certificates.NewFiles(f.Cert, f.Key, "dash.example", log)
		if err != nil {
			t.Fatal(err)
		}
		ln, server := listen(t, "127.0.0.1:0"), newServer(http.NotFoundHandler(), log)
		running := start(func(context.Context) error { return serve(server, ln, source) }, "server", make(chan error, 1))
		t.Cleanup(func() {
			server.Close()
			if err := running.stop(patience); err != nil {
				t.Error(err)
			}
		})
		return ln.Addr()
	}
	opening := func(f certtest.Files) net.Addr {
		ln := listen(t, "127.0.0.1:0")
		m, err := answerMeanwhile(ln, configuration{serveCommand: serveCommand{EdgeFlags: options.EdgeFlags{TLSFlags: options.TLSFlags{TLSCert: f.Cert, TLSKey: f.Key}}}}, log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := m.stop(); err != nil {
				t.Error(err)
			}
			ln.Close()
		})
		return ln.Addr()
	}
	files := []certtest.Files{certtest.NewFiles(t, certtest.New(t, time.Now().Add(-time.Hour), time.Now().AddDate(1, 0, 0), "dash.example")), rsaFiles(t)}
	for name, at := range map[string]func(certtest.Files) net.Addr{"served": served, "opening": opening} {
		var addresses []net.Addr
		for _, f := range files {
			addresses = append(addresses, at(f))
		}
		agreed := 0
		for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
			if !slices.Contains(suite.SupportedVersions, tls.VersionTLS12) {
				continue
			}
			want := strings.HasPrefix(suite.Name, "TLS_ECDHE_") && (strings.Contains(suite.Name, "_GCM_") || strings.Contains(suite.Name, "_CHACHA20_"))
			got := slices.ContainsFunc(addresses, func(address net.Addr) bool {
				conn, err := tls.Dial("tcp", address.String(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite.ID}})
				if err != nil {
					return false
				}
				defer conn.Close()
				return conn.ConnectionState().CipherSuite == suite.ID
			})
			if got != want {
				t.Errorf("%s: %s is agreed to: %v", name, suite.Name, got)
			}
			if got {
				agreed++
			}
		}
		if agreed != 6 {
			t.Errorf("%s: %d suites are agreed to", name, agreed)
		}
	}
}
