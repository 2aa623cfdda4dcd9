package profile

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// SignRule is how each request is signed with the key by HMAC: what is signed, with what, and
// where the signature goes. Text, Headers and Query may contain variables of the profile and of the
// request: {method}, {url}, {host}, {path}, {query}, {body}, {body_md5} (base64), {body_sha256}
// (hex) and {time}; Headers and Query also {signature}.
type SignRule struct {
	Hash     string `yaml:"hash"`     // sha1, sha256 or sha512; sha256 when empty
	Secret   string `yaml:"secret"`   // how the key is written: text, hex or base64; text when empty
	Text     string `yaml:"text"`     // what is signed
	Encoding string `yaml:"encoding"` // of the signature: hex or base64; hex when empty
	// Time is how {time} is written, in UTC: http, rfc3339, unix, unix_ms, or a layout of Go's time
	// package; rfc3339 when empty.
	Time    string            `yaml:"time"`
	Headers map[string]string `yaml:"headers"`
	Query   map[string]string `yaml:"query"`
}

// requestVariables are the variables of a request that is signed.
var requestVariables = []string{"method", "url", "host", "path", "query", "body", "body_md5", "body_sha256", "time"}

const (
	secretHex    = "hex"
	secretBase64 = "base64"
	timeHTTP     = "http"
)

var hashes = map[string]func() hash.Hash{"": sha256.New, "sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}

// Key returns the key as it is used, from its text.
func (r SignRule) Key(text string) ([]byte, error) {
	var key []byte
	var err error
	switch r.Secret {
	case secretHex:
		key, err = hex.DecodeString(text)
	case secretBase64:
		key, err = base64.StdEncoding.DecodeString(text)
	default:
		key = []byte(text)
	}
	if err != nil { // without the error, which quotes the key
		return nil, errors.New("the key is not written in " + r.Secret)
	}
	return key, nil
}

// Sign adds to a request with that body what its signature at a time is. It returns the signature.
func (r SignRule) Sign(q *http.Request, key, body []byte, at time.Time) (signature string) {
	sum := md5.Sum(body)
	long := sha256.Sum256(body)
	values := map[string]string{
		"method": q.Method, "url": q.URL.String(), "host": q.URL.Host, "path": q.URL.EscapedPath(), "query": q.URL.RawQuery,
		"body": string(body), "body_md5": base64.StdEncoding.EncodeToString(sum[:]), "body_sha256": hex.EncodeToString(long[:]), "time": r.at(at),
	}
	mac := hmac.New(hashes[r.Hash], key)
	mac.Write([]byte(fill(r.Text, values, verbatim)))
	if signed := mac.Sum(nil); r.Encoding == secretBase64 {
		signature = base64.StdEncoding.EncodeToString(signed)
	} else {
		signature = hex.EncodeToString(signed)
	}
	values["signature"] = signature
	for name, value := range r.Headers {
		q.Header.Set(name, fill(value, values, verbatim))
	}
	if len(r.Query) > 0 {
		u := *q.URL
		added := url.Values{}
		for name, value := range r.Query {
			added.Set(name, fill(value, values, verbatim))
		}
		u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+added.Encode(), "&")
		q.URL = &u
	}
	return signature
}

func (r SignRule) at(t time.Time) string {
	if r.Time == timeHTTP {
		return t.UTC().Format(http.TimeFormat)
	}
	text, _, _ := SinceRule{Format: r.Time}.Ask(t.UTC(), "UTC") // a checked layout
	return text
}

// sign checks how requests are signed.
func (c *profileChecker) sign(a AuthRule) {
	r := a.Sign
	if a.Kind != AuthHMAC {
		if r.Text != "" || len(r.Headers)+len(r.Query) > 0 {
			c.add("auth.sign", "is of use with the kind hmac only; leave it out, or set auth.kind")
		}
		return
	}
	c.oneOf("auth.sign.hash", r.Hash, "sha1", "sha256", "sha512")
	c.oneOf("auth.sign.secret", r.Secret, "text", secretHex, secretBase64)
	c.oneOf("auth.sign.encoding", r.Encoding, secretHex, secretBase64)
	if r.Time != timeHTTP {
		c.timeFormat("auth.sign", r.Time, "UTC")
	}
	for name := range c.p.Rules.Vars {
		if slices.Contains(requestVariables, name) || name == "signature" {
			c.add("vars."+name, "is what the request itself gives where it is signed; call it otherwise")
		}
	}
	if r.Text == "" {
		c.add("auth.sign.text", "is missing; give what is signed, such as \"{method}\\n{url}\\n{time}\"")
	}
	c.signed("auth.sign.text", r.Text, requestVariables)
	placed := false
	given := append([]string{"signature"}, requestVariables...)
	for _, in := range []struct {
		at     string
		values map[string]string
	}{{"auth.sign.headers", r.Headers}, {"auth.sign.query", r.Query}} {
		for _, name := range sortedKeys(in.values) {
			at := in.at + "." + name
			if in.at == "auth.sign.headers" {
				c.header(at, name)
				if lower := strings.ToLower(name); lower != "authorization" && slices.Contains(ownHeaders, lower) {
					c.add(at, "cannot be set; put the signature into Authorization or a header of the service's own")
				}
				c.printable(at, in.values[name])
			}
			c.signed(at, in.values[name], given)
			placed = placed || strings.Contains(in.values[name], "{signature}")
		}
	}
	if !placed {
		c.add("auth.sign", "says nowhere where the signature goes; write {signature} into one of headers or query")
	}
}

// signed checks a text with variables of the profile and of the request.
func (c *profileChecker) signed(at, s string, known []string) {
	for _, m := range variable.FindAllStringSubmatch(s, -1) {
		if _, ok := c.p.Rules.Vars[m[1]]; !ok && !slices.Contains(known, m[1]) {
			c.add(at, "has {%s}, which is neither in vars nor of the request; %s", m[1], knownWords(known))
		}
	}
}
