package signin

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// rationed is a transport that asks for an address once a minute and answers from memory in between. The keys for
// logout tokens are fetched with it: anybody can send a token with an unknown key id, which makes the library fetch
// the keys. The keys for logins are not, because only the sign-in service itself can give a token at a login.
type rationed struct {
	http.RoundTripper
	mu      sync.Mutex // held during a request, so that there is one at a time
	address string
	asked   time.Time
	header  http.Header // of the last good answer, with its body; nil for none
	body    []byte
}

// errRationed is returned if there is no answer in memory yet.
var errRationed = errors.New("was asked less than a minute ago, in vain")

// RoundTrip implements http.RoundTripper for requests without a body.
func (t *rationed) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if address := r.URL.String(); address != t.address {
		t.address, t.asked, t.header = address, time.Time{}, nil
	}
	if !t.asked.IsZero() && time.Since(t.asked) < forcedEvery {
		return t.remembered(r)
	}
	t.asked = time.Now()
	resp, err := t.RoundTripper.RoundTrip(r)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	t.header, t.body = resp.Header, body
	return t.remembered(r)
}

func (t *rationed) remembered(r *http.Request) (*http.Response, error) {
	if t.header == nil {
		return nil, errRationed
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: t.header, Body: io.NopCloser(bytes.NewReader(t.body)), ContentLength: int64(len(t.body)), Request: r,
	}, nil
}
