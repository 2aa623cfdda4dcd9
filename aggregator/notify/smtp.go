package notify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/store"

	gomail "github.com/wneessen/go-mail"
)

// sendTimeout is the longest time for sending one letter.
const sendTimeout = time.Minute

// SMTP is a mail server that takes letters for others.
type SMTP struct {
	host    string
	options []gomail.Option
	from    *mail.Address
	domain  string // of Message-IDs
}

// NewSMTP returns the server at an address: smtps://HOST:PORT for TLS from the start, smtp://HOST:PORT for STARTTLS, which
// only a loopback address may do without. A user and a password log in; without a user nobody does. from is the sender.
// It does not connect.
func NewSMTP(address, user, password, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return nil, errors.New("is not the address of a mail server: give one like smtp://mail.example.org:587, or smtps:// with port 465")
	}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("has no sender: give one like --mail-from \"Theatre <housecount@example.org>\"")
	}
	s, port := &SMTP{host: u.Hostname(), from: sender, domain: sender.Address[strings.LastIndex(sender.Address, "@")+1:]}, 587
	policy := gomail.TLSMandatory
	if loopback := s.host == "localhost" || net.ParseIP(s.host).IsLoopback(); loopback {
		policy = gomail.TLSOpportunistic
	}
	if u.Scheme == "smtps" {
		port = 465
		s.options = append(s.options, gomail.WithSSL())
	}
	s.options = append(s.options, gomail.WithTLSPolicy(policy))
	if text := u.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, fmt.Errorf("has %q for a port: give one like 587", text)
		}
	}
	s.options = append(s.options, gomail.WithPort(port), gomail.WithTimeout(sendTimeout/2))
	if user != "" {
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(user), gomail.WithPassword(password))
	}
	return s, nil
}

// Send sends a letter, over a connection of its own.
func (s *SMTP) Send(ctx context.Context, id string, to store.Subscriber, t Text, _ time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	err := errors.Join(m.FromFormat(s.from.Name, s.from.Address), m.To(to.Address))
	if err != nil {
		return &permanentError{err}
	}
	m.Subject(strings.Join(strings.Fields(t.Subject), " "))
	m.SetDate()
	sum := sha256.Sum256([]byte(id))
	m.SetMessageIDWithValue(hex.EncodeToString(sum[:16]) + "@" + s.domain)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	if t.Stop != "" {
		m.SetGenHeaderPreformatted("List-Unsubscribe", "<"+t.Stop+">")
		m.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(gomail.TypeTextPlain, t.Plain)
	m.AddAlternativeString(gomail.TypeTextHTML, t.HTML)
	for _, f := range t.Files {
		if err := m.AttachReader(f.Name, bytes.NewReader(f.Content), gomail.WithFileContentType(gomail.ContentType(f.Type))); err != nil {
			return &permanentError{err}
		}
	}
	c, err := gomail.NewClient(s.host, s.options...)
	if err == nil {
		err = c.DialAndSendWithContext(ctx, m)
	}
	if m.IsDelivered() { // whatever came after that
		return nil
	}
	if refused, ok := errors.AsType[*gomail.SendError](err); ok && !refused.IsTemp() && refused.Reason != gomail.ErrConnCheck && refused.ErrorCode() >= 500 {
		return &permanentError{err}
	}
	return err
}
