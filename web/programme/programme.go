// Package programme decides which view a screen shows at a moment: a pure function of a programme, a
// snapshot and the time. It has no clock of its own and knows nothing of the contents of a view, of
// screens, or of who may see what: views are named as their pages are.
//
// Views whose condition holds take turns, from the top. Turns begin again with the venue's day, and
// whenever other views take turns, so that no screen shows the rest of a turn that began for other reasons,
// and all screens of a programme change at the same moment.
//
// Time is divided into minutes. Whether a condition holds is decided for each minute by itself, at its
// wall-clock time, so that a day with a change of daylight saving needs nothing special: an hour that comes
// twice is shown twice, and one that is left out is not shown.
package programme

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// Programme is what a screen shows when.
type Programme struct {
	Views []View `json:"views"`
}

// View is a page that takes turns with others.
type View struct {
	// Page is the page's name.
	Page string `json:"page"`
	// Hall is what the page is about; empty for all.
	Hall string `json:"hall,omitzero"`
	// Event is the id of the performance that the page is about, where it is about one.
	Event string `json:"event,omitzero"`
	// Text is what somebody wrote, for the page that shows a text.
	Text string `json:"text,omitzero"`
	// Seconds is how long a turn takes.
	Seconds int `json:"seconds"`
	// Alone is true if no other view has a turn while this one's condition holds. Of several such
	// views the first is shown.
	Alone bool `json:"alone,omitzero"`
	// When is the condition for a turn.
	When Condition `json:"when,omitzero"`
}

// Automatic returns the programme of screens that have no other. It follows the planning by itself: the
// programme of the day until the doors, which goes on to the next day after the last performance;
// arrivals from doors to curtain, where a screen is about one hall; the whole house while anybody
// is expected or inside; and for those who may see none of that, the next performance in turns with
// the programme while one runs.
func Automatic() Programme {
	return Programme{Views: []View{
		{Page: "arrivals", Alone: true, Seconds: 60, When: Condition{Phase: Arriving}},
		{Page: "wall", Alone: true, Seconds: 60, When: Condition{Phase: InUse}},
		{Page: "board", Seconds: 40},
		{Page: "next", Seconds: 20, When: Condition{Phase: Running}},
	}}
}

// In returns the programme of a screen that is about one hall: what is about all halls is about that.
func (p Programme) In(hall string) Programme {
	views := slices.Clone(p.Views)
	for i := range views {
		views[i].Hall = cmp.Or(views[i].Hall, hall)
		views[i].When.Hall = cmp.Or(views[i].When.Hall, hall)
	}
	return Programme{views}
}

// Only returns the programme with those of its views that may be shown.
func (p Programme) Only(may func(View) bool) Programme {
	var some []View
	for _, v := range p.Views {
		if may(v) {
			some = append(some, v)
		}
	}
	return Programme{some}
}

// Showing is what is shown at a moment.
type Showing struct {
	// View is nil if no view's condition holds.
	View *View
	// Until is when something else may be shown, while the snapshot is the same.
	Until time.Time
}

// At returns what the programme shows now. It shows none of more than MostViews views.
func (p Programme) At(s *figures.Snapshot, now time.Time) Showing {
	d := newDay(s, now)
	turns := p.turns(d)
	minute := int(now.Sub(d.start) / time.Minute)
	began, until := minute, minute+1
	for began > 0 && turns[began-1] == turns[minute] {
		began--
	}
	for until < len(turns) && turns[until] == turns[minute] {
		until++
	}
	ends := d.at(until)
	var round time.Duration
	for i := range p.views(turns[minute]) {
		round += p.Views[i].turn()
	}
	if round == 0 {
		return Showing{Until: ends}
	}
	into := now.Sub(d.at(began)) % round
	var v *View
	for i := range p.views(turns[minute]) {
		if v = &p.Views[i]; into < v.turn() {
			break
		}
		into -= v.turn()
	}
	if turn := now.Add(v.turn() - into); round > v.turn() && turn.Before(ends) {
		ends = turn
	}
	return Showing{v, ends}
}

// shortest is the least time that a turn takes.
const shortest = 5 * time.Second

func (v *View) turn() time.Duration { return max(shortest, time.Duration(v.Seconds)*time.Second) }

// set is a set of views, by their indices.
type set uint32

// views yields the indices of the views of a set, in their order.
func (p Programme) views(of set) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range p.Views {
			if of&(1<<i) != 0 && !yield(i) {
				return
			}
		}
	}
}

// turns returns the views that take turns, for each minute of a day.
func (p Programme) turns(d *day) []set {
	turns := make([]set, len(d.wall))
	alone := make([]bool, len(d.wall))
	for i := range p.Views[:min(len(p.Views), MostViews)] {
		v := &p.Views[i]
		for minute, holds := range v.When.holds(d) {
			switch {
			case !holds || alone[minute]:
			case v.Alone:
				turns[minute], alone[minute] = 1<<i, true
			default:
				turns[minute] |= 1 << i
			}
		}
	}
	return turns
}
