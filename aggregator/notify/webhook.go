package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"housecount/aggregator/store"
)

// HousePerson is the Subscriber.Person of the house's own address.
const HousePerson = store.HousePerson

// SignatureHeader has the time of a message of a Webhook in seconds since 1970, and the HMAC-SHA256 of that time, a full stop
// and the body with the house's key: t=1764266400,v1=HEX.
const SignatureHeader = "X-Housecount-Signature"

// Webhook tells one address of the house of alerts, as JSON. Each message is sent over a connection of its own.
type Webhook struct {
	address string
	host    string
	key     []byte
	client  *http.Client
	silent  time.Time // until when an address that took nothing is left alone, so that other letters do not wait for it
}

// webhookTimeout is how long the address is waited for.
const webhookTimeout = 8 * time.Second

// NewWebhook returns a Webhook for an address, which is https:// or on loopback. It signs with a key, and does not connect.
func NewWebhook(address, key string) (*Webhook, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || u.Fragment != "":
		return nil, errors.New("is not an address: give one like https://example.org/alerts")
	case u.User != nil:
		return nil, errors.New("has a user or a password in it: the receiver knows the house by the key")
	case u.Scheme == "http" && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return nil, errors.New("is not https: only a loopback address may do without")
	}
	return &Webhook{address: address, host: u.Host, key: []byte(key), client: &http.Client{
		Timeout:       webhookTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ForceAttemptHTTP2: true},
	}}, nil
}

// Host returns the host of the address: the rest may be secret.
func (w *Webhook) Host() string { return w.host }

// message is the body of a message.
type message struct {
	// ID is that of the Idempotency-Key.
	ID     string  `json:"id"`
	Letter string  `json:"letter"` // the name of the letter
	Title  string  `json:"title"`
	URL    string  `json:"url"`
	Alerts []Alert `json:"alerts"`
}

// Send implements Sender. One goroutine may call it.
func (w *Webhook) Send(ctx context.Context, id string, _ store.Subscriber, t Text, _ time.Duration) error {
	if time.Now().Before(w.silent) {
		return fmt.Errorf("%s took nothing a moment ago", w.host)
	}
	sum := sha256.Sum256([]byte(id))
	key := hex.EncodeToString(sum[:16])
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(message{ID: key, Letter: t.Name, Title: t.Subject, URL: t.Open, Alerts: t.Alerts}); err != nil {
		return &permanentError{err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.address, &body)
	if err != nil {
		return &permanentError{errors.New("the address cannot be asked")}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "housecount")
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set(SignatureHeader, w.sign(time.Now(), body.Bytes()))
	answer, err := w.client.Do(r)
	if err != nil {
		w.silent = time.Now().Add(again)
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err // without the address, which may be secret
		}
		return fmt.Errorf("%s does not answer: %w", w.host, err)
	}
	defer answer.Body.Close()
	code := answer.StatusCode
	if code >= 200 && code < 300 {
		return nil
	}
	said, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	err = fmt.Errorf("%s answers %d %q", w.host, code, said)
	if code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout && code != http.StatusTooEarly {
		return &permanentError{err}
	}
	w.silent = time.Now().Add(again)
	return err
}

// sign returns the SignatureHeader of a body at a moment.
func (w *Webhook) sign(at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
