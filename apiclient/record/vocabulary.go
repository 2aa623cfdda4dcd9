package record

import "slices"

// Vocabulary holds the valid words of the fields that have them.
var Vocabulary = map[string][]string{
	"event.status":    canonicalWords(eventStatus),
	"ticket.kind":     canonicalWords(extraKind),
	"ticket.status":   canonicalWords(ticketStatus),
	"payment.status":  canonicalWords(paymentStatus),
	"payment.kind":    canonicalWords(paymentKind),
	"planning.status": canonicalWords(planningStatus),
	"planning.kind":   canonicalWords(planningKind),
	"scan.direction":  canonicalWords(directions),
}

// canonicalWords returns the words that known maps to, sorted.
func canonicalWords[S ~string](known map[string]S) (words []string) {
	for _, w := range known {
		words = append(words, string(w))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// UnknownWords returns the words of r without a mapping, by field; nil if there are none.
func UnknownWords(r Record) map[string]string {
	var words map[string]string
	note := func(field, word string, known bool) {
		if word != "" && !known {
			if words == nil {
				words = map[string]string{}
			}
			words[field] = word
		}
	}
	switch r := r.(type) {
	case *Event:
		note("status", string(r.Status), isKnown(r.Status, eventStatus))
	case *Ticket:
		note("status", string(r.Status), isKnown(r.Status, ticketStatus))
		note("kind", string(r.Kind), isKnown(r.Kind, extraKind))
	case *Payment:
		note("status", string(r.Status), isKnown(r.Status, paymentStatus))
		note("kind", string(r.Kind), isKnown(r.Kind, paymentKind))
	case *Planning:
		note("status", r.Status, isKnown(r.Status, planningStatus))
		note("kind", r.Kind, isKnown(r.Kind, planningKind))
	}
	return words
}

// isKnown reports whether a normalized word is one of ours.
func isKnown[S ~string](word S, known map[string]S) bool {
	_, ok := known[string(word)]
	return ok
}
