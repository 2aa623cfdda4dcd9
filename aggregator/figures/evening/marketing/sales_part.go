package marketing

import (
	"iter"
	"slices"

	"housecount/aggregator/figures"
)

// Part is a part of the sales of a performance, or of the performances of some days. Its figures have the
// quality of the whole.
type Part struct {
	By                  figures.Split
	figures.PartFigures                // for lead times, days, towns and postcodes only Sold is set, for methods only the name
	Buyers              figures.Buyers // of days of sale alone
	Received            figures.Sums
	Sales               *Sales // that it is a part of
}

// PartsBy yields the parts of the sales by a split, in the order of their list.
func (m *Sales) PartsBy(by figures.Split) iter.Seq[*Part] {
	return func(yield func(*Part) bool) {
		if d, isSold := by.Dimension(); isSold {
			for _, f := range m.Parts[d] {
				if !yield(&Part{By: by, PartFigures: f, Sales: m}) {
					return
				}
			}
		}
		if by == figures.OfLeadTimes {
			for _, band := range m.LeadTimes {
				if !yield(&Part{By: by, PartFigures: figures.PartFigures{Name: band.Part(), Flow: figures.Flow{Sold: band.Sold}}, Sales: m}) {
					return
				}
			}
		}
		if by == figures.OfSaleDays {
			for _, part := range m.BuyerDays.parts(m) {
				if !yield(part) {
					return
				}
			}
		}
		for _, town := range m.homes(by) {
			if !yield(&Part{By: by, PartFigures: figures.PartFigures{Name: town.Name, Flow: figures.Flow{Sold: town.Sold}}, Sales: m}) {
				return
			}
		}
		if by == figures.OfMethods {
			for _, method := range m.Methods {
				if !yield(&Part{By: by, PartFigures: figures.PartFigures{Name: method.Name}, Received: method.Received, Sales: m}) {
					return
				}
			}
		}
	}
}

// homes returns the places by where those live who bought them; nil for any other split.
func (m *Sales) homes(by figures.Split) []figures.TownFigures {
	switch by {
	case figures.OfTowns:
		return m.Towns
	case figures.OfPostcodes:
		return m.Postcodes
	}
	return nil
}

func byName(towns []figures.TownFigures) map[string]int {
	places := map[string]int{}
	for _, t := range towns {
		places[t.Name] = t.Sold
	}
	return places
}

// PartsBy yields the parts of the sales of a performance.
func PartsBy(e *figures.EventFigures, by figures.Split) iter.Seq[*Part] {
	m := Sales{Sold: e.Sold, Received: e.Revenue.Of(figures.Received), Methods: e.Methods, Paid: e.Paid.Caveat(), Booked: e.Revenue.Of(figures.Booked).Caveat()}
	if d, ok := by.Dimension(); ok {
		m.Parts[d] = e.Parts[d].All()
	}
	if by == figures.OfLeadTimes {
		m.LeadTimes = figures.LeadBands()
		addLead(e, m.LeadTimes)
		m.LeadTimes = slices.DeleteFunc(m.LeadTimes, func(b figures.LeadBand) bool { return b.Sold == 0 })
	}
	if by == figures.OfTowns {
		m.Towns = townsOf(byName(e.Towns), e.Sold.Value)
	}
	if by == figures.OfSaleDays {
		m.BuyerDays = buyersByDay([]*figures.EventFigures{e})
	}
	if by == figures.OfPostcodes {
		m.Postcodes = townsOf(byName(e.Postcodes), e.Sold.Value)
	}
	return m.PartsBy(by)
}
