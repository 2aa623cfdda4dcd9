package figures

import (
	"cmp"
	"maps"
	"slices"

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
)

// Diagnostic is something that a person should look at: a difference, a refused
// record, a status that nobody has mapped.
type Diagnostic struct {
	Code string // partition, unknown_status, refused_record, oversold, …
	Kind record.Kind
	// ID is the record's; where several say the same, the first of them by id.
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

// diagnoses holds the ids of the records of each diagnosis.
type diagnoses struct {
	ids       map[diagnosis]map[string]bool
	published []Diagnostic // nil when it has to be made anew
}

// diagnose adds a record (n = 1) or takes it out (n = −1).
func (d *diagnoses) diagnose(what diagnosis, id string, n int) {
	d.published = nil
	ids := d.ids[what]
	if n < 0 {
		if delete(ids, id); len(ids) == 0 {
			delete(d.ids, what)
		}
		return
	}
	if ids == nil {
		ids = map[string]bool{}
		d.ids[what] = ids
	}
	ids[id] = true
}

// publish returns what was diagnosed in records.
func (d *diagnoses) publish() []Diagnostic {
	if d.published == nil {
		for what, ids := range d.ids {
			first := slices.Min(slices.Collect(maps.Keys(ids)))
			d.published = append(d.published, Diagnostic{what.code, what.kind, first, what.text, len(ids)})
		}
	}
	return d.published
}
