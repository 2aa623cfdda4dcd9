package record

import (
	"cmp"
	"fmt"
)

// Refusal is one record that was refused; the stream goes on.
type Refusal struct {
	Stream string // the name of the stream that it came from
	Kind   Kind   // empty where it is not known which record is refused, but only which row
	ID     string // of the record, or else of the row, as far as it could be read; at most 200 bytes
	// EventID is the event that the record belongs to, as far as it could be read.
	EventID string
	Field   string  // its JSON path, empty when the whole record is meant
	Why     Message // reads on after Field: "is a string, not an integer"
}

func (e *Refusal) Error() string {
	return fmt.Sprintf("apiclient: %s %q refused: %s %s", cmp.Or(string(e.Kind), "row of "+e.Stream), e.ID, cmp.Or(e.Field, "it"), e.Why)
}
