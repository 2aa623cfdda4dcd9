package store

import "housecount/apiclient/record"

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

// number64 returns NULL for 0.
func number64(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}
