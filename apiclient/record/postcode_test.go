package record_test

import (
	"testing"

	"housecount/apiclient/record"
)

func TestPostcodeArea(t *testing.T) {
	for _, c := range []struct{ code, country, want string }{
		{"3511", "NL", "NL 35"},
		{"10115", "DE", "DE 10"},
		{"01067", "de", "DE 01"},
		{"D-10115", "DE", "DE 10"}, // the record has four characters: D-10
		{"B-2000", "BE", "BE 20"},
		{"3511", "", "35"},
		{"3511", "Nederland", "35"},
		{"3511", "N1", "35"},
		{"SW1A 2AA", "GB", "GB SW"},
		{"m1 1ae", "GB", "GB M"},
		{"ABC", "", "AB"},
		{"3", "NL", ""},
		{"", "NL", ""},
		{"<b>", "NL", ""},
		{"٣٥١١", "NL", ""}, // digits that no postal service here has
		{"-10", "DE", ""},
	} {
		r := record.Contact{ID: "c", PostalArea: c.code, Country: c.country}
		record.Validate(record.KindContact, &r)
		if r.PostcodeArea() != c.want {
			t.Errorf("%q of %q is %q, want %q", c.code, c.country, r.PostcodeArea(), c.want)
		}
	}
}
