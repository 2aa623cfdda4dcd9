package live

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// message is a message for any number of sockets: encoded once, and compressed at most once.
type message struct {
	prepared *websocket.PreparedMessage
	compress bool
	size     int // in bytes, before it is compressed
}

// compressOver is the size in bytes from which messages are compressed.
const compressOver = 512

func prepare(v any) (*message, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // it is not in a script element, where \u003c would be needed
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	p, err := websocket.NewPreparedMessage(websocket.TextMessage, text)
	return &message{prepared: p, compress: len(text) > compressOver, size: len(text)}, err
}

// beat returns the message that is sent if there is no other: the time, in milliseconds of the Unix epoch,
// and the times that pages count from.
func beat(now time.Time, times json.RawMessage) (*message, error) {
	return prepare(struct {
		Beat  int64           `json:"beat"`
		Times json.RawMessage `json:"times,omitempty"`
	}{now.UnixMilli(), times})
}

// ping is the control frame that peers answer automatically.
var ping = sync.OnceValue(func() *message {
	p, _ := websocket.NewPreparedMessage(websocket.PingMessage, nil) // it cannot fail
	return &message{prepared: p}
})

// said returns the message that makes a page show a text above its content; an empty text removes it.
func said(text string) (*message, error) {
	return prepare(struct {
		Say string `json:"say"`
	}{text})
}

// tell returns the message with a page's state; see Lead.State.
func tell(state json.RawMessage) (*message, error) {
	return prepare(struct {
		State json.RawMessage `json:"state"`
	}{state})
}

// traced returns the message that has a page say once it shows what comes next; see Tracer.
func traced(mark int) (*message, error) {
	return prepare(struct {
		Trace int `json:"trace"`
	}{mark})
}

// allRight revokes an earlier failure message.
var allRight = sync.OnceValue(func() *message {
	m, _ := said("") // it cannot fail
	return m
})

// state is a topic's newest content, with the messages that lead to it. It is immutable.
type state struct {
	content Content
	token   string
	// delta is the difference from the content named from; nil for a topic's first content.
	from  string
	delta *message
	// whole returns the message with the whole content. It is made on first use.
	whole func() (*message, error)
}

// advance returns the state after old (nil for none) for a topic that was woken at a time and now shows content;
// old itself if nothing differs.
func advance(topic string, old *state, content Content, woken time.Time) (*state, error) {
	content.Basis = nil // otherwise it would stay in memory as long as nothing changes
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
		f.Topic, f.From, f.Token, f.Woken = topic, s.from, s.token, woken.UnixMilli()
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
		f := Frame{Topic: topic, Woken: woken.UnixMilli(), Token: s.token, Whole: true, HTML: content.HTML, Charts: content.Charts}
		if content.Body != nil {
			var err error
			if f.Body, err = content.Body(); err != nil {
				return nil, err
			}
		}
		return prepare(f)
	})
	return s, nil
}
