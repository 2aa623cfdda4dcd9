package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// childPath names the environment variable that makes the test binary the process which
// is killed.
const childPath = "HOUSECOUNT_TEST_STORE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		fmt.Fprintln(os.Stderr, appendForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const killBatch = 20

// appendForever appends batches of tickets of its own and prints the last revision of
// each once it is acknowledged. The mark of a batch is that revision in seconds.
func appendForever(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	var last int64
	for e, err := range s.Replay(ctx, 0) {
		if err != nil {
			return err
		}
		last = e.Revision
	}
	for {
		batch := make([]record.Record, killBatch)
		for i := range batch {
			batch[i] = ticket(fmt.Sprintf("tkt_%d", last+int64(i)+1), 0, record.TicketValid)
		}
		mark := &aggregator.Mark{Stream: "tickets", Since: time.Unix(last+killBatch, 0), From: fmt.Sprint(last + killBatch)}
		if _, last, err = s.Append(ctx, batch, mark); err != nil {
			return err
		}
		if _, err := fmt.Println(last); err != nil {
			return err
		}
	}
}

// A process that is killed at any moment leaves a database with everything that it
// acknowledged, whole batches only, revisions without a gap, and the mark of the last.
func TestKill(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "house.db")
	for round := range 8 {
		acknowledged := killChild(t, path, 1+random.IntN(40))
		s := open(t, path)
		var revisions int64
		for _, e := range replay(t, s, 0) {
			revisions++
			if e.Revision != revisions || e.Record.RecordID() != fmt.Sprintf("tkt_%d", revisions) {
				t.Fatalf("seed %d, round %d: %s at revision %d, want tkt_%d", seed, round, e.Record.RecordID(), e.Revision, revisions)
			}
		}
		marks, err := s.Marks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := marks["tickets"]
		if revisions < acknowledged || revisions%killBatch != 0 || got.Since.Unix() != revisions || got.From != fmt.Sprint(revisions) {
			t.Fatalf("seed %d, round %d: %d revisions and mark %+v after %d were acknowledged", seed, round, revisions, got, acknowledged)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killChild runs appendForever in a process of its own, kills it after it acknowledged a
// number of batches, and returns the last revision that it acknowledged.
func killChild(t *testing.T, path string, batches int) (acknowledged int64) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), childPath+"="+path)
	child.Stderr = t.Output()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		if _, err := fmt.Sscan(lines.Text(), &acknowledged); err != nil {
			t.Errorf("the child printed %q", lines.Text())
		}
		if n == 0 { // while it lives, nobody else comes in
			if _, err := store.Open(t.Context(), path); !errors.Is(err, store.ErrInUse) {
				t.Errorf("a second process got %v, want ErrInUse", err)
			}
		}
		if n == batches {
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
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
