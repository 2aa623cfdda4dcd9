package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
)

// The story moves the clock of the sandbox on by storyStep every second, from storyEarlier before the usual evening
// until storyEnds; that is ten minutes. What somebody does in it goes through the sandbox's own paths and the
// log, and what it says of alerts is said when the figures raise them.
const (
	storyEarlier = -4 * time.Minute // before the doors open
	storyStep    = 26 * time.Second
	storyEnds    = "23:48"
)

// storyBeat is something that happens at a time of the evening.
type storyBeat struct {
	at   string // by the house's clock
	says string // the line in the terminal; empty for none
	look string // the page to look at, by its name, and its path; {hall} is the performance there
	path string
	does func(ctx context.Context, d *demo) error // nil for nothing
}

// story is the evening, in the order of its times.
var story = []storyBeat{
	{at: "19:29", does: gateFails},
	{at: "19:30", says: "the doors of the Grote Zaal open, and people come in", look: "Tonight", path: "/tonight"},
	{at: "19:38", says: "a school takes 24 places at the box office", look: "Tonight, sold today", path: "/tonight", does: sells("Kleine Zaal", 24)},
	{at: "19:45", says: "the doors of the Kleine Zaal open, where nobody is scanned out", look: "Event", path: "/events/{Kleine Zaal}"},
	{at: "20:12", says: "a message goes to the screens", look: "the screen Foyer", does: saysOnScreens},
	{at: "20:15", says: "curtain in the Grote Zaal", look: "Event, who has come", path: "/events/{Grote Zaal}"},
	{at: "20:20", says: "an agency sells six places too many for tonight's Late Night", look: "Tonight", path: "/tonight", does: oversells("Foyer")},
	{at: "20:30", says: "curtain in the Kleine Zaal", look: "Event", path: "/events/{Kleine Zaal}"},
	{at: "20:45", says: "the ticketing service stops answering", look: "the strip below the navigation, on any page", path: "/tonight", does: serviceFails},
	{at: "21:10", says: "it answers again, and nothing is lost", look: "Tonight", path: "/tonight", does: serviceAnswers},
	{at: "21:25", says: "eight orders for the club are given back", look: "Event, Money", path: "/events/{Kelder}?part=money", does: refunds("Kelder", 8)},
	{at: "22:15", says: "the doors of the Foyer open", look: "Tonight", path: "/tonight"},
	{at: "22:45", says: "the doors of the club open", look: "Event", path: "/events/{Kelder}"},
	{at: "23:30", says: "the club begins", look: "Tonight, in the building", path: "/tonight"},
	{at: storyEnds, says: "the night goes on at its own pace; as manager look at what it took", look: "Revenue", path: "/revenue"},
}

// storyAlerts are the lines of the alerts that the story speaks of, by their codes; {gate} and {hall} are the alert's.
var storyAlerts = map[string]string{
	evening.AlertQuietGate: "gate {gate} goes quiet while people are still to come: take it on, \"I'm on it\"",
	evening.AlertHold:      "the {hall} cannot start on time",
	evening.AlertOversold:  "more places are sold of the {hall} than it has",
	evening.AlertCrowded:   "as many people as may be are in the {hall}: let nobody else in",
	evening.AlertRefunds:   "unusually much goes back today, for the {hall}",
}

// playStory plays the story until its end or until ctx ends. What fails of it is logged, and the evening goes on.
func (d *demo) playStory(ctx context.Context, out io.Writer) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	told := map[string]bool{} // alerts
	for next := 0; next < len(story); {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		d.service.Advance(storyStep)
		now := d.service.Now()
		v := evening.At(d.program.figures.Snapshot(), now)
		for ; next < len(story) && !now.Before(d.storyTime(story[next].at)); next++ {
			b := &story[next]
			if b.does != nil {
				if err := b.does(ctx, d); err != nil && ctx.Err() == nil {
					d.log.Error("a part of the story did not happen", "at", b.at, "err", err)
				}
			}
			if b.says != "" {
				d.tell(out, now, b.says, b.look, d.storyPath(v, b.path))
			}
		}
		for _, a := range v.Alerts {
			if text := storyAlerts[a.Code]; text != "" && !told[a.Key] {
				told[a.Key] = true
				d.tell(out, now, strings.NewReplacer("{gate}", a.Gate, "{hall}", a.Show().Event.Hall).Replace(text), "Tonight", "/tonight")
			}
		}
	}
	return nil
}

