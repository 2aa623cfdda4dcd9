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
	// ID is the record's; where several say the same, the first of them by id. It is empty
	// with CodeUnknownReference.
	ID string
	// Text says more: with unknown_status it quotes the service's word.
	Text record.Message
	// Count is the number of records, or the size of the difference in places.
	Count int
	// Amount is the size of a difference in money, of all the records together; one currency has
	// one row.
	Amount record.Money `json:",omitzero"`
}

// Equal says that d and o are the same.
func (d Diagnostic) Equal(o Diagnostic) bool {
	return d.Code == o.Code && d.Kind == o.Kind && d.ID == o.ID && d.Text.Equal(o.Text) && d.Count == o.Count && d.Amount == o.Amount
}

func compareDiagnostics(a, b Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text.String(), b.Text.String()),
		cmp.Compare(a.Amount.Currency, b.Amount.Currency), cmp.Compare(a.ID, b.ID))
}

// diagnosis is what records can have in common that a person should look at.
type diagnosis struct {
	code string
	kind record.Kind
	text string // of the message
	word string // the service's, where the message quotes it
}

// diagnosisOf is one that quotes nothing.
func diagnosisOf(code string, kind record.Kind, m record.Message) diagnosis {
	return diagnosis{code: code, kind: kind, text: m.Text}
}

// notMapped is that of a word of the service that nobody has mapped.
func notMapped(kind record.Kind, word string) diagnosis {
	if word == "" {
		return diagnosisOf(CodeUnknownStatus, kind, record.Say("has no status"))
	}
	return diagnosis{CodeUnknownStatus, kind, theWord("").Text, word}
}

// theWord quotes a word of the service.
func theWord(word string) record.Message {
	return record.Say("“{word}”", record.Verbatim("word", word))
}

// message says the diagnosis to people.
func (d diagnosis) message() record.Message {
	if d.word != "" {
		return theWord(d.word)
	}
	return record.Say(d.text)
}

// diagnosisIn is one in a currency, empty where it is not of money.
type diagnosisIn struct {
	diagnosis
	currency string
}

// diagnosed are the records of one diagnosis.
type diagnosed struct {
	ids    map[string]bool
	first  string // the smallest of the ids, empty when it has to be looked for
	amount int64
}

// oddity is a record that a person should look at, with the amount in question if there is one.
type oddity struct {
	what   diagnosis
	id     string
	amount record.Money
}

// diagnoses holds the records of each diagnosis.
type diagnoses struct {
	records   map[diagnosisIn]*diagnosed
	published []Diagnostic // nil when it has to be made anew
}

// diagnose adds a record (n = 1) or takes it out (n = −1).
func (d *diagnoses) diagnose(o oddity, n int) {
	d.published = nil
	what, id := diagnosisIn{o.what, o.amount.Currency}, o.id
	records := entry(d.records, what)
	records.amount += o.amount.Amount * int64(n)
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
			d.published = append(d.published, Diagnostic{what.code, what.kind, records.first, what.message(), len(records.ids), record.Money{Amount: records.amount, Currency: what.currency}})
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
