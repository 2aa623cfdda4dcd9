package web

import (
	"reflect"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// sameFigures reports whether a view shows the same for b as for before, apart from the strip and the
// clock. It compares what views read: the minute, the result of the page's source, the figures, and the
// streams without their times, which change with every poll. Events are compared by identity, because
// snapshots share those that did not change.
func (b *Builder) sameFigures(before *Builder) bool {
	if !b.sameMoment(before) || !reflect.DeepEqual(b.Source, before.Source) {
		return false
	}
	if b.Snapshot == before.Snapshot {
		return true
	}
	if same := PageNamed(b.Page).Same; same != nil {
		return same(b, before)
	}
	return b.Position.Epoch == before.Position.Epoch && b.Position.Revision == before.Position.Revision &&
		slices.Equal(b.Events, before.Events) && slices.EqualFunc(b.Diagnostics, before.Diagnostics, figures.Diagnostic.Equal) && b.Strays == before.Strays &&
		reflect.DeepEqual(b.Total, before.Total) && reflect.DeepEqual(b.Unattributed, before.Unattributed) &&
		slices.EqualFunc(b.Health.Streams, before.Health.Streams, func(x, y figures.StreamHealth) bool { return reflect.DeepEqual(timeless(x), timeless(y)) })
}

// sameMoment reports whether both builders have the same request and the same minute.
func (b *Builder) sameMoment(before *Builder) bool {
	return b.Request == before.Request && b.Now.Equal(before.Now) && b.At.Equal(before.At) && b.Calendar == before.Calendar
}

// timeless returns a stream as it looks outside the strip: without its times, except whether it ever answered.
func timeless(h figures.StreamHealth) figures.StreamHealth {
	if !h.LastGood.IsZero() {
		h.LastGood = time.Unix(0, 0)
	}
	h.Next, h.Took = time.Time{}, 0
	return h
}
