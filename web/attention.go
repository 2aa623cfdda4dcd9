package web

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
)

// notice is something that needs a person's attention.
type notice struct {
	Level figures.Level
	Text  sentence
	Since string // empty when nobody can say
}

// levelWords is how urgent a notice is.
func levelWords(l figures.Level) string {
	switch l {
	case figures.Bad:
		return "Urgent"
	case figures.Warn:
		return "Warning"
	}
	return "Note"
}

// missedPolls of a stream are mentioned.
const missedPolls = 2

// notices are alerts in words.
func (b *builder) notices(alerts []figures.Alert) []notice {
	var all []notice
	for _, a := range alerts {
		n := notice{Level: a.Level, Text: b.alertWords(&a), Since: b.since(a.Since)}
		if a.Code == figures.AlertFewLeft && b.Calendar.Day(a.Since) != b.today {
			n.Since = "" // since then they are few, not as many as now
		}
		all = append(all, n)
	}
	return all
}

// alertWords says what an alert is about.
func (b *builder) alertWords(a *figures.Alert) sentence {
	s := a.Show()
	n := a.Count.Value
	switch a.Code {
	case figures.AlertQuietGate:
		return say("").strong("Gate ").strongName(gateName(a.Gate)).
			strong(" has been quiet for " + minutesWords(minutesBetween(a.Since, b.at))).
			text("; ").mention(show(a.Count, count)).text(nbsp + noun(n, "visitor") + " of ").name(title(s.EventFigures)).text(noun(n, " is", " are") + " still to come.")
	case figures.AlertHold:
		return say("").strong("Hold ").strongName(title(s.EventFigures)).strong(":").text(" " + b.outside(s) + ".")
	case figures.AlertOversold:
		text := say("").strongName(title(s.EventFigures)).strong(" is oversold by " + plural(n, "place"))
		if s.Sold.Known() {
			text = text.text(": ").text(count(s.Sold.Value)).text(" sold of ").text(show(s.Capacity, count).Text)
		}
		return text.text(".")
	case figures.AlertFewLeft:
		text := say("").strongName(title(s.EventFigures)).strong(" has " + plural(n, "place") + " left")
		if sold := s.SoldIn(time.Hour); sold.Known() && sold.Value > 0 {
			text = text.text(", " + show(sold, count).Text + " sold in the last hour")
		}
		text = text.text(".")
		if r := s.Reserved; r.Known() && r.Value > 0 {
			text = text.text(" " + count(r.Value) + noun(r.Value, " reserved place is", " reserved places are") + " not paid yet.")
		}
		return text
	}
	text := say("").strongName(title(s.EventFigures)).strong(" is " + a.Code)
	if a.Count.Known() && n > 0 {
		text = text.text("; " + plural(n, "place") + noun(n, " is", " are") + " sold")
	}
	if s.Phase == figures.Cancelled && b.Access.seesMoney() && s.ToPayBack.Known() && len(s.ToPayBack.Value) > 0 {
		text = text.text(", ").strong(amounts(s.EventFigures, s.ToPayBack.Value)).text(" to pay back")
	}
	return text.text(".")
}

// verdict is a performance's start in words; empty where nothing is said.
func (b *builder) verdict(s *figures.Show) sentence {
	v := s.Verdict
	switch v.Call {
	case figures.OnTime:
		return say("On time")
	case figures.Hold:
		return sentence{}.strong("Hold:").text(" " + b.outside(s))
	}
	return nil
}

// verdictShort is verdict in a row, beside the curtain's time.
func (b *builder) verdictShort(s *figures.Show) sentence {
	if v := s.Verdict; v.Call == figures.Hold && b.at.Before(s.Event.StartsAt) {
		return sentence{}.strong("Hold:").text(" about " + count(v.Outside.Value) + ", until " + b.span(v.From, v.To))
	}
	return b.verdict(s)
}

// outside says what a verdict to hold expects. After curtain it says no more when the last
// comes: those who are left are too few to tell.
func (b *builder) outside(s *figures.Show) string {
	v := s.Verdict
	text := "about " + count(v.Outside.Value) + " still outside"
	if curtain := s.Event.StartsAt; b.at.Before(curtain) {
		text += " at " + clock(curtain, b.zone) + ", last about " + b.span(v.From, v.To)
	}
	return text
}

// span is from one time of day to another.
func (b *builder) span(from, to time.Time) string {
	if clock(from, b.zone) == clock(to, b.zone) {
		return clock(from, b.zone)
	}
	return clock(from, b.zone) + " to " + clock(to, b.zone)
}

// service says what the service does not offer, how far the first sync has come, and which
// failures the truth strip does not show.
func (b *builder) service() []notice {
	var all []notice
	add := func(what, more string) {
		all = append(all, notice{Level: figures.Info, Text: say("").strong(what).text(more)})
	}
	none := map[string][]string{} // the lists that are not offered, by the fault
	for _, h := range b.Health.Streams {
		// A stream from which no figure is counted concerns only those who see money.
		if !b.Access.seesStream(h) || !h.Counts() && !b.Access.seesMoney() {
			continue
		}
		switch {
		case h.Fault == figures.FaultNotOffered, h.Fault == figures.FaultForbidden:
			none[faultWords(h.Fault)] = append(none[faultWords(h.Fault)], h.Rows())
		case h.Counts() && !h.Complete && !h.LastGood.IsZero():
			add("Reading "+h.Rows(), " for the first time, "+progress(h)+"; history is incomplete.")
		// While the light is not green, the strip names what fails.
		case !h.Counts() && h.Missed >= missedPolls && b.Health.Light() == figures.Green:
			add("No answer about "+h.Rows(), " "+timesInARow(h.Missed)+": "+faultText(h)+".")
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(none)) {
		add("No "+list(none[fault]), ": "+fault+". What is counted from them is not known.")
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

// since names a moment of today by its time and an older one by its day.
func (b *builder) since(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case b.Calendar.Day(t) == b.evening.Day || b.Calendar.Day(t) == b.today:
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
