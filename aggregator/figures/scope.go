package figures

import (
	"time"
)

// Scope is what a figure is of. The zero value means the performances of the evening.
type Scope struct {
	// Event is the id of a performance, and Area a price area of it that is on sale. With From and To it is the
	// days of sale of the performance.
	Event, Area string
	// Gate is a gate of the performance.
	Gate string
	// Hall is a hall of the evening for which the number of people allowed is set.
	Hall string
	// Night selects the performances that are over: of the day From, which is also To, or without days those of the
	// previous night.
	Night bool
	// From and To are days of sale, both included. With Orders they select the orders placed on them, in their
	// present state.
	From, To Day
	Orders   bool
	// Until ends the last day of sale, which must be before today, at a minute that is not included; zero for the
	// whole day.
	Until time.Time
	// Performances is true if the days are days of performances: the figure is of all their sales.
	Performances bool
	// VAT is a source of VAT; the zero value for all sales.
	VAT VATSource
	// By and Part select a part of the sales of the performance, or of Performances: By is what they are split by,
	// empty for all sales; Part is the part's name, which is empty for what was not reported.
	By   Split
	Part string
	// Currency selects the amounts in one currency; empty for all.
	Currency string
}
