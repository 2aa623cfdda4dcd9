package evening

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// ComparableRule is which past performances are comparable: with Title, those of the same series or title;
// and those that are alike in all of Hall, Weekday and Prices that are set, if any is.
type ComparableRule struct {
	Title, Hall, Weekday, Prices bool
	Days                         int // ago, at most; 0 for however long
	Least                        int // how many of them are needed for a usual value
}

// Comparables returns the rule that the venue has set, whatever the day.
func Comparables(s *figures.Settings) ComparableRule {
	by := func(l Likeness) bool { return s.ValueOn(record.SettingComparableBy, l.String(), "") != 0 }
	return ComparableRule{by(SameTitle), by(SameHall), by(SameWeekday), by(SamePrices),
		int(s.ValueOn(record.SettingComparableDays, "", "")), int(s.ValueOn(record.SettingComparableLeast, "", ""))}
}

// others reports whether performances of other series and titles may be comparable.
func (r ComparableRule) others() bool { return r.Hall || r.Weekday || r.Prices }

// threshold returns the value of an attention threshold that is in force on the running day.
func (v *Evening) threshold(name record.SettingName) int64 {
	return v.Snapshot.House.ValueOn(name, "", v.Today)
}

// NearlyFull returns from which part of a capacity on a performance is nearly full, of WholeRate.
func (v *Evening) NearlyFull() int64 { return v.threshold(record.SettingNearlyFull) }

// RefundPart is over which part of what came in it is unusual how much goes back, of WholeRate.
func (v *Evening) RefundPart() int64 { return v.threshold(record.SettingRefundPart) }
