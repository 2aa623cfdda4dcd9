package admin

import (
	"slices"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// messages are what a service sent today.
type messages struct {
	Text  string
	Help  string // what leads to how the service is made to send; empty if it does
	Label string // of the bars
	Bars  []messageBar
}

// messageBar is an hour of the day: the attributes of its bar.
type messageBar struct{ X, Y, Height string }

// The picture of a day: the width of an hour, and the height of the most.
const (
	hourWidth  = 10
	barsHeight = 40
)

// sent is what came of a service today.
type sent struct {
	taken, refused int
	last           time.Time
	hours          [25]int // taken by the hour; a day in autumn has one more
}

// sentToday returns what of all messages came today.
func (b builder) sentToday(all []figures.Messages) (s sent) {
	begins := b.Calendar.Start(b.Today)
	for _, m := range all {
		hour := int(m.From.Sub(begins) / time.Hour)
		if m.From.Before(begins) || hour >= len(s.hours) {
			continue
		}
		s.taken, s.refused, s.last = s.taken+m.Taken, s.refused+m.Refused, figures.Later(s.last, m.Last)
		s.hours[hour] += m.Taken
	}
	return s
}

// messages returns what a service sent today; nil if that is not known, or it cannot send any and is not the first: how that one would is
// said.
func (b builder) messages(service string) *messages {
	known, read := b.Source.(map[string][]figures.Messages)
	all, ok := known[service]
	switch {
	case !ok && read && service == "":
		return &messages{Help: b.Text("services.hook_address")}
	case !ok:
		return nil
	}
	sent := b.sentToday(all)
	taken, refused, last, hours := sent.taken, sent.refused, sent.last, sent.hours
	if taken+refused == 0 {
		return &messages{Text: b.Text("services.no_messages"), Help: b.Text("services.hook_address")}
	}
	m := &messages{Text: b.Text("services.messages", words.Int("n", taken), words.Text("time", b.ClockSeconds(last, b.Zone)))}
	if refused > 0 {
		m.Text = b.Text("services.messages_refused", words.Text("messages", m.Text), words.Int("n", refused))
	}
	if taken == 0 {
		return m
	}
	most := slices.Index(hours[:], slices.Max(hours[:]))
	m.Label = b.Text("services.most_messages", words.Int("n", hours[most]), words.Text("time", b.Clock(b.Calendar.Start(b.Today).Add(time.Duration(most)*time.Hour), b.Zone)))
	for hour, n := range hours {
		if n > 0 {
			height := max(1, barsHeight*n/hours[most])
			m.Bars = append(m.Bars, messageBar{strconv.Itoa(hour * hourWidth), strconv.Itoa(barsHeight - height), strconv.Itoa(height)})
		}
	}
	return m
}

var fromMessages = &web.Source{Subject: web.WakeRecords, Spare: true, Read: func(s web.Sources, b *web.Builder) (any, error) {
	if s.Messages == nil {
		return map[string][]figures.Messages(nil), nil
	}
	return s.Messages(b.Calendar.Start(b.Today))
}}
