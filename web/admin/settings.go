package admin

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bojanz/currency"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// settings is what the venue sets: a form for each subject.
type settings struct {
	Title    string
	Text     words.Sentence
	Trail    web.Link
	Sections []settingSection
}

// settingSection is one form. The names of its fields are those of the settings.
type settingSection struct {
	ID, Title string
	Text      words.Sentence
	Empty     string // there is nothing to set
	Groups    []settingGroup
	New       *newValue
	Failed    string // nothing was saved, and why
	Saved     string
}

type settingGroup struct {
	Title  string
	Folded bool
	Rows   []settingRow
}

// settingRow is one setting as it is, and as somebody typed it.
type settingRow struct {
	ID, Field    string
	Label        words.Sentence
	Unit         string
	Was, Typed   string
	Placeholder  string
	Options      []web.Choice   // to choose from, in the place of typing; an empty one takes the setting back
	Note         words.Sentence // who set it
	Wrong        string
	Closed       bool // it cannot be changed any more
	setting      record.Setting
	units        []string
	placesBehind int // decimals
}

// newValue asks for a value that is not there yet, and from which day on it holds.
type newValue struct {
	Title, Thing, Since, Value, Unit string // what it asks for
	Things                           []web.Choice
	From, Typed                      string
	Wrong                            string
	name                             record.SettingName // empty if the names are chosen from
}

// setting returns the one that is asked for, without its value; ok is false if nothing was chosen that is there.
func (n *newValue) setting(id, from string) (s record.Setting, ok bool) {
	if !slices.ContainsFunc(n.Things, func(c web.Choice) bool { return c.ID == id }) {
		return s, false
	}
	if n.name == "" {
		return record.Setting{Name: record.SettingName(id), From: from}, true
	}
	of, err := url.QueryUnescape(id)
	return record.Setting{Name: n.name, Of: of, From: from}, err == nil
}

// asked reports whether somebody typed into it, or chose another thing than the first.
func (n *newValue) asked(typed url.Values) bool {
	return strings.TrimSpace(typed.Get(fieldValue)+typed.Get(fieldFrom)) != "" || typed.Has(fieldThing) && typed.Get(fieldThing) != n.Things[0].ID
}

// The sections, by the name of the form.
const (
	sectionVAT         = "vat"
	sectionLicensed    = "licensed"
	sectionBudget      = "budgets"
	sectionAttention   = "attention"
	sectionComparables = "comparables"
)

var settingSections = []string{sectionVAT, sectionLicensed, sectionBudget, sectionAttention, sectionComparables}

// comparableBy are the likenesses by which performances may be comparable.
var comparableBy = []evening.Likeness{evening.SameTitle, evening.SameHall, evening.SameWeekday, evening.SamePrices}

// Fields of the forms, besides those of settings: "is " and "was " with an escaped id.
const (
	fieldSection = "section"
	fieldIs      = "is "
	fieldWas     = "was "
	fieldThing   = "new thing"
	fieldFrom    = "new from"
	fieldValue   = "new value"
)

// settings builds the page.
func (b builder) settings() (web.View, error) {
	s := settings{Title: b.Text("nav.settings"), Text: b.Say("settings.lede"), Trail: web.Link{Href: web.SessionsPath + "?what=" + SettingChanged + "&days=all", Text: b.Text("settings.trail")}}
	for _, id := range settingSections {
		s.Sections = append(s.Sections, b.typedInto(b.settingSection(id)))
	}
	return web.View{Title: s.Title, Body: settingsBody, Fragments: []web.Fragment{{ID: "settings", HTML: s.html()}}}, nil
}

