package notify

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// browser is a browser that gets notifications.
type browser struct {
	key  *ecdh.PrivateKey
	auth []byte
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{key, make([]byte, 16)}
	rand.Read(b.auth)
	return b
}

func (b *browser) subscription(endpoint string) string {
	text, _ := json.Marshal(map[string]any{"endpoint": endpoint, "expirationTime": nil,
		"keys": map[string]string{"p256dh": base64.RawURLEncoding.EncodeToString(b.key.PublicKey().Bytes()), "auth": base64.RawURLEncoding.EncodeToString(b.auth)}})
	return string(text)
}

// read decrypts a message (RFC 8291, section 3.4).
func (b *browser) read(t *testing.T, message []byte) (n notification) {
	t.Helper()
	fail := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	salt, sender, sealed := message[:16], message[21:21+int(message[20])], message[21+int(message[20]):]
	from, err := ecdh.P256().NewPublicKey(sender)
	fail(err)
	shared, err := b.key.ECDH(from)
	fail(err)
	ikm, err := hkdf.Key(sha256.New, shared, b.auth, "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(sender), 32)
	fail(err)
	key, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	fail(err)
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	fail(err)
	block, err := aes.NewCipher(key)
	fail(err)
	gcm, err := cipher.NewGCM(block)
	fail(err)
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	fail(err)
	fail(json.Unmarshal(bytes.TrimRight(bytes.TrimRight(plain, "\x00"), "\x02"), &n))
	return n
}

// vouched reports whether a request was signed with the key that it names (RFC 8292), and returns the claims.
func vouched(t *testing.T, header string) (key string, claims map[string]any, ok bool) {
	t.Helper()
	token, key, _ := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("Authorization is %q", header)
	}
	decode := func(s string) []byte {
		b, err := base64.RawURLEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	public, signature := decode(key), decode(parts[2])
	signer, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), public)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := json.Unmarshal(decode(parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	return key, claims, ecdsa.Verify(signer, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
}

func newPush(t *testing.T) *Push {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return NewPush(key, "https://house.example")
}

// A notification reaches the browser alone, signed by this house, and says when it is of no use any more.
func TestPush(t *testing.T) {
	p, b := newPush(t), newBrowser(t)
	answer, requests := http.StatusCreated, 0
	var header http.Header
	var got notification
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		header = r.Header.Clone()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if bytes.Contains(body, []byte("Tosca")) {
			t.Error("the service can read the notification")
		}
		got = b.read(t, body)
		http.Error(w, "because", answer)
	}))
	defer service.Close()
	p.client, p.allowed = service.Client(), func(*url.URL) bool { return true }
	endpoint, device, err := p.Device(b.subscription(service.URL+"/x"), "Android 16, Chrome 140")
	if err != nil || endpoint != service.URL+"/x" || p.Name(device) != "Android 16, Chrome 140" {
		t.Fatalf("%s is %s (%v)", device, endpoint, err)
	}
	send := func(t Text) error {
		return p.Send(context.Background(), "alerts/x/y", store.Subscriber{Device: device}, t, 30*time.Minute)
	}
	text := Text{Subject: "Tosca: hold to 20:21", Brief: strings.Repeat("é", 3000), Open: "https://house.example/tonight"}
	if err := send(text); err != nil {
		t.Fatal(err)
	}
	if got.Title != text.Subject || got.URL != text.Open || got.Tag == "" || len(got.Body) > maxBrief || !strings.HasSuffix(got.Body, "é…") {
		t.Errorf("the browser gets %+v", got)
	}
	key, claims, ok := vouched(t, header.Get("Authorization"))
	if !ok || key != p.Key() || claims["aud"] != service.URL || claims["sub"] != "https://house.example" {
		t.Errorf("signed %t by %s for %v", ok, key, claims)
	}
	if header.Get("TTL") != "1800" || header.Get("Urgency") != "high" || header.Get("Topic") != got.Tag {
		t.Errorf("sent with %v", header)
	}
	for _, body := range []string{strings.Repeat("<&>\u2028", 600), strings.Repeat("a", 5000)} {
		if err := send(Text{Subject: strings.Repeat("&<", 300), Brief: body, Open: text.Open}); err != nil || got.Body == "" {
			t.Errorf("%.10s…: %v, %d bytes are shown", body, err, len(got.Body))
		}
	}
	if err := send(text); err != nil {
		t.Fatal(err)
	}
	first := got.Tag
	if err := send(text); err != nil || got.Tag != first {
		t.Errorf("the same letter again replaces it: %q, %q (%v)", first, got.Tag, err)
	}
	for _, c := range []struct {
		answer          int
		gone, permanent bool
	}{{404, true, false}, {410, true, false}, {400, false, true}, {403, false, true}, {413, false, true}, {429, false, false}, {500, false, false}, {503, false, false}, {307, false, true}} {
		answer, requests = c.answer, 0
		err := send(text)
		if err == nil || errors.Is(err, ErrGone) != c.gone || Permanent(err) != c.permanent || requests != 1 {
			t.Errorf("%d: %v after %d requests", c.answer, err, requests)
		}
	}
	requests = 0
	service.Close()
	for range 2 {
		if err := send(text); err == nil || Permanent(err) {
			t.Errorf("a service that is away: %v", err)
		}
	}
	if until := p.silent[strings.TrimPrefix(service.URL, "https://")]; time.Until(until) <= 0 {
		t.Errorf("a service that is away is asked again at once: %v", p.silent)
	}
}

