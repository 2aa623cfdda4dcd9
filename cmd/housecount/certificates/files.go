package certificates

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

const (
	// checkEvery is how often the files of a certificate are checked for changes.
	checkEvery = 10 * time.Second
	// expiresSoon is how long before its end a warning about a certificate is logged.
	expiresSoon = 7 * 24 * time.Hour
)

// Files is a certificate in two files that other programs replace. A replacement is used only if it is
// complete and valid; until then the previous certificate is used.
type Files struct {
	cert, key string
	// host is the name by which browsers connect.
	host    string
	log     *slog.Logger
	current atomic.Pointer[readCert]

	// The fields below are used by check alone. refused is the replacement that was last read and not accepted, fault
	// why, and attempts in how many checks. warned is the warning that was last logged about the end of current.
	refused  readCert
	fault    string
	attempts int
	warned   string
}

// readCert is a certificate as read from the files.
type readCert struct {
	certPEM, keyPEM []byte
	tls.Certificate
}

func (c *readCert) is(other *readCert) bool {
	return bytes.Equal(c.certPEM, other.certPEM) && bytes.Equal(c.keyPEM, other.keyPEM)
}

// CheckFiles returns what is wrong with a certificate and its key.
func CheckFiles(cert, key string) error {
	_, err := readCertificate(cert, key)
	return err
}

// readCertificate reads a certificate and its key. If they do not match, it returns what it read with the
// error.
func readCertificate(cert, key string) (c readCert, err error) {
	if c.certPEM, err = os.ReadFile(cert); err != nil {
		return c, err
	}
	if c.keyPEM, err = os.ReadFile(key); err != nil {
		return c, err
	}
	if c.Certificate, err = tls.X509KeyPair(c.certPEM, c.keyPEM); err != nil {
		return c, fmt.Errorf("%s and %s are no certificate and its key: %w", cert, key, err)
	}
	return c, nil
}

// NewFiles reads the files for the first time. A certificate that is not valid now is used all the
// same, with a warning in the log.
func NewFiles(cert, key, host string, log *slog.Logger) (*Files, error) {
	f := &Files{cert: cert, key: key, host: host, log: log}
	c, err := readCertificate(cert, key)
	if err != nil {
		return nil, err
	}
	f.use(c)
	f.warn(time.Now())
	return f, nil
}

func (f *Files) use(c readCert) {
	f.current.Store(&c)
	f.warned = ""
	f.log.Info("certificate", "file", f.cert, "names", c.Leaf.DNSNames, "valid_until", c.Leaf.NotAfter)
	if err := c.Leaf.VerifyHostname(f.host); err != nil {
		f.log.Error("the certificate is not for the public address: browsers refuse it", "file", f.cert, "error", err)
	}
}

// GetCertificate implements that of tls.Config.
func (f *Files) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return &f.current.Load().Certificate, nil
}

// Run checks the files for changes until ctx ends.
func (f *Files) Run(ctx context.Context) error {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-ticker.C:
			f.Check(now)
		}
	}
}

// Check loads what is new in the files. A fault is logged once, and only if two checks find it, because the two
// files do not match between the replacement of one and of the other.
func (f *Files) Check(now time.Time) {
	next, err := readCertificate(f.cert, f.key)
	switch {
	case err == nil && next.is(f.current.Load()):
		f.attempts = 0
	case err == nil:
		if err = valid(next, now); err == nil {
			f.use(next)
			f.attempts = 0
		}
	}
	f.warn(now)
	if err == nil {
		return
	}
	if f.attempts > 0 && (!next.is(&f.refused) || err.Error() != f.fault) {
		f.attempts = 0
	}
	f.refused, f.fault = next, err.Error()
	if f.attempts++; f.attempts == 2 {
		f.log.Error("the new certificate is not taken; the one before stays", "file", f.cert, "error", err)
	}
}

func valid(c readCert, now time.Time) error {
	switch {
	case now.After(c.Leaf.NotAfter):
		return fmt.Errorf("it expired on %s", c.Leaf.NotAfter.Format(time.RFC3339))
	case now.Before(c.Leaf.NotBefore):
		return errors.New("it is valid only from " + c.Leaf.NotBefore.Format(time.RFC3339))
	}
	return nil
}

// warn logs once that the current certificate is about to expire, and once that it has.
func (f *Files) warn(now time.Time) {
	c := f.current.Load()
	text := ""
	if err := valid(*c, now); err != nil {
		text = "browsers refuse the certificate: " + err.Error()
	} else if c.Leaf.NotAfter.Sub(now) < expiresSoon {
		text = "the certificate expires soon"
	}
	if text != "" && text != f.warned {
		f.log.Error(text, "file", f.cert, "valid_until", c.Leaf.NotAfter)
	}
	f.warned = text
}
