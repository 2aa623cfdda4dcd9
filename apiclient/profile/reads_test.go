package profile_test

import (
	"strings"
	"testing"

	"housecount/apiclient/profile"
)

// What a program reads of a row is followed through variables, lists, alternatives and functions; the rest is named.
func TestReads(t *testing.T) {
	for program, want := range map[string]string{
		`{id: .nr, title}`: ".nr .title |",
		`. as $b | .seats[] | {id, event_id: $b.show.id, at: $b.at}`:                        ".at .seats .seats[].id .show .show.id |",
		`select(.gone != true) | .a // ."b c" | .d`:                                         ".a .a.d .b c .gone |",
		`[.dates[] | .start] | first`:                                                       ".dates .dates[].start |",
		`if .paid then .x else .y end | {z: .w}`:                                            ".paid .x .y |",
		`(.lines | map(.n) | add) as $n | {n: $n, x: $over.key, y: "\(.q)-\($with[.w].k)"}`: ".lines .lines[].n .q .w |",
		`def f: .u; reduce .l[] as $x (0; . + $x.v) | {}`:                                   "| def f; reduce .l[] as $x (0; . + $x.v)",
		`.lists[-1].ends_at, .by[.key]`:                                                     ".by .key .lists .lists[].ends_at | .by[.key]",
		`any(.positions[]; .subevent) | {}`:                                                 ".positions .positions[].subevent |",
		strings.Repeat("(", 150) + ".deep" + strings.Repeat(")", 150):                       ".deep |",
	} {
		p, err := profile.Parse("t.yaml", []byte("name: t\nbase_url: https://x\nstreams:\n  - name: rows\n    path: rows\n    gives: [event]\n    records: |\n      "+program+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		paths, unclear := p.Streams[0].Reads()
		got := strings.TrimSpace(strings.Join(paths, " ") + " | " + strings.Join(unclear, "; "))
		if got != want {
			t.Errorf("%.80s\n got %s\nwant %s", program, got, want)
		}
	}
}