// settingSection returns a form as things are.
func (b builder) settingSection(id string) settingSection {
	s := settingSection{ID: id}
	switch id {
	case sectionVAT:
		s.Title, s.Text = b.Text("settings.vat"), b.Say("settings.vat_text")
		s.Groups = []settingGroup{{Rows: b.rateRows()}}
		s.New = &newValue{Title: b.Text("settings.new_rate"), Thing: b.Text("settings.ticket_type"), Since: b.Text("settings.new_performances"), Value: b.Text("settings.rate"), Unit: "%",
			Things: b.ticketTypes(), name: record.SettingVATRate}
	case sectionLicensed:
		s.Title, s.Text = b.Text("settings.licensed"), b.Say("settings.licensed_text")
		s.Groups = []settingGroup{{Rows: b.licensedRows()}}
		s.New = &newValue{Title: b.Text("settings.new_licensed"), Thing: b.Text("settings.hall"), Since: b.Text("settings.from"), Value: b.Text("setting.licensed_capacity"), Unit: b.settingUnit(record.SettingLicensed),
			Things: things(b.Text("settings.building"), b.licensedHalls()), name: record.SettingLicensed}
	case sectionBudget:
		s.Title, s.Text = b.Text("settings.budgets"), b.Say("settings.budgets_text")
		if s.Groups = b.budgetGroups(); len(s.Groups) == 0 {
			s.Empty = b.Text("settings.no_currency")
		}
	case sectionAttention:
		s.Title, s.Text = b.Text("settings.attention"), b.Say("settings.attention_text")
		var rows []settingRow
		s.New = &newValue{Title: b.Text("settings.new_threshold"), Thing: b.Text("settings.threshold"), Since: b.Text("settings.from"), Value: b.Text("settings.value")}
		for _, t := range thresholds {
			name := b.Code("setting", string(t.name))
			rows = append(rows, b.datedRows(t.name, "", b.Say(t.label), words.Sentence{{Text: name}})...)
			s.New.Things = append(s.New.Things, web.Choice{ID: string(t.name), Name: name + " (" + b.settingUnit(t.name) + ")"})
		}
		s.Groups = []settingGroup{{Rows: rows}}
	case sectionComparables:
		s.Title, s.Text = b.Text("settings.comparables"), b.Say("settings.comparables_text", words.Int("most", figures.MostComparables))
		s.Groups = []settingGroup{{Rows: b.comparableRows()}}
	}
	return s
}

// thresholds are the limits from which something needs attention.
var thresholds = []struct {
	name  record.SettingName
	label string // a key
}{
	{record.SettingFewLeft, "settings.few_left"},
	{record.SettingNearlyFull, "settings.nearly_full"},
	{record.SettingOffPace, "settings.off_pace"},
	{record.SettingRefundPart, "settings.refund_part"},
	{record.SettingRefundPlaces, "settings.refund_places"},
	{record.SettingQuietGate, "settings.quiet_gate"},
}

// inPercent reports whether a setting is a part, in hundredths of a per cent.
func inPercent(name record.SettingName) bool {
	switch name {
	case record.SettingVATRate, record.SettingFewLeft, record.SettingNearlyFull, record.SettingOffPace, record.SettingRefundPart:
		return true
	}
	return false
}

// settingRow returns a setting as it is.
func (b builder) settingRow(name record.SettingName, of, from string) settingRow {
	r := settingRow{setting: record.Setting{Name: name, Of: of, From: from}}
	r.Field = url.QueryEscape(r.setting.RecordID())
	r.ID = "set-" + r.Field
	r.Unit = b.settingUnit(name)
	switch {
	case inPercent(name):
		r.placesBehind = 2
	case name == record.SettingBudget:
		r.Unit, r.placesBehind = of, digitsOf(of)
		if symbol, ok := currency.GetSymbol(of, currency.NewLocale(string(b.Locale))); ok {
			r.units = append(r.units, symbol)
		}
	}
	r.units = append(r.units, r.Unit)
	if usual, ok := figures.UsualSetting(name); ok && from == "" {
		r.Placeholder = b.Fixed(usual, r.placesBehind)
	}
	if set := b.Settings().Get(name, of, from); set != nil {
		r.Was = b.Fixed(*set.Value, r.placesBehind)
		r.Note = b.Say("settings.set_by", words.Name("by", set.By), words.Text("when", b.moment(b.Now, set.At)))
	}
	r.Typed = r.Was
	return r
}

