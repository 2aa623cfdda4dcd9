package profile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Times are parsed in the profile's formats, in the zone of the record or of the profile.
func TestNormalizeTime(t *testing.T) {
	const dutch = "time: {zone: Europe/Amsterdam, formats: [rfc3339, '2006-01-02 15:04', '2006-01-02', '02.01.2006 15:04:05 -0700', unix]}"
	tests := []struct {
		rules, at, more string
		want            string // RFC 3339, or the reason of the refusal
	}{
		{dutch, `"2026-11-21T20:00:00+01:00"`, "", "2026-11-21T19:00:00Z"},
		{dutch, `"2026-11-21T20:00:00.123456Z"`, "", "2026-11-21T20:00:00.123456Z"},
		{dutch, `"2026-11-21 20:00"`, "", "2026-11-21T19:00:00Z"},
		{dutch, `"2026-06-21 20:00"`, "", "2026-06-21T18:00:00Z"},
		{dutch, `"2026-06-21"`, "", "2026-06-20T22:00:00Z"},
		{dutch, `"21.06.2026 20:00:00 -0300"`, "", "2026-06-21T23:00:00Z"},
		{dutch, `"2026-11-21 20:00"`, `,"timezone":"America/New_York"`, "2026-11-22T01:00:00Z"},
		{dutch, `"2026-11-21T20:00:00+01:00"`, `,"timezone":"America/New_York"`, "2026-11-21T19:00:00Z"},
		{dutch, `1795287600`, "", "2026-11-21T19:00:00Z"},
		{dutch, `"1795287600"`, "", "2026-11-21T19:00:00Z"},
		{dutch, `0`, "", "1970-01-01T00:00:00Z"},
		{dutch, `-1`, "", "is in the year 1969"},
		{dutch, `1e9`, "", `is no time as time.formats says: a number`},
		{dutch, `1795287600.5`, "", `is no time as time.formats says: a number`},
		{dutch, `99999999999999`, "", "is in the year 3170843"},
		{dutch, `9223372036854775807`, "", "is in the year 292277026596"},
		{dutch, `""`, "", `is no time as time.formats says: an empty text`},
		{dutch, `"tonight"`, "", `is no time as time.formats says: a text of 7 characters like aaaaaaa`},
		{dutch, `true`, "", `is no time as time.formats says: true or false`},
		{dutch, `{}`, "", `is no time as time.formats says: an object`},
		{"time: {formats: [unix_ms]}", `1795287600123`, "", "2026-11-21T19:00:00.123Z"},
		{"time: {zone: UTC, formats: ['2006-01-02 15:04']}", `"2026-11-21 20:00"`, "", "2026-11-21T20:00:00Z"},

		// 02:00 to 03:00 occurs twice: the first is meant unless the text has an offset.
		{dutch, `"2026-10-25 02:30"`, "", "2026-10-25T00:30:00Z"},
		{dutch, `"2026-10-25 01:59"`, "", "2026-10-24T23:59:00Z"},
		{dutch, `"2026-10-25 03:00"`, "", "2026-10-25T02:00:00Z"},
		{dutch, `"25.10.2026 02:30:00 +0100"`, "", "2026-10-25T01:30:00Z"},
		{dutch, `"2026-11-01 01:30"`, `,"timezone":"America/New_York"`, "2026-11-01T05:30:00Z"},
		{dutch, `"2026-04-05 01:45"`, `,"timezone":"Australia/Lord_Howe"`, "2026-04-04T14:45:00Z"},
		// 02:00 to 03:00 is skipped.
		{dutch, `"2026-03-29 02:30"`, "", "2026-03-29T01:30:00Z"},
	}
	for _, test := range tests {
		p := normalizing(t, record.KindTicket, test.rules)
		got := p.MapRow("rows", `{"id":"t","event_id":"e","sold_at":`+test.at+test.more+`}`, nil, nil)
		switch want, err := time.Parse(time.RFC3339, test.want); {
		case err != nil:
			if len(got.Refused) != 1 || got.Refused[0].Field != "sold_at" || got.Refused[0].Why.String() != test.want {
				t.Errorf("%s%s: got %+v", test.at, test.more, got)
			}
		case len(got.Records) != 1:
			t.Errorf("%s%s: got %v", test.at, test.more, got.Refused)
		default:
			if at := got.Records[0].(*record.Ticket).SoldAt; at != want {
				t.Errorf("%s%s: got %v, not %v", test.at, test.more, at, want)
			}
		}
	}
}

// The cache of time zones is limited.
func TestNormalizeManyZones(t *testing.T) {
	p := program(t, `{id, date: "2026-11-21", timezone: .id}`)
	for i := range 2500 {
		p.MapRow("rows", fmt.Sprintf(`{"id":"zone %d"}`, i), nil, nil)
	}
	if n := p.CachedZones(); n > 1000 {
		t.Errorf("%d zones are kept", n)
	}
}

// A time that is parsed and formatted again in the same format is the same moment.
func FuzzParseTime(f *testing.F) {
	amsterdam, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("2006-01-02 15:04", "2026-10-25 02:30")
	f.Add("2006-01-02 15:04", "2026-03-29 02:30")
	f.Add("2006-01-02T15:04:05Z07:00", "2026-10-25T02:30:00+01:00")
	f.Add("02-Jan-2006 3:04pm -0700", "25-Oct-2026 2:30am +0100")
	f.Add("rfc3339", "2026-11-21T20:00:00.5Z")
	f.Add("unix", "1795287600")
	f.Add("unix_ms", "-1")
	f.Add("2006-002", "2026-300")
	f.Add("MST", "CET")
	f.Fuzz(func(t *testing.T, format, s string) {
		at, ok := profile.ParseTime(format, s, amsterdam)
		if !ok || at.Year() < 1970 || at.Year() > 2200 || format == "rfc3339" || strings.HasPrefix(format, "unix") {
			return
		}
		text := at.Format(format)
		again, ok := profile.ParseTime(format, text, amsterdam)
		if !ok || again.Sub(at).Abs() >= time.Second {
			t.Errorf("%q in %q is %v, which is %q, which is %v", s, format, at, text, again)
		}
	})
}
