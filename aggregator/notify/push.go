package notify

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/SherClockHolmes/webpush-go"

	"housecount/aggregator/store"
)

// Push sends notifications to browsers, through the services of their makers (RFC 8030, 8291 and 8292), which cannot read
// them.
type Push struct {
	public, private string
	subject         string // who sends, for the services
	client          *http.Client
	allowed         func(*url.URL) bool

	mu     sync.Mutex
	silent map[string]time.Time // services that did not answer, and until when they are left alone
}

// pushServices are the services of browsers, by their names or the ends of them. A browser names the address; nothing is sent
// to another.
var pushServices = []string{"fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com"}

// maxBrief is the most bytes of a notification's text: services take 4,096 with what goes around it.
const maxBrief = 1500

const (
	// pushTimeout is how long a service is waited for, and silentFor for how long one that did not answer is left alone, as
	// letters by mail wait meanwhile.
	pushTimeout = 8 * time.Second
	silentFor   = 2 * time.Minute
)

// NewPush returns a Push that signs with a key, and whose sender is at a public address.
func NewPush(key *ecdh.PrivateKey, public string) *Push {
	return &Push{
		private: base64.RawURLEncoding.EncodeToString(key.Bytes()),
		public:  base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
		subject: public,
		silent:  map[string]time.Time{},
		client: &http.Client{
			Timeout:       pushTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		allowed: func(u *url.URL) bool {
			return u.Scheme == "https" && u.Port() == "" && u.User == nil &&
				slices.ContainsFunc(pushServices, func(end string) bool { return strings.HasSuffix("."+u.Hostname(), "."+end) })
		},
	}
}

// Key returns the public key, by which a browser lets nobody else send: base64url, as its scripts expect it.
func (p *Push) Key() string { return p.public }

// device is a browser's subscription and the name of what it is on.
type device struct {
	webpush.Subscription
	Name string `json:"name,omitzero"`
}

// Device returns the address of a browser's subscription, which is JSON of the browser, and that with the device's name as
// the store has it, or what is wrong with it.
func (p *Push) Device(subscription, name string) (endpoint, stored string, err error) {
	s, err := p.subscription(subscription)
	if err != nil {
		return "", "", err
	}
	b, err := json.Marshal(device{*s, name})
	return s.Endpoint, string(b), err
}

// Name returns the name of a device as the store has it.
func (p *Push) Name(stored string) string {
	var d device
	_ = json.Unmarshal([]byte(stored), &d) // Device wrote it
	return d.Name
}

func (p *Push) subscription(device string) (*webpush.Subscription, error) {
	var s webpush.Subscription
	if err := json.Unmarshal([]byte(device), &s); err != nil {
		return nil, fmt.Errorf("a subscription to notifications: %w", err)
	}
	if u, err := url.Parse(s.Endpoint); err != nil || !p.allowed(u) {
		return nil, errors.New("a subscription to notifications is of no known service")
	}
	key, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s.Keys.P256dh, "="))
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(key)
	}
	if err != nil {
		return nil, fmt.Errorf("the key of a subscription to notifications: %w", err)
	}
	if auth, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s.Keys.Auth, "=")); err != nil || len(auth) != 16 {
		return nil, errors.New("the secret of a subscription to notifications is not 16 bytes")
	}
	return &s, nil
}

// notification is what the browser's worker gets.
type notification struct {
	Title string `json:"title"`
	Body  string `json:"body,omitzero"`
	URL   string `json:"url"`
	Tag   string `json:"tag"` // notifications with the same tag replace each other
}

// Send implements Sender.
func (p *Push) Send(ctx context.Context, id string, to store.Subscriber, t Text, worth time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	s, err := p.subscription(to.Device)
	if err != nil {
		return &permanentError{err}
	}
	sum := sha256.Sum256([]byte(id))
	tag := base64.RawURLEncoding.EncodeToString(sum[:12])
	text, err := encode(notification{Title: cut(t.Subject, maxBrief/3), Body: cut(t.Brief, maxBrief), URL: t.Open, Tag: tag})
	if err != nil {
		return &permanentError{err}
	}
	host := hostOf(s.Endpoint)
	if time.Now().Before(p.silentUntil(host)) {
		return fmt.Errorf("%s did not answer a moment ago", host)
	}
	r, err := webpush.SendNotificationWithContext(ctx, text, s, &webpush.Options{HTTPClient: p.client, Subscriber: p.subject, VAPIDPublicKey: p.public, VAPIDPrivateKey: p.private,
		TTL: int(max(time.Minute, worth) / time.Second), Topic: tag, Urgency: webpush.UrgencyHigh})
	if errors.Is(err, webpush.ErrMaxPadExceeded) {
		return &permanentError{err}
	}
	if err != nil {
		p.leaveAlone(host)
		return err
	}
	defer r.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(r.Body, 200))
	switch r.StatusCode {
	case http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent:
		return nil
	case http.StatusNotFound, http.StatusGone:
		return ErrGone
	}
	err = fmt.Errorf("the service of the browser answers %d %s", r.StatusCode, said)
	if r.StatusCode < 500 && r.StatusCode != http.StatusTooManyRequests && r.StatusCode != http.StatusRequestTimeout {
		return &permanentError{err}
	}
	return err
}

// silentUntil returns until when a service is left alone.
func (p *Push) silentUntil(host string) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.silent[host]
}

// leaveAlone leaves a service alone for a time, so that nobody else waits for it.
func (p *Push) leaveAlone(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent[host] = time.Now().Add(silentFor)
}

// maxNotification is the most bytes of an encoded notification.
const maxNotification = 3500

// encode returns a notification in JSON; its body is cut until all fits.
func encode(n notification) ([]byte, error) {
	for {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(n); err != nil || b.Len() <= maxNotification || n.Body == "" {
			return b.Bytes(), err
		}
		n.Body = cut(n.Body, len(n.Body)/2)
		if len(n.Body) < 8 {
			n.Body = ""
		}
	}
}

// hostOf returns the host of an address.
func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}

// cut returns at most n bytes of a text, at the end of a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n-len("…")], "") + "…"
}
