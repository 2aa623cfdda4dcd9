package record

import (
	"net/url"
	"strings"
	"time"
)

// Setting is a value that the venue has set. Changing or removing it makes another version of the
// record.
type Setting struct {
	Name SettingName `json:"name"`
	// Of is what the value applies to, empty if that needs no distinction.
	Of string `json:"of,omitzero"`
	// From is the day (YYYY-MM-DD) from which a rate of VAT, a licensed capacity or a threshold
	// applies, until the next one begins; for a budget it is the month (YYYY-MM). Empty means
	// always.
	From string `json:"from,omitzero"`
	// To is the last day (YYYY-MM-DD) of a note about several days, which begin with From; empty for other settings.
	To string `json:"to,omitzero"`
	// Value is in the unit of the setting; nil if it is no longer set.
	Value *int64    `json:"value,omitzero"`
	At    time.Time `json:"at"` // by the venue's clock
	By    string    `json:"by"` // the person's name
	// Author is who wrote a note that By has edited, and Written when; zero for other settings.
	Author  string    `json:"author,omitzero"`
	Written time.Time `json:"written,omitzero"`
}

// SettingName identifies what is set.
type SettingName string

// The settings of a venue.
const (
	// SettingVATRate is in hundredths of a per cent. Of is a ticket type, or empty for all types
	// without their own rate; From is a day of performance (YYYY-MM-DD).
	SettingVATRate SettingName = "vat_rate"
	// SettingLicensed is how many people may be in a hall at once, or in the whole building if Of
	// is empty. From is the day of an evening.
	SettingLicensed SettingName = "licensed_capacity"
	// SettingBudget is the planned sales of a month (From, YYYY-MM), in minor units of the currency
	// Of.
	SettingBudget SettingName = "budget"
	// SettingFewLeft is the share of a capacity below which few places are left, in hundredths of a
	// per cent.
	SettingFewLeft SettingName = "few_left"
	// SettingQuietGate is the number of minutes without an entry after which a gate is quiet.
	SettingQuietGate SettingName = "quiet_gate"
	// SettingComparableBy is 0 if the similarity Of ("title" or series, "hall", "weekday" or
	// "prices") does not make performances comparable.
	SettingComparableBy SettingName = "comparable_by"
	// SettingComparableDays is the greatest age of a comparable performance, in days.
	SettingComparableDays SettingName = "comparable_days"
	// SettingComparableLeast is the number of comparable performances needed to say what is usual.
	SettingComparableLeast SettingName = "comparable_least"
	// SettingNearlyFull is the share of a capacity from which a performance is nearly full, in
	// hundredths of a per cent.
	SettingNearlyFull SettingName = "nearly_full"
	// SettingOffPace is the deviation from the usual sales from which sales are far ahead or
	// behind, in hundredths of a per cent.
	SettingOffPace SettingName = "off_pace"
	// SettingRefundPart is the share of what came in above which a day's refunds are unusual, in
	// hundredths of a per cent. SettingRefundPlaces is the least worth of such refunds, as a number
	// of places.
	SettingRefundPart   SettingName = "refund_part"
	SettingRefundPlaces SettingName = "refund_places"
	// SettingLeftOut is 1 if a past performance is excluded from the comparison with another; Of is
	// LeftOutOf both.
	SettingLeftOut SettingName = "left_out"
	// SettingCampaign is a campaign that Marketing notes beside the sales: Of is its name, From its first day
	// (YYYY-MM-DD) and the value the number of its days.
	SettingCampaign SettingName = "campaign"
	// SettingCampaignCost is what a campaign cost, in minor units of a currency: Of is CampaignCostOf the currency (ISO 4217)
	// and its name, and From its first day.
	SettingCampaignCost SettingName = "campaign_cost"
	// SettingNote is what somebody noted: Of is NoteOf the performance and the text, From the day that it is about
	// (YYYY-MM-DD), and the value 1 if the day is exceptional, else 0.
	SettingNote SettingName = "note"
	// How the alerts of a code (Of) are told. SettingAlertTold is 0 if they are not shown at all, 1 if only on pages and
	// 2 if they are sent, too; SettingAlertFrom and SettingAlertUntil are the hours of the clock from and until which they
	// are sent. After SettingAlertAfter minutes with nobody on one it is told again: to the role at position
	// SettingAlertRole among those of the house, from 1, the one with the fewest rights. SettingAlertBy is the sum of the
	// ways by which they are sent: 1 by mail, 2 to devices and 4 to the addresses of the house.
	SettingAlertTold  SettingName = "alert_told"
	SettingAlertFrom  SettingName = "alert_from"
	SettingAlertUntil SettingName = "alert_until"
	SettingAlertAfter SettingName = "alert_after"
	SettingAlertRole  SettingName = "alert_role"
	SettingAlertBy    SettingName = "alert_by"
)

// NoteOf returns the name of a note about a performance, or about a day if event is empty.
func NoteOf(event, text string) string { return url.QueryEscape(event) + " " + text }

// NotedIn returns the performance and the text named by NoteOf; ok is false for any other text.
func NotedIn(of string) (event, text string, ok bool) {
	escaped, text, found := strings.Cut(of, " ")
	event, err := url.QueryUnescape(escaped)
	return event, text, found && err == nil && text != ""
}

// CampaignCostOf returns the name of what a campaign cost in a currency, which CampaignCosting takes apart.
func CampaignCostOf(currency, campaign string) string { return currency + " " + campaign }

// CampaignCosting returns the currency and the name of the campaign of CampaignCostOf.
func CampaignCosting(of string) (currency, campaign string) {
	currency, campaign, _ = strings.Cut(of, " ")
	return currency, campaign
}

// LeftOutOf returns the name of a performance and a past one that is excluded from its comparison.
func LeftOutOf(event, past string) string {
	return url.QueryEscape(event) + " " + url.QueryEscape(past)
}

// LeftOut returns the two performances named by LeftOutOf; ok is false for any other text.
func LeftOut(of string) (event, past string, ok bool) {
	first, second, found := strings.Cut(of, " ")
	event, err := url.QueryUnescape(first)
	past, wrong := url.QueryUnescape(second)
	return event, past, found && err == nil && wrong == nil
}

func (s *Setting) RecordKind() Kind         { return KindSetting }
func (s *Setting) RecordID() string         { return strings.Join([]string{string(s.Name), s.From, s.Of}, "/") }
func (s *Setting) RecordUpdated() time.Time { return s.At }
