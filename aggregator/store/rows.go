package store

import (
	"fmt"
	"hash/crc64"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// version is a row of the table of versions.
type version struct {
	revision int64
	previous int64 // 0 for none
	kind     int
	id       string
	head     bool
	updated  int64 // Unix microseconds; 0 for none, or one that is not believed
	seen     int64 // Unix microseconds; 0 for none
	hash     int64
	body     []byte
	deleted  bool
	record   record.Record // nil if people entered it
}

// head is a row of the table of heads.
type head struct {
	kind     int
	id       string
	revision int64
	latest   int64
	hash     int64
	updated  int64
	deleted  bool

	stored  int64         // latest before the batch; 0 for none
	pending []int64       // hashes of the record's versions in the batch
	record  record.Record // of the version at revision; nil until it is needed
}

type headKey struct {
	kind int
	id   string
}

// number returns a kind's number in the database.
func number(kind record.Kind) (int, error) {
	n := slices.Index(kinds, kind)
	if n <= 0 {
		return 0, fmt.Errorf("a record of the unknown kind %q", kind)
	}
	return n, nil
}

// kinds are the kinds by their number in the database, which never changes.
var kinds = []record.Kind{"", record.KindEvent, record.KindTicket, record.KindPayment, record.KindContact,
	record.KindPlanning, record.KindScan, record.KindAcknowledgement, record.KindWalkIn, record.KindScreenMessage, record.KindSetting,
	record.KindAdmissions, record.KindReconciliation}

var hashTable = crc64.MakeTable(crc64.ECMA)

// hashOf returns a hash that distinguishes the versions of one record.
func hashOf(body []byte) int64 { return int64(crc64.Checksum(body, hashTable)) }

// micros returns a time in Unix microseconds; 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// number64 returns NULL for 0.
func number64(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
