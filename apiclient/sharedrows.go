package apiclient

import (
	"time"

	"housecount/apiclient/profile"
)

const (
	// maxKept is the number of rows of a stream that are kept for others.
	maxSharedRows = 100_000
	// maxKeptSize is their size together, in bytes of JSON.
	maxSharedSize = 64 << 20
	// keptFor is how long they are good, or as long as Every says of a stream that gives no
	// records.
	sharedMaxAge = time.Minute
	// keptWhole is how often all lists are read again that the kept rows come from; in between
	// only those that may have changed are, as the stream's Recent says.
	sharedWholeEvery = 24 * time.Hour
)

// keptRows are the kept rows of a stream.
type sharedRows struct {
	turn    chan struct{}       // held by the one who reads them
	readAt  time.Time           // zero before the first time
	wholeAt time.Time           // when all lists were read last
	rows    []profile.SharedRow // in the order of their keys
	// sum stands for all of them.
	hash uint64
	// byKey are the same as programs see them.
	byKey      map[string]any
	serverTime time.Time
	// missing counts rows without a usable key and lists that were not there, those of the
	// parents included.
	missing int
}
