package record

import (
	"cmp"
	"fmt"
	"time"
)

// Refusal reports a record that was refused; the read of its stream continues.
type Refusal struct {
	Stream string // name of its stream
	Kind   Kind   // empty if a whole row is refused and the kind of its records is unknown
	ID     string // of the record, or else of the row, if it could be read; at most 200 bytes
	// EventID is the event that the record belongs to, if it could be read.
	EventID string
	// Updated is the service's time of the version, zero if it has none or it could not be read.
	Updated time.Time
	Field   string  // JSON path, empty for the whole record
	Why     Message // continues a sentence that starts with Field: "is a string, not an integer"
}

func (e *Refusal) Error() string {
	return fmt.Sprintf("apiclient: %s %q refused: %s %s", cmp.Or(string(e.Kind), "row of "+e.Stream), e.ID, cmp.Or(e.Field, "it"), e.Why)
}
