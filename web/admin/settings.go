package admin

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"github.com/bojanz/currency"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// settingsPage is the page of settings; each section is a form.
type settingsPage struct {
	Title    string
	Text     words.Sentence
	Trail    []web.Link
	Sections []settingSection
	Runs     programSection
}

// programSection shows what runs, and when it was last backed up. Nothing of it is set here.
type programSection struct {
	Title string
	Rows  []programRow
}

type programRow struct {
	Label, Value string
	Link         *web.Link
}

type settingSection struct {
	ID, Title string
	Text      words.Sentence
	Empty     string // a text for a section without settings
	Groups    []settingGroup
	Told      *told // of alerts; nil for other settings
	New       *newValue
	Failed    string // why nothing was saved
	Saved     string
}

type settingGroup struct {
	Title     string
	Told      string // how an alert is told; empty for other settings
	Collapsed bool
	Rows      []settingRow
}

// Now returns the settings that are shown as text; a month without a budget is not, nor how an alert is told as usual.
func (s settingSection) Now() (rows []settingRow) {
	for _, g := range s.Groups {
		for _, r := range g.Rows {
			if s.ID != sectionBudget && s.ID != sectionAlerts || r.Stored != "" {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// settingRow is one setting: its stored and its typed value.
type settingRow struct {
	ID, Field     string
	Label         words.Sentence
	Short         string // Label without the title of its group; empty for the same
	Unit          string
	Stored, Typed string
	Placeholder   string
	Options       []web.Choice   // choices instead of a text field; the one with an empty id removes the setting
	Note          words.Sentence // who set it and when
	Wrong         string
	Closed        bool // can no longer be changed
	setting       record.Setting
	units         []string // accepted after a typed value
	decimals      int      // of Stored and Typed
}

// newValue is the part of a form that adds a value, with the day from which it applies.
type newValue struct {
	Title, SubjectLabel, FromLabel, ValueLabel, Unit string
	Subjects                                         []web.Choice
	From, Typed                                      string
	Wrong                                            string
	name                                             record.SettingName // empty if Subjects are names of settings
}

// setting returns the chosen setting without its value. ok is false if id is not among the choices.
func (n *newValue) setting(id, from string) (s record.Setting, ok bool) {
	if !slices.ContainsFunc(n.Subjects, func(c web.Choice) bool { return c.ID == id }) {
		return s, false
	}
	if n.name == "" {
		return record.Setting{Name: record.SettingName(id), From: from}, true
	}
	of, err := url.QueryUnescape(id)
	return record.Setting{Name: n.name, Of: of, From: from}, err == nil
}

// filled reports whether a value or a day was typed, or a subject other than the first was chosen.
func (n *newValue) filled(typed url.Values) bool {
	return strings.TrimSpace(typed.Get(fieldValue)+typed.Get(fieldFrom)) != "" || typed.Has(fieldSubject) && typed.Get(fieldSubject) != n.Subjects[0].ID
}

// The ids of the sections.
const (
	sectionVAT         = "vat"
	sectionLicensed    = "licensed"
	sectionBudget      = "budgets"
	sectionAttention   = "attention"
	sectionComparables = "comparables"
	sectionAlerts      = "alerts"
)

var settingSections = []string{sectionVAT, sectionLicensed, sectionBudget, sectionAttention, sectionAlerts, sectionComparables}

// comparableBy are the likenesses that can be switched off, in the order of the page.
var comparableBy = []evening.Likeness{evening.SameTitle, evening.SameHall, evening.SameWeekday, evening.SamePrices}

// The names of form fields. fieldIs and fieldWas are followed by the escaped id of a setting: its typed value,
// and its value when the page was opened.
const (
	fieldSection = "section"
	fieldIs      = "is "
	fieldWas     = "was "
	fieldSubject = "new thing"
	fieldFrom    = "new from"
	fieldValue   = "new value"
)

// settingsPage builds the page of settings.
func (b builder) settingsPage() (web.View, error) {
	s := settingsPage{Title: b.Text("nav.settings"), Text: b.Say("settings.lede"), Trail: []web.Link{
		{Href: web.ServicesPath, Text: b.Text("nav.services")}, {Href: web.SessionsPath + "?what=" + SettingChanged + "&days=all", Text: b.Text("settings.trail")}}}
	for _, id := range settingSections {
		s.Sections = append(s.Sections, b.withSubmitted(b.settingSection(id)))
	}
	s.Runs = b.programSection()
	return web.View{Title: s.Title, Body: settingsBody, Fragments: []web.Fragment{{ID: "settings", HTML: s.html()}}}, nil
}

func (b builder) programSection() programSection {
	backup := programRow{Label: b.Text("settings.backup"), Value: b.Text("settings.backup_none"),
		Link: &web.Link{Href: web.SessionsPath + "?what=backed_up&days=all", Text: b.Text("settings.backup_by_hand")}}
	if last := b.Snapshot.Checks[figures.CheckBackup]; last != nil {
		switch good := b.dateTime(b.Now, cmp.Or(last.Whole, last.At)); {
		case len(last.Found) == 0:
			backup.Value = good
		case last.Whole.IsZero():
			backup.Value = b.Text("settings.backup_failed", words.Text("when", b.dateTime(b.Now, last.Found[0].Since)))
		default:
			backup.Value = b.Text("settings.backup_failed_after", words.Text("good", good), words.Text("when", b.dateTime(b.Now, last.Found[0].Since)))
		}
		if why := b.Snapshot.BackupFault(); why != "" {
			backup.Value = b.Text("settings.backup_why", words.Text("value", backup.Value), words.Text("why", b.Code("backup_fault", string(why))))
		}
	}
	return programSection{Title: b.Text("settings.program"), Rows: []programRow{
		{Label: b.Text("settings.version"), Value: b.Program.Version},
		{Label: b.Text("services.first"), Value: b.List(b.Program.Services), Link: &web.Link{Href: web.ConnectionPath, Text: b.Text("connection.title")}},
		backup}}
}

// settingSection returns a form with the stored values.
func (b builder) settingSection(id string) settingSection {
	s := settingSection{ID: id}
	switch id {
	case sectionVAT:
		s.Title, s.Text = b.Text("settings.vat"), b.Say("settings.vat_text")
		s.Groups = []settingGroup{{Rows: b.rateRows()}}
		s.New = &newValue{Title: b.Text("settings.new_rate"), SubjectLabel: b.Text("settings.ticket_type"), FromLabel: b.Text("settings.new_performances"), ValueLabel: b.Text("settings.rate"), Unit: "%",
			Subjects: b.ticketTypes(), name: record.SettingVATRate}
	case sectionLicensed:
		s.Title, s.Text = b.Text("settings.licensed"), b.Say("settings.licensed_text")
		s.Groups = []settingGroup{{Rows: b.licensedRows()}}
		s.New = &newValue{Title: b.Text("settings.new_licensed"), SubjectLabel: b.Text("settings.hall"), FromLabel: b.Text("settings.from"), ValueLabel: b.Text("setting.licensed_capacity"), Unit: b.settingUnit(record.SettingLicensed),
			Subjects: subjectChoices(b.Text("settings.building"), b.licensedHalls()), name: record.SettingLicensed}
	case sectionBudget:
		s.Title, s.Text = b.Text("settings.budgets"), b.Say("settings.budgets_text")
		if s.Groups = b.budgetGroups(); len(s.Groups) == 0 {
			s.Empty = b.Text("settings.no_currency")
		}
	case sectionAttention:
		s.Title, s.Text = b.Text("settings.attention"), b.Say("settings.attention_text")
		var rows []settingRow
		s.New = &newValue{Title: b.Text("settings.new_threshold"), SubjectLabel: b.Text("settings.threshold"), FromLabel: b.Text("settings.from"), ValueLabel: b.Text("settings.value")}
		for _, t := range thresholds {
			name := b.Code("setting", string(t.name))
			rows = append(rows, b.datedRows(t.name, "", b.Say(t.label), words.Sentence{{Text: name}})...)
			s.New.Subjects = append(s.New.Subjects, web.Choice{ID: string(t.name), Name: name + " (" + b.settingUnit(t.name) + ")"})
		}
		s.Groups = []settingGroup{{Rows: rows}}
	case sectionAlerts:
		s.Title, s.Text = b.Text("settings.alerts"), b.Say("settings.alerts_text")
		s.Groups, s.Told = b.alertGroups(), b.told()
	case sectionComparables:
		s.Title, s.Text = b.Text("settings.comparables"), b.Say("settings.comparables_text", words.Int("most", figures.MostComparables))
		s.Groups = []settingGroup{{Rows: b.comparableRows()}}
	}
	return s
}

// thresholds are the settings of the section of attention, in the order of the page.
var thresholds = []struct {
	name  record.SettingName
	label string // a key of the catalogue
}{
	{record.SettingFewLeft, "settings.few_left"},
	{record.SettingNearlyFull, "settings.nearly_full"},
	{record.SettingOffPace, "settings.off_pace"},
	{record.SettingRefundPart, "settings.refund_part"},
	{record.SettingRefundPlaces, "settings.refund_places"},
	{record.SettingQuietGate, "settings.quiet_gate"},
}

// isPercentage reports whether a setting is a percentage, stored in hundredths of a per cent.
func isPercentage(name record.SettingName) bool {
	switch name {
	case record.SettingVATRate, record.SettingFewLeft, record.SettingNearlyFull, record.SettingOffPace, record.SettingRefundPart:
		return true
	}
	return false
}

// settingRow returns a row with the stored value. The placeholder of a row without a day is the default.
func (b builder) settingRow(name record.SettingName, of, from string) settingRow {
	r := settingRow{setting: record.Setting{Name: name, Of: of, From: from}}
	r.Field = url.QueryEscape(r.setting.RecordID())
	r.ID = "set-" + r.Field
	r.Unit = b.settingUnit(name)
	switch {
	case isPercentage(name):
		r.decimals = 2
	case name == record.SettingBudget:
		r.Unit, r.decimals = of, words.CurrencyDigits(of)
		if symbol, ok := currency.GetSymbol(of, currency.NewLocale(string(b.Locale))); ok {
			r.units = append(r.units, symbol)
		}
	}
	r.units = append(r.units, r.Unit)
	if usual, ok := figures.UsualSetting(name, of); ok && from == "" {
		r.Placeholder = b.Fixed(usual, r.decimals)
	}
	if set := b.Settings().Get(name, of, from); set != nil {
		r.Stored = b.Fixed(*set.Value, r.decimals)
		r.Note = b.Say("settings.set_by", words.Name("by", set.By), words.Text("when", b.dateTime(b.Now, set.At)))
	}
	r.Typed = r.Stored
	return r
}

// settingUnit returns the unit of a setting, empty for amounts and for settings without a unit.
func (b builder) settingUnit(name record.SettingName) string {
	if isPercentage(name) {
		return "%"
	}
	switch name {
	case record.SettingLicensed:
		return b.Text("settings.people")
	case record.SettingQuietGate, record.SettingAlertAfter:
		return b.Text("settings.minutes")
	case record.SettingAlertFrom, record.SettingAlertUntil:
		return b.Text("settings.hours")
	case record.SettingRefundPlaces:
		return b.Text("settings.places")
	case record.SettingComparableDays, record.SettingCampaign:
		return b.Text("settings.days")
	case record.SettingComparableLeast:
		return b.Text("settings.performances")
	}
	return ""
}

// datedRows returns the rows of one subject, by the day from which they apply. The first row applies without a
// day and has the label; except for VAT rates it is there even if it is not set. The rows with a day have the
// short label and the day. If there are several rows, the one in force today is marked.
func (b builder) datedRows(name record.SettingName, of string, label, short words.Sentence) (rows []settingRow) {
	inForce := b.Settings().InForce(name, of, b.Today)
	add := func(from string, label words.Sentence, marked bool) {
		r := b.settingRow(name, of, from)
		if r.Label = label; marked {
			r.Note = words.Join(" · ", b.Say("settings.in_force"), r.Note)
		}
		rows = append(rows, r)
	}
	all := slices.DeleteFunc(b.Settings().All(name), func(set *record.Setting) bool { return set.Of != of })
	if always := b.Settings().Get(name, of, ""); always == nil && name != record.SettingVATRate {
		_, usual := figures.UsualSetting(name, of)
		add("", label, usual && inForce == nil && len(all) > 0)
	}
	for _, set := range all {
		l := short
		if set.From == "" {
			l = label
		}
		add(set.From, b.withStartDay(name, l, set.From), set == inForce && (len(all) > 1 || rows != nil))
	}
	return rows
}

// withStartDay adds the day from which a setting applies to the name of its subject.
func (b builder) withStartDay(name record.SettingName, subject words.Sentence, from string) words.Sentence {
	if from == "" {
		return subject
	}
	key := "settings.from_day"
	if name == record.SettingVATRate {
		key = "settings.performances_from"
	}
	return words.Join(", ", subject, b.Say(key, words.Text("day", b.DayShort(from, string(b.Today)))))
}

func (b builder) rateRows() (rows []settingRow) {
	types := map[string]bool{}
	for _, set := range b.Settings().All(record.SettingVATRate) {
		if types[set.Of] {
			continue
		}
		types[set.Of] = true
		of := b.vatSubject(set.Of)
		rows = append(rows, b.datedRows(set.Name, set.Of, of, of)...)
	}
	return rows
}

// vatSubject names the ticket type of a VAT rate. Empty means all types without a rate of their own.
func (b builder) vatSubject(of string) words.Sentence {
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

// ticketTypes returns the choices of ticket types: those sold, those offered, and those with a rate.
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
	return subjectChoices(b.Text("settings.other_types"), sortedNames(names))
}

// subjectChoices returns a choice with an empty id, followed by the names. Ids are escaped names.
func subjectChoices(unnamed string, names []string) []web.Choice {
	all := []web.Choice{{Name: unnamed}}
	for _, name := range names {
		all = append(all, web.Choice{ID: url.QueryEscape(name), Name: words.Bare(name)})
	}
	return all
}

// licensedHalls returns the halls, and halls without performances that have a licensed capacity.
func (b builder) licensedHalls() []string {
	names := map[string]bool{}
	for _, hall := range web.HallsOf(b.Snapshot) {
		names[hall] = true
	}
	for _, set := range b.Settings().All(record.SettingLicensed) {
		names[set.Of] = true
	}
	delete(names, "")
	return sortedNames(names)
}

// licensedRows returns the licensed capacities of the building and of each hall.
func (b builder) licensedRows() []settingRow {
	building := b.Say("settings.building")
	rows := b.datedRows(record.SettingLicensed, "", building, building)
	for _, hall := range b.licensedHalls() {
		dated := b.datedRows(record.SettingLicensed, hall, words.NameAlone(hall), words.NameAlone(hall))
		if !query.HallExists(b.Snapshot, hall) {
			dated[0].Note = words.Join(" · ", b.Say("settings.hall_gone"), dated[0].Note)
		}
		rows = append(rows, dated...)
	}
	return rows
}

// budgetGroups returns the months of the current and the next season, for each currency with sales or a
// budget. A past month with a budget is closed.
func (b builder) budgetGroups() (groups []settingGroup) {
	codes := figures.Currencies(b.Total.Of(figures.Booked).Value)
	for _, set := range b.Settings().All(record.SettingBudget) {
		if !slices.Contains(codes, set.Of) {
			codes = append(codes, set.Of)
		}
	}
	from, to := compare.Whole(b.Evening, compare.ThisSeason)
	running := monthOf(b.Today)
	for season, first := range []string{monthOf(from), monthOf(to.Add(1))} {
		for _, code := range codes {
			g := settingGroup{Title: b.Text("settings.season", words.Text("from", b.MonthOf(first)), words.Text("currency", code)), Collapsed: season > 0}
			for i := range 12 {
				month := addMonths(first, i)
				r := b.settingRow(record.SettingBudget, code, month)
				r.Label = words.Sentence{{Text: b.MonthOf(month)}}
				r.Closed = month < running && r.Stored != ""
				g.Rows = append(g.Rows, r)
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// monthOf returns the month of a day as YYYY-MM.
func monthOf(d figures.Day) string { return string(d)[:min(len(d), len("2006-01"))] }

// addMonths returns the month that is n months after another, both as YYYY-MM. It returns month itself if it
// cannot be parsed.
func addMonths(month string, n int) string {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return month
	}
	return t.AddDate(0, n, 0).Format("2006-01")
}

// sortedNames returns the names, sorted without regard to case.
func sortedNames(names map[string]bool) []string {
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, c string) int {
		return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(c)), strings.Compare(a, c))
	})
	return all
}

// SettingChanged is the action of an act that changed a setting. Its Reason is the name of the setting, its
// Object the id of the record; ObjectName, Before and After are from SettingWords.
const SettingChanged = "setting_changed"
