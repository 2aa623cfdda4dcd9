package figures

import "time"

// Messages are how many messages a service sent within a quarter of an hour from From on, by which it says that there is news: those that
// were taken, and those that were refused because of their signature.
type Messages struct {
	From           time.Time
	Taken, Refused int
	Last           time.Time // when the last of them came
}
