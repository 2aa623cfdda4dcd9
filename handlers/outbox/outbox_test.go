package outbox_test

import (
	"errors"
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

// Who was told of an alert is read once a minute, however often its page wakes, also where it could not be read; of another alert apart.
func TestHeldIsReadOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h outbox.Held
		reads := map[string]int{}
		of := func(alert string) string {
			told, err := h.Of(alert, func() ([]web.LetterReader, error) {
				if reads[alert]++; reads[alert] == 2 {
					return nil, errors.New("away")
				}
				return []web.LetterReader{{Person: alert}}, nil
			})
			if err != nil {
				return err.Error()
			}
			return told[0].Person
		}
		for minute, want := range []string{"a", "away", "a"} {
			for range 30 {
				if got := of("a"); got != want || reads["a"] != minute+1 {
					t.Fatalf("minute %d: %q after %d reads, want %q after %d", minute, got, reads["a"], want, minute+1)
				}
				time.Sleep(2 * time.Second)
			}
		}
		if of("b"); reads["b"] != 1 {
			t.Errorf("another alert was read %d times, want once", reads["b"])
		}
	})
}
