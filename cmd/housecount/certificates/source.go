// Package certificates has the certificates for TLS, of two files or of an authority that speaks ACME.
package certificates

import (
	"context"
	"crypto/tls"

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
	return &tls.Config{GetCertificate: s.GetCertificate, NextProtos: []string{"h2", "http/1.1", acme.ALPNProto}}
}
