package event

import (
	"slices"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// notes are what people noted about a performance and what happened to its sale: when it began, and campaigns, each with
// what was sold of the performance then.
type notes struct {
	Rows []saleNote
	Add  []web.Link // where a campaign is noted
	// marked are the notes above the chart of the sale. While people come, only they include what happened to the sale: Rows does not.
	marked []saleNote
}

type saleNote struct {
	ID   string // of its element
	Day  string
	Name words.Sentence
	By   string // who noted it
	Sold words.Sentence
	Key  *web.NoteKey
	day  figures.Day
}

// noteDays is over how many days what was sold is summed from when the sale began, and mostNotes how many notes there are.
const (
	noteDays  = 3
	mostNotes = 5
)

// notesOf returns the notes of a performance, the newest first: all that people noted, and the last of what happened to
// its sale; campaigns are for those who see them on Marketing.
func (b builder) notesOf(s *evening.Show, sale *evening.Pace) (n notes) {
	n = b.saleNotes(s, sale)
	var noted []saleNote
	for _, one := range b.NotesOf(s.Event.ID) {
		noted = append(noted, saleNote{ID: web.NoteID("notes", &one), Day: b.DayShortOf(one.Day), Name: words.NameAlone(one.Text), By: b.NoteBy(&one), Key: b.NoteKey(&one), day: one.Day})
	}
	n.marked = slices.Concat(n.Rows, noted)
	if n.Rows = n.marked; s.Phase.Open() {
		n.Rows, n.Add = noted, nil
	}
	slices.SortStableFunc(n.Rows, newestFirst)
	slices.SortStableFunc(n.marked, newestFirst)
	return n
}

func newestFirst(x, y saleNote) int { return y.day.Since(x.day) }

func (b builder) saleNotes(s *evening.Show, sale *evening.Pace) (n notes) {
	days, _ := b.Evening.SaleDays(s.EventFigures)
	if len(days) == 0 || s.Phase == evening.Cancelled {
		return n
	}
	first, last := days[0].Day, min(s.Date, b.Today)
	if s.Date == "" {
		last = b.Today
	}
	soldIn := func(from, to figures.Day) words.Arg {
		sold := 0
		for _, d := range days {
			if d.Day >= from && d.Day <= to {
				sold += d.Sold
			}
		}
		return words.Text("sold", b.Signed(sold))
	}
	n.Rows = append(n.Rows, saleNote{ID: "notes-on-sale", Day: b.DayShortOf(first), Name: b.Say("notes.on_sale"),
		Sold: b.Say("notes.sold", soldIn(first, first.Add(noteDays-1)), words.Int("days", noteDays)), day: first})
	if b.Access.SeesMarketing() {
		for _, set := range b.Settings().All(record.SettingCampaign) {
			if day := figures.Day(set.From); day >= first && day <= last {
				row := saleNote{ID: web.NoteID("notes-campaign", &figures.Note{Day: day, Text: set.Of}), Day: b.DayShortOf(day), Name: words.NameAlone(set.Of), day: day}
				if to := compare.CampaignEnds(b.Evening, day, int(*set.Value)); to >= day { // the days that Marketing has it of
					row.Sold = words.Join(" · ", b.Say("notes.campaign_sold", soldIn(day, to), words.Int("days", to.Since(day)+1)), b.usualIn(sale, s.Date, day, to))
				}
				n.Rows = append(n.Rows, row)
			}
		}
		n.Add = []web.Link{{Href: web.MarketingPath, Text: b.Text("marketing.add_campaign")}}
	}
	slices.SortStableFunc(n.Rows, newestFirst)
	if len(n.Rows) > mostNotes {
		n.Rows = n.Rows[:mostNotes]
	}
	return n
}

// usualIn returns how many places comparable performances usually sold on the same days before theirs: the difference of what they
// had sold by then, without which nobody can tell what a campaign did. It is nothing where that is not known.
func (b builder) usualIn(p *evening.Pace, date, from, to figures.Day) words.Sentence {
	by := func(day figures.Day) int {
		return slices.IndexFunc(p.Points, func(at evening.PacePoint) bool { return at.Days == date.Since(day) })
	}
	before, after := by(from.Add(-1)), by(to)
	if before < 0 || after < 0 || len(p.Comparables) == 0 || !p.Usual.Known() {
		return nil
	}
	return b.Say("figs.usual", words.Int("n", p.Points[after].Usual.Median-p.Points[before].Usual.Median))
}

// marks returns the notes as texts above the days of a chart that begins on a day.
func (n *notes) marks(first figures.Day, days int) (all []charts.Note) {
	for _, r := range slices.Backward(n.marked) {
		if at := r.day.Since(first); at > 0 && at < days {
			all = append(all, charts.Note{At: at, Text: r.Name.String()})
		}
	}
	return all
}

// compared is what a performance is compared with, the most alike first, without the words of pace.
type compared struct {
	pace
	More []web.Link
}

// mostCompared is how many comparables the overview has.
const mostCompared = 4

// comparedOf returns the first of n comparables of a pace.
func (b builder) comparedOf(s *evening.Show, p pace, n int) compared {
	c := compared{pace: p}
	if n > mostCompared {
		c.Rows = p.Rows[:mostCompared]
		c.More = []web.Link{{Href: web.EventHref(s.Event.ID) + "?part=" + partSales, Text: b.Text("pace.more_rows", words.Int("n", n-mostCompared))}}
	}
	return c
}
