package admin

import (
	"cmp"
	"slices"
	"strconv"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// alertSettings are the settings of how alerts are told, in the order of the page.
var alertSettings = []struct {
	name  record.SettingName
	label string // a key of the catalogue, and short one of the label below the name of the alert
	short string
}{
	{record.SettingAlertTold, "settings.alert_told", "settings.alert_told_short"},
	{record.SettingAlertBy, "settings.alert_by", "settings.alert_by_short"},
	{record.SettingAlertFrom, "settings.alert_from", "settings.alert_from_short"},
	{record.SettingAlertUntil, "settings.alert_until", "settings.alert_until_short"},
	{record.SettingAlertAfter, "settings.alert_after", "settings.alert_after_short"},
	{record.SettingAlertRole, "settings.alert_role", "settings.alert_role_short"},
}

// isOfAlerts reports whether a setting is how alerts are told.
func isOfAlerts(name record.SettingName) bool {
	for _, s := range alertSettings {
		if s.name == name {
			return true
		}
	}
	return false
}

// alertGroups returns how the alerts of each code are told, in the order in which they are shown; those that are told as
// usual are folded. What the house cannot choose is left out, unless it is set.
func (b builder) alertGroups() (groups []settingGroup) {
	for _, code := range evening.AlertCodes() {
		alert := web.Capital(b.Code("alert_code", code))
		g := settingGroup{Title: alert, Collapsed: true}
		for _, s := range alertSettings {
			r := b.settingRow(s.name, code, "")
			r.Label, r.Short = b.Say(s.label, words.Text("alert", alert)), b.Text(s.short)
			choose := s.name == record.SettingAlertTold || evening.Urgent(code)
			switch s.name {
			case record.SettingAlertTold:
				r.Options = b.tellingChoices(code)
			case record.SettingAlertBy:
				r.Options = b.tellingWays()
				choose = choose && len(r.Options) > 1
			case record.SettingAlertRole:
				r.Options = b.tellingRoles(code)
			}
			if !choose && r.Stored == "" {
				continue
			}
			if set := b.Settings().Get(s.name, code, ""); set != nil && r.Options != nil && !slices.ContainsFunc(r.Options, func(o web.Choice) bool { return o.ID == r.Stored }) {
				text, _ := b.alertValue(s.name, *set.Value) // which the house could choose once
				r.Options = append(r.Options, web.Choice{ID: r.Stored, Name: text})
			}
			for i := range r.Options {
				if r.Options[i].Chosen = r.Options[i].ID == r.Stored; r.Options[i].Chosen && s.name == record.SettingAlertTold {
					g.Told = r.Options[i].Name
				}
			}
			g.Collapsed = g.Collapsed && r.Stored == ""
			g.Rows = append(g.Rows, r)
		}
		groups = append(groups, g)
	}
	return groups
}

// tellingChoices are the values of SettingAlertTold for the alerts of a code, the usual one first and without a value. Those that are
// never sent are on pages or off.
func (b builder) tellingChoices(code string) (all []web.Choice) {
	if !evening.Urgent(code) {
		return []web.Choice{{Name: b.tellingName(figures.AlertOnPages)}, {ID: b.Fixed(figures.AlertOff, 0), Name: b.tellingName(figures.AlertOff)}}
	}
	usual, _ := figures.UsualSetting(record.SettingAlertTold, code)
	for _, value := range []int64{figures.AlertSent, figures.AlertOnPages, figures.AlertOff} {
		c := web.Choice{ID: b.Fixed(value, 0), Name: b.tellingName(value)}
		if value == usual {
			c.ID = ""
			all = slices.Insert(all, 0, c)
			continue
		}
		all = append(all, c)
	}
	return all
}

// tellingName names a value of SettingAlertTold.
func (b builder) tellingName(value int64) string {
	return b.Code("alert_telling", strconv.FormatInt(value, 10))
}

// tellingWays are the values of SettingAlertBy of which the house has the ways, the usual one first and without a value.
func (b builder) tellingWays() (all []web.Choice) {
	ways := cmp.Or(int64(b.Program.AlertWays), figures.AlertByAll)
	for by := ways; by > 0; by-- {
		if by&^ways != 0 {
			continue
		}
		c := web.Choice{ID: b.Fixed(by, 0), Name: b.Code("alert_by", strconv.FormatInt(by, 10))}
		if by == ways {
			c.ID = ""
		}
		all = append(all, c)
	}
	return all
}

// tellingRoles are the roles to which the alerts of a code may be told once nobody is on them: those whose work they are.
func (b builder) tellingRoles(code string) []web.Choice {
	all := []web.Choice{{Name: b.Text("settings.alert_anybody")}}
	for i, r := range web.Roles {
		if i >= slices.Index(web.Roles, web.RoleFor(code)) {
			all = append(all, web.Choice{ID: b.Fixed(int64(i+1), 0), Name: b.Code("role", string(r))})
		}
	}
	return all
}

// alertValue names a setting of how alerts are told, where its value is not a number; ok is false for others.
func (b builder) alertValue(name record.SettingName, value int64) (text string, ok bool) {
	switch {
	case name == record.SettingAlertTold:
		return b.tellingName(value), true
	case name == record.SettingAlertBy && value >= 1 && value <= figures.AlertByAll:
		return b.Code("alert_by", strconv.FormatInt(value, 10)), true
	case name == record.SettingAlertRole && value >= 1 && int(value) <= len(web.Roles):
		return b.Code("role", string(web.Roles[value-1])), true
	}
	return "", false
}

// told is who is told of alerts, and how: a row for each code, and a column for each of the roles.
type told struct {
	Roles []string
	Parts []toldPart
}

// toldPart is what is told of one subject, the most important first.
type toldPart struct {
	Title string
	Rows  []toldRow
}

type toldRow struct {
	Alert string
	Cells []toldCell
}

// toldCell is how a role hears of an alert: Sent to those of it who chose alerts, by what ways, or else only on its pages.
// Text is a dot where it does not.
type toldCell struct {
	Text string
	Sent bool
}

// told returns who is told of the alerts of each code.
func (b builder) told() *told {
	t := &told{}
	for _, r := range web.Roles {
		t.Roles = append(t.Roles, b.Code("role", string(r)))
	}
	for _, subject := range alertSubjects {
		part := toldPart{Title: b.Code("alert_subject", subject)}
		for _, code := range evening.AlertCodes() {
			if subjectOf(code) != subject {
				continue
			}
			row := toldRow{Alert: web.Capital(b.Code("alert_code", code))}
			for _, r := range web.Roles {
				row.Cells = append(row.Cells, b.toldTo(r, code))
			}
			part.Rows = append(part.Rows, row)
		}
		t.Parts = append(t.Parts, part)
	}
	return t
}

// alertSubjects are what alerts are about, in their order in Settings.
var alertSubjects = []string{"house", "sales", "money", "equipment"}

// subjectOf returns what the alerts of a code are about.
func subjectOf(code string) string {
	switch code {
	case evening.AlertOversold, evening.AlertOverLicensed, evening.AlertNearLicensed, evening.AlertBlockedSold, evening.AlertFewLeft, evening.AlertSoldOut, evening.AlertNearlyFull,
		evening.AlertBehindPace, evening.AlertAheadOfPace:
		return "sales"
	case evening.AlertOwed, evening.AlertRefunds, evening.AlertDiffers:
		return "money"
	case evening.AlertStreams, evening.AlertBackup, evening.AlertSilentScreen, evening.AlertCopiedScreen:
		return "equipment"
	case evening.AlertCrowdedBuilding, evening.AlertCrowded, evening.AlertMaybeCrowded, evening.AlertNearlyCrowded, evening.AlertRoomForFewer, evening.AlertQuietGate, evening.AlertHold,
		evening.AlertFewerIn, evening.AlertCancelled, evening.AlertPostponed:
		return "house"
	}
	return "" // it stands nowhere, which a test finds
}

// toldTo returns how those of a role hear of the alerts of a code. Chats, the house's own addresses, are in the column of the role that they
// see as. By ways that the house has no more, alerts go by all.
func (b builder) toldTo(role web.Role, code string) toldCell {
	a, rule, ways := role.Access(), evening.TellingOf(b.Settings(), code), cmp.Or(b.Program.AlertWays, figures.AlertByAll)
	by := cmp.Or(rule.By&ways, ways)
	if role != b.Program.HouseRole {
		by &^= figures.AlertByHouse
	}
	switch {
	case rule.Off || !a.SeesAlert(&evening.Alert{Code: code}):
		return toldCell{Text: b.Text("settings.not_told")}
	case !rule.Sent || !evening.Urgent(code) || !a.TakesOn(code) || by == 0:
		return toldCell{Text: b.Text("settings.on_page")}
	}
	return toldCell{Text: b.Code("alert_by", strconv.Itoa(by)), Sent: true}
}
