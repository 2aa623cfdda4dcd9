package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Content is all that a topic shows at one moment: the outer HTML of elements by their
// id, and chart options by the id of the chart's element. It is not changed once it was
// given to a Hub.
type Content struct {
	// Position names the state of the figures that this was rendered from.
	Position string
	// AsOf is when the service last answered, RFC 3339, empty when it never did.
	AsOf   string
	HTML   map[string]string
	Charts map[string]json.RawMessage
	// Basis is Render's own: what this was rendered from. It does not travel.
	Basis any
}

// Token names the content: a digest of every fragment and chart, whatever figures they
// were rendered from. A page that opens its socket with the token of what it shows is
// sent nothing until something changes.
func (c Content) Token() string {
	d := sha256.New()
	digest(d, c.HTML)
	digest(d, c.Charts)
	return base64.RawURLEncoding.EncodeToString(d.Sum(nil)[:15])
}

// digest writes m in the order of its keys, each length before its bytes, so that no
// two maps write the same.
func digest[V ~string | ~[]byte](d hash.Hash, m map[string]V) {
	part := func(b []byte) {
		d.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		d.Write(b)
	}
	d.Write(binary.BigEndian.AppendUint64(nil, uint64(len(m))))
	for _, id := range slices.Sorted(maps.Keys(m)) {
		part([]byte(id))
		part([]byte(m[id]))
	}
}

// frame is what travels.
type frame struct {
	Topic    string                     `json:"topic"`
	Position string                     `json:"position"`
	AsOf     string                     `json:"as_of"`
	From     string                     `json:"from"`
	Token    string                     `json:"token"`
	Whole    bool                       `json:"whole"`
	HTML     map[string]string          `json:"html,omitempty"`
	Charts   map[string]json.RawMessage `json:"charts,omitempty"`
	Gone     []string                   `json:"gone,omitempty"`
}

// change is the frame from one content to another, without its tokens; ok is false when
// no fragment differs.
func change(from, to Content) (f frame, ok bool) {
	f = frame{
		Position: to.Position,
		AsOf:     to.AsOf,
		HTML:     differing(from.HTML, to.HTML, func(a, b string) bool { return a == b }),
		Charts:   differing(from.Charts, to.Charts, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }),
	}
	f.Gone = slices.Sorted(func(yield func(string) bool) {
		for id := range from.HTML {
			if _, still := to.HTML[id]; !still && !yield(id) {
				return
			}
		}
		for id := range from.Charts {
			if _, still := to.Charts[id]; !still && !yield(id) {
				return
			}
		}
	})
	return f, len(f.HTML)+len(f.Charts)+len(f.Gone) > 0
}

func differing[V any](from, to map[string]V, equal func(a, b V) bool) map[string]V {
	out := make(map[string]V)
	for id, v := range to {
		if old, ok := from[id]; !ok || !equal(old, v) {
			out[id] = v
		}
	}
	return out
}

// message is a frame ready for any number of sockets: encoded once, and compressed at
// most once.
type message struct {
	prepared *websocket.PreparedMessage
	compress bool
}

// compressOver is the size in bytes from which compression pays.
const compressOver = 1024

func prepare(v any) (*message, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // this is no script element: \u003c would only be longer
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	p, err := websocket.NewPreparedMessage(websocket.TextMessage, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return &message{prepared: p, compress: b.Len() > compressOver}, err
}

// beat is the word that is sent when there is nothing to say: the time, in milliseconds of the
// Unix epoch.
func beat(now time.Time) (*message, error) {
	return prepare(struct {
		Beat int64 `json:"beat"`
	}{now.UnixMilli()})
}

// state is a topic's newest content, and the ways to it. It is immutable.
type state struct {
	content Content
	token   string
	// delta leads here from the content named from; nil for a topic's first content.
	from  string
	delta *message
	// whole leads here from anywhere. Most of the time nobody needs it.
	whole func() (*message, error)
}

// advance is the state after old (nil for none) when the topic shows content now. It is
// old itself when nothing differs.
func advance(topic string, old *state, content Content) (*state, error) {
	content.Basis = nil // or it would stay for as long as nothing changes
	s := &state{content: content}
	if old != nil {
		f, differs := change(old.content, content)
		if !differs {
			return old, nil
		}
		if err := checkCharts(f.Charts); err != nil {
			return nil, err
		}
		s.token, s.from = content.Token(), old.token
		f.Topic, f.From, f.Token = topic, s.from, s.token
		var err error
		if s.delta, err = prepare(f); err != nil {
			return nil, err
		}
	} else {
		if err := checkCharts(content.Charts); err != nil {
			return nil, err
		}
		s.token = content.Token()
	}
	s.whole = sync.OnceValues(func() (*message, error) {
		return prepare(frame{
			Topic: topic, Position: content.Position, AsOf: content.AsOf,
			Token: s.token, Whole: true, HTML: content.HTML, Charts: content.Charts,
		})
	})
	return s, nil
}

func checkCharts(charts map[string]json.RawMessage) error {
	for id, option := range charts {
		if !json.Valid(option) {
			return fmt.Errorf("the option of chart %q is not JSON", id)
		}
	}
	return nil
}
