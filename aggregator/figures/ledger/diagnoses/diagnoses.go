// Package diagnoses collects what is odd about records and a person should look at: which records have which fault in common, and
// the amount in question. It is pure; what is odd, the ledger decides.
package diagnoses

import (
	"cmp"
	"strings"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Compare compares diagnostics by what they are, then by the record.
func Compare(a, b figures.Diagnostic) int {
	return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text.String(), b.Text.String()),
		cmp.Compare(a.Amount.Currency, b.Amount.Currency), cmp.Compare(a.ID, b.ID))
}

// Diagnosis is a fault that records can have in common and that a person should look at.
type Diagnosis struct {
	code string
	kind record.Kind
	text string // of the message
	word string // the service's, where the message quotes it
}

// Of returns a diagnosis whose message quotes nothing.
func Of(code string, kind record.Kind, m record.Message) Diagnosis {
	return Diagnosis{code: code, kind: kind, text: m.Text}
}

// NotMapped returns the diagnosis of a status or kind that the profile does not map.
func NotMapped(kind record.Kind, word string) Diagnosis {
	if word == "" {
		return Of(figures.CodeUnknownStatus, kind, record.Say("has no status"))
	}
	return Diagnosis{figures.CodeUnknownStatus, kind, TheWord("").Text, word}
}

// TheWord returns a message that quotes a word of the service.
func TheWord(word string) record.Message {
	return record.Say("“{word}”", record.Verbatim("word", word))
}

// message returns the text for people.
func (d Diagnosis) message() record.Message {
	if d.word != "" {
		return TheWord(d.word)
	}
	return record.Say(d.text)
}

// diagnosisIn is a diagnosis in a currency; the currency is empty if it is not about money.
type diagnosisIn struct {
	Diagnosis
	currency string
}

// diagnosed are the records with one diagnosis.
type diagnosed struct {
	ids    map[string]bool
	first  string // the smallest of the ids; empty when it has to be found again
	amount int64
}

// Oddity is a record that a person should look at, with the amount in question if there is one.
type Oddity struct {
	What   Diagnosis
	ID     string
	Amount record.Money
}

// Diagnoses holds the records of each diagnosis. The zero value has none.
type Diagnoses struct {
	records   map[diagnosisIn]*diagnosed
	published []figures.Diagnostic // nil if they have to be made again
}

// Add adds a record (n = 1) or takes it out (n = −1).
func (d *Diagnoses) Add(o Oddity, n int) {
	d.published = nil
	what, id := diagnosisIn{o.What, o.Amount.Currency}, o.ID
	records := d.records[what]
	if records == nil {
		if d.records == nil {
			d.records = map[diagnosisIn]*diagnosed{}
		}
		records = &diagnosed{}
		d.records[what] = records
	}
	if n > 0 {
		id = strings.Clone(id) // it may be a part of a row
	}
	records.amount += o.Amount.Amount * int64(n)
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

// Publish returns what was diagnosed in records, in no order.
func (d *Diagnoses) Publish() []figures.Diagnostic {
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
