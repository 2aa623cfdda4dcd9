package ledger

import (
	"cmp"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

func compareDiagnostics(a, b figures.Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text.String(), b.Text.String()),
		cmp.Compare(a.Amount.Currency, b.Amount.Currency), cmp.Compare(a.ID, b.ID))
}

// diagnosis is a fault that records can have in common and that a person should look at.
type diagnosis struct {
	code string
	kind record.Kind
	text string // of the message
	word string // the service's, where the message quotes it
}

// diagnosisOf returns a diagnosis whose message quotes nothing.
func diagnosisOf(code string, kind record.Kind, m record.Message) diagnosis {
	return diagnosis{code: code, kind: kind, text: m.Text}
}

// notMapped returns the diagnosis of a status or kind that the profile does not map.
func notMapped(kind record.Kind, word string) diagnosis {
	if word == "" {
		return diagnosisOf(figures.CodeUnknownStatus, kind, record.Say("has no status"))
	}
	return diagnosis{figures.CodeUnknownStatus, kind, theWord("").Text, word}
}

// theWord returns a message that quotes a word of the service.
func theWord(word string) record.Message {
	return record.Say("“{word}”", record.Verbatim("word", word))
}

// message returns the text for people.
func (d diagnosis) message() record.Message {
	if d.word != "" {
		return theWord(d.word)
	}
	return record.Say(d.text)
}

// diagnosisIn is a diagnosis in a currency; the currency is empty if it is not about money.
type diagnosisIn struct {
	diagnosis
	currency string
}

// diagnosed are the records with one diagnosis.
type diagnosed struct {
	ids    map[string]bool
	first  string // the smallest of the ids; empty when it has to be found again
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
	published []figures.Diagnostic // nil if they have to be made again
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
func (d *diagnoses) publish() []figures.Diagnostic {
	if d.published == nil {
		for what, records := range d.records {
			if records.first == "" {
				records.first = smallest(records.ids)
			}
			d.published = append(d.published, figures.Diagnostic{Code: what.code, Kind: what.kind, ID: records.first, Text: what.message(), Count: len(records.ids), Amount: record.Money{Amount: records.amount, Currency: what.currency}})
		}
	}
	return d.published
}

// smallest returns the first of ids, of which there are some.
func smallest(ids map[string]bool) (first string) {
	for id := range ids {
		if first == "" || id < first {
			first = id
		}
	}
	return first
}
