package certificates

import (
	"bytes"
	"context"
	"crypto/tls"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/cmd/housecount/certificates/certtest"
)

// What replaces a certificate is taken when it is whole and valid, and the one before stays until
// then. What is wrong is said once.
func TestCertificateFilesChange(t *testing.T) {
	began := time.Now()
	year := began.AddDate(1, 0, 0)
	first, next := certtest.New(t, began.Add(-time.Hour), year, "dash.example"), certtest.New(t, began.Add(-time.Hour), year, "dash.example")
	for _, c := range []struct {
		name   string
		change func(t *testing.T, f certtest.Files)
		taken  bool
		log    string // what is said at the second look, of the program's own
	}{
		{"nothing", func(*testing.T, certtest.Files) {}, false, ""},
		{"another", func(t *testing.T, f certtest.Files) { f.Put(t, next) }, true, ""},
		{"garbage", func(t *testing.T, f certtest.Files) { writeFile(t, f.Cert, "garbage") }, false, "are no certificate and its key"},
		{"emptied", func(t *testing.T, f certtest.Files) { writeFile(t, f.Cert, "") }, false, "are no certificate and its key"},
		{"removed", func(t *testing.T, f certtest.Files) {
			if err := os.Remove(f.Key); err != nil {
				t.Fatal(err)
			}
		}, false, "no such file"},
		{"half written", func(t *testing.T, f certtest.Files) { writeFile(t, f.Cert, string(next.PEM[:len(next.PEM)/2])) }, false, "are no certificate and its key"},
		{"without its key", func(t *testing.T, f certtest.Files) { writeFile(t, f.Cert, string(next.PEM)) }, false, "does not match"},
		{"expired", func(t *testing.T, f certtest.Files) {
			f.Put(t, certtest.New(t, began.AddDate(0, -2, 0), began.AddDate(0, -1, 0), "dash.example"))
		}, false, "expired on"},
		{"valid from tomorrow", func(t *testing.T, f certtest.Files) {
			f.Put(t, certtest.New(t, began.AddDate(0, 0, 1), year, "dash.example"))
		}, false, "valid only from"},
		{"another's name", func(t *testing.T, f certtest.Files) {
			f.Put(t, certtest.New(t, began.Add(-time.Hour), year, "other.example"))
		}, true, "not for the public address"},
		{"about to expire", func(t *testing.T, f certtest.Files) {
			f.Put(t, certtest.New(t, began.Add(-time.Hour), began.AddDate(0, 0, 3), "dash.example"))
		}, true, "expires soon"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			f := certtest.NewFiles(t, first)
			s, err := NewFiles(f.Cert, f.Key, "dash.example", slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
			if err != nil || log.Len() > 0 {
				t.Fatalf("%v %s", err, &log)
			}
			c.change(t, f)
			s.Check(began)
			half := strings.Count(log.String(), "is not taken")
			s.Check(began)
			s.Check(began)
			got, err := s.GetCertificate(nil)
			if err != nil || got.Leaf.Equal(first.Leaf) == c.taken {
				t.Errorf("taken: %v, %v; want %v", !got.Leaf.Equal(first.Leaf), err, c.taken)
			}
			if lines := strings.Count(log.String(), "\n"); half > 0 || (c.log == "") != (lines == 0) || lines > 1 || !strings.Contains(log.String(), c.log) {
				t.Errorf("the log says %d lines, %d of them at the first look: %s; want %q", lines, half, &log, c.log)
			}
			f.Put(t, next)
			s.Check(began)
			if got, err := s.GetCertificate(nil); err != nil || !got.Leaf.Equal(next.Leaf) {
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
		f := certtest.NewFiles(t, certtest.New(t, now.AddDate(0, -2, 0), now.Add(-time.Hour), "dash.example"))
		s, err := NewFiles(f.Cert, f.Key, "dash.example", slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil || !strings.Contains(log.String(), "it expired on") {
			t.Fatalf("an expired certificate at the start: %v, %s", err, &log)
		}
		f.Put(t, certtest.New(t, now.Add(-time.Hour), now.AddDate(0, 0, 8), "dash.example"))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		time.Sleep(2 * checkEvery)
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		log.Reset()
		for hours := range 9 * 24 {
			s.Check(now.Add(time.Duration(hours) * time.Hour))
		}
		if text := log.String(); strings.Count(text, "expires soon") != 1 || strings.Count(text, "it expired on") != 1 || strings.Count(text, "\n") != 2 {
			t.Errorf("the log says:\n%s", text)
		}
		if c, err := s.GetCertificate(new(tls.ClientHelloInfo)); err != nil || c.Leaf == nil {
			t.Errorf("it does not serve any more: %v", err)
		}
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