// settingUnit returns what a setting counts; empty for one that counts nothing, and for an amount.
func (b builder) settingUnit(name record.SettingName) string {
	if inPercent(name) {
		return "%"
	}
	switch name {
	case record.SettingLicensed:
		return b.Text("settings.people")
	case record.SettingQuietGate:
		return b.Text("settings.minutes")
	case record.SettingRefundPlaces:
		return b.Text("settings.places")
	case record.SettingComparableDays:
		return b.Text("settings.days")
	case record.SettingComparableLeast:
		return b.Text("settings.performances")
	}
	return ""
}

func digitsOf(code string) int {
	digits, _ := currency.GetDigits(code) // none of one that is not known
	return int(digits)
}

// datedRows returns the settings of one thing, ordered by the days from which they hold; if there are
// several, the one in force is marked. The first holds on any day, and is listed even if nothing is set,
// except for a rate of VAT. It has the label; the others have a short one with their day.
func (b builder) datedRows(name record.SettingName, of string, label, short words.Sentence) (rows []settingRow) {
	inForce := b.Settings().InForce(name, of, b.Today)
	add := func(from string, label words.Sentence, now bool) {
		r := b.settingRow(name, of, from)
		if r.Label = label; now {
			r.Note = words.Join(" · ", b.Say("settings.in_force"), r.Note)
		}
		rows = append(rows, r)
	}
	all := slices.DeleteFunc(b.Settings().All(name), func(one *record.Setting) bool { return one.Of != of })
	if always := b.Settings().Get(name, of, ""); always == nil && name != record.SettingVATRate {
		_, usual := figures.UsualSetting(name)
		add("", label, usual && inForce == nil && len(all) > 0)
	}
	for _, one := range all {
		l := short
		if one.From == "" {
			l = label
		}
		add(one.From, b.fromDay(name, l, one.From), one == inForce && (len(all) > 1 || rows != nil))
	}
	return rows
}

// fromDay adds the day from which a setting of a thing holds.
func (b builder) fromDay(name record.SettingName, thing words.Sentence, from string) words.Sentence {
	if from == "" {
		return thing
	}
	key := "settings.from_day"
	if name == record.SettingVATRate {
		key = "settings.performances_from"
	}
	return words.Join(", ", thing, b.Say(key, words.Text("day", b.DayShort(from, string(b.Today)))))
}

// rateRows returns the rates of VAT that are set.
func (b builder) rateRows() (rows []settingRow) {
	types := map[string]bool{}
	for _, set := range b.Settings().All(record.SettingVATRate) {
		if types[set.Of] {
			continue
		}
		types[set.Of] = true
		of := b.ratedTypes(set.Of)
		rows = append(rows, b.datedRows(set.Name, set.Of, of, of)...)
	}
	return rows
}

// ratedTypes returns the ticket type of a rate of VAT, or all that have none of their own.
func (b builder) ratedTypes(of string) words.Sentence {
	if of == "" {
		return b.Say("settings.other_types")
	}
	return words.NameAlone(of)
}

// comparableRows returns the rules by which comparable performances are chosen.
func (b builder) comparableRows() (rows []settingRow) {
	for _, l := range comparableBy {
		r := b.settingRow(record.SettingComparableBy, l.String(), "")
		r.Label = b.Say("settings.comparable_by", words.Text("likeness", b.Code("comparable_by", l.String())))
		r.Options = []web.Choice{{Name: b.Text("settings.yes"), Chosen: r.Typed == ""}, {ID: b.Fixed(0, 0), Name: b.Text("settings.no"), Chosen: r.Typed != ""}}
		rows = append(rows, r)
	}
	days, least := b.settingRow(record.SettingComparableDays, "", ""), b.settingRow(record.SettingComparableLeast, "", "")
	days.Label, least.Label = b.Say("settings.comparable_days"), b.Say("settings.comparable_least")
	return append(rows, days, least)
}

