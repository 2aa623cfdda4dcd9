package figures

import "housecount/apiclient/record"

// Entry is a record with its revision.
type Entry struct {
	Revision int64
	Record   record.Record
	// HighestAvailable is the highest Baseline of any version of an event that was kept;
	// nil when none told it, and with other records.
	HighestAvailable *int
}
