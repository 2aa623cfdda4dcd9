package services

import (
	"slices"
	"strings"

	"housecount/apiclient/record"
)

// Payments is which payments of a service count. Where two services tell of the same money, such as a box office and
// the payment provider behind it, one of them leaves it out. The zero Payments leaves out none.
type Payments struct {
	// None leaves out all payments.
	None bool
	// Methods, if there are any, are the methods of payment that count; all others are left out.
	Methods []string
}

// ReadPayments returns what an option says: "all", "none", or methods of payment.
func ReadPayments(words []string) Payments {
	switch {
	case len(words) == 0 || slices.Equal(words, []string{"all"}):
		return Payments{}
	case slices.Equal(words, []string{"none"}):
		return Payments{None: true}
	}
	return Payments{Methods: words}
}

// All reports whether no payment is left out.
func (p Payments) All() bool { return !p.None && len(p.Methods) == 0 }

// given returns the kinds that a list gives, without payments if all are left out.
func (p Payments) given(kinds []record.Kind) []record.Kind {
	if !p.None {
		return kinds
	}
	return slices.DeleteFunc(slices.Clone(kinds), func(k record.Kind) bool { return k == record.KindPayment })
}

// mapping returns what p adds to the mapping of a list, so that it is read anew after a change.
func (p Payments) mapping() string {
	switch {
	case p.None:
		return " payments none"
	case len(p.Methods) > 0:
		return " payments " + strings.Join(slices.Sorted(slices.Values(p.Methods)), ",")
	}
	return ""
}

// take returns a payment or, if it is left out, its deletion: it may have counted before. A payment that does not say
// its method is refused where methods decide.
func (p Payments) take(stream string, r *record.Payment) (record.Record, *record.Refusal) {
	switch {
	case p.All():
		return r, nil
	case !p.None && r.Method == "" && !r.Deleted:
		return nil, &record.Refusal{Stream: stream, Kind: record.KindPayment, ID: r.ID, EventID: r.EventID, Updated: r.UpdatedAt, Field: "method",
			Why: record.Say("is missing, and says whether another service tells of this payment")}
	case slices.Contains(p.Methods, r.Method):
		return r, nil
	}
	return record.Tombstone(r), nil
}
