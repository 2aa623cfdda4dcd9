package observe

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// While the database takes its time to append the ticket, pages are rendered, and figures are published after a second;
// the steps are logged once it is stored. Topics that nobody has open any more are forgotten, and a version that was not
// read here leaves no line.
func TestTraceWhileTheDatabaseIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		ticket := &record.Ticket{ID: "t1", UpdatedAt: time.Now().Add(-2 * time.Second)}
		tr := &Trace{Ticket: "t1", Now: time.Now, Log: slog.New(slog.NewTextHandler(&out, nil))}
		tr.Versions = func(_ context.Context, revisions []int64) ([]record.Version, error) {
			return []record.Version{{Revision: revisions[0], Record: ticket}}, nil
		}
		appendAs := func(revision int64, meanwhile func()) {
			t.Helper()
			b := aggregator.Batch{Records: []record.Record{ticket}}
			if _, err := tr.append(t.Context(), b, func(context.Context, aggregator.Batch) (aggregator.Appended, error) {
				if !tr.mu.TryLock() {
					t.Fatal("rendering waits for the database")
				}
				tr.mu.Unlock()
				meanwhile()
				return aggregator.Appended{Revision: revision, New: 1}, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		appendAs(1, func() {})
		if out.Len() > 0 {
			t.Errorf("of what was not read: %s", out.String())
		}
		tr.seen, tr.seenAt = time.Now(), time.Now()
		tr.rendering("page", 1)
		appendAs(2, func() {
			began := time.Now()
			tr.Published(2)
			if took := time.Since(began); took != orderPatience {
				t.Errorf("figures waited %v", took)
			}
			tr.rendering("page", 2)
		})
		if tr.Rendered("page") == 0 || tr.Rendered("other") != 0 {
			t.Error("the page that has it is not followed, or another is")
		}
		var steps []string
		for line := range strings.Lines(out.String()) {
			_, rest, _ := strings.Cut(line, "step=")
			step, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			steps = append(steps, step)
		}
		if got := strings.Join(steps, " "); got != "said seen appended folded rendered" {
			t.Errorf("the steps are %s", got)
		}
		// Figures of before do not have it, nor has a page that is made of them, and a mark of before says nothing of it.
		out.Reset()
		appendAs(3, func() {})
		tr.Published(2)
		tr.rendering("page", 2)
		if tr.Rendered("page") != 0 || strings.Contains(out.String(), "folded") {
			t.Errorf("with figures of before: %s", out.String())
		}
		tr.Published(3)
		tr.rendering("page", 3)
		mark := tr.Rendered("page")
		tr.Sent(mark, 0)
		tr.Shown(mark - 1)
		if got := out.String(); mark == 0 || !strings.Contains(got, "step=rendered") || strings.Contains(got, "step=sent") || strings.Contains(got, "step=shown") {
			t.Errorf("with mark %d, to no page, and with a mark of before: %s", mark, got)
		}
		if tr.Shown(mark); !strings.Contains(out.String(), "step=shown") {
			t.Errorf("once it is shown: %s", out.String())
		}
		for n := range 100 {
			tr.rendering(fmt.Sprint("closed ", n), 2)
		}
		time.Sleep(2 * forgetDrawing)
		tr.rendering("new", 2)
		if len(tr.drawn) != 1 {
			t.Errorf("%d topics are remembered", len(tr.drawn))
		}
	})
}
