package web

import (
	"strings"
	"unicode"

	"housecount/aggregator/figures"
)

// num is a figure as text. Why is empty for an exact one; otherwise it says how far the
// figure can be trusted, and is shown on hover and on focus.
type num struct {
	Text string
	Why  string
}

// Unknown says that there is no value at all.
func (n num) Unknown() bool { return n.Text == dash }

// plain is a number that is exact.
func plain(text string) num { return num{Text: text} }

// show turns a figure into text: an em dash when it is unknown, never 0.
func show[T any](f figures.Figure[T], text func(T) string) num {
	return quality(f.Quality, f.Reasons, func() string { return text(f.Value) })
}

func quality(q figures.Quality, reasons []figures.Reason, text func() string) num {
	switch q {
	case figures.Exact:
		return num{Text: text()}
	case figures.Estimated:
		if len(reasons) == 1 && reasons[0] == figures.ReasonNoExits {
			return num{"≤" + nbsp + text(), because("at most", reasons)}
		}
		return num{"≈" + nbsp + text(), because("estimated", reasons)}
	case figures.LowerBound:
		return num{"≥" + nbsp + text(), because("at least", reasons)}
	}
	return num{dash, because("not known", reasons)}
}

func because(quality string, reasons []figures.Reason) string {
	if len(reasons) == 0 {
		return quality
	}
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = reasonWords(r)
	}
	return quality + ": " + strings.Join(words, "; ")
}

func reasonWords(r figures.Reason) string {
	switch r {
	case figures.ReasonUnlimited:
		return "there is no limit of places"
	case figures.ReasonTypesMayOverlap:
		return "summed over ticket types, which may share places"
	case figures.ReasonPlanning:
		return "from planning"
	case figures.ReasonPlanningPartial:
		return "not all planning has been read yet"
	case figures.ReasonBlockedUnknown:
		return "blocked places are not reported"
	case figures.ReasonHighestAvailable:
		return "the most that was ever available"
	case figures.ReasonNoCapacity:
		return "the service reports no capacity"
	case figures.ReasonNoAvailable:
		return "the service does not say what is left"
	case figures.ReasonTicketsIncomplete:
		return "not all tickets have been read yet"
	case figures.ReasonNobodyExpected:
		return "nobody was expected"
	case figures.ReasonNoTickets:
		return "the service offers no tickets"
	case figures.ReasonNoPayments:
		return "the service offers no payments"
	case figures.ReasonPaymentsPartial:
		return "not all payments have been read yet"
	case figures.ReasonNoScans:
		return "no scan data"
	case figures.ReasonScansPartial:
		return "not all scans have been read yet"
	case figures.ReasonNoExits:
		return "nobody was ever scanned out"
	case figures.ReasonNoPrice:
		return "some tickets came without a price"
	case figures.ReasonUndated:
		return "some records came without a time"
	case figures.ReasonUnknownStatus:
		return "some records have a status that has not been mapped"
	case figures.ReasonNoHistory:
		return "there are no past performances to go by"
	case figures.ReasonRefused:
		return "some records could not be read"
	}
	return string(r)
}

// roleWords is a role as staff call it.
func roleWords(r Role) string {
	switch r {
	case Door:
		return "Door"
	case BoxOffice:
		return "Box office"
	case Manager:
		return "Manager"
	case Admin:
		return "Administrator"
	}
	return string(r)
}

// channelWords is a sales channel as staff call it. A code that is not known stays as it came.
func channelWords(code string) string {
	switch code {
	case "web":
		return "Web"
	case "box_office":
		return "Box office"
	case "phone":
		return "Phone"
	case "agency":
		return "Agency"
	}
	return code
}

// asReported leaves a name as it came, because the venue chose it.
func asReported(name string) string { return name }

func faultWords(f figures.Fault) string {
	switch f {
	case figures.FaultUnreachable:
		return "the service cannot be reached"
	case figures.FaultSlow:
		return "the service is too slow"
	case figures.FaultRefused:
		return "the service refuses our credential"
	case figures.FaultForbidden:
		return "our credential may not read this"
	case figures.FaultNotOffered:
		return "the service does not offer this"
	case figures.FaultRateLimited:
		return "the service asks us to wait"
	case figures.FaultServer:
		return "the service has an error of its own"
	case figures.FaultGarbage:
		return "the answer cannot be read"
	case figures.FaultEndless:
		return "the pages never end"
	case figures.FaultTooLarge:
		return "the answer is too large"
	case figures.FaultRejected:
		return "the service does not accept our question"
	case figures.FaultStore:
		return "our own database fails"
	case "":
		return "no answer yet"
	}
	return string(f)
}

// faultText is why a poll failed: the poller's own text, which says more than the kind of
// fault, or else words for the kind.
func faultText(h figures.StreamHealth) string {
	if h.FaultText == "" {
		return faultWords(h.Fault)
	}
	return strings.ToLower(h.FaultText[:1]) + strings.TrimSuffix(h.FaultText[1:], ".")
}

// sentence is text in which some parts are figures and some are names from the service.
type sentence []run

type run struct {
	Text   string
	Num    *num // a figure
	Strong bool
	Name   bool // text from the service; isolated, so that its writing direction does not affect the rest
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

// bare removes control characters, those of writing direction included, from text of the
// service, for places where no element can isolate it: attributes, a page's title, a chart.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return r
	}, s)
}
