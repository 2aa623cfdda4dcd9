package figures

import (
	"time"
)

// Scope is what a figure is of. The zero value is the performances of the evening.
type Scope struct {
	// Event is the id of a performance, and Area a price area of it that is on sale. With days of
	// sale it is what moved of the performance on these.
	Event, Area string
	// Gate is a gate of the performance.
	Gate string
	// Hall is a hall of the evening in which how many people may be is set.
	Hall string
	// Night selects the performances of the night before that are over.
	Night bool
	// From and To are days of sale, both included. Orders selects the orders placed on them, as they stand
	// now.
	From, To Day
	Orders   bool
	// Until ends the last of the days of sale, which is before the running one, at a minute that is not in it; zero for
	// all of the day.
	Until time.Time
	// Performances is true if the days are those of performances: the figure is of all sales for them.
	Performances bool
	// VAT is a source of VAT in the days of sale; the zero value for all that was sold.
	VAT VATSource
	// By and Part are a part of the sales of the performance or of Performances: by what they are split, empty for
	// all of them, and its name, which is empty for what was not reported.
	By   Split
	Part string
	// Currency leaves out the amounts in others; empty for none of that.
	Currency string
}
