package demohouse

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

// The story moves the clock of the sandbox on by storyStep every second, from StoryEarlier before the usual evening
// until storyEnds; that is ten minutes. What somebody does in it goes through the sandbox's own paths and the
// log, and what it says of alerts is said when the figures raise them.
const (
	StoryEarlier = -4 * time.Minute // before the doors open
	storyStep    = 26 * time.Second
	storyEnds    = "23:48"
)

// Beat is something that happens at a time of the evening.
type Beat struct {
	At   string // by the house's clock
	Says string // the line in the terminal; empty for none
	Look string // the page to look at, by its name, and its path; {hall} is the performance there
	Path string
	Does func(ctx context.Context, e *Evening) error // nil for nothing
}

// Story is the evening, in the order of its times.
var Story = []Beat{
	{At: "19:29", Does: gateFails},
	{At: "19:30", Says: "the doors of the Grote Zaal open, and people come in", Look: "Tonight", Path: "/tonight"},
	{At: "19:38", Says: "a school takes 24 places at the box office", Look: "Tonight, sold today", Path: "/tonight", Does: sells("Kleine Zaal", 24)},
	{At: "19:45", Says: "the doors of the Kleine Zaal open, where nobody is scanned out", Look: "Event", Path: "/events/{Kleine Zaal}"},
	{At: "20:12", Says: "a message goes to the screens", Look: "the screen Foyer", Does: saysOnScreens},
	{At: "20:15", Says: "curtain in the Grote Zaal", Look: "Event, who has come", Path: "/events/{Grote Zaal}"},
	{At: "20:20", Says: "an agency sells six places too many for tonight's Late Night", Look: "Tonight", Path: "/tonight", Does: oversells("Foyer")},
	{At: "20:30", Says: "curtain in the Kleine Zaal", Look: "Event", Path: "/events/{Kleine Zaal}"},
	{At: "20:45", Says: "the ticketing service stops answering", Look: "the strip below the navigation, on any page", Path: "/tonight", Does: serviceFails},
	{At: "21:10", Says: "it answers again, and nothing is lost", Look: "Tonight", Path: "/tonight", Does: serviceAnswers},
	{At: "21:25", Says: "eight orders for the club are given back", Look: "Event, Money", Path: "/events/{Kelder}?part=money", Does: refunds("Kelder", 8)},
	{At: "22:15", Says: "the doors of the Foyer open", Look: "Tonight", Path: "/tonight"},
	{At: "22:45", Says: "the doors of the club open", Look: "Event", Path: "/events/{Kelder}"},
	{At: "23:30", Says: "the club begins", Look: "Tonight, in the building", Path: "/tonight"},
	{At: storyEnds, Says: "the night goes on at its own pace; as manager look at what it took", Look: "Revenue", Path: "/revenue"},
}

// storyAlerts are the lines of the alerts that the story speaks of, by their codes; {gate} and {hall} are the alert's.
var storyAlerts = map[string]string{
	evening.AlertQuietGate: "gate {gate} goes quiet while people are still to come: take it on, \"I'm on it\"",
	evening.AlertHold:      "the {hall} cannot start on time",
	evening.AlertFewerIn:   "far fewer than usual are in the {hall}: find out whether they come",
	evening.AlertOversold:  "more places are sold of the {hall} than it has",
	evening.AlertCrowded:   "as many people as may be are in the {hall}: let nobody else in",
	evening.AlertRefunds:   "unusually much goes back today, for the {hall}",
}

// playStory plays the story until its end or until ctx ends. What fails of it is logged, and the evening goes on.
func (e *Evening) playStory(ctx context.Context, out io.Writer) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	told := map[string]bool{} // alerts
	for next := 0; next < len(Story); {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		e.Service.Advance(storyStep)
		now := e.Service.Now()
		v := evening.At(e.Figures.Snapshot(), now)
		for ; next < len(Story) && !now.Before(e.storyTime(Story[next].At)); next++ {
			b := &Story[next]
			if b.Does != nil {
				if err := b.Does(ctx, e); err != nil && ctx.Err() == nil {
					e.Log.Error("a part of the story did not happen", "at", b.At, "err", err)
				}
			}
			if b.Says != "" {
				e.tell(out, now, b.Says, b.Look, e.Path(v, b.Path))
			}
		}
		for _, a := range v.Alerts {
			if text := storyAlerts[a.Code]; text != "" && !told[a.Key] {
				told[a.Key] = true
				e.tell(out, now, strings.NewReplacer("{gate}", a.Gate, "{hall}", a.Show().Event.Hall).Replace(text), "Tonight", "/tonight")
			}
		}
	}
	return nil
}

