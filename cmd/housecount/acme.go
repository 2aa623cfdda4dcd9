package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"housecount/aggregator/store"
)

// acmeCertificates gets certificates from an authority and renews them, for all replicas: certificates and the
// authority's challenges are shared through the store.
type acmeCertificates struct {
	domains []string
	manager *autocert.Manager
	shared  *store.Certificates
	log     *slog.Logger

	mu     sync.Mutex
	failed map[string]failure // by the certificate's name in the store
}

// failure is how often in a row getting a certificate failed, and when to try again: an authority refuses clients
// that fail often.
type failure struct {
	times int
	until time.Time
	cause error
}

func newACMECertificates(f edgeFlags, shared *store.Certificates, log *slog.Logger) *acmeCertificates {
	return &acmeCertificates{
		domains: f.ACMEDomain, shared: shared, log: log, failed: map[string]failure{},
		manager: &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: certificateCache{shared}, HostPolicy: autocert.HostWhitelist(f.ACMEDomain...), Email: f.ACMEEmail,
			Client: &acme.Client{
				DirectoryURL: cmp.Or(f.ACMEDirectory, autocert.DefaultACMEDirectory),
				HTTPClient:   &http.Client{Timeout: 30 * time.Second}, UserAgent: "housecount",
			},
		},
	}
}

// GetCertificate implements that of tls.Config. The first call gets the certificate, which may take a minute.
// After a failure it waits before it tries again, unless another replica got one.
func (a *acmeCertificates) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(hello.ServerName)
	if !containsName(a.domains, name) || slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return a.manager.GetCertificate(hello) // a request by a stranger, or by the authority
	}
	// Which of the two certificates of a name is used is decided here and not by autocert, so that a failure for
	// one kind of client does not block the other.
	stored, visitor := name, *hello
	visitor.CipherSuites, visitor.SignatureSchemes, visitor.SupportedCurves = ecdsaSuites, nil, nil
	if !takesECDSA(hello) {
		stored, visitor.CipherSuites = name+"+rsa", nil
	}
	if err := a.mayTry(name, stored); err != nil {
		return nil, err
	}
	c, err := a.manager.GetCertificate(&visitor)
	a.note(name, stored, err)
	return c, err
}

// ecdsaSuites stand for a client that accepts a certificate with an ECDSA key. autocert stores that one under the
// domain, and the other under the domain with +rsa.
var ecdsaSuites = []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}

// takesECDSA reports whether a client accepts a certificate with an ECDSA key.
func takesECDSA(hello *tls.ClientHelloInfo) bool {
	ecdsa := []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256, tls.ECDSAWithP384AndSHA384, tls.ECDSAWithP521AndSHA512, tls.ECDSAWithSHA1}
	switch {
	case hello.SignatureSchemes != nil && !slices.ContainsFunc(hello.SignatureSchemes, func(s tls.SignatureScheme) bool { return slices.Contains(ecdsa, s) }),
		hello.SupportedCurves != nil && !slices.Contains(hello.SupportedCurves, tls.CurveP256):
		return false
	}
	return slices.Contains(hello.SupportedVersions, tls.VersionTLS13) ||
		slices.ContainsFunc(hello.CipherSuites, func(suite uint16) bool { return strings.Contains(tls.CipherSuiteName(suite), "_ECDSA_") })
}

func (a *acmeCertificates) mayTry(name, stored string) error {
	a.mu.Lock()
	f, failed := a.failed[stored]
	a.mu.Unlock()
	if !failed || time.Now().After(f.until) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if _, ok, err := a.shared.Get(ctx, stored); err == nil && ok {
		return nil
	}
	return fmt.Errorf("no certificate for %s; it is tried again at %s: %w", name, f.until.Format(time.TimeOnly), f.cause)
}

// note stores and logs that a certificate could not be got, once for all who waited for it.
func (a *acmeCertificates) note(name, stored string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, now := a.failed[stored], time.Now()
	switch {
	case err == nil:
		delete(a.failed, stored)
		return
	case now.Before(f.until):
		return
	}
	f.times++
	f.until, f.cause = now.Add(min(time.Hour, time.Minute<<min(f.times, 6))), err
	a.failed[stored] = f
	a.log.Error("no certificate was got", "name", name, "directory", a.manager.Client.DirectoryURL, "next", f.until, "error", err)
}

// Run gets the certificates without waiting for the first visitor, and complains about those that
// could not be renewed, until ctx ends. It does not wait then for a certificate that is under way,
// which nothing can stop: autocert gives up after five minutes.
func (a *acmeCertificates) Run(ctx context.Context) error {
	got := make(chan *tls.Certificate)
	go func() {
		defer close(got)
		ticker := time.NewTicker(time.Minute)
		defer ticker.Stop()
		for {
			for _, name := range a.domains {
				c, err := a.GetCertificate(&tls.ClientHelloInfo{ServerName: name, CipherSuites: ecdsaSuites})
				if err != nil {
					continue // it is logged
				}
				select {
				case got <- c:
				case <-ctx.Done():
					return
				}
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	known := map[string]time.Time{}  // by name: when the certificate ends
	warned := map[string]time.Time{} // by name: the end about which a warning was logged
	for {
		select {
		case c := <-got:
			a.logNew(c.Leaf, known, warned)
		case <-ctx.Done():
			return nil
		}
	}
}

// logNew logs what is new of a certificate.
func (a *acmeCertificates) logNew(c *x509.Certificate, known, warned map[string]time.Time) {
	name := strings.Join(c.DNSNames, " ")
	if known[name] != c.NotAfter {
		known[name] = c.NotAfter
		a.log.Info("certificate", "name", name, "valid_until", c.NotAfter)
	}
	// It is renewed when a third of its time is left.
	if left := time.Until(c.NotAfter); left < c.NotAfter.Sub(c.NotBefore)/6 && warned[name] != c.NotAfter {
		warned[name] = c.NotAfter
		a.log.Error("the certificate has not been renewed; that is tried every half an hour", "name", name, "valid_until", c.NotAfter)
	}
}

// storeTimeout is how long a TLS handshake waits for the database.
const storeTimeout = 10 * time.Second

// certificateCache implements autocert.Cache with the store.
type certificateCache struct{ shared *store.Certificates }

func (c certificateCache) Get(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	data, ok, err := c.shared.Get(ctx, name)
	if err == nil && !ok {
		err = autocert.ErrCacheMiss
	}
	return data, err
}

func (c certificateCache) Put(ctx context.Context, name string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return c.shared.Put(ctx, name, data)
}

func (c certificateCache) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return c.shared.Delete(ctx, name)
}
