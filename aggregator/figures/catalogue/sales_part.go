package catalogue

import (
	"iter"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/marketing"
)

// OfPart returns a figure of a part of the sales; ok is false if it has no such figure.
func OfPart(p *marketing.Part, k figures.Key) (v figures.Value, ok bool) {
	_, isSold := p.By.Dimension()
	buyers := map[figures.Key]int{figures.KeyBuyersNew: p.Buyers.New, figures.KeyBuyersReturning: p.Buyers.Returning, figures.KeyBuyersUnknown: p.Buyers.Anonymous}
	n, ofBuyers := buyers[k]
	switch {
	case ofBuyers && p.By == figures.OfSaleDays:
		return figures.CountOf(figures.New(n, p.Sales.Sold.Caveat())), true
	case k == figures.KeySold && p.By != figures.OfMethods:
		return figures.CountOf(figures.New(p.Sold, p.Sales.Sold.Caveat())), true
	case k == figures.KeyPaid && isSold:
		return figures.CountOf(figures.New(p.Paid, p.Sales.Paid)), true
	case k == figures.KeyBooked && isSold:
		return figures.MoneyOf(figures.New(p.Of(figures.Booked), p.Sales.Booked)), true
	case k == figures.KeyReceived && p.By == figures.OfMethods:
		return moneyIn(p.Received, p.Sales.Received), true
	}
	return figures.Value{Quality: figures.Unknown}, false
}

// EachOfPart calls each with every figure of the part, in the order of the catalogue.
func EachOfPart(p *marketing.Part, each func(*Definition, figures.Value)) {
	for i := range catalogue {
		if v, ok := OfPart(p, catalogue[i].Key); ok {
			each(&catalogue[i], v)
		}
	}
}

// partNamed returns the part with a name; nil if there is none.
func partNamed(parts iter.Seq[*marketing.Part], name string) *marketing.Part {
	for p := range parts {
		if p.Name == name {
			return p
		}
	}
	return nil
}
