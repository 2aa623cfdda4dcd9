package evening

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// ComparableRule is which past performances are comparable: if Title is set, those of the same series or title;
// and if any of Hall, Weekday and Prices is set, those that are alike in all that are set.
type ComparableRule struct {
	Title, Hall, Weekday, Prices bool
	Days                         int // at most this many days ago; 0 for any
	Least                        int // the least number needed for a usual value
}

// Comparables returns the rule that the venue has set. It is the same on all days.
func Comparables(s *figures.Settings) ComparableRule {
	by := func(l Likeness) bool { return s.ValueOn(record.SettingComparableBy, l.String(), "") != 0 }
	return ComparableRule{by(SameTitle), by(SameHall), by(SameWeekday), by(SamePrices),
		int(s.ValueOn(record.SettingComparableDays, "", "")), int(s.ValueOn(record.SettingComparableLeast, "", ""))}
}

// others reports whether performances of other series and titles may be comparable.
func (r ComparableRule) others() bool { return r.Hall || r.Weekday || r.Prices }

// threshold returns the value of an alert threshold that is in force today.
func (v *Evening) threshold(name record.SettingName) int64 {
	return v.Snapshot.House.ValueOn(name, "", v.Today)
}

// NearlyFull returns the part of the capacity, in WholeRate, from which a performance is nearly full.
func (v *Evening) NearlyFull() int64 { return v.threshold(record.SettingNearlyFull) }

// RefundPart returns the part of what came in, in WholeRate, above which refunds are unusual.
func (v *Evening) RefundPart() int64 { return v.threshold(record.SettingRefundPart) }
