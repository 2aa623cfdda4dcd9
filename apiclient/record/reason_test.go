package record

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// What a service writes for the reason of a refund is one short line without what could reorder the text around it.
func TestReasonOfARefund(t *testing.T) {
	read := func(reason string) *Payment {
		p := &Payment{ID: "r", Kind: KindOfRefund, Amount: Money{Amount: 1, Currency: "EUR"}, Reason: reason, ContactID: "c"}
		m, _ := Validate(KindPayment, p)
		if m.Refused != nil {
			t.Fatalf("%q is refused", reason)
		}
		return m.Record.(*Payment)
	}
	for given, want := range map[string]string{
		"":                        "",
		" Illness\r\n of\tone ":   "Illness of one",
		"a\x00b\x1b[31m\u202ec":   "ab[31mc",
		" \u200b \u2066 ":         "",
		strings.Repeat("é", 120):  strings.Repeat("é", 120),
		strings.Repeat("🎭", 5000): strings.Repeat("🎭", 119) + "…",
	} {
		if got := read(given).Reason; got != want || utf8.RuneCountInString(got) > MaxReason {
			t.Errorf("%.40q becomes %q, want %q", given, got, want)
		}
	}
	p := read("Ms Jansen fell ill")
	if got := WithoutContact(p).(*Payment); got.Reason != "" || p.Reason == "" {
		t.Errorf("without the contact: %q of %q", got.Reason, p.Reason)
	}
	if got := Tombstone(p).(*Payment).Reason; got != "" {
		t.Errorf("a deleted refund has the reason %q", got)
	}
}
