package event

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// notes are what people noted about a performance and what happened to its sale: when it began, and campaigns, each with
// what was sold then.
type notes struct {
	Rows []saleNote
	Add  []web.Link // where a campaign is noted
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

// noteDays is over how many days what was sold is summed beside a note, and mostNotes how many there are.
const (
	noteDays  = 3
	mostNotes = 5
)

// notesOf returns the notes of a performance, the newest first: all that people noted, and the last of what happened to
// its sale; campaigns are for those who see them on Marketing.
func (b builder) notesOf(s *evening.Show) (n notes) {
	n = b.saleNotes(s)
	for _, noted := range b.NotesOf(s.Event.ID) {
		n.Rows = append(n.Rows, saleNote{ID: web.NoteID("notes", &noted), Day: b.DayShortOf(noted.Day), Name: words.NameAlone(noted.Text), By: b.NoteBy(&noted), Key: b.NoteKey(&noted), day: noted.Day})
	}
	slices.SortStableFunc(n.Rows, func(x, y saleNote) int { return y.day.Since(x.day) })
	return n
}

func (b builder) saleNotes(s *evening.Show) (n notes) {
	days, _ := b.Evening.SaleDays(s.EventFigures)
	if len(days) == 0 || s.Phase.Open() || s.Phase == evening.Cancelled {
		return n
	}
	first, last := days[0].Day, min(s.Date, b.Today)
	if s.Date == "" {
		last = b.Today
	}
	add := func(id string, name words.Sentence, day figures.Day) {
		sold := 0
		for _, d := range days {
			if d.Day >= day && d.Day < day.Add(noteDays) {
				sold += d.Sold
			}
		}
		n.Rows = append(n.Rows, saleNote{ID: id, Day: b.DayShortOf(day), Name: name, Sold: b.Say("notes.sold", words.Text("sold", b.Signed(sold)), words.Int("days", noteDays)), day: day})
	}
	add("notes-on-sale", b.Say("notes.on_sale"), first)
	if b.Access.SeesMarketing() {
		for _, set := range b.Settings().All(record.SettingCampaign) {
			if day := figures.Day(set.From); day >= first && day <= last {
				add(web.NoteID("notes-campaign", &figures.Note{Day: day, Text: set.Of}), words.NameAlone(set.Of), day)
			}
		}
		n.Add = []web.Link{{Href: web.MarketingPath, Text: b.Text("marketing.add_campaign")}}
	}
	slices.SortStableFunc(n.Rows, func(x, y saleNote) int { return y.day.Since(x.day) })
	if len(n.Rows) > mostNotes {
		n.Rows = n.Rows[:mostNotes]
	}
	return n
}

// marks returns the notes as texts above the days of a chart that begins on a day.
func (n *notes) marks(first figures.Day, days int) (all []charts.Note) {
	for _, r := range slices.Backward(n.Rows) {
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

// comparedOf returns the first comparables of a pace.
func (b builder) comparedOf(s *evening.Show, p pace) compared {
	c := compared{pace: p}
	if len(p.Rows) > mostCompared {
		c.Rows = p.Rows[:mostCompared]
		c.More = []web.Link{{Href: web.EventHref(s.Event.ID) + "?part=" + partSales, Text: b.Text("pace.more_rows", words.Int("n", len(p.Rows)-mostCompared))}}
	}
	return c
}
