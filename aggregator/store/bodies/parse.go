package bodies

import (
	"encoding/json"
	"fmt"

	"housecount/apiclient/record"
)

// Parser reads back what Append wrote. Its records share words that come again and again. It belongs to one goroutine.
type Parser struct{ readers []*record.Reader } // by the number of their kind

func NewParser() *Parser { return &Parser{make([]*record.Reader, len(kinds))} }

// Record decodes a record of a kind.
func (p *Parser) Record(kind record.Kind, body []byte) (record.Record, error) {
	n, err := Number(kind)
	if err != nil {
		return nil, err
	}
	return p.record(n, body)
}

// record decodes a record of the kind with a number.
func (p *Parser) record(kind int, body []byte) (record.Record, error) {
	if p.readers[kind] == nil {
		p.readers[kind] = record.NewReader(kinds[kind])
	}
	if one := p.readers[kind].Read(body); one != nil {
		return one, nil
	}
	return Decode(kinds[kind], body)
}

// Decode reads a record with encoding/json.
func Decode(kind record.Kind, body []byte) (record.Record, error) {
	r := record.New(kind)
	if r == nil {
		return nil, fmt.Errorf("a record of the unknown kind %q", kind)
	}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, fmt.Errorf("a stored %s cannot be read: %w", kind, err)
	}
	return r, nil
}
