package ledger

import (
	"housecount/apiclient/record"
)

// ref stands for a text that many records repeat; 0 is the empty text.
type ref int32

// names keeps each text once.
type names struct {
	refs  map[string]ref
	texts []string
}

// The refs of the kinds of payments.
const (
	ofPayment ref = 1 + iota
	ofRefund
	ofChargeback
	ofReversal
)

func newNames() names {
	n := names{refs: map[string]ref{}, texts: []string{""}}
	for _, kind := range []record.PaymentKind{record.KindOfPayment, record.KindOfRefund, record.KindOfChargeback, record.KindOfReversal} {
		n.ref(string(kind))
	}
	return n
}

func (n *names) ref(text string) ref {
	if text == "" { // the usual value of an optional field
		return 0
	}
	r, known := n.refs[text]
	if !known {
		r = ref(len(n.texts))
		n.refs[text] = r
		n.texts = append(n.texts, text)
	}
	return r
}

func (n *names) text(r ref) string { return n.texts[r] }