// ticketTypes returns the types that tickets are sold as, to choose from.
func (b builder) ticketTypes() []web.Choice {
	names := map[string]bool{}
	for _, e := range b.Events {
		for _, p := range e.Parts[figures.ByTicketType].All() {
			names[p.Name] = true
		}
		for _, t := range e.Event.TicketTypes {
			names[t.Name] = true
		}
	}
	for _, set := range b.Settings().All(record.SettingVATRate) {
		names[set.Of] = true
	}
	delete(names, "")
	return things(b.Text("settings.other_types"), sorted(names))
}

// things returns what may be chosen to set something of: those without a name of their own, and names.
func things(unnamed string, names []string) []web.Choice {
	all := []web.Choice{{Name: unnamed}}
	for _, name := range names {
		all = append(all, web.Choice{ID: url.QueryEscape(name), Name: words.Bare(name)})
	}
	return all
}

// licensedHalls returns the halls, those among them in which nothing is on any more.
func (b builder) licensedHalls() []string {
	names := map[string]bool{}
	for _, hall := range web.HallsOf(b.Snapshot) {
		names[hall] = true
	}
	for _, set := range b.Settings().All(record.SettingLicensed) {
		names[set.Of] = true
	}
	delete(names, "")
	return sorted(names)
}

// licensedRows returns how many people may be in the building and in its halls.
func (b builder) licensedRows() []settingRow {
	building := b.Say("settings.building")
	rows := b.datedRows(record.SettingLicensed, "", building, building)
	for _, hall := range b.licensedHalls() {
		dated := b.datedRows(record.SettingLicensed, hall, words.NameAlone(hall), words.NameAlone(hall))
		if !web.HallExists(b.Snapshot, hall) {
			dated[0].Note = words.Join(" · ", b.Say("settings.hall_gone"), dated[0].Note)
		}
		rows = append(rows, dated...)
	}
	return rows
}

// budgetGroups returns the months of the running season and of the next, in every currency that is sold in.
func (b builder) budgetGroups() (groups []settingGroup) {
	codes := web.Currencies(b.Total.Of(figures.Booked).Value)
	for _, set := range b.Settings().All(record.SettingBudget) {
		if !slices.Contains(codes, set.Of) {
			codes = append(codes, set.Of)
		}
	}
	from, to := b.Evening.Whole(evening.ThisSeason)
	running := monthOf(b.Today)
	for season, first := range []string{monthOf(from), monthOf(to.Add(1))} {
		for _, code := range codes {
			g := settingGroup{Title: b.Text("settings.season", words.Text("from", b.MonthOf(first)), words.Text("currency", code)), Folded: season > 0}
			for i := range 12 {
				month := monthAfter(first, i)
				r := b.settingRow(record.SettingBudget, code, month)
				r.Label = words.Sentence{{Text: b.MonthOf(month)}}
				r.Closed = month < running && r.Was != ""
				g.Rows = append(g.Rows, r)
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// monthOf returns the month of a day, YYYY-MM.
func monthOf(d figures.Day) string { return string(d)[:min(len(d), len("2006-01"))] }

// monthAfter returns the month n months after another.
func monthAfter(month string, n int) string {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return month
	}
	return t.AddDate(0, n, 0).Format("2006-01")
}

func sorted(names map[string]bool) []string {
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, c string) int {
		return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(c)), strings.Compare(a, c))
	})
	return all
}

// SettingChanged is the action of an act that changed a setting: its Reason is the name of it, and its
// ObjectName, Before and After are those of SettingWords.
const SettingChanged = "setting_changed"
