package money

import (
	"math"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// reconcilePage is the results of the checks: what each one compared, and what does not agree.
type reconcilePage struct {
	Title  string
	Head   web.Head
	Checks []checked
}

// checked is one check.
type checked struct {
	ID, Title string
	Level     evening.Level  // empty if all agrees
	State     string         // the shape's words
	Nothing   bool           // nothing was compared
	What      string         // what is compared
	Compared  words.Sentence // how much of it agrees
	Facts     web.Facts      // when, and what was not compared
	Rows      []checkedRow
	Records   bool // some of the rows name records
	More      words.Sentence
}

// checkedRow is a difference.
type checkedRow struct {
	Title, Href string // of the performance
	Outside     bool   // the title is from the service
	When        string
	Size        words.Sentence
	Figures     []words.Sentence
	Since       string
	Records     []string // ids
	Kind        string   // what they are
}

// shownDifferences is how many differences of a check are listed.
const shownDifferences = 50

func (b builder) reconcile() (web.View, error) {
	all := b.Evening.Reconcile()
	p := reconcilePage{Title: b.Text("reconcile.title")}
	p.Head = web.Head{Title: p.Title, Text: b.reconcileLede(all)}
	v := web.View{Title: p.Title, Body: p.body}
	v.Fragments = []web.Fragment{{ID: "head", HTML: p.Head.HTML()}}
	for i := range all {
		c := b.checked(&all[i])
		p.Checks = append(p.Checks, c)
		v.Fragments = append(v.Fragments, web.Fragment{ID: c.ID, HTML: c.html()})
	}
	v.Body = p.body
	return v, nil
}

// reconcileLede reports whether everything agrees, and of how many performances items are open for long.
func (b builder) reconcileLede(all []evening.Reconciled) words.Sentence {
	sum := bridge.SumChecks(all)
	var text words.Sentence
	switch n, checks := words.Int("n", sum.Differ), words.Int("checks", sum.Checks); {
	case sum.Compared == 0:
		text = b.Say("reconcile.nothing")
	case sum.Differ == 0 && sum.Open > 0: // no headline says that all is well above them
		text = words.Join(" ", b.Say("reconcile.agrees_open", words.Int("n", sum.Open)), b.openKinds(&sum), b.Say("reconcile.no_fault"))
		if sum.Nothing > 0 {
			text = words.Join(" ", text, b.Say("reconcile.and_nothing", words.Int("n", sum.Nothing)))
		}
		return text
	case sum.Differ == 0 && sum.Nothing > 0:
		text = b.Say("reconcile.agrees_part", words.Int("n", sum.Nothing))
	case sum.Differ == 0:
		text = b.Say("reconcile.agrees")
	case sum.Newest.IsZero():
		text = b.Say("reconcile.differs", n, checks)
	default:
		text = b.Say("reconcile.differs_since", n, checks, words.Text("when", b.MomentShort(sum.Newest)))
	}
	if sum.Open > 0 {
		text = words.Join(" ", text, b.Say("reconcile.and_open", words.Int("n", sum.Open)), b.openKinds(&sum))
	}
	return text
}

// openKinds returns of how many performances something has been open for long, with how much it is in all for those who see money.
func (b builder) openKinds(sum *bridge.CheckSum) words.Sentence {
	if !b.Access.SeesMoney() {
		return b.Say("reconcile.open_kinds", words.Int("due", sum.Due), words.Int("back", sum.Back))
	}
	var text words.Sentence
	if sum.Due > 0 {
		text = b.Say("reconcile.open_due", words.Int("n", sum.Due), words.Text("sum", b.sumsOf(sum.InDue)))
	}
	if sum.Back > 0 {
		text = words.Join(" ", text, b.Say("reconcile.open_back", words.Int("n", sum.Back), words.Text("sum", b.sumsOf(sum.InBack))))
	}
	return text
}

// checked returns a check in words.
func (b builder) checked(r *evening.Reconciled) checked {
	c := checked{ID: "check-" + string(r.Check), Title: b.Code("check", string(r.Check)), What: b.Code("check_what", string(r.Check))}
	switch {
	case r.Differ > 0:
		c.Level, c.State = evening.CheckLevel(r.Check), b.Text("reconcile.state_differs")
	case r.Compared > 0:
		c.State = b.Text("reconcile.state_agrees")
	default:
		c.State, c.Nothing = b.Text("reconcile.state_nothing"), true
	}
	c.Compared = b.comparedWords(r)
	switch {
	case r.Reading:
		c.Facts = append(c.Facts, b.Say("reconcile.reading"))
	case r.Compared+r.Selling == 0 && (r.Check != figures.CheckRecompute || r.At.IsZero()):
		c.Facts = append(c.Facts, words.Sentence{{Text: b.Code("check_nothing", string(r.Check))}})
	case r.Aside > 0:
		c.Facts = append(c.Facts, b.Say("reconcile.aside", words.Int("n", r.Aside)))
	}
	if r.Selling > 0 {
		c.Facts = append(c.Facts, b.Say("reconcile.aside_selling", words.Int("n", r.Selling)))
	}
	switch {
	case r.At.IsZero():
	case r.Check == figures.CheckRecompute:
		c.Facts = append(c.Facts, b.Say("reconcile.recomputed", words.Text("when", b.MomentShort(r.At)), words.Int("n", r.Versions), words.Text("took", b.Took(r.Took)), words.Text("position", b.Count(int(r.Revision)))))
		if p := r.Slice; p != nil {
			c.Facts = append(c.Facts, b.Say("reconcile.slice", words.Int("number", p.Number+1), words.Int("of", p.Of), words.Text("when", b.MomentShort(p.At)), words.Int("n", p.Compared), words.Text("took", b.Took(p.Took))),
				b.Say("reconcile.slice_lacks"))
		}
	case r.Compared > 0:
		c.Facts = append(c.Facts, b.Say("reconcile.as_of", words.Text("time", b.Clock(r.At, b.Zone))))
	}
	for _, d := range r.Differences[:min(len(r.Differences), shownDifferences)] {
		row := b.checkedRow(&d)
		c.Rows, c.Records = append(c.Rows, row), c.Records || len(row.Records) > 0
	}
	if more := r.Differ - len(c.Rows); more > 0 && r.Check != figures.CheckPayments {
		c.More = b.Say("reconcile.more", words.Int("n", more))
	}
	return c
}

func (b builder) comparedWords(r *evening.Reconciled) words.Sentence {
	agree, n := words.Int("agree", r.Agree()), words.Int("n", r.Compared)
	switch {
	case r.Compared == 0:
		return b.Say("reconcile.not_compared")
	case r.Check == figures.CheckPayments:
		return b.Say("reconcile.payments_agree", agree, n)
	case r.Check == figures.CheckOpenItems:
		return b.Say("reconcile.open_agree", agree, n)
	}
	return b.Say("reconcile.agree", agree, n)
}

// checkedRow returns a difference in words. Amounts are for those who see money.
func (b builder) checkedRow(d *evening.Difference) checkedRow {
	r := checkedRow{Title: b.Text("reconcile.whole_house"), Since: words.Dash, Kind: b.Code("kind", string(d.Kind))}
	if !d.Since.IsZero() {
		r.Since = b.MomentShort(d.Since)
	}
	for _, id := range d.Records {
		r.Records = append(r.Records, words.Bare(id))
	}
	var s *evening.Show
	if e := b.Event(d.Event); e != nil && d.Event != "" {
		s = b.Evening.Show(e)
		r.Title, r.Href, r.Outside = b.TitleOf(e), web.EventHref(e.Event.ID), true
		if e.Date != "" {
			r.When = b.DayShortOf(e.Date)
		}
	} else if d.Event != "" {
		r.Title, r.Outside, r.Records, r.Kind = words.Bare(d.Event), true, []string{words.Bare(d.Event)}, b.Code("kind", string(record.KindEvent))
		r.When = b.Text("reconcile.not_listed")
	} else if d.Check == figures.CheckPayments && len(d.Records) > 0 {
		r.Title = b.Text("reconcile.no_performance")
	}
	r.Size = b.differenceSize(d)
	if s != nil {
		r.Figures = b.differenceFigures(d, s)
	}
	for _, f := range d.Figures {
		if text := b.foundFigure(f, s); text != nil {
			r.Figures = append(r.Figures, text)
		}
	}
	return r
}

// differenceSize returns how large a difference is.
func (b builder) differenceSize(d *evening.Difference) words.Sentence {
	n := d.Size.Count
	size := words.Int("n", int(math.Abs(float64(n))))
	amount := func() string {
		if len(d.Size.Amount) == 0 || !b.Access.SeesMoney() {
			return ""
		}
		return b.Sums(d.Size.Amount)
	}
	switch d.Check {
	case figures.CheckPlaces, figures.CheckSold:
		if n > 0 {
			return b.Say("reconcile.too_many", size)
		}
		return b.Say("reconcile.too_few", size)
	case figures.CheckVisitors:
		return b.Say("reconcile.more_came", size)
	case figures.CheckRecompute:
		return b.Say("reconcile.unequal", words.Int("n", len(d.Figures)))
	case figures.CheckPayments:
		if text := amount(); text != "" && d.Count > 0 {
			return b.Say("reconcile.payments", words.Int("n", d.Count), words.Text("amount", text))
		} else if text != "" {
			return b.Say("reconcile.off_total", words.Text("amount", text))
		}
		return b.Say("reconcile.payments_count", words.Int("n", d.Count))
	}
	return b.oldItems(d)
}

// oldItems returns the items that have been open for long: what is to be paid, and what is to be paid back.
func (b builder) oldItems(d *evening.Difference) words.Sentence {
	if !b.Access.SeesMoney() {
		return b.Say("reconcile.old_items")
	}
	due, back := words.Text("due", b.sumsOf(d.Due)), words.Text("back", b.sumsOf(d.Back))
	switch {
	case len(d.Due.Value) > 0 && len(d.Back.Value) > 0:
		return b.Say("reconcile.old_both", due, back)
	case len(d.Due.Value) > 0:
		return b.Say("reconcile.old_due", due)
	case len(d.Back.Value) > 0:
		return b.Say("reconcile.old_back", back)
	}
	return b.Say("reconcile.old_items")
}

// sumsOf returns what is open as text, with its mark.
func (b builder) sumsOf(open figures.Figure[figures.Sums]) string {
	return b.QualifiedSums(open.Quality, open.Reasons, b.Sums(open.Value)).Text
}

// differenceFigures returns the figures that do not agree, each with a link to its explanation and so to
// its records.
func (b builder) differenceFigures(d *evening.Difference, s *evening.Show) []words.Sentence {
	keys := map[figures.Check][]figures.Key{
		figures.CheckPlaces:   {figures.KeySold, figures.KeyReserved, figures.KeyBlocked, figures.KeyAvailable, figures.KeyCapacity},
		figures.CheckSold:     {figures.KeySold},
		figures.CheckVisitors: {figures.KeyCame, figures.KeySold, figures.KeyCameUnsold},
	}[d.Check]
	if d.Check == figures.CheckOpenItems && b.Access.SeesMoney() {
		keys = []figures.Key{figures.KeyToBePaid, figures.KeyToBePaidBack}
		if s.Phase == evening.Cancelled { // whose pages show what is to be paid back; the others lead to it
			keys = []figures.Key{figures.KeyBooked, figures.KeyFees, figures.KeyGoodwill, figures.KeyToBePaid, figures.KeyToBePaidBack, figures.KeyToPayBack}
		}
	}
	var all []words.Sentence
	for _, k := range keys {
		if f := catalogue.Define(k).OfShow(s); f.Known() && (f.Some() || d.Check != figures.CheckOpenItems) {
			all = append(all, b.Say("explain.term", words.Fig("value", b.OfShow(s, k)), words.Text("name", b.Code("figure", string(k)))))
		}
	}
	if d.Check == figures.CheckSold {
		all = append(all, b.Say("reconcile.by_service", words.Int("n", s.Sold.Value-d.Size.Count)))
	}
	return all
}

// foundFigure returns a figure of which a recompute found another value; nil if the access does not include
// it.
func (b builder) foundFigure(f record.FoundFigure, s *evening.Show) words.Sentence {
	d := catalogue.Define(figures.Key(f.Figure))
	if d == nil || d.Unit == figures.Money && !b.Access.SeesMoney() {
		return nil
	}
	var e *figures.EventFigures
	if s != nil {
		e = s.EventFigures
	}
	shown, proper := b.Figure(d, catalogue.ReadFound(f.Shown), "", e), b.Figure(d, catalogue.ReadFound(f.Proper), "", e)
	if s != nil {
		shown = b.Explained(d.Key, figures.Scope{Event: s.Event.ID}, shown)
	}
	return b.Say("reconcile.shown", words.Text("name", b.FigureTitle(d.Key)), words.Fig("shown", shown), words.Plain("proper", proper))
}
