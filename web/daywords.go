package web

import "housecount/aggregator/figures"

// searchDays are the words for days that a search understands, by language.
var searchDays = map[Locale]figures.DayWords{
	English: {
		Months: [12][]string{{"January"}, {"February"}, {"March"}, {"April"}, {"May"}, {"June"}, {"July"}, {"August"}, {"September"},
			{"October"}, {"November"}, {"December"}},
		Weekdays: [7][]string{{"Sunday"}, {"Monday"}, {"Tuesday"}, {"Wednesday"}, {"Thursday"}, {"Friday"}, {"Saturday"}},
		Near:     map[string]int{"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1},
	},
}
