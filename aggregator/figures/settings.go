package figures

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"
)

const (
	// MostComparables is how many past performances one is compared with, and FewestComparables how many are
	// needed for a usual value, unless the venue has set another number.
	MostComparables   = 20
	FewestComparables = FewestPast
	// LongestPace is how many days a pace goes back.
	LongestPace = 400
)

// Settings are the settings of the venue. They are immutable; nil means that nothing is set.
type Settings struct {
	byID map[string]*record.Setting
	// Since is when each setting was last set or taken back.
	Since map[string]time.Time
	// dated are the settings that hold from a day on, by what they are about, the last day first.
	dated map[settingOf][]*record.Setting
	rates bool // some rate of VAT is set
	// LeftOutEvents are, by id of a performance, the past performances that are left out of its comparables.
	LeftOutEvents map[string][]string
	// Notes are what people noted, the last day first.
	Notes []Note
}

// Note is what somebody noted about a day or a performance.
type Note struct {
	Day   Day    // the first that it is about
	Until Day    // the last, which is Day for most notes
	Event string // the id of the performance; empty for a note about the day
	Text  string
	// Exceptional days are left out where a comparison asks for that.
	Exceptional bool
	By          string // who wrote it
	// EditedBy is who edited it last, and Edited when; zero if nobody did.
	EditedBy string
	Edited   time.Time
}

// settingOf is what a setting is about, without the day from which it holds.
type settingOf struct {
	name record.SettingName
	of   string
}

// The bounds of settings. Others come from another version of the program and count as not set.
const (
	// WholeRate is a rate of one hundred per cent, or a whole capacity.
	WholeRate    = 100_00
	MostLicensed = 1_000_000
	MostBudget   = 1e13 // minor units
	MostFewLeft  = 50_00
	MostQuiet    = 60    // minutes
	MostBack     = 36500 // days
	MostCampaign = 366   // days
	MostNoteDays = 366
	// LeastNearlyFull is half of a capacity. MostRefundPlaces is more than any performance has.
	LeastNearlyFull  = 50_00
	MostRefundPlaces = 100_000
	MostAlertAfter   = 240 // minutes
	MostAlertRole    = 4
)

// The values of SettingAlertTold.
const (
	AlertOff = iota
	AlertOnPages
	AlertSent
)

// The ways of SettingAlertBy, of which any may be added up.
const (
	AlertByMail = 1 << iota
	AlertByDevice
	AlertByHouse // to the addresses of the house
	AlertByAll   = AlertByMail | AlertByDevice | AlertByHouse
)

// The defaults.
const (
	UsualFewLeft = 5_00
	UsualQuiet   = 5 // minutes

	UsualNearlyFull   = 90_00
	UsualOffPace      = 25_00
	UsualRefundPart   = 10_00
	UsualRefundPlaces = 10
	UsualAlertAfter   = 10 // minutes
)

// SettingBounds returns the least and the greatest value of a setting.
func SettingBounds(name record.SettingName) (least, most int64) {
	switch name {
	case record.SettingVATRate:
		return 0, WholeRate
	case record.SettingLicensed:
		return 1, MostLicensed
	case record.SettingBudget, record.SettingCampaignCost:
		return 0, MostBudget
	case record.SettingFewLeft:
		return 0, MostFewLeft
	case record.SettingQuietGate:
		return 1, MostQuiet
	case record.SettingComparableBy: // it holds unless it is set
		return 0, 0
	case record.SettingLeftOut:
		return 1, 1
	case record.SettingCampaign:
		return 1, MostCampaign
	case record.SettingNote:
		return 0, 1
	case record.SettingComparableDays:
		return 1, MostBack
	case record.SettingComparableLeast:
		return 1, MostComparables
	case record.SettingNearlyFull:
		return LeastNearlyFull, WholeRate
	case record.SettingOffPace, record.SettingRefundPart:
		return 1_00, WholeRate
	case record.SettingRefundPlaces:
		return 1, MostRefundPlaces
	case record.SettingAlertTold:
		return AlertOff, AlertSent
	case record.SettingAlertFrom:
		return 0, 23
	case record.SettingAlertUntil:
		return 1, 24
	case record.SettingAlertAfter:
		return 1, MostAlertAfter
	case record.SettingAlertRole:
		return 1, MostAlertRole
	case record.SettingAlertBy:
		return AlertByMail, AlertByAll
	}
	return 0, -1
}

// usuallyOnPages are the codes of alerts that are not sent unless the house says so: nobody has to do anything at once.
var usuallyOnPages = []string{"few_left"}

// UsualSetting returns the default of a setting about something; ok is false if it has none.
func UsualSetting(name record.SettingName, of string) (usual int64, ok bool) {
	switch name {
	case record.SettingFewLeft:
		return UsualFewLeft, true
	case record.SettingQuietGate:
		return UsualQuiet, true
	case record.SettingNearlyFull:
		return UsualNearlyFull, true
	case record.SettingOffPace:
		return UsualOffPace, true
	case record.SettingRefundPart:
		return UsualRefundPart, true
	case record.SettingRefundPlaces:
		return UsualRefundPlaces, true
	case record.SettingComparableBy:
		return 1, true
	case record.SettingComparableLeast:
		return FewestComparables, true
	case record.SettingAlertTold:
		if slices.Contains(usuallyOnPages, of) {
			return AlertOnPages, true
		}
		return AlertSent, true
	case record.SettingAlertAfter:
		return UsualAlertAfter, true
	case record.SettingAlertBy:
		return AlertByAll, true
	}
	return 0, false
}

