package store_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// childDatabase names the environment variable that makes the test binary the process which
// is killed.
const childDatabase = "TEST_STORE"

func TestMain(m *testing.M) {
	if database := os.Getenv(childDatabase); database != "" {
		fmt.Fprintln(os.Stderr, appendForever(database))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const killBatch = 20

// appendForever leads, appends batches of tickets and prints the last revision of each once
// it is acknowledged. Every batch brings half of the one before once more, and a stream
// state that tells the last revision in seconds.
func appendForever(database string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, database)
	if err != nil {
		return err
	}
	r, err := s.Records(ctx, "default")
	if err != nil {
		return err
	}
	return r.Lead(ctx, func(ctx context.Context, term int64) error {
		p, err := r.Position(ctx)
		if err != nil {
			return err
		}
		for last := p.Revision; ; {
			var batch []record.Record
			for i := max(0, last-killBatch/2); i < last+killBatch; i++ {
				batch = append(batch, ticket(fmt.Sprintf("tkt_%d", i+1), 0, record.TicketValid))
			}
			a, err := r.Append(ctx, aggregator.Batch{Term: term, SeenAt: noon, Records: batch,
				Streams: []aggregator.StreamState{{Name: "tickets", Since: time.Unix(last+killBatch, 0)}}})
			if err != nil {
				return err
			}
			last = a.Revision
			if _, err := fmt.Println(last); err != nil {
				return err
			}
		}
	})
}

// A process that is killed at any moment leaves a log with everything that it acknowledged,
// whole batches only, nothing twice, and the stream state of the last. The next leads where
// it ended.
func TestKill(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	for _, d := range []struct {
		name, database string
		rounds         int
	}{
		{"SQLite", filepath.Join(t.TempDir(), "house.db"), 60},
		{"PostgreSQL", pgtest.New(t), 40},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			var revisions int64
			for round := range d.rounds {
				acknowledged := killChild(t, d.database, 1+random.IntN(20), time.Duration(random.IntN(3000))*time.Microsecond)
				r := records(t, open(t, d.database), "default")
				after := revisions // what was seen in the rounds before is seen again in the last
				if round == d.rounds-1 {
					after, revisions = 0, 0
				}
				for _, v := range versions(t, r, after) {
					revisions++
					if v.Revision != revisions || v.Record.RecordID() != fmt.Sprintf("tkt_%d", revisions) {
						t.Fatalf("seed %d, round %d: %s at revision %d, want tkt_%d", seed, round, v.Record.RecordID(), v.Revision, revisions)
					}
				}
				states, _, err := r.Streams(t.Context())
				if err != nil || len(states) != 1 {
					t.Fatal(states, err)
				}
				if since := states[0].Since.Unix(); revisions < acknowledged || revisions%killBatch != 0 || since != revisions {
					t.Fatalf("seed %d, round %d: %d revisions and a state of %d after %d were acknowledged", seed, round, revisions, since, acknowledged)
				}
				closed(t, r.Store)
				if d.name == "PostgreSQL" { // as if its term had expired
					pgtest.Exec(t, d.database, `UPDATE lease SET expires = '-infinity'`)
				}
			}
		})
	}
}

// killChild runs appendForever in a process of its own, kills it a moment after it
// acknowledged a number of batches, and returns the last revision that it acknowledged.
func killChild(t *testing.T, database string, batches int, moment time.Duration) (acknowledged int64) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), childDatabase+"="+database)
	child.Stderr = t.Output()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 1; lines.Scan(); n++ {
		if _, err := fmt.Sscan(lines.Text(), &acknowledged); err != nil {
			t.Errorf("the child printed %q", lines.Text())
		}
		if n == batches {
			time.AfterFunc(moment, func() { child.Process.Kill() })
		}
	}
	if err := child.Wait(); err == nil {
		t.Error("the child was not killed")
	}
	if acknowledged == 0 {
		t.Fatal("the child acknowledged nothing")
	}
	return acknowledged
}
