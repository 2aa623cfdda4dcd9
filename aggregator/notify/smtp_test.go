package notify

import (
	"strings"
	"testing"
)

func TestNewSMTP(t *testing.T) {
	for _, c := range []struct{ address, from, fault string }{
		{"smtp://mail.example:587", "a@b.example", ""},
		{"smtps://mail.example", `"Theater: De Waag" <a@b.example>`, ""},
		{"mail.example:587", "a@b.example", "is not the address of a mail server"},
		{"https://mail.example", "a@b.example", "is not the address of a mail server"},
		{"smtp://user:secret@mail.example", "a@b.example", "is not the address of a mail server"},
		{"smtp://mail.example:99999", "a@b.example", "for a port"},
		{"smtp://mail.example", "De Waag", "--mail-from"},
		{"smtp://mail.example", "", "--mail-from"},
	} {
		_, err := NewSMTP(c.address, "", "", c.from)
		if err == nil != (c.fault == "") || err != nil && (!strings.Contains(err.Error(), c.fault) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s from %q: %v, want %q", c.address, c.from, err, c.fault)
		}
	}
}