// A browser can name the services of browsers alone, with keys of the right kind.
func TestPushDevices(t *testing.T) {
	p, b := newPush(t), newBrowser(t)
	for endpoint, ok := range map[string]bool{
		"https://fcm.googleapis.com/fcm/send/x":                true,
		"https://updates.push.services.mozilla.com/wpush/v2/x": true,
		"https://web.push.apple.com/x":                         true,
		"https://wns2-par02p.notify.windows.com/w/?token=x":    true,
		"http://fcm.googleapis.com/fcm/send/x":                 false,
		"https://fcm.googleapis.com:8443/x":                    false,
		"https://fcm.googleapis.com.evil.example/x":            false,
		"https://evilnotify.windows.com/x":                     false,
		"https://evil.example#.notify.windows.com":             false,
		"https://user@fcm.googleapis.com/x":                    false,
		"https://127.0.0.1/x":                                  false,
		"https://localhost/fcm.googleapis.com":                 false,
		"https://[::1]/x":                                      false,
		"https://storage.googleapis.com/x":                     false,
		"file:///etc/passwd":                                   false,
		"":                                                     false,
	} {
		if _, _, err := p.Device(b.subscription(endpoint), ""); err == nil != ok {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
	right := b.subscription("https://web.push.apple.com/x")
	for _, wrong := range []string{"", "{}", "[]", "null", right[:len(right)-3], strings.Replace(right, `"auth":"`, `"auth":"AAAA`, 1), strings.Replace(right, `"p256dh":"B`, `"p256dh":"A`, 1)} {
		if _, _, err := p.Device(wrong, ""); err == nil {
			t.Errorf("%s is a subscription", wrong)
		}
	}
}

// A device that exists no more is forgotten; the person's mail goes on.
func TestUpkeepOfDevices(t *testing.T) {
	inHouse(t, func(h *house) {
		h.subscribe("anna", "alerts")
		device := store.Subscriber{Person: store.DeviceID("idp anna", "https://x"), Owner: "idp anna", Device: `{"endpoint":"https://x"}`, Language: "en", Names: []string{"alerts"}, Who: []byte(`{}`)}
		if err := h.letters.Subscribe(h.t.Context(), device, store.Act{Actor: "idp anna", Action: store.ActLettersChosen}); err != nil {
			t.Fatal(err)
		}
		h.isDue(Due{Name: "alerts", About: "1", For: time.Hour})
		pass(time.Minute)
		h.want("anna@house.example")
		if n := h.push.fail(ErrGone); n != 1 {
			t.Errorf("%d notifications were sent, want one", n)
		}
		h.isDue(Due{Name: "alerts", About: "2", For: time.Hour})
		pass(time.Minute)
		h.isDue(Due{Name: "alerts", About: "3", For: time.Hour})
		pass(time.Minute)
		h.want("anna@house.example", "anna@house.example", "anna@house.example")
		all, err := h.letters.Subscribers(h.t.Context())
		if n := h.push.fail(nil); err != nil || len(all) != 1 || n != 2 {
			t.Errorf("%d notifications, %+v (%v)", n, all, err)
		}
	})
}

// pushes counts notifications.
type pushes struct {
	mu   sync.Mutex
	sent int
	err  error
}

func (p *pushes) Send(context.Context, string, store.Subscriber, Text, time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent++
	return p.err
}

// fail has those to come fail, and returns how many were sent.
func (p *pushes) fail(err error) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	return p.sent
}
