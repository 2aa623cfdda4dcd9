package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bojanz/currency"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web/words"
)

const settingsPath = "/settings"

// settings is what the venue sets: a form for each subject.
type settings struct {
	Title    string
	Text     sentence
	Trail    link
	Sections []settingSection
}

// settingSection is one form. The names of its fields are those of the settings.
type settingSection struct {
	ID, Title string
	Text      sentence
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
	Label        sentence
	Unit         string
	Was, Typed   string
	Placeholder  string
	Options      []Choice // to choose from, in the place of typing; an empty one takes the setting back
	Note         sentence // who set it
	Wrong        string
	Closed       bool // it cannot be changed any more
	setting      record.Setting
	units        []string
	placesBehind int // decimals
}

// newValue asks for a value that is not there yet, and from which day on it holds.
type newValue struct {
	Title, Thing, Since, Value, Unit string // what it asks for
	Things                           []Choice
	From, Typed                      string
	Wrong                            string
	name                             record.SettingName // empty where the names are chosen from
}

// setting is the one that is asked for, without its value; ok is false where nothing was chosen that is there.
func (n *newValue) setting(id, from string) (s record.Setting, ok bool) {
	if !slices.ContainsFunc(n.Things, func(c Choice) bool { return c.ID == id }) {
		return s, false
	}
	if n.name == "" {
		return record.Setting{Name: record.SettingName(id), From: from}, true
	}
	of, err := url.QueryUnescape(id)
	return record.Setting{Name: n.name, Of: of, From: from}, err == nil
}

// asked says that somebody typed into it, or chose another thing than the first.
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
var comparableBy = []figures.Likeness{figures.SameTitle, figures.SameHall, figures.SameWeekday, figures.SamePrices}

// Fields of the forms, beside those of settings: "is " and "was " with the id of one, escaped.
const (
	fieldSection = "section"
	fieldIs      = "is "
	fieldWas     = "was "
	fieldThing   = "new thing"
	fieldFrom    = "new from"
	fieldValue   = "new value"
)

// SettingsForm is what somebody typed on the page of settings that could not be saved.
type SettingsForm struct {
	section string
	typed   url.Values
	wrong   map[string]string // by the id of a setting; of a new value under that of its field
	gone    bool              // a field is of what is not there any more
}

// Failed says that something is to be looked at again, and nothing is to be saved.
func (f *SettingsForm) Failed() bool { return f.gone || len(f.wrong) > 0 }

// touched says that somebody typed into a row: it says something else than when they opened the page.
func (f *SettingsForm) touched(r *settingRow) bool {
	return f.typed.Has(fieldIs+r.Field) && f.typed.Get(fieldIs+r.Field) != f.typed.Get(fieldWas+r.Field)
}

// Saved is the address of the page that says what was saved.
func (f *SettingsForm) Saved() string {
	return settingsPath + "?" + url.Values{"saved": {f.section}}.Encode() + "#" + url.PathEscape(f.section)
}

// settings builds the page.
func (b *builder) settings() (view, error) {
	s := settings{Title: b.Text("nav.settings"), Text: b.Say("settings.lede"), Trail: link{Href: sessionsPath + "?what=" + SettingChanged + "&days=all", Text: b.Text("settings.trail")}}
	for _, id := range settingSections {
		s.Sections = append(s.Sections, b.typedInto(b.settingSection(id)))
	}
	return view{title: s.Title, body: settingsBody, fragments: []fragment{{"settings", s.html()}}}, nil
}

// settingSection is a form as things are.
func (b *builder) settingSection(id string) settingSection {
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
			Things: b.licensedHalls(), name: record.SettingLicensed}
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
			rows = append(rows, b.datedRows(t.name, "", b.Say(t.label), sentence{{Text: name}})...)
			s.New.Things = append(s.New.Things, Choice{ID: string(t.name), Name: name + " (" + b.settingUnit(t.name) + ")"})
		}
		s.Groups = []settingGroup{{Rows: rows}}
	case sectionComparables:
		s.Title, s.Text = b.Text("settings.comparables"), b.Say("settings.comparables_text", words.Int("most", figures.MostComparables))
		s.Groups = []settingGroup{{Rows: b.comparableRows()}}
	}
	return s
}

