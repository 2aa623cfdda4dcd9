package web

import (
	"net/url"

	"housecount/aggregator/figures"
)

// of is a figure of a performance, as the catalogue has it.
func (b *builder) of(s *figures.Show, k figures.Key) num {
	d := figures.Define(k)
	return b.explained(k, figures.Scope{Event: s.Event.ID}, b.value(d, d.OfShow(s), s.EventFigures))
}

// ofEvening is one of the performances of the evening, and ofNight of the night before.
func (b *builder) ofEvening(k figures.Key) num {
	d := figures.Define(k)
	return b.explained(k, figures.Scope{}, b.value(d, d.OfEvening(b.evening), nil))
}

func (b *builder) ofNight(r *figures.Result, k figures.Key) num {
	d := figures.Define(k)
	return b.explained(k, figures.Scope{Night: true}, b.value(d, d.OfNight(r), nil))
}

// ofPeriod is the scope of a period in one currency.
func ofPeriod(p figures.Period, code string) figures.Scope {
	return figures.Scope{From: p.From, To: p.To, Currency: code}
}

// value is a figure of the catalogue as text. Without an event, a zero of money has the currency of
// the house.
func (b *builder) value(d *figures.Definition, v figures.Value, e *figures.EventFigures) num {
	text := ""
	switch {
	case d.Unit == figures.Share:
		text = b.Percent(v.Share)
	case d.Unit != figures.Money:
		text = b.Count(v.Count)
	case e != nil:
		text = b.amounts(e, v.Amount)
	default:
		text = b.houseSums(v.Amount)
	}
	n := b.qualified(v.Quality, v.Reasons, text)
	n.N = v.Count
	return n
}

// explained leads from a figure to its explanation, on pages that do.
func (b *builder) explained(k figures.Key, s figures.Scope, n num) num {
	if b.explains {
		n.Href = explainHref(k, s)
	}
	return n
}

const explainPath = "/explain/"

// explainHref is where a figure is explained.
func explainHref(k figures.Key, s figures.Scope) string {
	path := explainPath + string(k)
	if s == (figures.Scope{}) {
		return path
	}
	if s.Event != "" && s.Currency == "" {
		return path + "?event=" + url.QueryEscape(s.Event)
	}
	q := url.Values{}
	for name, value := range map[string]string{"event": s.Event, "from": string(s.From), "to": string(s.To), "currency": s.Currency} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if s.Night {
		q.Set("of", ofNight)
	}
	if s.Orders {
		q.Set("of", ofOrders)
	}
	return path + "?" + q.Encode()
}

// What a figure is of, beside a performance and days of sale.
const (
	ofNight  = "night"
	ofOrders = "orders"
)