// tell writes a line of the story.
func (e *Evening) tell(out io.Writer, now time.Time, says, look, path string) {
	line := fmt.Sprintf("%s  %s: look at %s", now.In(e.Zone).Format("15:04"), says, look)
	if path != "" {
		line += "  " + e.URL + path
	}
	fmt.Fprintln(out, line)
}

// storyTime returns a time of the evening's day.
func (e *Evening) storyTime(clock string) time.Time {
	t, _ := time.Parse("15:04", clock) // a test reads them all
	since := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	at := e.Service.Now().In(e.Zone).Add(-e.Cutoff)
	y, m, day := at.Date()
	return time.Date(y, m, day, 0, 0, 0, 0, e.Zone).Add(since)
}

// Path returns a path with the id of the evening's performance in place of a hall's name in braces.
func (e *Evening) Path(v *evening.Evening, path string) string {
	before, rest, found := strings.Cut(path, "{")
	hall, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return path
	}
	if show := tonightIn(v, hall); show != nil {
		return before + show.Event.ID + after
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
func (e *Evening) event(hall string) (string, error) {
	show := tonightIn(evening.At(e.Figures.Snapshot(), e.Service.Now()), hall)
	if show == nil {
		return "", fmt.Errorf("nothing is on in the %s", hall)
	}
	return show.Event.ID, nil
}

// control calls a control path of the sandbox and decodes its answer into out, unless that is nil.
func (e *Evening) control(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.SandboxURL+"/sandbox/"+path, bytes.NewReader(body))
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

func gateFails(ctx context.Context, e *Evening) error {
	id, err := e.event("Grote Zaal")
	if err != nil {
		return err
	}
	return e.control(ctx, "night", map[string]string{"event_id": id, "night": "gate"}, nil)
}

func sells(hall string, places int) func(context.Context, *Evening) error {
	return func(ctx context.Context, e *Evening) error {
		id, err := e.event(hall)
		if err != nil {
			return err
		}
		return e.control(ctx, "sell", map[string]any{"event_id": id, "quantity": places, "channel": "box_office"}, nil)
	}
}

// oversells sells all places that a performance has left or blocked, and six more.
func oversells(hall string) func(context.Context, *Evening) error {
	return func(ctx context.Context, e *Evening) error {
		show := tonightIn(evening.At(e.Figures.Snapshot(), e.Service.Now()), hall)
		if show == nil || !show.Available.Known() {
			return fmt.Errorf("it is not known what is free in the %s", hall)
		}
		return e.control(ctx, "sell", map[string]any{"event_id": show.Event.ID, "quantity": max(0, show.Available.Value) + show.Blocked.Value + 6, "channel": "agency"}, nil)
	}
}

// refunds sells orders of four places to a hall, and gives their money back.
func refunds(hall string, orders int) func(context.Context, *Evening) error {
	return func(ctx context.Context, e *Evening) error {
		id, err := e.event(hall)
		for range orders {
			var sold struct {
				PaymentID string `json:"payment_id"`
			}
			if err == nil {
				err = e.control(ctx, "sell", map[string]any{"event_id": id, "quantity": 4, "channel": "web"}, &sold)
			}
			if err == nil {
				err = e.control(ctx, "refund", map[string]string{"payment_id": sold.PaymentID}, nil)
			}
		}
		return err
	}
}

// outage is the longest that the service fails in the story, in real time: it answers again before.
const outage = 5 * time.Minute

func serviceFails(ctx context.Context, e *Evening) error {
	return e.control(ctx, "fault", map[string]any{"kind": "error", "status": http.StatusServiceUnavailable, "for": outage.Seconds()}, nil)
}

func serviceAnswers(ctx context.Context, e *Evening) error {
	return e.control(ctx, "fault", map[string]any{"for": 0}, nil)
}

// saysOnScreens enters a message for all screens, as an administrator does.
func saysOnScreens(ctx context.Context, e *Evening) error {
	now := e.Service.Now()
	return e.Message(ctx, &record.ScreenMessage{ID: "late-entry", Text: "Grote Zaal: late entry by door B until 20:25", Until: e.storyTime("20:25"), At: now, By: staffNamed(web.Admin)})
}
