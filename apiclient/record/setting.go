package record

import (
	"net/url"
	"strings"
	"time"
)

// Setting is something that the venue sets. Who sets it anew, or takes it back, makes another version
// of the record.
type Setting struct {
	Name SettingName `json:"name"`
	// Of is what it is set of, empty where nothing is to be told apart.
	Of string `json:"of,omitzero"`
	// From is the day (YYYY-MM-DD) from which a rate of VAT, a licensed capacity or a threshold holds, until
	// the next of the same begins; of a budget it is the month. Empty is always.
	From string `json:"from,omitzero"`
	// Value is in the unit of its name; nil where it is not set any more.
	Value *int64    `json:"value,omitzero"`
	At    time.Time `json:"at"` // by the venue's clock
	By    string    `json:"by"` // the person's name
}

// SettingName says what is set.
type SettingName string

// What a venue sets.
const (
	// SettingVATRate is in hundredths of a per cent, Of a ticket type, empty for all that have none of
	// their own, From a day of performance (YYYY-MM-DD).
	SettingVATRate SettingName = "vat_rate"
	// SettingLicensed is how many people may be in a hall at once, or where Of is empty in the whole
	// building, From the day of an evening.
	SettingLicensed SettingName = "licensed_capacity"
	// SettingBudget is what is to be booked in a month (From, YYYY-MM), in minor units of the currency Of.
	SettingBudget SettingName = "budget"
	// SettingFewLeft is under which part of a capacity few places are left, in hundredths of a per cent.
	SettingFewLeft SettingName = "few_left"
	// SettingQuietGate is after how many minutes without an entry a gate is quiet.
	SettingQuietGate SettingName = "quiet_gate"
	// SettingComparableBy is 0 where performances are not comparable by a likeness, Of "title" (or series),
	// "hall", "weekday" or "prices".
	SettingComparableBy SettingName = "comparable_by"
	// SettingComparableDays is how many days ago a comparable performance is at most.
	SettingComparableDays SettingName = "comparable_days"
	// SettingComparableLeast is how many comparable performances it takes to say what is usual.
	SettingComparableLeast SettingName = "comparable_least"
	// SettingNearlyFull is from which part of a capacity on a performance is nearly full, in hundredths of
	// a per cent.
	SettingNearlyFull SettingName = "nearly_full"
	// SettingOffPace is by which part of what is usual a sale has to be ahead or behind to be far off, in
	// hundredths of a per cent.
	SettingOffPace SettingName = "off_pace"
	// SettingRefundPart is over which part of what came in it is unusual how much goes back in a day, in
	// hundredths of a per cent, and SettingRefundPlaces from the worth of how many places on.
	SettingRefundPart   SettingName = "refund_part"
	SettingRefundPlaces SettingName = "refund_places"
	// SettingLeftOut is 1 where a past performance is left out of those that another is compared with, Of
	// LeftOutOf both.
	SettingLeftOut SettingName = "left_out"
)

// LeftOutOf names a performance and a past one that is left out of what it is compared with.
func LeftOutOf(event, past string) string {
	return url.QueryEscape(event) + " " + url.QueryEscape(past)
}

// LeftOut are the two that LeftOutOf names; ok is false where it is another name.
func LeftOut(of string) (event, past string, ok bool) {
	first, second, found := strings.Cut(of, " ")
	event, err := url.QueryUnescape(first)
	past, wrong := url.QueryUnescape(second)
	return event, past, found && err == nil && wrong == nil
}

func (s *Setting) RecordKind() Kind         { return KindSetting }
func (s *Setting) RecordID() string         { return strings.Join([]string{string(s.Name), s.From, s.Of}, "/") }
func (s *Setting) RecordUpdated() time.Time { return s.At }