// thresholds say when something needs attention.
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

// inPercent says that a setting is a part, in hundredths of a per cent.
func inPercent(name record.SettingName) bool {
	switch name {
	case record.SettingVATRate, record.SettingFewLeft, record.SettingNearlyFull, record.SettingOffPace, record.SettingRefundPart:
		return true
	}
	return false
}

// settingRow is a setting as it is.
func (b *builder) settingRow(name record.SettingName, of, from string) settingRow {
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
		r.Note = b.Say("settings.set_by", words.Name("by", set.By), words.Text("when", b.moment(b.now, set.At)))
	}
	r.Typed = r.Was
	return r
}

// settingUnit is what a setting counts; empty for one that counts nothing, and for an amount.
func (b *builder) settingUnit(name record.SettingName) string {
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

// datedRows are the settings of one thing, in the order of the days from which they hold; where there are
// several, the one that is in force says so. The first holds whatever the day, and is there also where
// nothing is set, but for a rate of VAT: it has the label, and the others a short one with their day.
func (b *builder) datedRows(name record.SettingName, of string, label, short sentence) (rows []settingRow) {
	inForce := b.Settings().InForce(name, of, b.today)
	add := func(from string, label sentence, now bool) {
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

// fromDay says from which day on what is set of a thing holds.
func (b *builder) fromDay(name record.SettingName, thing sentence, from string) sentence {
	if from == "" {
		return thing
	}
	key := "settings.from_day"
	if name == record.SettingVATRate {
		key = "settings.performances_from"
	}
	return words.Join(", ", thing, b.Say(key, words.Text("day", b.dayShort(figures.Day(from)))))
}

// rateRows are the rates of VAT that are set.
func (b *builder) rateRows() (rows []settingRow) {
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

// ratedTypes is the ticket type of a rate of VAT, or all that have none of their own.
func (b *builder) ratedTypes(of string) sentence {
	if of == "" {
		return b.Say("settings.other_types")
	}
	return words.NameAlone(of)
}

// comparableRows are the rules by which comparable performances are chosen.
func (b *builder) comparableRows() (rows []settingRow) {
	for _, l := range comparableBy {
		r := b.settingRow(record.SettingComparableBy, l.String(), "")
		r.Label = b.Say("settings.comparable_by", words.Text("likeness", b.Code("comparable_by", l.String())))
		r.Options = []Choice{{Name: b.Text("settings.yes"), Chosen: r.Typed == ""}, {ID: b.Fixed(0, 0), Name: b.Text("settings.no"), Chosen: r.Typed != ""}}
		rows = append(rows, r)
	}
	days, least := b.settingRow(record.SettingComparableDays, "", ""), b.settingRow(record.SettingComparableLeast, "", "")
	days.Label, least.Label = b.Say("settings.comparable_days"), b.Say("settings.comparable_least")
	return append(rows, days, least)
}

// ticketTypes are the types that tickets are sold as, to choose from.
func (b *builder) ticketTypes() []Choice {
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
	all := []Choice{{Name: b.Text("settings.other_types")}}
	for _, name := range sorted(names) {
		all = append(all, Choice{ID: url.QueryEscape(name), Name: words.Bare(name)})
	}
	return all
}

// licensedHalls are the building and its halls to choose from, those among them in which nothing is on any
// more.
func (b *builder) licensedHalls() []Choice {
	names := map[string]bool{}
	for _, hall := range hallsOf(b.Snapshot) {
		names[hall] = true
	}
	for _, set := range b.Settings().All(record.SettingLicensed) {
		names[set.Of] = true
	}
	delete(names, "")
	all := []Choice{{Name: b.Text("settings.building")}}
	for _, hall := range sorted(names) {
		all = append(all, Choice{ID: url.QueryEscape(hall), Name: words.Bare(hall)})
	}
	return all
}

// licensedRows are how many people may be in the building and in its halls.
func (b *builder) licensedRows() []settingRow {
	building := b.Say("settings.building")
	rows := b.datedRows(record.SettingLicensed, "", building, building)
	for _, hall := range b.licensedHalls()[1:] {
		of, _ := url.QueryUnescape(hall.ID)
		dated := b.datedRows(record.SettingLicensed, of, words.NameAlone(of), words.NameAlone(of))
		if !hallExists(b.Snapshot, of) {
			dated[0].Note = words.Join(" · ", b.Say("settings.hall_gone"), dated[0].Note)
		}
		rows = append(rows, dated...)
	}
	return rows
}

// budgetGroups are the months of the running season and of the next, in every currency that is sold in.
func (b *builder) budgetGroups() (groups []settingGroup) {
	codes := currencies(b.Total.Of(figures.Booked).Value)
	for _, set := range b.Settings().All(record.SettingBudget) {
		if !slices.Contains(codes, set.Of) {
			codes = append(codes, set.Of)
		}
	}
	from, to := b.evening.Whole(figures.ThisSeason)
	running := monthOf(b.today)
	for season, first := range []string{monthOf(from), monthOf(to.Add(1))} {
		for _, code := range codes {
			g := settingGroup{Title: b.Text("settings.season", words.Text("from", b.month(first)), words.Text("currency", code)), Folded: season > 0}
			for i := range 12 {
				month := monthAfter(first, i)
				r := b.settingRow(record.SettingBudget, code, month)
				r.Label = sentence{{Text: b.month(month)}}
				r.Closed = month < running && r.Was != ""
				g.Rows = append(g.Rows, r)
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// monthOf is the month of a day, YYYY-MM.
func monthOf(d figures.Day) string { return string(d)[:min(len(d), len("2006-01"))] }

// monthAfter is so many months after another.
func monthAfter(month string, n int) string {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		return month
	}
	return t.AddDate(0, n, 0).Format("2006-01")
}

// month is a month in words, with its year where it is not this one.
func (b *builder) month(month string) string {
	return b.MonthShort(month+"-01", string(b.today))
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

// typedInto puts into a form what somebody typed there, and what is wrong with it.
func (b *builder) typedInto(s settingSection) settingSection {
	if b.params.Get("saved") == s.ID {
		s.Saved = b.Text("settings.saved")
	}
	f := b.form
	if f == nil || f.section != s.ID {
		return s
	}
	s.Saved = ""
	if f.Failed() {
		s.Failed = b.Text("settings.failed")
	}
	if f.gone {
		s.Failed = b.Text("settings.gone")
	}
	for _, g := range s.Groups {
		for i := range g.Rows {
			r := &g.Rows[i]
			if f.touched(r) { // the others are as they are by now: was says that they are
				r.Typed = f.typed.Get(fieldIs + r.Field)
				for j := range r.Options {
					r.Options[j].Chosen = r.Options[j].ID == r.Typed
				}
			}
			r.Wrong = f.wrong[r.Field]
		}
	}
	for i, g := range s.Groups {
		s.Groups[i].Folded = g.Folded && !slices.ContainsFunc(g.Rows, func(r settingRow) bool { return r.Wrong != "" })
	}
	if s.New != nil {
		s.New.From, s.New.Typed, s.New.Wrong = f.typed.Get(fieldFrom), f.typed.Get(fieldValue), f.wrong[fieldValue]
		for i := range s.New.Things {
			s.New.Things[i].Chosen = s.New.Things[i].ID == f.typed.Get(fieldThing)
		}
	}
	return s
}

// ReadSettings reads a form of the page of settings: what is to be set anew, by whom and when left out,
// or what is wrong. A field that says what it said is nothing new; one that says something else than
// when somebody opened the page, because somebody else set it meanwhile, is wrong until they look at it
// again. It is nil where the form is none of the page's.
func ReadSettings(q Request, typed url.Values, s *figures.Snapshot, now time.Time) (f *SettingsForm, changes []*record.Setting) {
	if !slices.Contains(settingSections, typed.Get(fieldSection)) {
		return nil, nil
	}
	b := newBuilder(q, s, now)
	b.evening = s.Evening(now)
	f = &SettingsForm{section: typed.Get(fieldSection), typed: typed, wrong: map[string]string{}}
	known, section := map[string]bool{}, b.settingSection(f.section)
	for _, g := range section.Groups {
		for i := range g.Rows {
			r := &g.Rows[i]
			known[fieldIs+r.Field] = true
			if !f.touched(r) {
				continue
			}
			r.Typed = typed.Get(fieldIs + r.Field)
			if r.Was != typed.Get(fieldWas+r.Field) {
				f.wrong[r.Field] = b.setMeanwhile(r)
			} else if set, wrong := b.readSetting(r); wrong != "" {
				f.wrong[r.Field] = wrong
			} else {
				changes = append(changes, set)
			}
		}
	}
	for name := range typed {
		f.gone = f.gone || strings.HasPrefix(name, fieldIs) && !known[name]
	}
	if section.New != nil && section.New.asked(typed) {
		if set, wrong := b.readNew(section.New, typed, known); wrong != "" {
			f.wrong[fieldValue] = wrong
		} else {
			changes = append(changes, set)
		}
	}
	if f.Failed() {
		return f, nil
	}
	return f, changes
}

// setMeanwhile says what somebody else set.
func (b *builder) setMeanwhile(r *settingRow) string {
	set := b.Settings().Get(r.setting.Name, r.setting.Of, r.setting.From)
	if set == nil {
		return b.Text("settings.cleared_meanwhile")
	}
	return b.Text("settings.set_meanwhile", words.Text("value", r.Was), words.Name("by", set.By), words.Text("when", b.moment(b.now, set.At)))
}

// readSetting reads what was typed into a row; an empty one takes the setting back.
func (b *builder) readSetting(r *settingRow) (set *record.Setting, wrong string) {
	set = new(r.setting)
	if r.Closed {
		return nil, b.Text("settings.month_over")
	}
	if strings.TrimSpace(r.Typed) == "" {
		return set, ""
	}
	least, most := figures.SettingBounds(set.Name)
	n, ok := b.ReadFixed(r.Typed, r.placesBehind, r.units...)
	if ok && n >= least && n <= most {
		set.Value = &n
		return set, ""
	}
	from, to := words.Text("from", b.Fixed(least, r.placesBehind)), words.Text("to", b.Fixed(most, r.placesBehind))
	switch {
	case set.Name == record.SettingBudget:
		return nil, b.Text("settings.wrong_amount", words.Text("example", b.example(1250, r.placesBehind)))
	case inPercent(set.Name):
		return nil, b.Text("settings.wrong_percent", from, to, words.Text("example", b.Fixed(max(least, 950), 2)))
	}
	return nil, b.Text("settings.wrong_number", from, to)
}

// example is an amount with all of its decimals.
func (b *builder) example(whole int64, decimals int) string {
	n := whole
	for range decimals {
		n *= 10
	}
	if decimals == 0 {
		return b.Fixed(n, 0)
	}
	return b.Fixed(n+5, decimals)
}

// readNew reads the fields of a new value, which is none of those that have a field already.
func (b *builder) readNew(n *newValue, typed url.Values, known map[string]bool) (set *record.Setting, wrong string) {
	from := strings.TrimSpace(typed.Get(fieldFrom))
	of, ok := n.setting(typed.Get(fieldThing), from)
	if !ok {
		return nil, b.Text("settings.wrong_choice")
	}
	if _, err := time.Parse(time.DateOnly, from); from != "" && err != nil {
		return nil, b.Text("settings.wrong_day")
	}
	r := b.settingRow(of.Name, of.Of, of.From)
	if known[fieldIs+r.Field] {
		return nil, b.Text("settings.value_there")
	}
	if r.Typed = typed.Get(fieldValue); strings.TrimSpace(r.Typed) == "" {
		return nil, b.Text("settings.no_value")
	}
	return b.readSetting(&r)
}

// SettingChanged is the action of an act that changed a setting: its Reason is the name of it, and its
// ObjectName, Before and After are those of SettingWords.
const SettingChanged = "setting_changed"

// SettingWords are what a setting is of and what it is, as the audit has them: in no language, with all
// decimals behind a point and nothing between thousands.
func SettingWords(s *record.Setting) (of, value string) {
	of = strings.Join(slices.DeleteFunc([]string{s.Of, s.From}, func(part string) bool { return part == "" }), " ")
	if s.Value == nil {
		return of, ""
	}
	switch {
	case inPercent(s.Name):
		return of, canonical(*s.Value, 2) + "%"
	case s.Name == record.SettingBudget:
		return of, canonical(*s.Value, digitsOf(s.Of))
	}
	return of, canonical(*s.Value, 0)
}

// canonical is a number of 0 or more, given in units of its last decimal, in no language.
func canonical(n int64, decimals int) string {
	digits := fmt.Sprintf("%0*d", decimals+1, n)
	if decimals == 0 {
		return digits
	}
	return digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}

// settingOf says in words what a setting is of, by the id of its record and by what SettingWords has of that.
func (b *builder) settingOf(id, of string) sentence {
	parts := strings.SplitN(id, "/", 3)
	switch name := record.SettingName(parts[0]); {
	case len(parts) < 3:
	case name == record.SettingLicensed && parts[2] == "":
		return b.fromDay(name, b.Say("settings.building"), parts[1])
	case name == record.SettingComparableBy:
		return sentence{{Text: b.Code("comparable_by", parts[2])}}
	case name == record.SettingLeftOut:
		if event, past, ok := record.LeftOut(parts[2]); ok {
			return b.Say("settings.left_out_of", words.Name("past", b.titleOf(past)), words.Name("title", b.titleOf(event)))
		}
	case name == record.SettingBudget:
		return words.Join(" · ", sentence{{Text: b.month(parts[1])}}, words.NameAlone(parts[2]))
	case name == record.SettingVATRate:
		return b.fromDay(name, b.ratedTypes(parts[2]), parts[1])
	case parts[1] != "":
		return b.fromDay(name, words.NameAlone(parts[2]), parts[1])
	}
	return words.NameAlone(of)
}

// titleOf is the title of a performance by its id, or else that.
func (b *builder) titleOf(id string) string {
	if e := b.Event(id); e != nil {
		return b.title(e)
	}
	return id
}

// settingValue is a value of SettingWords of the setting with an id as the reader writes it, with its unit;
// where nothing was set, what holds then.
func (b *builder) settingValue(name record.SettingName, id, value string) string {
	if value == "" {
		usual, ok := figures.UsualSetting(name)
		if whatever := (&record.Setting{Name: name}).RecordID(); !ok || !strings.HasPrefix(id, whatever) { // before its day another holds
			return b.Text("settings.not_set")
		}
		_, value = SettingWords(&record.Setting{Name: name, Value: &usual})
		return b.Text("settings.usual", words.Text("value", b.settingValue(name, id, value)))
	}
	number, percent := strings.CutSuffix(value, "%")
	whole, decimals, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole+decimals, 10, 64)
	if err != nil { // of another version of the program
		return value
	}
	number = b.Fixed(n, len(decimals))
	if name == record.SettingComparableBy || name == record.SettingLeftOut {
		if n == 0 {
			return b.Text("settings.no")
		}
		return b.Text("settings.yes")
	}
	if percent {
		return b.Text("number.percent", words.Text("n", number))
	}
	if unit := b.settingUnit(name); unit != "" {
		return number + nbsp + unit
	}
	return number
}