// tell writes a line of the story.
func (d *demo) tell(out io.Writer, now time.Time, says, look, path string) {
	line := fmt.Sprintf("%s  %s: look at %s", now.In(d.settings.zone).Format("15:04"), says, look)
	if path != "" {
		line += "  " + d.url + path
	}
	fmt.Fprintln(out, line)
}

// storyTime returns a time of the evening's day.
func (d *demo) storyTime(clock string) time.Time {
	since, _ := parseClock(clock) // a test reads them all
	at := d.service.Now().In(d.settings.zone).Add(-d.settings.cutoff)
	y, m, day := at.Date()
	return time.Date(y, m, day, 0, 0, 0, 0, d.settings.zone).Add(since)
}

// storyPath returns a path with the id of the evening's performance in place of a hall's name in braces.
func (d *demo) storyPath(v *evening.Evening, path string) string {
	before, rest, found := strings.Cut(path, "{")
	hall, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return path
	}
	if e := tonightIn(v, hall); e != nil {
		return before + e.Event.ID + after
	}
	return "/events"
}

// tonightIn returns the evening's performance in a hall, nil if there is none.
func tonightIn(v *evening.Evening, hall string) *figures.EventFigures {
	i := slices.IndexFunc(v.Shows, func(s *evening.Show) bool { return s.Event.Hall == hall })
	if i < 0 {
		return nil
	}
	return v.Shows[i].EventFigures
}

// event returns the id of tonight's performance in a hall.
func (d *demo) event(hall string) (string, error) {
	e := tonightIn(evening.At(d.program.figures.Snapshot(), d.service.Now()), hall)
	if e == nil {
		return "", fmt.Errorf("nothing is on in the %s", hall)
	}
	return e.Event.ID, nil
}

// control calls a control path of the sandbox and decodes its answer into out, unless that is nil.
func (d *demo) control(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.sandboxURL+"/sandbox/"+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{}).Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("sandbox: %s answers %s", path, answer.Status)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(out)
}

func gateFails(ctx context.Context, d *demo) error {
	id, err := d.event("Grote Zaal")
	if err != nil {
		return err
	}
	return d.control(ctx, "night", map[string]string{"event_id": id, "night": "gate"}, nil)
}

func sells(hall string, places int) func(context.Context, *demo) error {
	return func(ctx context.Context, d *demo) error {
		id, err := d.event(hall)
		if err != nil {
			return err
		}
		return d.control(ctx, "sell", map[string]any{"event_id": id, "quantity": places, "channel": "box_office"}, nil)
	}
}

// oversells sells all places that a performance has left, and six more.
func oversells(hall string) func(context.Context, *demo) error {
	return func(ctx context.Context, d *demo) error {
		e := tonightIn(evening.At(d.program.figures.Snapshot(), d.service.Now()), hall)
		if e == nil || !e.Available.Known() {
			return fmt.Errorf("it is not known what is free in the %s", hall)
		}
		return d.control(ctx, "sell", map[string]any{"event_id": e.Event.ID, "quantity": max(0, e.Available.Value) + 6, "channel": "agency"}, nil)
	}
}

// refunds sells orders of four places to a hall, and gives their money back.
func refunds(hall string, orders int) func(context.Context, *demo) error {
	return func(ctx context.Context, d *demo) error {
		id, err := d.event(hall)
		for range orders {
			var sold struct {
				PaymentID string `json:"payment_id"`
			}
			if err == nil {
				err = d.control(ctx, "sell", map[string]any{"event_id": id, "quantity": 4, "channel": "web"}, &sold)
			}
			if err == nil {
				err = d.control(ctx, "refund", map[string]string{"payment_id": sold.PaymentID}, nil)
			}
		}
		return err
	}
}

// outage is the longest that the service fails in the story, in real time: it answers again before.
const outage = 5 * time.Minute

func serviceFails(ctx context.Context, d *demo) error {
	return d.control(ctx, "fault", map[string]any{"kind": "error", "status": http.StatusServiceUnavailable, "for": outage.Seconds()}, nil)
}

func serviceAnswers(ctx context.Context, d *demo) error {
	return d.control(ctx, "fault", map[string]any{"for": 0}, nil)
}

// saysOnScreens enters a message for all screens, as an administrator does.
func saysOnScreens(ctx context.Context, d *demo) error {
	now := d.service.Now()
	return d.program.entries.Message(ctx, &record.ScreenMessage{ID: "late-entry", Text: "Grote Zaal: late entry by door B until 20:25", Until: d.storyTime("20:25"), At: now, By: staffNamed(web.Admin)})
}
