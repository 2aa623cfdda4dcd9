package handlers_test

import (
	"errors"
	"strings"
	"testing"

	"housecount/handlers"
)

func TestReadGrantee(t *testing.T) {
	for _, c := range []struct {
		text, want string
		err        error
	}{
		{" Mia@House.Example ", "mia@house.example", nil},
		{"@House.Example", "@house.example", nil},
		{"mia+door@house.example", "mia+door@house.example", nil},
		{"mia@bücher.example", "mia@xn--bcher-kva.example", nil},
		{"mia@XN--BCHER-KVA.example", "mia@xn--bcher-kva.example", nil},
		{"@BÜCHER.example", "@xn--bcher-kva.example", nil},
		{"mia@bu\u0308cher.example", "mia@xn--bcher-kva.example", nil}, // the same ü in two
		{"JOS\u00c9@house.example", "jos\u00e9@house.example", nil},    // É
		{"JOSE\u0301@house.example", "jos\u00e9@house.example", nil},   // the same É in two
		{"bo\u212a@house.example", "", handlers.ErrNoAddress},          // the Kelvin sign is no k
		{"m\u0456a@house.example", "m\u0456a@house.example", nil},      // nor is a Cyrillic і an i
		{"@theatre.co.uk", "@theatre.co.uk", nil},
		{"@co.uk", "", handlers.ErrSharedDomain},
		{"@Gmail.com", "", handlers.ErrSharedDomain},
		{"mia@gmail.com", "mia@gmail.com", nil},
		{"@example", "", handlers.ErrNoAddress},
		{"@", "", handlers.ErrNoAddress},
		{"", "", handlers.ErrNoAddress},
		{"mia", "", handlers.ErrNoAddress},
		{"mia@", "", handlers.ErrNoAddress},
		{"mia@house", "", handlers.ErrNoAddress},
		{"mia@house.example.", "", handlers.ErrNoAddress},
		{"mia@@house.example", "", handlers.ErrNoAddress},
		{"mia bo@house.example", "", handlers.ErrNoAddress},
		{"Mia <mia@house.example>", "", handlers.ErrNoAddress},
		{"mia@house.example,bo@house.example", "", handlers.ErrNoAddress},
		{"mia\x00@house.example", "", handlers.ErrNoAddress},
		{"mia\u202e@house.example", "", handlers.ErrNoAddress},
		{"mia\xff@house.example", "", handlers.ErrNoAddress},
		{"mia@192.0.2.1", "", handlers.ErrNoAddress},
		{strings.Repeat("m", 250) + "@house.example", "", handlers.ErrNoAddress},
	} {
		if got, err := handlers.ReadGrantee(c.text); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q is %q (%v), want %q (%v)", c.text, got, err, c.want, c.err)
		}
	}
}
