package options

import "testing"

func TestParseRate(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "60": 60, "60/min": 60, "5/s": 300, "90/minute": 90} {
		if got, err := ParseRate(text); err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "many", "-1", "5/h", "1.5/s", "99999999", "60/min/min"} {
		if got, err := ParseRate(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
