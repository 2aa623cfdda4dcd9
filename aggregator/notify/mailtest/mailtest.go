// Package mailtest is a mail server for tests: it reads what it gets, and fails as mail servers do.
package mailtest

import (
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// Message is a message that the server took.
type Message struct {
	To     string
	Header mail.Header
	Parts  map[string]string // the texts by their content type
	Files  map[string][]byte // the files that go with it by their names
}

// Server is a mail server.
type Server struct {
	mu     sync.Mutex
	got    []Message
	answer func(to string) error // to naming a recipient; nil takes all
	cut    bool
	hangUp bool
	slow   time.Duration
	tried  int
}

// Serve serves on a listener until the test ends.
func (s *Server) Serve(t testing.TB, ln net.Listener) {
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{server: s, conn: c}, nil }))
	server.Domain, server.ErrorLog = "mail.example", slog.NewLogLogger(slog.DiscardHandler, 0)
	ln = &closedOnce{Listener: ln}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := server.Serve(ln); err != nil && !errors.Is(err, smtp.ErrServerClosed) {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		server.Close()
		ln.Close() // which the server does not know if it has yet to begin
		serving.Wait()
	})
}

// closedOnce is a listener that may be closed again.
type closedOnce struct {
	net.Listener
	once sync.Once
}

// Close implements net.Listener.
func (l *closedOnce) Close() (err error) {
	l.once.Do(func() { err = l.Listener.Close() })
	return err
}

// Refuse has every recipient answered with a code and a text, as SMTP has them; 0 takes them again.
func (s *Server) Refuse(code int, text string) {
	if code == 0 {
		s.answerBy(nil)
		return
	}
	s.answerBy(func(string) error { return refusal(code, text) })
}

// RefuseOne has one recipient answered with a code and a text; others are taken.
func (s *Server) RefuseOne(address string, code int, text string) {
	s.answerBy(func(to string) error {
		if to != address {
			return nil
		}
		return refusal(code, text)
	})
}

// Greylist has each recipient answered with a code and a text until a while after they were named first.
func (s *Server) Greylist(code int, text string, during time.Duration) {
	first := map[string]time.Time{}
	s.answerBy(func(to string) error {
		if first[to].IsZero() {
			first[to] = time.Now()
		}
		if time.Since(first[to]) >= during {
			return nil
		}
		return refusal(code, text)
	})
}

func (s *Server) answerBy(answer func(string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func refusal(code int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 7, 1}, Message: text}
}

// Cut has the server cut connections once it took a message, before the sender hears so.
func (s *Server) Cut(cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = cut
}

// HangUp has the server hang up after it took a message, and said so.
func (s *Server) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hangUp = true
}

// Slow has the server take its time for every message.
func (s *Server) Slow(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = by
}

// Got returns the messages so far.
func (s *Server) Got() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// Tried returns how many recipients were named so far.
func (s *Server) Tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried
}

type session struct {
	server *Server
	conn   *smtp.Conn
	to     string
	closed bool
}

// Reset is also called once a message was taken, and then by RSET.
func (s *session) Reset() {
	s.server.mu.Lock()
	hangUp := s.server.hangUp && s.to == "" && !s.closed
	s.to, s.closed = "", s.closed || hangUp
	s.server.mu.Unlock()
	if hangUp {
		s.conn.Conn().Close()
	}
}

func (s *session) Logout() error                        { return nil }
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.tried++
	s.to = to
	if s.server.answer == nil {
		return nil
	}
	return s.server.answer(to)
}

func (s *session) Data(r io.Reader) error {
	m, err := read(r)
	if err != nil {
		return err
	}
	s.server.mu.Lock()
	slow := s.server.slow
	s.server.mu.Unlock()
	time.Sleep(slow)
	m.To = s.to
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.got = append(s.server.got, m)
	if s.server.cut {
		s.conn.Close()
	}
	return nil
}

// read reads a message in several forms.
func read(r io.Reader) (Message, error) {
	text, err := mail.ReadMessage(r)
	if err != nil {
		return Message{}, err
	}
	m := Message{Header: text.Header, Parts: map[string]string{}, Files: map[string][]byte{}}
	return m, m.read(m.Header.Get("Content-Type"), text.Body)
}

// read adds the parts of a body, and those in them.
func (m *Message) read(contentType string, body io.Reader) error {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return err
	}
	for parts := multipart.NewReader(body, params["boundary"]); ; {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		kind, _, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if err != nil {
			return err
		}
		if strings.HasPrefix(kind, "multipart/") {
			if err := m.read(p.Header.Get("Content-Type"), p); err != nil {
				return err
			}
			continue
		}
		var coded io.Reader = quotedprintable.NewReader(p)
		if p.Header.Get("Content-Transfer-Encoding") == "base64" {
			coded = base64.NewDecoder(base64.StdEncoding, p)
		}
		part, err := io.ReadAll(coded)
		if err != nil {
			return err
		}
		if name := p.FileName(); name != "" {
			m.Files[name] = part
		} else {
			m.Parts[kind] = string(part)
		}
	}
}
