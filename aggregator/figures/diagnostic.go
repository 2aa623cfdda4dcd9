package figures

import (
	"housecount/apiclient/record"
)

// The codes of the ledger's diagnostics.
const (
	CodeUnknownStatus = "unknown_status"    // a status or kind that is not mapped
	CodeAbsurd        = "absurd_number"     // an impossible number; the record does not count
	CodeCurrency      = "currency_mismatch" // amounts that belong together in different currencies
	CodePartition     = "partition"         // the places do not add up to the capacity
	CodeUnsettled     = "unsettled_payment" // a refund of a payment that has not settled; it does not count
	CodeReversed      = "over_reversed"     // more was won back than was charged back; the excess does not count
	CodeOverRefunded  = "over_refunded"     // more was refunded than was paid; the excess does not count
	CodeSweepGuard    = "sweep_guard"       // too many records are missing for it to be believed
	CodeUnfiltered    = "unfiltered"        // the service ignores the request for changes only
	CodeOversold      = "oversold"          // more places are sold than there are
	CodeRefusedRecord = "refused_record"    // a record that cannot be read
	// CodeUnknownReference is a record that names an event, order or ticket that no list gave.
	CodeUnknownReference = "unknown_reference"
)

// Diagnostic is something that a person should look at: a difference, a refused record, a status that is not
// mapped.
type Diagnostic struct {
	Code string
	Kind record.Kind
	// ID is the record's id; if several records have the same diagnostic, the first id. It is empty with
	// CodeUnknownReference.
	ID string
	// Text adds detail: with unknown_status it quotes the service's word.
	Text record.Message
	// Count is the number of records, or the size of the difference in places.
	Count int
	// Amount is the size of a difference in money, over all the records; each currency has its own diagnostic.
	Amount record.Money `json:",omitzero"`
}

// Equal reports whether d and o are the same.
func (d Diagnostic) Equal(o Diagnostic) bool {
	return d.Code == o.Code && d.Kind == o.Kind && d.ID == o.ID && d.Text.Equal(o.Text) && d.Count == o.Count && d.Amount == o.Amount
}
