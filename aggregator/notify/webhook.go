package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/store"
)

// SignatureHeader has the time of a message of a Webhook in seconds since 1970, and the HMAC-SHA256 of that time, a full stop
// and the body with the house's key: t=1764266400,v1=HEX. Messages to a chat have none.
const SignatureHeader = "X-Housecount-Signature"

// Webhook tells one address of the house of alerts: as JSON, or in the form of a chat. Each message is sent over a connection of
// its own.
type Webhook struct {
	person string
	url    url.URL
	form   *form
	key    []byte
	client *http.Client
	silent time.Time // until when an address that took nothing is left alone, so that other letters do not wait for it
}

// webhookTimeout is how long the address is waited for.
const webhookTimeout = 8 * time.Second

// NewWebhook returns a Webhook for an address, which is https:// or on loopback; the name of a chat may stand in place of https, and
// NAME+http is for loopback. Without such a name it signs with a key. It does not connect. Its errors do not show the address.
func NewWebhook(address, key string) (*Webhook, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errNoAddress
	}
	w := &Webhook{person: store.HousePerson, form: forms[""], key: []byte(key)}
	if name, scheme, both := strings.Cut(u.Scheme, "+"); forms[name] != nil {
		w.person = personOf(address)
		w.form, u.Scheme = forms[name], "https"
		if both {
			u.Scheme = scheme
		}
	}
	switch {
	case u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.Fragment != "":
		return nil, errNoAddress
	case u.User != nil && !w.form.user:
		return nil, errors.New("has a user or a password in it: the receiver knows the house by the key")
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return nil, errors.New("is not https: only a loopback address may do without")
	}
	if err := w.form.check(u); err != nil {
		return nil, err
	}
	w.url = *u
	w.client = &http.Client{
		Timeout:       webhookTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true},
	}
	return w, nil
}

var errNoAddress = errors.New("is not an address: give one like https://example.org/alerts")

// Signs reports whether messages are signed with the key.
func (w *Webhook) Signs() bool { return w.form == forms[""] }

// Host returns the host of the address, after the name of a chat: the rest may be secret.
func (w *Webhook) Host() string { return strings.TrimPrefix(w.form.name+" · "+w.url.Host, " · ") }

// NewWebhooks returns those of some addresses. Its errors are those of NewWebhook.
func NewWebhooks(addresses []string, key string) (all []*Webhook, err error) {
	signs := false
	for _, address := range addresses {
		w, err := NewWebhook(address, key)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(other *Webhook) bool { return other.url.String() == w.url.String() && other.form == w.form }) {
			return nil, errors.New("has an address twice")
		}
		if signs && w.Signs() {
			w.person = personOf(address)
		}
		signs = signs || w.Signs()
		all = append(all, w)
	}
	return all, nil
}

// personOf returns the Subscriber.Person of one of several addresses.
func personOf(address string) string {
	sum := sha256.Sum256([]byte(address))
	return store.HousePerson + "/" + hex.EncodeToString(sum[:8])
}

// Person returns the Subscriber.Person of the address, which is the same for as long as the house gives the same addresses.
func (w *Webhook) Person() string { return w.person }

// Send implements Sender. One goroutine may call it.
func (w *Webhook) Send(ctx context.Context, id string, _ store.Subscriber, t Text, _ time.Duration) error {
	if time.Now().Before(w.silent) {
		return fmt.Errorf("%s took nothing a moment ago", w.url.Host)
	}
	sum := sha256.Sum256([]byte(id))
	key := hex.EncodeToString(sum[:16])
	r, body, err := w.request(ctx, key, t)
	if err != nil {
		return &permanentError{errors.New("the address cannot be asked")}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "housecount")
	r.Header.Set("Idempotency-Key", key)
	if w.Signs() {
		r.Header.Set(SignatureHeader, w.sign(time.Now(), body))
	}
	answer, err := w.client.Do(r)
	if err != nil {
		w.silent = time.Now().Add(again)
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // without the address, which may be secret
		}
		return fmt.Errorf("%s does not answer: %w", w.url.Host, err)
	}
	defer answer.Body.Close()
	code := answer.StatusCode
	if code >= 200 && code < 300 {
		return nil
	}
	err = fmt.Errorf("%s answers %d %s", w.url.Host, code, http.StatusText(code)) // what it says besides may repeat the address
	if code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout && code != http.StatusTooEarly {
		return &permanentError{err}
	}
	w.silent = time.Now().Add(again)
	return err
}

// request returns the request of a message, and its body.
func (w *Webhook) request(ctx context.Context, key string, t Text) (*http.Request, []byte, error) {
	to, content := w.form.write(w.url, key, t)
	user := to.User
	to.User = nil
	body, err := encodeMessage(content)
	if err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	if password, both := user.Password(); user != nil && both && user.Username() != "" {
		r.SetBasicAuth(user.Username(), password)
	} else if user != nil {
		r.Header.Set("Authorization", "Bearer "+user.Username()+password)
	}
	return r, body, nil
}

// sign returns the SignatureHeader of a body at a moment.
func (w *Webhook) sign(at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
