package notify

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// A server that takes nobody it does not know yet, for some minutes, gets each letter a moment later, once.
func TestUpkeepOfGreylistedLetters(t *testing.T) {
	inHouse(t, func(h *house) {
		h.Greylist(450, "greylisted, try again in two minutes", 2*time.Minute)
		h.subscribe("anna", "morning")
		h.subscribe("bert", "morning")
		h.morning("2026-11-22")
		pass(time.Minute)
		h.want()
		pass(4 * time.Minute)
		h.want("anna@house.example", "bert@house.example")
		pass(24 * time.Hour)
		h.want("anna@house.example", "bert@house.example")
		h.became(store.LetterSent, store.LetterSent)
	})
}

// One address that is refused among good ones costs the others nothing, and is not tried again with the same letter.
func TestUpkeepOfOneRefusedAddress(t *testing.T) {
	inHouse(t, func(h *house) {
		h.RefuseOne("bert@house.example", 550, "no such user")
		for _, name := range []string{"anna", "bert", "cleo", "dirk", "elsa"} {
			h.subscribe(name, "morning")
		}
		h.morning("2026-11-22")
		pass(time.Minute)
		good := []string{"anna@house.example", "cleo@house.example", "dirk@house.example", "elsa@house.example"}
		h.want(good...)
		pass(3 * time.Hour)
		h.want(good...)
		newest, err := h.letters.Newest(h.t.Context())
		if err != nil || newest["idp bert"].State != store.LetterRefused || newest["idp cleo"].State != store.LetterSent || h.Tried() != 5 {
			t.Errorf("tried %d times, %+v (%v)", h.Tried(), newest, err)
		}
	})
}

// A process that dies between sending a letter and noting that leaves it to another, which sends it once more, with the id of
// the first.
func TestUpkeepOfLettersAfterACrash(t *testing.T) {
	inHouse(t, func(h *house) {
		h.stop()
		h.subscribe("anna", "morning")
		one := store.Letter{Person: "idp anna", Name: "morning", About: "2026-11-22", Until: time.Now().Add(4 * time.Hour)}
		if err := h.letters.Make(h.t.Context(), []store.Letter{one}); err != nil {
			t.Fatal(err)
		}
		all, err := h.letters.Claim(h.t.Context(), store.ByMail)
		if err != nil || len(all) != 1 {
			t.Fatalf("%v (%v)", all, err)
		}
		to, err := h.letters.Of(h.t.Context(), "idp anna")
		if err != nil {
			t.Fatal(err)
		}
		text, err := h.write(all, *to)
		if err == nil {
			err = h.server.Send(h.t.Context(), idOf(all), *to, text, time.Hour)
		}
		if err != nil {
			t.Fatal(err)
		}
		h.begin()
		h.morning("2026-11-22")
		pass(store.ClaimTime - time.Minute)
		h.want("anna@house.example") // the other process may be at it still
		pass(4 * time.Hour)
		got := h.Got()
		if len(got) != 2 || got[0].Header.Get("Message-ID") != got[1].Header.Get("Message-ID") {
			t.Errorf("sent %d times, want twice with one id", len(got))
		}
		h.became(store.LetterSent)
	})
}

// An address that would make a header of its own is refused before anything is sent, and others get their letters.
func TestUpkeepOfBadAddresses(t *testing.T) {
	for _, bad := range []string{"bert@house.example\r\nBcc: all@house.example", "bert@house.example\nRCPT TO:<all@house.example>", "bert@house.example>, <all@house.example", "bert", ""} {
		inHouse(t, func(h *house) {
			h.subscribe("anna", "morning")
			err := h.letters.Subscribe(h.t.Context(), store.Subscriber{Person: "idp bert", Address: bad, Language: "en", Names: []string{"morning"}, Who: []byte(`{}`)}, store.Act{Actor: "idp bert", Action: store.ActLettersChosen})
			if err != nil {
				t.Fatal(err)
			}
			h.morning("2026-11-22")
			pass(5 * time.Hour)
			h.want("anna@house.example")
			if newest, err := h.letters.Newest(h.t.Context()); err != nil || newest["idp bert"].State != store.LetterRefused || h.Tried() != 1 {
				t.Errorf("%q: tried %d times, %+v (%v)", bad, h.Tried(), newest["idp bert"], err)
			}
		})
	}
}

// A mail server that is away for a day is told, once it is back, of what is worth it still, once, and of nothing that was to be
// told at the time: neither the alerts nor the letter of the morning.
func TestUpkeepOfADayWithoutMail(t *testing.T) {
	inHouse(t, func(h *house) {
		h.reach(false)
		h.subscribe("anna", "alerts", "morning", "revenue_week")
		h.subscribe("bert", "alerts")
		h.isDue(Due{Name: "morning", About: "2026-11-23", For: 4 * time.Hour}, Due{Name: "revenue_week", About: "2026-11-23", For: 36 * time.Hour})
		for hour := range 24 {
			h.alert("of " + strconv.Itoa(hour))
			pass(time.Hour)
		}
		h.want()
		h.mu.Lock()
		h.due = nil
		h.mu.Unlock()
		h.reach(true)
		pass(longest + time.Minute)
		h.want("anna@house.example")
		if got := h.Got(); len(got) == 1 && !strings.Contains(got[0].Parts["text/html"], "2026-11-23") {
			t.Errorf("sent is %q", got[0].Parts)
		}
		h.alert("now")
		pass(time.Minute)
		pass(24 * time.Hour)
		h.want("anna@house.example", "anna@house.example", "bert@house.example")
		h.mu.Lock()
		defer h.mu.Unlock()
		n := map[string]int{}
		for _, state := range h.states {
			n[state]++
		}
		if n[store.LetterLate] != 24*2+1 || n[store.LetterSent] != 3 || len(n) != 2 {
			t.Errorf("the letters are %v", n)
		}
	})
}

// Of letters that are sent as one, those that Write leaves out are sent once it does not, and not those that were sent.
func TestUpkeepOfLettersThatAreLeftOut(t *testing.T) {
	inHouse(t, func(h *house) {
		right := h.write
		known := false
		h.writes(func(all []store.Letter, to store.Subscriber) (Text, error) {
			text, err := right(all, to)
			if text.Waits = []string{"Tosca"}; known {
				text.Waits = nil
			}
			return text, err
		})
		h.subscribe("anna", "alerts")
		h.isDue(Due{Name: "alerts", About: "Carmen", For: time.Hour}, Due{Name: "alerts", About: "Tosca", For: time.Hour})
		pass(2 * time.Minute)
		h.want("anna@house.example")
		h.became(store.LetterSent)
		known = true
		pass(2 * time.Minute)
		h.want("anna@house.example", "anna@house.example")
		h.became(store.LetterSent, store.LetterSent)
		got := h.Got()
		if len(got) != 2 {
			return
		}
		if html := got[1].Parts["text/html"]; !strings.Contains(html, "12 came – Tosca") {
			t.Errorf("sent later is %q", html)
		}
		if first, second := got[0].Header.Get("Message-ID"), got[1].Header.Get("Message-ID"); first == second {
			t.Errorf("both have the id %s", first)
		}
	})
}
