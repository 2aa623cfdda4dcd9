package web

import (
	"housecount/aggregator/figures"
)

// findings are the faults in the service's records, for those who can have them corrected.
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

func (b *builder) findings() *findings {
	found := b.evening.Findings()
	n := len(found)
	f := &findings{Title: plural(n, "thing") + " in the service's records " + noun(n, "needs", "need") + " checking"}
	for _, d := range found[:min(n, shownFindings)] {
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
	case figures.CodeUnknownStatus:
		return "a status that has not been mapped"
	case figures.CodeAbsurd:
		return "a number that cannot be"
	case figures.CodeCurrency:
		return "amounts in different currencies"
	case figures.CodePartition:
		return "places do not add up to the capacity"
	case figures.CodeOversold:
		return "oversold"
	case figures.CodeUnsettled:
		return "a refund of a payment that has not settled"
	case figures.CodeSweepGuard:
		return "too many records are missing"
	case figures.CodeUnknownReference:
		return "a record of something that the service does not list"
	case figures.CodeUnfiltered:
		return "a list that is sent whole when only changes are asked for"
	case figures.CodeRefusedRecord:
		return "a record that cannot be read"
	}
	return code
}
