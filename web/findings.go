package web

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/apiclient/record"
	"housecount/web/words"
)

// findings are the faults in the service's records, for those who can have them corrected.
type findings struct {
	Title string
	Rows  []findingRow
	More  string
	// Reconciled is a line about whether the figures agree, linked to the page that compares them.
	Reconciled string
}

type findingRow struct{ What, Where, Count, Text string }

const (
	shownFindings = 20
	findingRunes  = 200 // of the service's own text
)

func (b *Builder) findings() *findings {
	found := b.Evening.Findings()
	n := len(found)
	f := &findings{Title: b.Text("findings.title", words.Int("n", n)), Reconciled: b.reconciledShort()}
	for _, d := range found[:min(n, shownFindings)] {
		where := b.Code("kind", string(d.Kind))
		if d.ID != "" {
			where += " " + d.ID
		}
		if e := b.Event(d.ID); e != nil && d.Kind == record.KindEvent {
			where = b.TitleOf(e) + " · " + where
		}
		text := b.Message(d.Text)
		if d.Code == figures.CodeOverRefunded && b.Access.SeesMoney() {
			text = b.Text("findings.over_refunded", words.Text("amount", b.Money(d.Amount.Amount, d.Amount.Currency)))
		}
		f.Rows = append(f.Rows, findingRow{b.Code("diagnosis", d.Code), words.Clip(where, findingRunes), b.Count(d.Count), words.Clip(text, findingRunes)})
	}
	if n > shownFindings {
		f.More = b.Text("findings.more", words.Int("n", n-shownFindings))
	}
	return f
}

// reconciledShort returns in a line whether everything agrees.
func (b *Builder) reconciledShort() string {
	switch sum := bridge.SumChecks(b.Evening.Reconcile()); {
	case sum.Differ > 0:
		return b.Text("reconcile.short_differs", words.Int("n", sum.Differ))
	case sum.Open > 0:
		return b.Text("reconcile.short_open", words.Int("n", sum.Open))
	case sum.Compared > 0 && sum.Nothing > 0:
		return b.Text("reconcile.short_agrees_part")
	case sum.Compared > 0:
		return b.Text("reconcile.short_agrees")
	}
	return b.Text("reconcile.title")
}
