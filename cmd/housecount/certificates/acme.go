package certificates

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

// ACME gets certificates from an authority and renews them, for all replicas: certificates and the
// authority's challenges are shared through the store.
type ACME struct {
	// Manager asks the authority, with its Client, and stores what it gets in its Cache.
	Manager *autocert.Manager
	domains []string
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

// Authority is an authority that speaks ACME, and what it is asked for.
type Authority struct {
	Domains []string
	Email   string // where it may write; empty for none
	// Directory is its address; empty for Let's Encrypt.
	Directory string
}

func NewACME(f Authority, shared *store.Certificates, log *slog.Logger) *ACME {
	return &ACME{
		domains: f.Domains, shared: shared, log: log, failed: map[string]failure{},
		Manager: &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: certificateCache{shared}, HostPolicy: autocert.HostWhitelist(f.Domains...), Email: f.Email,
			Client: &acme.Client{
				DirectoryURL: cmp.Or(f.Directory, autocert.DefaultACMEDirectory),
				HTTPClient:   &http.Client{Timeout: 30 * time.Second}, UserAgent: "housecount",
			},
		},
	}
}

// Redirect returns a handler of plain HTTP that answers the authority's questions and leaves others to h.
func (a *ACME) Redirect(h http.Handler) http.Handler { return a.Manager.HTTPHandler(h) }

// GetCertificate implements that of tls.Config. The first call gets the certificate, which may take a minute.
// After a failure it waits before it tries again, unless another replica got one.
func (a *ACME) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(hello.ServerName)
	if !HasName(a.domains, name) || slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
		return a.Manager.GetCertificate(hello) // a request by a stranger, or by the authority
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
	c, err := a.Manager.GetCertificate(&visitor)
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

func (a *ACME) mayTry(name, stored string) error {
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
func (a *ACME) note(name, stored string, err error) {
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
	a.log.Error("no certificate was got", "name", name, "directory", a.Manager.Client.DirectoryURL, "next", f.until, "error", err)
}

// Run gets the certificates without waiting for the first visitor, and complains about those that
// could not be renewed, until ctx ends. It does not wait then for a certificate that is under way,
// which nothing can stop: autocert gives up after five minutes.
func (a *ACME) Run(ctx context.Context) error {
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
func (a *ACME) logNew(c *x509.Certificate, known, warned map[string]time.Time) {
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

// HasName reports whether a name is one of names, without regard to case.
func HasName(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}
