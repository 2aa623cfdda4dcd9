package live

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
)

// Content is all that a topic shows at one moment: the outer HTML of elements by their
// id, and chart options by the id of the chart's element. It is not changed once it was
// given to a Hub.
type Content struct {
	HTML   map[string]string
	Charts map[string]json.RawMessage
	// Same has, for fragments with times that beats renew, a text without these times, which is compared instead.
	// It is not sent.
	Same map[string]string
	// Body returns the element that contains the fragments of HTML, with an empty element of each one's id
	// in its place. It is sent with a whole topic to pages that a hub switches from one topic to another;
	// nil for pages with one topic.
	Body func() (string, error)
	// Basis is for Render alone: what the content was rendered from. It is not sent.
	Basis any
}

// Token names the content: a digest of every fragment and chart, whatever figures they
// were rendered from. A page that opens its socket with the token of what it shows is
// sent nothing until something changes.
func (c Content) Token() string {
	html := c.HTML
	if len(c.Same) > 0 {
		html = maps.Clone(html)
		maps.Copy(html, c.Same)
	}
	d := sha256.New()
	digest(d, html)
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

// differs reports whether a fragment differs from that in from.
func (c Content) differs(from Content, id string) bool {
	old, known := from.HTML[id]
	same, volatile := c.Same[id]
	before, was := from.Same[id]
	if known && volatile && was {
		return same != before
	}
	return !known || old != c.HTML[id]
}

func checkCharts(charts map[string]json.RawMessage) error {
	for id, option := range charts {
		if !json.Valid(option) {
			return fmt.Errorf("the option of chart %q is not JSON", id)
		}
	}
	return nil
}
