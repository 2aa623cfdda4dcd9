package figures

import (
	"iter"
	"slices"
	"strconv"
)

// Split is what sales are split by into parts that have figures of their own.
type Split string

// The splits.
const (
	OfTypes     Split = "types"
	OfChannels  Split = "channels"
	OfReferrals Split = "referrals"
	OfCodes     Split = "codes"
	OfLeadTimes Split = "lead-times" // the name of a part is LeadBand.Part
	OfMethods   Split = "methods"    // of payment: what was received, not what was sold
)

// Splits are all of them.
var Splits = []Split{OfTypes, OfChannels, OfReferrals, OfCodes, OfLeadTimes, OfMethods}

// Dimension is that of the split; ok is false where it is by none.
func (s Split) Dimension() (d Dimension, ok bool) {
	i := slices.Index([]Split{ByTicketType: OfTypes, ByChannel: OfChannels, ByReferral: OfReferrals, ByCode: OfCodes}, s)
	return Dimension(max(0, i)), i >= 0
}

// SalesPart is a part of the sales of a performance, or of the performances of some days. Its figures are as well
// known as those that it is a part of.
type SalesPart struct {
	By          Split
	PartFigures // of lead times Sold alone, of methods no more than the name
	received    Sums
	sales       *Marketing // that it is a part of
}

// Figure is one of its figures; ok is false where it has no such figure.
func (p *SalesPart) Figure(k Key) (v Value, ok bool) {
	_, isSold := p.By.Dimension()
	switch {
	case k == KeySold && p.By != OfMethods:
		return countOf(figure(p.Sold, p.sales.Sold.caveat())), true
	case k == KeyPaid && isSold:
		return countOf(figure(p.Paid, p.sales.paid)), true
	case k == KeyBooked && isSold:
		return moneyOf(figure(p.Of(Booked), p.sales.booked)), true
	case k == KeyReceived && p.By == OfMethods:
		return moneyIn(p.received, p.sales.Received), true
	}
	return Value{Quality: Unknown}, false
}

// Each calls with every figure of the part, in the order of the catalogue.
func (p *SalesPart) Each(each func(*Definition, Value)) {
	for i := range catalogue {
		if v, ok := p.Figure(catalogue[i].Key); ok {
			each(&catalogue[i], v)
		}
	}
}

// PartsBy yields the parts of the sales by a split, in the order of their list.
func (m *Marketing) PartsBy(by Split) iter.Seq[*SalesPart] {
	return func(yield func(*SalesPart) bool) {
		if d, isSold := by.Dimension(); isSold {
			for _, f := range m.Parts[d] {
				if !yield(&SalesPart{By: by, PartFigures: f, sales: m}) {
					return
				}
			}
		}
		if by == OfLeadTimes {
			for _, band := range m.LeadTimes {
				if !yield(&SalesPart{By: by, PartFigures: PartFigures{Name: band.Part(), Flow: Flow{Sold: band.Sold}}, sales: m}) {
					return
				}
			}
		}
		if by == OfMethods {
			for _, method := range m.Methods {
				if !yield(&SalesPart{By: by, PartFigures: PartFigures{Name: method.Name}, received: method.Received, sales: m}) {
					return
				}
			}
		}
	}
}

// PartsBy yields the parts of the sales of a performance.
func (e *EventFigures) PartsBy(by Split) iter.Seq[*SalesPart] {
	m := Marketing{Sold: e.Sold, Received: e.Revenue.Of(Received), Methods: e.Methods, paid: e.Paid.caveat(), booked: e.Revenue.Of(Booked).caveat()}
	if d, ok := by.Dimension(); ok {
		m.Parts[d] = e.Parts[d].All()
	}
	if by == OfLeadTimes {
		m.LeadTimes = LeadBands()
		e.addLead(m.LeadTimes)
		m.LeadTimes = slices.DeleteFunc(m.LeadTimes, func(b LeadBand) bool { return b.Sold == 0 })
	}
	return m.PartsBy(by)
}

// partNamed is the part of a name, nil where there is none.
func partNamed(parts iter.Seq[*SalesPart], name string) *SalesPart {
	for p := range parts {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Part names the band as a part of sales.
func (b LeadBand) Part() string { return strconv.Itoa(b.From) }
