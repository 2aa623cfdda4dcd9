// Package certtest makes certificates for tests. Only tests import it.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Cert is a certificate that signed itself, as two files have it.
type Cert struct {
	PEM, Key []byte
	Leaf     *x509.Certificate
}

// New makes one for 127.0.0.1 and some names that is valid from one time to another.
func New(t testing.TB, from, to time.Time, names ...string) Cert {
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
	return Cert{Leaf: leaf, PEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})}
}

// Files are the paths of a certificate's two files.
type Files struct{ Cert, Key string }

// NewFiles puts a certificate into two files that last as long as the test.
func NewFiles(t testing.TB, c Cert) Files {
	t.Helper()
	dir := t.TempDir()
	f := Files{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	f.Put(t, c)
	return f
}

// Put replaces the certificate and its key.
func (f Files) Put(t testing.TB, c Cert) {
	t.Helper()
	for path, text := range map[string][]byte{f.Cert: c.PEM, f.Key: c.Key} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
