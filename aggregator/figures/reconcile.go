package figures

import (
	"hash/fnv"

	"housecount/apiclient/record"
)

// Check is a comparison of figures that have to agree.
type Check string

// The checks, in the order in which they are shown.
const (
	CheckPlaces    Check = "places"     // sold, reserved, blocked and available places add up to the capacity
	CheckSold      Check = "sold"       // the service counts as many places sold as we do
	CheckVisitors  Check = "visitors"   // no more people came than places were sold
	CheckPayments  Check = "payments"   // each payment belongs to a performance, and all of them add up to the total
	CheckRecompute Check = "recompute"  // folding all stored versions again gives the figures that are shown
	CheckOpenItems Check = "open_items" // what orders owe or are owed is not old

	// CheckBackup is the last backup of the database, which is no comparison: it is not shown among the others.
	CheckBackup Check = "backup"
)

// InSlice reports whether an event is in slice number, from 0, of that many slices.
func InSlice(event string, number, of int) bool {
	h := fnv.New32a()
	h.Write([]byte(event))
	return int(h.Sum32()%uint32(of)) == number
}

// BackupFault returns why the last backup of the database failed; empty if it did not, or if that is not known.
func (s *Snapshot) BackupFault() record.BackupFault {
	if last := s.Checks[CheckBackup]; last != nil && len(last.Found) > 0 {
		return last.Found[0].Why
	}
	return ""
}
