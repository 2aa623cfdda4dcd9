package web

import (
	"reflect"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// sameFigures reports whether a view shows the same for c as for before, but for the strip
// and the clock. It compares what views read: the minute, the figures by the identity of what
// snapshots share, and of the streams all but their times, which move with every poll that
// finds nothing.
func (c *scene) sameFigures(before *scene) bool {
	if c.Request != before.Request || !c.now.Equal(before.now) || !c.at.Equal(before.at) || c.Calendar != before.Calendar {
		return false
	}
	if c.Snapshot == before.Snapshot {
		return true
	}
	if c.View.Name == Event { // it shows nothing but its event
		return c.Event(c.View.Event) == before.Event(c.View.Event)
	}
	return c.Position.Epoch == before.Position.Epoch && c.Position.Revision == before.Position.Revision &&
		sameSlice(c.Events, before.Events) && slices.Equal(c.Diagnostics, before.Diagnostics) && c.Strays == before.Strays &&
		reflect.DeepEqual(c.Total, before.Total) && reflect.DeepEqual(c.Unattributed, before.Unattributed) &&
		slices.EqualFunc(c.Health.Streams, before.Health.Streams, sameStream)
}

// sameSlice reports whether two slices are one.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// sameStream compares what is shown of a stream beside the strip.
func sameStream(a, b figures.StreamHealth) bool {
	return reflect.DeepEqual(timeless(a), timeless(b))
}

// timeless is a stream without its times, but for whether it ever answered.
func timeless(h figures.StreamHealth) figures.StreamHealth {
	if !h.LastGood.IsZero() {
		h.LastGood = time.Unix(0, 0)
	}
	h.Next, h.Took = time.Time{}, 0
	return h
}
