package outbox_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/outbox"
	"housecount/web"
)

// Who was told on a device was not told by mail, and is the person whose device it was, also once it gets notifications no more.
func TestToldOnADeviceThatIsGone(t *testing.T) {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "house.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	l, now, device := st.Letters(), time.Now(), store.DeviceID("idp anna", "https://x")
	var all []store.Letter
	for _, one := range []store.Subscriber{{Person: device, Owner: "idp anna", Device: `{"endpoint":"https://x"}`}, {Person: "idp anna"}, {Person: "idp bert device driver"}} {
		one.Language, one.Names, one.Who = "en", []string{"alerts"}, []byte(`{}`)
		if err := l.Subscribe(t.Context(), one, store.Act{Actor: "idp anna", Action: store.ActLettersChosen}); err != nil {
			t.Fatal(err)
		}
		all = append(all, store.Letter{Person: one.Person, Name: "alerts", About: "hold:a#1", Until: now.Add(time.Hour)})
	}
	if err := l.Make(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if err := l.Settle(t.Context(), all, store.LetterSent, "", 0); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []bool{false, true} {
		if gone {
			if err := l.Gone(t.Context(), device); err != nil {
				t.Fatal(err)
			}
		}
		told, err := outbox.Told(t.Context(), l, nil, "hold:a#1", func(at time.Time) time.Time { return at })
		var got []string
		for _, one := range told {
			got = append(got, one.Person+map[bool]string{true: " by mail", false: " on a device"}[one.Device == ""])
		}
		slices.Sort(got)
		if want := []string{"idp anna by mail", "idp anna on a device", "idp bert device driver by mail"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("with the device gone (%t) told are %q (%v), want %q", gone, got, err, want)
		}
	}
}

// held is a Held, with how often each alert was read. It cannot be read while fail is not nil.
type held struct {
	outbox.Held
	reads map[string]int
	fail  error
}

// of returns who was told of an alert, which is one whose name says how often it was read, or the error.
func (h *held) of(alert string) string {
	told, err := h.Of(alert, func() ([]web.LetterReader, error) {
		h.reads[alert]++
		return []web.LetterReader{{Person: fmt.Sprint(alert, h.reads[alert])}}, h.fail
	})
	if err != nil {
		return err.Error()
	}
	return told[0].Person
}

// Who was told of an alert is read once a minute, however often its page wakes, and of another alert apart. What could not be read
// is read again after a second.
func TestHeldIsReadOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := held{reads: map[string]int{}}
		for _, want := range []string{"a1", "a2", "a3"} {
			for range 30 {
				if got := h.of("a"); got != want {
					t.Fatalf("%q, want %q", got, want)
				}
				time.Sleep(2 * time.Second)
			}
		}
		h.fail = errors.New("away")
		for range 3 {
			if got := h.of("b"); got != "away" || h.reads["b"] != 1 {
				t.Errorf("another alert: %q after %d reads", got, h.reads["b"])
			}
			time.Sleep(300 * time.Millisecond)
		}
		h.fail = nil
		time.Sleep(100 * time.Millisecond)
		if got := h.of("b"); got != "b2" {
			t.Errorf("a second after it could not be read: %q", got)
		}
	})
}

// What is held goes when a letter changes, also what is being read then.
func TestHeldGoesWhenALetterChanges(t *testing.T) {
	changed := make(chan struct{}, 1)
	h := held{Held: outbox.Held{Changed: changed}, reads: map[string]int{}}
	for i, want := range []string{"a1", "a1", "a2", "a2"} {
		if i == 2 {
			changed <- struct{}{}
		}
		if got := h.of("a"); got != want {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
	changed <- struct{}{}
	told, err := h.Of("a", func() ([]web.LetterReader, error) {
		changed <- struct{}{}
		return []web.LetterReader{{Person: "old"}}, nil
	})
	if err != nil || told[0].Person != "old" {
		t.Fatal(told, err)
	}
	if got := h.of("a"); got != "a3" {
		t.Errorf("changed while it was read: %q", got)
	}
}

// Nobody waits for a read of another alert; of the same all get what one read returned.
func TestHeldReadsApart(t *testing.T) {
	var h outbox.Held
	reading, answer, got := make(chan bool, 2), make(chan bool), make(chan string, 3)
	for range 2 {
		go func() {
			told, _ := h.Of("slow", func() ([]web.LetterReader, error) {
				reading <- true
				<-answer
				return []web.LetterReader{{Person: "slow"}}, nil
			})
			got <- told[0].Person
		}()
	}
	<-reading
	go func() {
		told, _ := h.Of("quick", func() ([]web.LetterReader, error) { return []web.LetterReader{{Person: "quick"}}, nil })
		got <- told[0].Person
	}()
	select {
	case one := <-got:
		if one != "quick" {
			t.Errorf("%q came first", one)
		}
	case <-time.After(10 * time.Second):
		t.Error("the read of another alert waits")
	}
	close(answer)
	for range 2 {
		if one := <-got; one != "slow" {
			t.Errorf("%q", one)
		}
	}
	if len(reading) != 0 {
		t.Error("it was read twice")
	}
}
