package profile_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// TestMain lets the test binary be the process that runs the programs of profiles.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == profile.WorkerArgument {
		var out io.Writer = os.Stdout
		if os.Getenv("TEST_PANIC") != "" {
			out = new(panics)
		}
		if err := profile.Work(os.Stdin, out); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// panics is the output of a process that panics when it has something to write.
type panics struct{ ready bool }

func (p *panics) Write(b []byte) (int, error) {
	if p.ready {
		panic("at a row")
	}
	p.ready = true
	return os.Stdout.Write(b)
}

// isolate has the programs of p run in a process of their own, which ends with the test.
func isolate(t testing.TB, p *profile.Profile) *profile.Profile {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Isolate(self, profile.WorkerArgument)
	t.Cleanup(p.EndIsolation)
	return p
}

// Whatever a program does to have much memory, its process has less than 700 MB at any time, this one no more than
// before, the row is refused with the reason, and the next row is mapped.
func TestMemoryOfPrograms(t *testing.T) {
	for _, text := range []string{
		`"x" * 1000000000`,
		`{id: ("x" * 1000000000)}`,
		`reduce range(40) as $i ("x"; . + .)`,
		`[range(1e15)]`,
		`[range(1e15) | {a: [.]}]`,
		`[limit(100000; repeat("x" * 100000))]`,
		`reduce range(60) as $i ([1]; [., .]) | tojson`,
		`null | .[500000000] = 1`,
		`"x" * 4000000 | [match(""; "g")]`,
		`def f: 1 + f; f`,
		`[range(1000000)] as $a | def f: $a[] | f; f`,
		`{id: ("x" * 20000000)}`,
	} {
		t.Run(text, func(t *testing.T) {
			p := isolate(t, program(t, `if .good then {id: "e", date: "2026-11-21"} else (`+text+`) end`))
			before := peak(t, syscall.RUSAGE_SELF)
			got := p.MapRow("rows", "{}", nil, nil)
			if len(got.Records) > 0 || len(got.Refused) != 1 || got.Refused[0].Stream != "rows" || got.Refused[0].Why.String() != "takes the program more memory than 256 MB" {
				t.Errorf("got %+v", got)
			}
			if got := p.MapRow("rows", `{"good": true}`, nil, nil); len(got.Records) != 1 {
				t.Errorf("the next row: %+v", got)
			}
			p.EndIsolation()
			if got := peak(t, syscall.RUSAGE_CHILDREN); got > 700<<20 {
				t.Errorf("the process had %d MB", got>>20)
			}
			if got := peak(t, syscall.RUSAGE_SELF); got > before+200<<20 {
				t.Errorf("this process had %d MB, and %d before", got>>20, before>>20)
			}
		})
	}
}

// peak returns the most memory that this process had, or any that it has waited for, in bytes.
func peak(t *testing.T, who int) int64 {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(who, &used); err != nil {
		t.Fatal(err)
	}
	return used.Maxrss << 10 // which Linux gives in kB
}

