package figures

import (
	"housecount/apiclient/record"
)

// The codes of the ledger's diagnostics.
const (
	CodeUnknownStatus = "unknown_status"    // a word that nobody has mapped
	CodeAbsurd        = "absurd_number"     // a number that cannot be; the record is kept out
	CodeCurrency      = "currency_mismatch" // amounts that belong together in different currencies
	CodePartition     = "partition"         // places do not add up to the capacity
	CodeUnsettled     = "unsettled_payment" // paid back of a payment that has not settled; it does not count
	CodeOverRefunded  = "over_refunded"     // more refunded than was paid; what is above does not count
	CodeSweepGuard    = "sweep_guard"       // too many records are missing to believe it
	CodeUnfiltered    = "unfiltered"        // the service ignores that only changes are asked for
	CodeOversold      = "oversold"          // more sold than there are places
	CodeRefusedRecord = "refused_record"    // a record that cannot be read
	// CodeUnknownReference is a record that names an event, order or ticket that no list gave.
	CodeUnknownReference = "unknown_reference"
)

// Diagnostic is something that a person should look at: a difference, a refused
// record, a status that nobody has mapped.
type Diagnostic struct {
	Code string
	Kind record.Kind
	// ID is the record's id, or the first of them by id if several records have the same diagnostic. It is
	// empty with CodeUnknownReference.
	ID string
	// Text adds detail: with unknown_status it quotes the service's word.
	Text record.Message
	// Count is the number of records, or the size of the difference in places.
	Count int
	// Amount is the size of a difference in money, of all the records together; one currency has
	// one row.
	Amount record.Money `json:",omitzero"`
}

// Equal reports whether d and o are the same.
func (d Diagnostic) Equal(o Diagnostic) bool {
	return d.Code == o.Code && d.Kind == o.Kind && d.ID == o.ID && d.Text.Equal(o.Text) && d.Count == o.Count && d.Amount == o.Amount
}
