package admin

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// SettingsForm is a submitted settings form, with its faults.
type SettingsForm struct {
	section string
	typed   url.Values
	wrong   map[string]string // messages by settingRow.Field; that of a new value under fieldValue
	gone    bool              // a submitted setting no longer exists
}

// Failed reports whether the form has faults, so that nothing is saved.
func (f *SettingsForm) Failed() bool { return f.gone || len(f.wrong) > 0 }

// touched reports whether a row differs from what it was when the page was opened.
func (f *SettingsForm) touched(r *settingRow) bool {
	return f.typed.Has(fieldIs+r.Field) && f.typed.Get(fieldIs+r.Field) != f.typed.Get(fieldWas+r.Field)
}

// Saved returns the address of the page that confirms what was saved.
func (f *SettingsForm) Saved() string {
	return web.SettingsPath + "?" + url.Values{"saved": {f.section}}.Encode() + "#" + url.PathEscape(f.section)
}

// withSubmitted adds the submitted values and their faults to a form, and the confirmation after saving.
func (b builder) withSubmitted(s settingSection) settingSection {
	if b.Values.Get("saved") == s.ID {
		s.Saved = b.Text("settings.saved")
	}
	f, _ := b.Form.(*SettingsForm)
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
			if f.touched(r) { // the other rows show the stored value
				r.Typed = f.typed.Get(fieldIs + r.Field)
				for j := range r.Options {
					r.Options[j].Chosen = r.Options[j].ID == r.Typed
				}
			}
			r.Wrong = f.wrong[r.Field]
		}
	}
	for i, g := range s.Groups {
		s.Groups[i].Collapsed = g.Collapsed && !slices.ContainsFunc(g.Rows, func(r settingRow) bool { return r.Wrong != "" })
	}
	if s.New != nil {
		s.New.From, s.New.Typed, s.New.Wrong = f.typed.Get(fieldFrom), f.typed.Get(fieldValue), f.wrong[fieldValue]
		for i := range s.New.Subjects {
			s.New.Subjects[i].Chosen = s.New.Subjects[i].ID == f.typed.Get(fieldSubject)
		}
	}
	return s
}

// ReadSettings reads a submitted settings form. It returns the form and the settings to change, in which
// the caller sets by whom and when; there are none if the form has faults. A field that is unchanged sets
// nothing. A changed field that somebody else has also changed after the page was opened is a fault, and
// has to be submitted again. The form is nil if the page has no such form.
func ReadSettings(q web.Request, typed url.Values, s *figures.Snapshot, now time.Time) (f *SettingsForm, changes []*record.Setting) {
	if !slices.Contains(settingSections, typed.Get(fieldSection)) {
		return nil, nil
	}
	b := builder{web.NewBuilder(q, s, now)}
	b.Evening = evening.At(s, now)
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
			if r.Stored != typed.Get(fieldWas+r.Field) {
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
	if section.New != nil && section.New.filled(typed) {
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

// setMeanwhile returns a message with the value that somebody else has set.
func (b builder) setMeanwhile(r *settingRow) string {
	set := b.Settings().Get(r.setting.Name, r.setting.Of, r.setting.From)
	if set == nil {
		return b.Text("settings.cleared_meanwhile")
	}
	return b.Text("settings.set_meanwhile", words.Text("value", r.Stored), words.Name("by", set.By), words.Text("when", b.dateTime(b.Now, set.At)))
}

// readSetting reads what was typed into a row; an empty field removes the setting.
func (b builder) readSetting(r *settingRow) (set *record.Setting, wrong string) {
	set = new(r.setting)
	if r.Closed {
		return nil, b.Text("settings.month_over")
	}
	if strings.TrimSpace(r.Typed) == "" {
		return set, ""
	}
	if r.Options != nil && !slices.ContainsFunc(r.Options, func(o web.Choice) bool { return o.ID == r.Typed }) {
		return nil, b.Text("settings.wrong_choice")
	}
	if wrong = b.readValue(set, r); wrong != "" {
		return nil, words.Join(" ", words.Sentence{{Text: wrong}}, b.Say("settings.or_empty")).String()
	}
	return set, ""
}

// readValue sets the value of a setting to what was typed into its row, unless that is wrong.
func (b builder) readValue(set *record.Setting, r *settingRow) (wrong string) {
	least, most := figures.SettingBounds(set.Name)
	n, ok := b.ReadFixed(r.Typed, r.decimals, r.units...)
	if ok && n >= least && n <= most {
		set.Value = &n
		return ""
	}
	from, to := words.Text("from", b.Fixed(least, r.decimals)), words.Text("to", b.Fixed(most, r.decimals))
	switch {
	case set.Name == record.SettingBudget:
		return b.Text("settings.wrong_amount", words.Text("example", b.example(1250, r.decimals)))
	case isPercentage(set.Name):
		return b.Text("settings.wrong_percent", from, to, words.Text("example", b.Fixed(max(least, 950), 2)))
	}
	return b.Text("settings.wrong_number", from, to)
}

// example returns an amount in the style of the language. If the currency has decimals, it shows all of them.
func (b builder) example(whole int64, decimals int) string {
	n := whole
	for range decimals {
		n *= 10
	}
	if decimals == 0 {
		return b.Fixed(n, 0)
	}
	return b.Fixed(n+5, decimals)
}

// readNew reads the fields of a new value. A setting that already has a row is refused.
func (b builder) readNew(n *newValue, typed url.Values, known map[string]bool) (set *record.Setting, wrong string) {
	from := strings.TrimSpace(typed.Get(fieldFrom))
	of, ok := n.setting(typed.Get(fieldSubject), from)
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
	return &r.setting, b.readValue(&r.setting, &r)
}
