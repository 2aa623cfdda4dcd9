package figures

import (
	"housecount/apiclient/record"
)

// Acknowledgement is a stored acknowledgement: the record, and the revision of its version.
type Acknowledgement struct {
	*record.Acknowledgement
	Revision int64
}

// SeenAs reports whether acknowledgements and messages to screens are the same as in another snapshot of
// the log.
func (s *Snapshot) SeenAs(o *Snapshot) bool { return s.Entered == o.Entered }
