package web

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Level is how loud a notice is. Each has a shape of its own beside its colour.
type level string

const (
	bad  level = "bad"
	warn level = "warn"
	info level = "info"
)

func (l level) rank() int { return slices.Index([]level{bad, warn, info, ""}, l) }

// notice is something that needs a person's attention.
type notice struct {
	Level level
	Text  sentence
	Since string // empty when nobody can say
	about *figures.EventFigures
}

// When something deserves attention.
const (
	quietAfter  = 5 * time.Minute  // a gate without entries
	busyIn      = 15 * time.Minute // before its last entry
	busyEntries = 10               // in that time
	fewLeft     = 0.05             // of capacity
	paceFrom    = 15 * time.Minute // before curtain; earlier, the crowd is still to come
	paceLate    = 10               // visitors after curtain
	missedPolls = 2                // of a stream, before they are mentioned
)

// attention finds what needs attention in the performances, loudest first and otherwise in
// the order of events.
func (b *builder) attention(events []*figures.EventFigures) []notice {
	var all []notice
	for _, e := range events {
		for _, find := range []func(*figures.EventFigures) []notice{b.quietGates, b.late, b.places, b.calledOff} {
			for _, n := range find(e) {
				n.about = e
				all = append(all, n)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y notice) int { return x.Level.rank() - y.Level.rank() })
	return all
}

// quietGates finds gates that were busy and have gone quiet while visitors are still
// to come.
func (b *builder) quietGates(e *figures.EventFigures) []notice {
	f := b.flow(e)
	// After curtain who is missing is more likely not to come than to stand at a closed gate.
	if b.at.IsZero() || b.phase(e) != arriving || f.still.Value < max(5, e.Expected.Value*3/100) {
		return nil
	}
	var all []notice
	for i := range e.Gates {
		g := &e.Gates[i]
		last := g.LastEntry()
		if last.IsZero() || b.at.Sub(last) < quietAfter || g.EntriesIn(last, busyIn) < busyEntries {
			continue
		}
		text := say("").strong("Gate ").strongName(gateName(g.Gate)).
			strong(" has been quiet for " + minutesWords(minutesBetween(last, b.at))).
			text(" while ").text(plural(f.still.Value, "visitor")).text(" for ").name(cmp.Or(e.Event.Hall, e.Event.Title)).
			text(noun(f.still.Value, " is", " are") + " still to come.")
		all = append(all, notice{Level: bad, Text: text, Since: b.since(last)})
	}
	return all
}

// late says that visitors will come after curtain at the rate at which they come now.
func (b *builder) late(e *figures.EventFigures) []notice {
	f, curtain := b.flow(e), e.Event.StartsAt
	if f.last.IsZero() || !b.at.Before(curtain) || curtain.Sub(b.at) > paceFrom {
		return nil
	}
	missing := f.still.Value - f.in5.Value*minutesBetween(b.at, curtain)/5
	if missing < paceLate {
		return nil
	}
	text := say("").strong("About " + plural(missing, "visitor") + " of ").strongName(e.Event.Title).strong(" will come after curtain").
		text(" at this rate, the last at ").text(clock(f.last, b.zone)).text(".")
	return []notice{{Level: warn, Text: text}}
}

// places finds performances that are oversold, or nearly sold out while they can be sold.
func (b *builder) places(e *figures.EventFigures) []notice {
	if e.Oversold > 0 && b.phase(e) != ended {
		text := say("").strongName(e.Event.Title).strong(" is oversold by " + plural(e.Oversold, "place"))
		if e.Sold.Known() {
			text = text.text(": ").text(count(e.Sold.Value)).text(" sold of ").text(show(e.Capacity, count).Text)
		}
		text = text.text(".")
		return []notice{{Level: bad, Text: text, Since: b.since(crossed(e, -e.Oversold, 0))}}
	}
	left := free(e)
	if p := b.phase(e); p != before && p != arriving || !left.Known() || !e.Capacity.Known() || left.Value <= 0 ||
		float64(left.Value) >= fewLeft*float64(e.Capacity.Value) {
		return nil
	}
	text := say("").strongName(e.Event.Title).strong(" has " + plural(left.Value, "place") + " left")
	if sold := b.soldIn(e, time.Hour); sold.Known() && sold.Value > 0 {
		text = text.text(", " + show(sold, count).Text + " sold in the last hour")
	}
	text = text.text(".")
	if r := e.Reserved; r.Known() && r.Value > 0 {
		text = text.text(" " + count(r.Value) + noun(r.Value, " reserved place is", " reserved places are") + " not paid yet.")
	}
	few := int(fewLeft * float64(e.Capacity.Value))
	return []notice{{Level: warn, Text: text, Since: b.since(crossed(e, left.Value, few))}}
}

// calledOff finds performances that are cancelled or postponed.
func (b *builder) calledOff(e *figures.EventFigures) []notice {
	var word string
	switch e.Event.Status {
	case record.EventCancelled:
		word = " is cancelled"
	case record.EventPostponed:
		word = " is postponed"
	default:
		return nil
	}
	text := say("").strongName(e.Event.Title).strong(word)
	if e.Sold.Known() && e.Sold.Value > 0 {
		text = text.text("; " + plural(e.Sold.Value, "place") + noun(e.Sold.Value, " is", " are") + " sold")
	}
	return []notice{{Level: warn, Text: text.text(".")}}
}

// service says what the service does not offer, how far the first sync has come, and which
// failures the truth strip does not show.
func (b *builder) service() []notice {
	var all []notice
	add := func(what, more string) {
		all = append(all, notice{Level: info, Text: say("").strong(what).text(more)})
	}
	for _, h := range b.Health.Streams {
		// A stream from which no figure is counted concerns only those who see money.
		if !b.Access.seesStream(h) || !h.Counts() && !b.Access.seesMoney() {
			continue
		}
		switch {
		case h.Fault == figures.FaultNotOffered, h.Fault == figures.FaultForbidden:
			add("No "+h.Rows(), ": "+faultWords(h.Fault)+". What is counted from them is not known.")
		case h.Counts() && !h.Complete && !h.LastGood.IsZero():
			add("Reading "+h.Rows(), " for the first time, "+progress(h)+"; history is incomplete.")
		// While the light is not green, the strip names what fails.
		case !h.Counts() && h.Missed >= missedPolls && b.Health.Light() == figures.Green:
			add("No answer about "+h.Rows(), " "+timesInARow(h.Missed)+": "+faultText(h)+".")
		}
	}
	return all
}

// progress is how far the first sync of a stream has come.
func progress(h figures.StreamHealth) string {
	if h.Total < 0 {
		return count(h.Read) + " so far"
	}
	return count(h.Read) + " of " + count(max(h.Total, h.Read))
}

// crossed is the minute in which a sale brought the free places below limit; left is how many
// there are now. It is zero when that is older than the counts by minute.
func crossed(e *figures.EventFigures, left, limit int) time.Time {
	for i := len(e.SoldMinutes) - 1; i >= 0; i-- {
		left += e.SoldMinutes[i].Count
		if left >= limit {
			return time.Unix(e.SoldMinutes[i].Minute*60, 0)
		}
	}
	return time.Time{}
}

// since names a moment of today by its time and an older one by its day.
func (b *builder) since(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case b.Calendar.Day(t) == b.today:
		return "since " + clock(t, b.zone)
	}
	return "since " + dayShort(b.Calendar.Day(t), b.today)
}

// timesInARow says how many polls in a row have failed.
func timesInARow(n int) string { return count(n) + nbsp + noun(n, "time") + " in a row" }

func minutesWords(n int) string { return fmt.Sprint(n, " ", noun(n, "minute")) }

func gateName(s string) string {
	if s == "" {
		return "without a name"
	}
	return s
}