// In a process of their own programs give the same as in this one.
func TestIsolatedProgramsGiveTheSame(t *testing.T) {
	here, apart := parsed(t, orders), isolate(t, parsed(t, orders))
	for _, p := range []*profile.Profile{here, apart} {
		p.RowTime = time.Minute
	}
	apart, err := apart.With(map[string]string{"organizer": "havendam"})
	if err != nil {
		t.Fatal(err)
	}
	apart.RowTime = time.Minute
	_, want, err := here.ShareRow("events", `{"slug":"hamlet","currency":"EUR","name":"Hamlet"}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	key, stored, err := apart.ShareRow("events", `{"slug":"hamlet","currency":"EUR","name":"Hamlet"}`, nil)
	if err != nil || key != "hamlet" || !reflect.DeepEqual(stored, want) {
		t.Errorf("shared: %s %v %v, want %v", key, stored, err, want)
	}
	with := map[string]any{key: stored}
	for range 3 { // the second time what is shared is not sent again
		got, want := apart.MapRow("orders", order, nil, with), here.MapRow("orders", order, nil, with)
		if !reflect.DeepEqual(got, want) || len(got.Records) != 3 {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
	other := map[string]any{"hamlet": map[string]any{"currency": "USD"}}
	if got := apart.MapRow("orders", order, nil, other); len(got.Records) != 3 || got.Records[0].(*record.Ticket).Price.Currency != "USD" {
		t.Errorf("with other shared rows: %+v", got)
	}
}

// Numbers keep their literals on the way there and back, and many goroutines may have rows mapped at once.
func TestIsolatedRows(t *testing.T) {
	p := isolate(t, program(t, `{id: .id, date: "2026-11-21", title: "\(.n) \($over.n) \($vars|length)", capacity: .id|tonumber}`))
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			got := p.MapRow("rows", fmt.Sprintf(`{"id":"%d","n":12.50}`, n), map[string]any{"n": n}, nil)
			if len(got.Records) != 1 || got.Records[0].(*record.Event).Title != fmt.Sprintf("12.50 %d 0", n) || got.Records[0].RecordID() != fmt.Sprint(n) {
				t.Errorf("got %+v %+v", got.Records, got.Refused)
			}
		})
	}
	wg.Wait()
}

// Where the process does not start, that is an error of the page and no fault of its rows.
func TestProcessThatDoesNotStart(t *testing.T) {
	for _, c := range []struct {
		command []string
		want    string
	}{{[]string{filepath.Join(t.TempDir(), "none")}, "no such file"}, {[]string{"/bin/echo", "hello"}, "not say that it is ready"}, {[]string{"/bin/echo", "ready 0"}, "of another version"}} {
		p := program(t, `{id: "e", date: "2026-11-21"}`)
		p.Isolate(c.command...)
		got := p.MapRow("rows", "{}", nil, nil)
		if len(got.Refused) > 0 || got.Failed == nil || !strings.Contains(got.Failed.Error(), "does not start") || !strings.Contains(got.Failed.Error(), c.want) {
			t.Errorf("%s: %+v", c.command, got)
		}
	}
}

// A process that died between two rows or at one, though not for want of memory, is replaced, and the row is mapped. One
// that dies at the row again costs the row, which does not say that it wants memory.
func TestProcessThatDies(t *testing.T) {
	p := isolate(t, program(t, `{id: "e", date: "2026-11-21"}`))
	for range 3 {
		if got := p.MapRow("rows", "{}", nil, nil); len(got.Records) != 1 {
			t.Fatalf("got %+v", got)
		}
		if err := p.KillIsolation(); err != nil {
			t.Fatal(err)
		}
	}
	dies := filepath.Join(t.TempDir(), "dies")
	script := fmt.Sprintf("if [ -e %[1]s ]; then echo ready 1; read row; echo '{\"output\":{\"id\":\"e\",\"date\":\"2026-11-21\"}}'; echo '{\"done\":true}'; read row; fi; "+
		": >%[1]s; echo ready 1; read row; echo '{\"output\":{\"id\":\"no\"}}'; kill -9 $$", dies)
	p = program(t, `{id: "e", date: "2026-11-21"}`)
	p.Isolate("/bin/sh", "-c", script)
	t.Cleanup(p.EndIsolation)
	if got := p.MapRow("rows", "{}", nil, nil); len(got.Records) != 1 || len(got.Refused) > 0 {
		t.Errorf("after one died: %+v", got)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		"echo ready 1; read row; kill -9 $$":                       "ended twice, at last with signal: killed",
		"TEST_PANIC=1 exec " + self + " " + profile.WorkerArgument: "ended twice, at last with exit status 1", // and not for want of memory
	} {
		p = program(t, `{id: "e", date: "2026-11-21"}`)
		p.Isolate("/bin/sh", "-c", script)
		t.Cleanup(p.EndIsolation)
		if got := p.MapRow("rows", "{}", nil, nil); len(got.Refused) != 1 || !strings.Contains(got.Refused[0].Why.String(), want) {
			t.Errorf("after two died: %+v %s", got, got.Refused)
		}
	}
}

// Waiting for the process ends with the context, and does not count as time of the page.
func TestWaitingForTheProcess(t *testing.T) {
	p := isolate(t, program(t, `{id: "e", date: "2026-11-21"}`))
	l, err := profile.Find([]byte("{}"), ".", false)
	if err != nil {
		t.Fatal(err)
	}
	s := p.Stream("rows")
	release := p.HoldIsolation()
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if got, err := s.Map(ctx, l, profile.Context{}); err != nil || got.Results[0].Refused == nil {
		t.Errorf("got %+v %v", got, err)
	}
	p.RowTime = 10 * time.Millisecond
	limit := s.PageTime()
	work, end := s.LimitPage(t.Context())
	p.RowTime = time.Minute
	defer end()
	time.AfterFunc(2*limit, release)
	if got, err := s.Map(work, l, profile.Context{}); err != nil || got.Results[0].Record == nil {
		t.Errorf("got %+v %v", got, err)
	}
}

// A context that ends just as a row is mapped does not stop the next row.
func TestEndOfAContextStopsNoOtherRow(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { from.Close(); to.Close() })
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		stop := profile.EndWith(ctx, from, to)
		cancel()
		stop()
		if err := from.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched() // which is when what was begun would go on
		if err := to.SetDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		if _, err := to.WriteString("x"); err != nil {
			t.Fatal(err)
		}
		if _, err := from.Read(make([]byte, 1)); err != nil {
			t.Fatalf("the next row: %v", err)
		}
	}
}

// BenchmarkRow maps an order with two tickets and a payment, in this process and in one of its own.
func BenchmarkRow(b *testing.B) {
	with := map[string]any{"hamlet": map[string]any{"currency": "EUR"}}
	for name, p := range map[string]*profile.Profile{"here": parsed(b, orders), "apart": isolate(b, parsed(b, orders))} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := p.MapRow("orders", order, nil, with); len(got.Records) != 3 {
					b.Fatal(got.Refused)
				}
			}
		})
	}
}
