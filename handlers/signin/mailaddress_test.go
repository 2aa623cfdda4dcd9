package signin_test

import (
	"errors"
	"strings"
	"testing"

	"housecount/handlers/signin"
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
		{"bo\u212a@house.example", "", signin.ErrNoAddress},            // the Kelvin sign is no k
		{"m\u0456a@house.example", "m\u0456a@house.example", nil},      // nor is a Cyrillic і an i
		{"@theatre.co.uk", "@theatre.co.uk", nil},
		{"@co.uk", "", signin.ErrSharedDomain},
		{"@Gmail.com", "", signin.ErrSharedDomain},
		{"mia@gmail.com", "mia@gmail.com", nil},
		{"@example", "", signin.ErrNoAddress},
		{"@", "", signin.ErrNoAddress},
		{"", "", signin.ErrNoAddress},
		{"mia", "", signin.ErrNoAddress},
		{"mia@", "", signin.ErrNoAddress},
		{"mia@house", "", signin.ErrNoAddress},
		{"mia@house.example.", "", signin.ErrNoAddress},
		{"mia@@house.example", "", signin.ErrNoAddress},
		{"mia bo@house.example", "", signin.ErrNoAddress},
		{"Mia <mia@house.example>", "", signin.ErrNoAddress},
		{"mia@house.example,bo@house.example", "", signin.ErrNoAddress},
		{"mia\x00@house.example", "", signin.ErrNoAddress},
		{"mia\u202e@house.example", "", signin.ErrNoAddress},
		{"mia\xff@house.example", "", signin.ErrNoAddress},
		{"mia@192.0.2.1", "", signin.ErrNoAddress},
		{strings.Repeat("m", 250) + "@house.example", "", signin.ErrNoAddress},
	} {
		if got, err := signin.ReadGrantee(c.text); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q is %q (%v), want %q (%v)", c.text, got, err, c.want, c.err)
		}
	}
}
