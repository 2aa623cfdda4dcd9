package certificates

import (
	"bytes"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/store"
	"housecount/cmd/housecount/certificates/certtest"
)

const acmeDomain = "dash.example.org"

// An authority that gives no certificate is not asked again for each visitor, but ever more rarely;
// what another replica got meanwhile is taken at once.
func TestUpkeepACMEWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "house.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		seal, err := st.Seal(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		shared, err := st.Certificates(t.Context(), seal)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		a := NewACME(Authority{Domains: []string{acmeDomain}}, shared, slog.New(slog.NewTextHandler(&text, nil)))
		asked := 0
		a.Manager.Client.HTTPClient.Transport = transportFunc(func(*http.Request) (*http.Response, error) {
			asked++
			return nil, errors.New("the authority is away")
		})
		hello := &tls.ClientHelloInfo{ServerName: acmeDomain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
		began := time.Now()
		for time.Since(began) < 24*time.Hour {
			if _, err := a.GetCertificate(hello); err == nil || !strings.Contains(err.Error(), "away") {
				t.Fatalf("there is a certificate: %v", err)
			}
			time.Sleep(20 * time.Second)
		}
		if failures := strings.Count(text.String(), "no certificate was got"); asked < 24 || asked > 30 || failures != asked {
			t.Errorf("the authority was asked %d times in a day, and %d failures are logged", asked, failures)
		}
		for _, name := range []string{"other.example.org", ""} { // no business of ours
			if _, err := a.GetCertificate(&tls.ClientHelloInfo{ServerName: name}); err == nil {
				t.Errorf("a certificate for %q", name)
			}
		}
		c := certtest.New(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour), acmeDomain)
		if err := shared.Put(t.Context(), acmeDomain, append(c.Key, c.PEM...)); err != nil {
			t.Fatal(err)
		}
		before := asked
		if got, err := a.GetCertificate(hello); err != nil || !got.Leaf.Equal(c.Leaf) || asked != before {
			t.Errorf("what another replica got is not taken: %v", err)
		}
		// A visitor who takes no ECDSA key has a certificate of their own: neither waits for what failed
		// for the other.
		old := &tls.ClientHelloInfo{ServerName: acmeDomain, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}, SupportedVersions: []uint16{tls.VersionTLS12}}
		modern := &tls.ClientHelloInfo{ServerName: acmeDomain, CipherSuites: []uint16{tls.TLS_AES_128_GCM_SHA256}, SupportedVersions: []uint16{tls.VersionTLS13},
			SignatureSchemes: []tls.SignatureScheme{tls.PSSWithSHA256, tls.ECDSAWithP256AndSHA256}, SupportedCurves: []tls.CurveID{tls.X25519, tls.CurveP256}}
		for range 2 {
			if _, err := a.GetCertificate(old); err == nil || asked != before+1 {
				t.Errorf("asked %d times for a certificate with an RSA key, %v", asked-before, err)
			}
			if got, err := a.GetCertificate(modern); err != nil || !got.Leaf.Equal(c.Leaf) {
				t.Errorf("who takes an ECDSA key gets none: %v", err)
			}
		}
		modern.SignatureSchemes = modern.SignatureSchemes[:1]
		if _, err := a.GetCertificate(modern); err == nil || asked != before+1 {
			t.Errorf("who signs with RSA alone is given another key (%v)", err)
		}
	})
}

type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
