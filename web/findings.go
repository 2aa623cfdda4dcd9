package web

import (
	"housecount/aggregator"
)

// findings are what is odd about the service's records, for who can have it put right.
type findings struct {
	Title string
	Rows  []findingRow
	More  string
}

type findingRow struct{ What, Where, Count, Text string }

const (
	shownFindings = 20
	findingRunes  = 200 // of the service's own text
)

func (c *scene) findings() *findings {
	n := len(c.Diagnostics)
	f := &findings{Title: plural(n, "thing") + " in the service's records " + noun(n, "needs", "need") + " a look"}
	for _, d := range c.Diagnostics[:min(n, shownFindings)] {
		where := string(d.Kind)
		if d.ID != "" {
			where += " " + d.ID
		}
		f.Rows = append(f.Rows, findingRow{codeWords(d.Code), clip(where, findingRunes), count(d.Count), clip(d.Text, findingRunes)})
	}
	if n > shownFindings {
		f.More = "and " + count(n-shownFindings) + " more"
	}
	return f
}

func codeWords(code string) string {
	switch code {
	case aggregator.CodeUnknownStatus:
		return "a status that nobody has mapped"
	case aggregator.CodeAbsurd:
		return "a number that cannot be"
	case aggregator.CodeCurrency:
		return "amounts in different currencies"
	case aggregator.CodePartition:
		return "places do not add up to the capacity"
	case aggregator.CodeOversold:
		return "oversold"
	case aggregator.CodeUnsettled:
		return "paid back of a payment that has not settled"
	case "refused_record":
		return "a record that cannot be read"
	}
	return code
}
