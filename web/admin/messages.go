package admin

import (
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// messages are what a service sent today.
type messages struct {
	Text  string
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

// messages returns what a service sent today; nil if it cannot send any, or that is not known.
func (b builder) messages(service string) *messages {
	known, _ := b.Source.(map[string][]figures.Messages)
	all, ok := known[service]
	if !ok {
		return nil
	}
	begins := b.Calendar.Start(b.Today)
	var hours [25]int // a day in autumn has one more
	taken, refused, most := 0, 0, 0
	var last time.Time
	for _, m := range all {
		hour := int(m.From.Sub(begins) / time.Hour)
		if m.From.Before(begins) || hour >= len(hours) {
			continue
		}
		taken, refused, last = taken+m.Taken, refused+m.Refused, figures.Later(last, m.Last)
		if hours[hour] += m.Taken; hours[hour] > hours[most] {
			most = hour
		}
	}
	if taken+refused == 0 {
		return &messages{Text: b.Text("services.no_messages")}
	}
	m := &messages{Text: b.Text("services.messages", words.Int("n", taken), words.Text("time", b.ClockSeconds(last, b.Zone)))}
	if refused > 0 {
		m.Text = b.Text("services.messages_refused", words.Text("messages", m.Text), words.Int("n", refused))
	}
	if taken == 0 {
		return m
	}
	m.Label = b.Text("services.most_messages", words.Int("n", hours[most]), words.Text("time", b.Clock(begins.Add(time.Duration(most)*time.Hour), b.Zone)))
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
