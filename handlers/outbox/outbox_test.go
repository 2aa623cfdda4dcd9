package outbox_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/outbox"
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
