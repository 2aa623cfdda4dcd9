package apiclient

import (
	"context"
	"net"
	"net/http"
)

// What the tests outside need of the inside.
var (
	RetryAfterOf = retryAfter
	Exhausted    = exhausted
	Explain      = explain
	NewTransport = newTransport
)

// Clean cleans s as a Client with these secrets does.
func Clean(s string, secrets ...string) string {
	return cleaner(func() []string { return secrets })(s)
}

func (c *Client) SetMaxPages(n int) { c.maxPages = n }

func (c *Client) SetDial(dial func(context.Context, string, string) (net.Conn, error)) {
	c.http.Transport.(*http.Transport).DialContext = dial
}

// Decoded is a page as the fuzzer and the benchmark see it.
type Decoded[P any] struct {
	Records []P
	Refused []*RecordError
	Total   int
}

func decoded[T any, P record[T]](kind Kind, body []byte) (*Decoded[P], *Error) {
	p, err := decodePage[T, P](kind, body)
	if err != nil {
		return nil, err
	}
	d := &Decoded[P]{Total: p.total}
	for _, r := range p.rows {
		if r.refused != nil {
			d.Refused = append(d.Refused, r.refused)
		} else {
			d.Records = append(d.Records, r.record)
		}
	}
	if len(p.keys) != len(p.rows) {
		panic("a row without a key")
	}
	return d, nil
}

func DecodeEvents(body []byte) (*Decoded[*Event], *Error)   { return decoded[Event](KindEvent, body) }
func DecodeTickets(body []byte) (*Decoded[*Ticket], *Error) { return decoded[Ticket](KindTicket, body) }
func DecodePayments(body []byte) (*Decoded[*Payment], *Error) {
	return decoded[Payment](KindPayment, body)
}
