package admin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web/words"
)

// SettingWords returns the subject of a setting and its value for the audit log, independent of language:
// with all decimals after a point and without thousands separators.
func SettingWords(s *record.Setting) (of, value string) {
	of = strings.Join(slices.DeleteFunc([]string{s.Of, s.From, s.To}, func(part string) bool { return part == "" }), " ")
	if s.Value == nil {
		return of, ""
	}
	switch {
	case isPercentage(s.Name):
		return of, canonical(*s.Value, 2) + "%"
	case s.Name == record.SettingBudget:
		return of, canonical(*s.Value, words.CurrencyDigits(s.Of))
	case s.Name == record.SettingCampaignCost:
		code, _ := record.CampaignCosting(s.Of)
		return of, canonical(*s.Value, words.CurrencyDigits(code))
	}
	return of, canonical(*s.Value, 0)
}

// canonical returns a number of 0 or more, given in units of its last decimal, independent of language.
func canonical(n int64, decimals int) string {
	digits := fmt.Sprintf("%0*d", decimals+1, n)
	if decimals == 0 {
		return digits
	}
	return digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}

// settingSubject names the subject of a setting, from the id of its record and the subject in SettingWords.
func (b builder) settingSubject(id, of string) words.Sentence {
	parts := strings.SplitN(id, "/", 3)
	switch name := record.SettingName(parts[0]); {
	case len(parts) < 3:
	case name == record.SettingLicensed && parts[2] == "":
		return b.withStartDay(name, b.Say("settings.building"), parts[1])
	case isOfAlerts(name):
		return words.Sentence{{Text: b.Code("alert_code", parts[2])}}
	case name == record.SettingComparableBy:
		return words.Sentence{{Text: b.Code("comparable_by", parts[2])}}
	case name == record.SettingLeftOut:
		if event, past, ok := record.LeftOut(parts[2]); ok {
			return b.Say("settings.left_out_of", words.Name("past", b.titleOf(past)), words.Name("title", b.titleOf(event)))
		}
	case name == record.SettingNote:
		if event, text, ok := record.NotedIn(parts[2]); ok {
			subject := words.NameAlone(text)
			if event != "" {
				subject = words.Join(" · ", words.NameAlone(b.titleOf(event)), subject)
			}
			return b.withStartDay(name, subject, parts[1])
		}
	case name == record.SettingBudget:
		return words.Join(" · ", words.Sentence{{Text: b.MonthOf(parts[1])}}, words.NameAlone(parts[2]))
	case name == record.SettingCampaignCost:
		code, campaign := record.CampaignCosting(parts[2])
		return b.withStartDay(name, words.Join(" · ", words.NameAlone(campaign), words.NameAlone(code)), parts[1])
	case name == record.SettingVATRate:
		return b.withStartDay(name, b.vatSubject(parts[2]), parts[1])
	case parts[1] != "":
		return b.withStartDay(name, words.NameAlone(parts[2]), parts[1])
	}
	return words.NameAlone(of)
}

// titleOf returns the title of a performance, or its id if there is no such performance.
func (b builder) titleOf(id string) string {
	if e := b.Event(id); e != nil {
		return b.TitleOf(e)
	}
	return id
}

// settingValue returns a value of SettingWords with its unit, in the reader's language; if nothing was set,
// the default.
func (b builder) settingValue(name record.SettingName, id, value string) string {
	if value == "" {
		of, anyDay := strings.CutPrefix(id, (&record.Setting{Name: name}).RecordID())
		usual, ok := figures.UsualSetting(name, of)
		if !ok || !anyDay { // a setting with a day has no default
			return b.Text("settings.not_set")
		}
		_, value = SettingWords(&record.Setting{Name: name, Value: &usual})
		return b.Text("settings.usual", words.Text("value", b.settingValue(name, id, value)))
	}
	number, percent := strings.CutSuffix(value, "%")
	whole, decimals, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole+decimals, 10, 64)
	if err != nil { // written by another version of the program
		return value
	}
	if text, ok := b.alertValue(name, n); ok {
		return text
	}
	number = b.Fixed(n, len(decimals))
	if name == record.SettingNote { // only that it is there
		return b.Text("settings.yes")
	}
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
		return number + words.NBSP + unit
	}
	return number
}
