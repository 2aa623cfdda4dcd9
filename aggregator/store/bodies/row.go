// Package bodies is what a database has of a version of a record: its text, the hash that distinguishes it, the number of
// its kind and its times. It knows records and no database.
package bodies

import (
	"encoding/json"
	"fmt"
	"hash/crc64"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// kinds are the kinds by their number in the database, which never changes.
var kinds = []record.Kind{"", record.KindEvent, record.KindTicket, record.KindPayment, record.KindContact,
	record.KindPlanning, record.KindScan, record.KindAcknowledgement, record.KindWalkIn, record.KindScreenMessage, record.KindSetting,
	record.KindAdmissions, record.KindReconciliation, record.KindAlert}

// Number returns a kind's number in the database.
func Number(kind record.Kind) (int, error) {
	n := slices.Index(kinds, kind)
	if n <= 0 {
		return 0, fmt.Errorf("a record of the unknown kind %q", kind)
	}
	return n, nil
}

// Kind returns the kind of a number that the database has.
func Kind(number int) record.Kind { return kinds[number] }

var hashTable = crc64.MakeTable(crc64.ECMA)

// Hash returns a hash that distinguishes the versions of one record.
func Hash(body []byte) int64 { return int64(crc64.Checksum(body, hashTable)) }

// Micros returns a time in Unix microseconds; 0 for none.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Row is a version as the database has it, without its texts.
type Row struct {
	Revision int64
	Kind     int
	Head     bool
	Seen     int64 // Unix microseconds; 0 for none
}

// Decode decodes the version of a row, from its body and what is remembered.
func (r *Row) Decode(parse *Parser, body, memory []byte) (v record.Version, err error) {
	if r.Kind <= 0 || r.Kind >= len(kinds) {
		return v, fmt.Errorf("a record of the unknown kind %d", r.Kind)
	}
	v.Revision, v.Head = r.Revision, r.Head
	if r.Seen != 0 {
		v.SeenAt = time.UnixMicro(r.Seen).UTC()
	}
	if v.Record, err = parse.record(r.Kind, body); err != nil {
		return v, err
	}
	if len(memory) > 0 {
		v.Memory, err = remembered(memory)
	}
	return v, err
}

func remembered(text []byte) (m record.Memory, err error) {
	if err = json.Unmarshal(text, &m); err != nil {
		err = fmt.Errorf("what is remembered cannot be read: %w", err)
	}
	return m, err
}
