package record

import "time"

// Key identifies a record of a service.
type Key struct {
	Kind Kind
	ID   string
}

// Row is a row of one of the service's lists with the records that it gives: an order gives its
// tickets. A record is gone once no row gives it any more.
type Row struct {
	// List is the name of the stream. ID identifies the row in it; it is empty if the row has none, or
	// does not show what it gives no longer.
	List, ID string
	// Updated is when the row was changed, by the service's clock: as the row says, or when the last of its records
	// was; zero if one of them does not report it.
	Updated time.Time
	Records []Key
}
