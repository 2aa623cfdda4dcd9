// Package certificates has the certificates for TLS, of two files or of an authority that speaks ACME.
package certificates

import (
	"context"
	"crypto/tls"
	"slices"
	"strings"

	"golang.org/x/crypto/acme"
)

// Source is a source of certificates for TLS.
type Source interface {
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Run maintains the certificates until ctx ends.
	Run(ctx context.Context) error
}

// Config returns how a server speaks TLS with the certificates of a source, which an authority may ask for too.
func Config(s Source) *tls.Config {
	return &tls.Config{GetCertificate: s.GetCertificate, NextProtos: []string{"h2", "http/1.1", acme.ALPNProto}, CipherSuites: Suites()}
}

// Suites returns the suites that are offered in TLS 1.2: those of Go without CBC, whose suites Go keeps with SHA-1 alone.
// Those of TLS 1.3 cannot be chosen, and have none.
func Suites() (ids []uint16) {
	for _, suite := range tls.CipherSuites() {
		if slices.Contains(suite.SupportedVersions, tls.VersionTLS12) && !strings.Contains(suite.Name, "_CBC_") {
			ids = append(ids, suite.ID)
		}
	}
	return ids
}
