package web

import (
	"slices"
	"strings"
	"unicode"

	"housecount/aggregator"
)

// num is a figure as text. Why is empty for an exact one; otherwise it says, for whoever
// points at the figure or tabs to it, how far it can be trusted.
type num struct {
	Text string
	Why  string
}

// Unknown says that there is no value at all.
func (n num) Unknown() bool { return n.Text == dash }

// plain is a number that needs no excuse.
func plain(text string) num { return num{Text: text} }

// show turns a figure into text: an em dash when it is unknown, never 0.
func show[T any](f aggregator.Figure[T], text func(T) string) num {
	return quality(f.Quality, f.Reasons, func() string { return text(f.Value) })
}

func quality(q aggregator.Quality, reasons []aggregator.Reason, text func() string) num {
	switch q {
	case aggregator.Exact:
		return num{Text: text()}
	case aggregator.Estimated:
		return num{"≈" + nbsp + text(), because("estimated", reasons)}
	case aggregator.LowerBound:
		return num{"≥" + nbsp + text(), because("at least", reasons)}
	}
	return num{dash, because("not known", reasons)}
}

func because(quality string, reasons []aggregator.Reason) string {
	if len(reasons) == 0 {
		return quality
	}
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = reasonWords(r)
	}
	return quality + ": " + strings.Join(words, "; ")
}

func reasonWords(r aggregator.Reason) string {
	switch r {
	case aggregator.ReasonUnlimited:
		return "there is no limit of places"
	case aggregator.ReasonTypesMayOverlap:
		return "summed over ticket types, which may share places"
	case aggregator.ReasonPlanning:
		return "from planning"
	case aggregator.ReasonPlanningPartial:
		return "not all planning has been read yet"
	case aggregator.ReasonBlockedUnknown:
		return "blocked places are not told"
	case aggregator.ReasonHighestAvailable:
		return "the most that was ever available"
	case aggregator.ReasonNoCapacity:
		return "the service tells no capacity"
	case aggregator.ReasonNoAvailable:
		return "the service does not say what is left"
	case aggregator.ReasonTicketsIncomplete:
		return "not all tickets have been read yet"
	case aggregator.ReasonNoTickets:
		return "the service offers no tickets"
	case aggregator.ReasonNoPayments:
		return "the service offers no payments"
	case aggregator.ReasonPaymentsPartial:
		return "not all payments have been read yet"
	case aggregator.ReasonNoScans:
		return "no scan data"
	case aggregator.ReasonScansPartial:
		return "not all scans have been read yet"
	case aggregator.ReasonNoExits:
		return "exits are not scanned"
	case aggregator.ReasonNoPrice:
		return "some tickets came without a price"
	case aggregator.ReasonUndated:
		return "some records came without a time"
	case aggregator.ReasonUnknownStatus:
		return "some records have a status that nobody has mapped"
	}
	return string(r)
}

func faultWords(f aggregator.Fault) string {
	switch f {
	case aggregator.FaultUnreachable:
		return "the service cannot be reached"
	case aggregator.FaultSlow:
		return "the service is too slow"
	case aggregator.FaultRefused:
		return "the service refuses our credential"
	case aggregator.FaultForbidden:
		return "our credential may not read this"
	case aggregator.FaultNotOffered:
		return "the service does not offer this"
	case aggregator.FaultRateLimited:
		return "the service asks us to wait"
	case aggregator.FaultServer:
		return "the service has an error of its own"
	case aggregator.FaultGarbage:
		return "the answer cannot be read"
	case aggregator.FaultEndless:
		return "the pages never end"
	case aggregator.FaultTooLarge:
		return "the answer is too large"
	case aggregator.FaultRejected:
		return "the service does not accept our question"
	case aggregator.FaultStore:
		return "our own database fails"
	case "":
		return "no answer yet"
	}
	return string(f)
}

// sentence is text in which some words are figures and some come from outside.
type sentence []run

type run struct {
	Text   string
	Num    *num // a figure
	Strong bool
	Name   bool // outside text: isolated, so that its direction cannot spill over
}

func say(text string) sentence { return sentence{{Text: text}} }

func (s sentence) text(t string) sentence   { return append(s, run{Text: t}) }
func (s sentence) strong(t string) sentence { return append(s, run{Text: t, Strong: true}) }
func (s sentence) name(t string) sentence   { return append(s, run{Text: t, Name: true}) }

// num adds a figure, strong unless it is only mentioned.
func (s sentence) num(n num) sentence     { return append(s, run{Num: &n, Strong: true}) }
func (s sentence) mention(n num) sentence { return append(s, run{Num: &n}) }

func (s sentence) strongName(t string) sentence {
	return append(s, run{Text: t, Name: true, Strong: true})
}

// names joins outside names as a sentence does.
func (s sentence) names(names []string) sentence {
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			s = s.text(" and ")
		default:
			s = s.text(", ")
		}
		s = s.name(n)
	}
	return s
}

// String is the sentence without its marks, for places that take only text.
func (s sentence) String() string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r.Num != nil:
			b.WriteString(r.Num.Text)
			if r.Num.Why != "" {
				b.WriteString(" (" + r.Num.Why + ")")
			}
		case r.Name:
			b.WriteString(bare(r.Text))
		default:
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

// bare takes the controls out of outside text, those of direction included, for places
// where no element can isolate it: attributes, a page's title, a chart.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return r
	}, s)
}

// worst joins the quality and reasons of another figure into q and reasons.
func worst(q aggregator.Quality, reasons []aggregator.Reason, q2 aggregator.Quality, reasons2 []aggregator.Reason) (aggregator.Quality, []aggregator.Reason) {
	for _, r := range reasons2 {
		if !slices.Contains(reasons, r) {
			reasons = append(slices.Clip(reasons), r)
		}
	}
	return max(q, q2), reasons
}
