package live_test

import (
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"housecount/web/live"
)

// A page is led from one topic to another by its credential: it is sent the whole of it, with the
// element that holds it, and its state where that is another; what it is led to already costs nothing.
func TestLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		stage := paragraph("stage")
		stage.Body = func() (string, error) { return "<main><p id=p></p></main>", nil }
		h.showAs("stage", stage)
		mine, theirs := h.watch(`holder=mine&state={"n":1}`), h.watch("holder=theirs")
		mine.take()
		theirs.take()
		if got := mine.heard(); len(got) != 1 || string(got[0].State) != `{"n":1}` {
			t.Errorf("at first it is told %+v", got)
		}
		lead := func(to live.Lead) (frames, told []frame) {
			t.Helper()
			h.hub.Lead("mine", to)
			time.Sleep(time.Second)
			return mine.take(), mine.heard()
		}
		frames, told := lead(live.Lead{Topic: "stage", State: json.RawMessage(`{"n":1}`)})
		if len(frames) != 1 || !frames[0].Whole || frames[0].Topic != "stage" || frames[0].Body != "<main><p id=p></p></main>" || frames[0].HTML["p"] != "<p id=p>stage</p>" || told != nil {
			t.Errorf("it is led by %+v, and told %+v", frames, told)
		}
		if frames, told := lead(live.Lead{Topic: "stage", State: json.RawMessage(`{"n":2}`)}); frames != nil || len(told) != 1 || string(told[0].State) != `{"n":2}` {
			t.Errorf("another state comes with %+v, as %+v", frames, told)
		}
		if frames, told := lead(live.Lead{Topic: "stage", State: json.RawMessage(`{"n":2}`)}); frames != nil || told != nil {
			t.Errorf("what it is led to already is sent %+v, %+v", frames, told)
		}
		h.showAs("hall", paragraph("1"))
		h.hub.Wake("hall")
		time.Sleep(time.Second)
		if got := mine.take(); got != nil {
			t.Errorf("it is sent what it was led from: %+v", got)
		}
		if got := theirs.take(); len(got) != 1 {
			t.Errorf("another's page is sent %+v", got)
		}
		if frames, _ := lead(live.Lead{Topic: "hall", State: json.RawMessage(`{"n":2}`)}); len(frames) != 1 || !frames[0].Whole || frames[0].HTML["p"] != "<p id=p>1</p>" {
			t.Errorf("back it is led by %+v", frames)
		}
		if got := theirs.heard(); got != nil {
			t.Errorf("another's page is told %+v", got)
		}
	})
}

// A page that is led where nothing is is closed, as one that asks for it.
func TestLeadToNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			if name == "attic" {
				return live.Topic{}, errors.New("no attic")
			}
			return topicOf(name, func(live.Content) (live.Content, error) { return paragraph("0"), nil }), nil
		}})
		p := h.watch("holder=mine")
		p.take()
		h.hub.Lead("mine", live.Lead{Topic: "attic"})
		<-p.closed
		if p.closeCode() != int(live.CloseForbidden) {
			t.Errorf("it ends with %d", p.closeCode())
		}
	})
}
