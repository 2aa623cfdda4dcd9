package licence_test

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// A licence is passed by the people who were counted, from the first minute with more than are allowed until there are no more, and
// once although it was so again soon after.
func TestPassed(t *testing.T) {
	club := foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00")
	allowed := func(hall string, n int64) *record.Setting {
		return foldtest.Set(record.SettingLicensed, hall, "", n, "09:00")
	}
	stay := func(n int, event, in, out string) []record.Record {
		passes := []string{in}
		if out != "" {
			passes = append(passes, "-"+out)
		}
		return foldtest.Many(n, event+in+out, event, foldtest.Passes(passes...))
	}
	foyer := []record.Record{foldtest.Tonight("trio", "Foyer", "19:00", "20:00", "22:00"), allowed("Foyer", 3)}
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string
	}{
		{"as many as are allowed", "23:30", foldtest.Together(stay(10, "club", "19:30", "22:01"), []record.Record{club, allowed("Main", 10)}), ""},
		{"one more", "23:30", foldtest.Together(stay(8, "club", "19:30", "22:01"), stay(3, "club", "19:40", "21:00"), []record.Record{club, allowed("Main", 10)}), "Main: 11 of 10 at 19:40, 1 too many, 19:40 to 21:00; "},
		{"while it goes on", "20:30", foldtest.Together(foldtest.ScannedOut("Main"), stay(12, "club", "19:30", ""), []record.Record{club, allowed("Main", 10)}), "Main: 12 of 10 at 19:30, 2 too many, since 19:30; "},
		{"again soon after", "23:30", foldtest.Together(stay(8, "club", "19:30", "22:01"), stay(3, "club", "19:40", "20:00"), stay(4, "club", "20:15", "21:00"), []record.Record{club, allowed("Main", 10)}), "Main: 12 of 10 at 20:15, 2 too many, 19:40 to 21:00; "},
		{"again long after", "23:30", foldtest.Together(stay(8, "club", "19:30", "22:01"), stay(3, "club", "19:40", "20:00"), stay(4, "club", "20:16", "21:00"), []record.Record{club, allowed("Main", 10)}), "Main: 11 of 10 at 19:40, 1 too many, 19:40 to 20:00; Main: 12 of 10 at 20:16, 2 too many, 20:16 to 21:00; "},
		{"nobody is scanned out", "23:30", foldtest.Together(stay(12, "club", "19:30", ""), []record.Record{club, allowed("Main", 10)}), ""},
		{"the building, by those who are counted in a part of it", "23:30", foldtest.Together(stay(12, "club", "19:30", "22:01"), stay(5, "trio", "19:35", ""), foyer, []record.Record{club, allowed("", 10), allowed("Main", 12)}), "building: at least 12 no_exits of 10 at 19:30, 2 too many, 19:30 to 22:01; "},
		{"with people without a ticket", "23:30", foldtest.Together(stay(12, "club", "19:30", "22:01"), []record.Record{club, allowed("Main", 10), &record.WalkIn{ID: "w", EventID: "club", Count: 2, At: foldtest.Clock("19:50")}}), "Main: at least 12 walk_ins of 10 at 19:30, 2 too many, 19:30 to 22:01; "},
		{"until the end, where nobody is scanned as they leave", "22:15", foldtest.Together(stay(10, "club", "19:20", "20:00"), stay(60, "club", "19:30", ""), []record.Record{club, allowed("Main", 55)}), "Main: 70 of 55 at 19:30, 15 too many, 19:30 to 22:00; "},
		{"nobody came", "23:30", foldtest.Together([]record.Record{club, allowed("Main", 10)}), ""},
	} {
		v := foldtest.At(c.now, c.records...)
		clock := func(at time.Time) string { return at.In(foldtest.Clock("19:00").Location()).Format("15:04") }
		got := ""
		for _, p := range licence.Of(v, v.Night("2026-11-20")) {
			got += fmt.Sprintf("%s: %s of %d at %s, %d too many, ", cmp.Or(p.Hall, "building"), foldtest.Say(p.Most), p.Licensed, clock(p.MostAt), p.TooMany().Value)
			if p.To.IsZero() {
				got += "since " + clock(p.From) + "; "
			} else {
				got += clock(p.From) + " to " + clock(p.To) + "; "
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whoever sees one hall is told of that, and not of the building.
func TestPassedInAHall(t *testing.T) {
	l := foldtest.Fold(foldtest.Complete, foldtest.Together(foldtest.Many(12, "x", "club", foldtest.Passes("19:30", "-22:01")), []record.Record{
		foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Set(record.SettingLicensed, "", "", 10, "09:00"), foldtest.Set(record.SettingLicensed, "Main", "", 11, "09:00"),
	})...)
	for halls, want := range map[string]int{"Main": 1, "Foyer": 0} {
		v := evening.At(l.InHalls([]string{halls}), foldtest.Clock("23:30"))
		if got := licence.Of(v, v.Night("2026-11-20")); len(got) != want {
			t.Errorf("who sees %s is told of %d", halls, len(got))
		}
	}
}

// Who came in since a place held more than are allowed; nobody where it holds no more, also where it did, and once nobody comes.
func TestMoreCame(t *testing.T) {
	records := foldtest.Together([]record.Record{foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Tonight("trio", "Foyer", "19:00", "20:00", "22:00"), foldtest.Tonight("bar", "Cellar", "19:00", "20:00", "22:00"),
		foldtest.Set(record.SettingLicensed, "Cellar", "", 2, "09:00"), foldtest.Set(record.SettingLicensed, "Main", "", 3, "09:00"), foldtest.Set(record.SettingLicensed, "Foyer", "", 3, "09:00"), foldtest.Set(record.SettingLicensed, "", "", 8, "09:00")},
		foldtest.ScannedOut("Main"), foldtest.ScannedOut("Foyer"), foldtest.ScannedOut("Cellar"),
		foldtest.Many(3, "e", "bar", foldtest.Passes("19:30", "-19:35")), foldtest.Many(1, "f", "bar", foldtest.Passes("19:50", "-19:52")),
		foldtest.Many(4, "a", "club", foldtest.Passes("19:40")), foldtest.Many(3, "b", "club", foldtest.Passes("19:41")), foldtest.Many(2, "c", "trio", foldtest.Passes("19:50")), foldtest.Many(1, "d", "club", foldtest.Passes("19:55", "-20:40")))
	for at, halls := range map[string]map[string]string{
		"20:10": {"Main": "19:40, 1 and 4", "Foyer": "", "Cellar": "", "": "19:50, 2 and 1"},
		"20:11": {"Main": "", "Foyer": "", "Cellar": "", "": ""},
	} {
		v := foldtest.At(at, records...)
		for hall, want := range halls {
			got := ""
			if since, first, n := licence.MoreCame(v, licence.Since(v, hall)); !since.IsZero() {
				got = fmt.Sprintf("%s, %d and %d", since.In(foldtest.Clock("19:00").Location()).Format("15:04"), first, n)
			}
			if got != want {
				t.Errorf("%s, %q: %q, want %q", at, hall, got, want)
			}
		}
	}
}

// How many too many were inside in a minute that is over, and since when, does not move when somebody goes out for a while and comes back; it
// does when an entry of before that arrives late.
func TestTooManyInAMinuteStands(t *testing.T) {
	night := foldtest.Together([]record.Record{foldtest.Tonight("club", "Main", "19:00", "20:00", "23:00"), foldtest.Set(record.SettingLicensed, "Main", "", 10, "09:00")}, foldtest.ScannedOut("Main"),
		foldtest.Many(9, "stay", "club", foldtest.Passes("19:30")), foldtest.Many(3, "more", "club", foldtest.Passes("19:40")))
	smoke := func(passes ...string) []record.Record {
		return foldtest.Many(4, "smoke", "club", foldtest.Passes(passes...))
	}
	late := foldtest.Many(2, "late", "club", foldtest.Passes("19:35"))
	for _, c := range []struct {
		name, now string
		records   []record.Record
		want      string
	}{
		{"some are out", "20:15", smoke("19:20", "-19:28"), "12 at 19:40, since 19:40, 2 in it"},
		{"they came back", "20:25", smoke("19:20", "-19:28", "20:20"), "16 at 20:20, since 19:40, 2 in it"},
		{"and went out again", "20:45", smoke("19:20", "-19:28", "20:20", "-20:30", "20:40"), "16 at 20:20, since 19:40, 2 in it"},
		{"entries arrive late", "20:45", foldtest.Together(late, smoke("19:20", "-19:28", "20:20", "-20:30", "20:40")), "18 at 20:20, since 19:35, 1 in it"},
	} {
		v := foldtest.At(c.now, foldtest.Together(night, c.records)...)
		got := ""
		for _, p := range licence.Of(v, v.Shows) {
			zone := foldtest.Clock("19:00").Location()
			got += fmt.Sprintf("%d at %s, since %s, %d in it", p.Most.Value, p.MostAt.In(zone).Format("15:04"), p.From.In(zone).Format("15:04"), p.First-p.Licensed)
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A place is full about when its visitors are expected to have come, to five minutes, or by the faster of the rates of five and of two
// minutes, whichever is earlier; never in a minute that is past. What was said a minute ago stands where it is off by a minute.
func TestFullAbout(t *testing.T) {
	come := func(n int, from string, perMinute int) []record.Record {
		return foldtest.Come(n, "c"+from, "club", "A", from, perMinute)
	}
	var nights []record.Record
	for _, day := range []string{"08 ", "09 ", "10 ", "11 ", "12 "} {
		id := "past " + day
		nights = append(nights, foldtest.Tonight(id, "Main", day+"19:00", day+"20:00", day+"22:00"))
		for i := range 100 {
			nights = append(nights, foldtest.Ticket(fmt.Sprint(id, i), id, foldtest.Passes(fmt.Sprintf("%s19:%02d", day, 20+i/3), fmt.Sprintf("-%s22:0%d", day, i/20))))
		}
	}
	for _, c := range []struct {
		name    string
		place   string
		allowed int64
		records []record.Record
		want    string
	}{
		{"as fast as in five minutes", "Main", 110, foldtest.Together(come(60, "19:24", 10), foldtest.ScannedOut("Main")), "19:34"},
		{"a rush that grows", "Main", 108, foldtest.Together(come(8, "19:24", 2), come(40, "19:28", 20), foldtest.ScannedOut("Main")), "19:32"},
		{"more each minute", "Main", 220, foldtest.Together(come(28, "19:18", 4), come(80, "19:25", 16), foldtest.ScannedOut("Main")), "19:36"},
		{"nothing is forecast, and it is not soon", "Main", 200, foldtest.Together(come(50, "19:25", 10), foldtest.ScannedOut("Main")), ""},
		{"by the forecast", "Main", 200, foldtest.Together(come(90, "19:20", 9), nights), "19:40"},
		{"by the forecast, in this minute", "Main", 40, foldtest.Together(come(30, "19:20", 9), nights), "19:31"},
		{"the building", "", 200, foldtest.Together(come(90, "19:20", 9), nights), "19:40"},
		{"a rate that falls, and the forecast is earlier", "Main", 58, foldtest.Together(come(45, "19:20", 9), come(5, "19:25", 1), nights), "19:32"},
		{"room for all", "Main", 400, foldtest.Together(come(90, "19:20", 9), nights), ""},
	} {
		v := foldtest.At("19:30", foldtest.Together(c.records, foldtest.Many(210, "w", "club"), []record.Record{foldtest.Tonight("club", "Main", "19:00", "20:00", "22:00"), foldtest.Set(record.SettingLicensed, c.place, "", c.allowed, "09:00")})...)
		l, ok := v.LoadOf(c.place)
		if !ok {
			t.Fatalf("%s: nothing is set", c.name)
		}
		got := ""
		if about := licence.FullAbout(v, l); !about.IsZero() {
			got = about.In(foldtest.Clock("19:00").Location()).Format("15:04")
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q; %q at the rate", c.name, got, c.want, l.FullAt())
		}
	}
}
