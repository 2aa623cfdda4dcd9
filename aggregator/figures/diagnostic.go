package figures

import (
	"cmp"

	"housecount/apiclient/record"
)

// The codes of the ledger's diagnostics.
const (
	CodeUnknownStatus = "unknown_status"    // a word that nobody has mapped
	CodeAbsurd        = "absurd_number"     // a number that cannot be; the record is kept out
	CodeCurrency      = "currency_mismatch" // amounts that belong together in different currencies
	CodePartition     = "partition"         // places do not add up to the capacity
	CodeUnsettled     = "unsettled_payment" // paid back of a payment that has not settled; it does not count
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
	// ID is the record's; where several say the same, the first of them by id. It is empty
	// with CodeUnknownReference.
	ID string
	// Text says more: with unknown_status it is the service's word.
	Text string
	// Count is the number of records, or the size of the difference in places.
	Count int
}

func compareDiagnostics(a, b Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text),
		cmp.Compare(a.ID, b.ID))
}

// diagnosis is what records can have in common that a person should look at.
type diagnosis struct {
	code string
	kind record.Kind
	text string
}

// diagnosed are the records of one diagnosis.
type diagnosed struct {
	ids   map[string]bool
	first string // the smallest of the ids, empty when it has to be looked for
}

// diagnoses holds the records of each diagnosis.
type diagnoses struct {
	records   map[diagnosis]*diagnosed
	published []Diagnostic // nil when it has to be made anew
}

// diagnose adds a record (n = 1) or takes it out (n = −1).
func (d *diagnoses) diagnose(what diagnosis, id string, n int) {
	d.published = nil
	records := entry(d.records, what)
	switch {
	case n < 0:
		if delete(records.ids, id); len(records.ids) == 0 {
			delete(d.records, what)
		}
		if records.first == id {
			records.first = ""
		}
	case records.ids == nil:
		records.ids, records.first = map[string]bool{id: true}, id
	default:
		records.ids[id] = true
		if records.first != "" {
			records.first = min(records.first, id)
		}
	}
}

// publish returns what was diagnosed in records.
func (d *diagnoses) publish() []Diagnostic {
	if d.published == nil {
		for what, records := range d.records {
			if records.first == "" {
				records.first = smallest(records.ids)
			}
			d.published = append(d.published, Diagnostic{what.code, what.kind, records.first, what.text, len(records.ids)})
		}
	}
	return d.published
}

// smallest is the first of ids, of which there are some.
func smallest(ids map[string]bool) (first string) {
	for id := range ids {
		if first == "" || id < first {
			first = id
		}
	}
	return first
}