// Setting is a stored setting: the record, and the revision of its version.
type Setting struct {
	*record.Setting
	Revision int64
}

func SettingsOf(held map[string]Setting) *Settings {
	s := &Settings{byID: map[string]*record.Setting{}, Since: map[string]time.Time{}, dated: map[settingOf][]*record.Setting{}, LeftOutEvents: map[string][]string{}}
	for id, one := range held {
		s.Since[id] = one.At
		if least, most := SettingBounds(one.Name); one.Value == nil || *one.Value < least || *one.Value > most {
			continue
		}
		s.byID[id] = one.Setting
		switch one.Name {
		case record.SettingLeftOut:
			if event, past, ok := record.LeftOut(one.Of); ok {
				s.LeftOutEvents[event] = append(s.LeftOutEvents[event], past)
			}
		case record.SettingNote:
			if event, text, ok := record.NotedIn(one.Of); ok {
				n := Note{Day: Day(one.From), Until: noteUntil(one.Setting), Event: event, Text: text, Exceptional: *one.Value == 1, By: one.By}
				if one.Author != "" {
					n.By, n.EditedBy, n.Edited = one.Author, one.By, one.At
				}
				s.Notes = append(s.Notes, n)
			}
		case record.SettingBudget, record.SettingCampaign, record.SettingCampaignCost: // these hold only for their own time
		default:
			key := settingOf{one.Name, one.Of}
			s.dated[key] = append(s.dated[key], one.Setting)
			s.rates = s.rates || one.Name == record.SettingVATRate
		}
	}
	for _, all := range s.LeftOutEvents {
		slices.Sort(all)
	}
	slices.SortFunc(s.Notes, func(a, b Note) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(a.Event, b.Event), cmp.Compare(a.Text, b.Text))
	})
	for _, all := range s.dated {
		slices.SortFunc(all, func(a, b *record.Setting) int { return cmp.Compare(b.From, a.From) })
	}
	return s
}

// Settings returns what the venue has set.
func (s *Snapshot) Settings() *Settings { return s.House }

// ExceptionalDays are the days that a note about them calls exceptional.
func (s *Settings) ExceptionalDays() map[Day]bool {
	days := map[Day]bool{}
	if s != nil {
		for _, n := range s.Notes {
			if !n.Exceptional || n.Event != "" {
				continue
			}
			for day := n.Day; day <= n.Until; day = day.Add(1) {
				days[day] = true
			}
		}
	}
	return days
}

// noteUntil returns the last day that a note is about: its first where it names none, or one that is before it or too far off.
func noteUntil(s *record.Setting) Day {
	from, to := Day(s.From), Day(s.To)
	if days := to.Since(from); s.To == "" || days < 0 || days >= MostNoteDays {
		return from
	}
	return to
}

// Get returns the setting with a name, subject and day; nil for none.
func (s *Settings) Get(name record.SettingName, of, from string) *record.Setting {
	if s == nil {
		return nil
	}
	return s.byID[(&record.Setting{Name: name, Of: of, From: from}).RecordID()]
}

// At returns when a setting was last set or taken back; zero for never.
func (s *Settings) At(name record.SettingName, of, from string) time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.Since[(&record.Setting{Name: name, Of: of, From: from}).RecordID()]
}

// All returns the settings with a name: those about one thing together, from the earliest day on.
func (s *Settings) All(name record.SettingName) []*record.Setting {
	if s == nil {
		return nil
	}
	all := slices.DeleteFunc(slices.Collect(maps.Values(s.byID)), func(one *record.Setting) bool { return one.Name != name })
	slices.SortFunc(all, func(a, b *record.Setting) int {
		return cmp.Or(strings.Compare(a.Of, b.Of), strings.Compare(a.From, b.From))
	})
	return all
}

// InForce returns the setting about one thing that is in force on a day: the one with the last day not after it;
// nil for none. An empty day is before all others.
func (s *Settings) InForce(name record.SettingName, of string, day Day) *record.Setting {
	if s == nil {
		return nil
	}
	for _, one := range s.dated[settingOf{name, of}] {
		if one.From <= string(day) {
			return one
		}
	}
	return nil
}

// ValueOn returns the value in force on a day, or else the default, or else 0.
func (s *Settings) ValueOn(name record.SettingName, of string, day Day) int64 {
	if one := s.InForce(name, of, day); one != nil {
		return *one.Value
	}
	usual, _ := UsualSetting(name, of)
	return usual
}

// LeftOut returns the ids of the past performances that are left out of an event's comparables.
func (s *Settings) LeftOut(event string) []string {
	if s == nil {
		return nil
	}
	return s.LeftOutEvents[event]
}

// Rated reports whether any rate of VAT is set.
func (s *Settings) Rated() bool { return s != nil && s.rates }

// VATRate returns the rate for tickets of a type to performances of a day, in hundredths of a per cent: the last
// rate for the type that began by then, or else the last for all types. ok is false if there is none.
func (s *Settings) VATRate(ticketType string, day Day) (rate int64, ok bool) {
	if day == "" {
		return 0, false
	}
	one := cmp.Or(s.InForce(record.SettingVATRate, ticketType, day), s.InForce(record.SettingVATRate, "", day))
	if one == nil {
		return 0, false
	}
	return *one.Value, true
}

const (
	// FewestPast is how many past performances are needed for what is usual, of the hall or else of the house.
	FewestPast = 5
	// MostPast is the most past performances used, the last ones.
	MostPast = 40
	// The usual arrivals are known from UsualFrom minutes before the curtain to UsualUntil minutes after
	// it.
	UsualFrom  = 90
	UsualUntil = 45
)
