package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"housecount/apiclient"
	"housecount/apiclient/probe"
)

// BenchmarkSync reads a house of 1,000,000 tickets from a sandbox of its own process and
// reports the requests, the largest heap of ours in the first and in the last quarter of
// the tickets, which are to be the same, and the sandbox's peak. It takes a minute or so.
func BenchmarkSync(b *testing.B) {
	const events, tickets = 5000, 1_000_000
	out := newOutput()
	c := child(b, out, "sandbox", "--listen", "127.0.0.1:0", "--api-key", "sesame", "--events", fmt.Sprint(events), "--tickets", fmt.Sprint(tickets))
	out.await(b, "login  admin")
	address := regexp.MustCompile(`http://\S+`).FindString(out.String())
	client, err := apiclient.New(apiclient.Options{BaseURL: address, APIKey: "sesame", RequestsPerMinute: 1_000_000, PageSize: 500})
	if err != nil {
		b.Fatal(err)
	}
	defer client.CloseIdle()
	for _, s := range client.Streams() {
		if _, err := probe.Stream(b.Context(), client, s.Name); err != nil {
			b.Fatal(err)
		}
	}
	requests := 0
	var first, last uint64 // bytes
	for b.Loop() {
		requests, first, last = 0, 0, 0
		for _, s := range client.Streams() {
			records := 0
			for _, err := range client.Read(b.Context(), s.Name, apiclient.Query{OnPage: func(p apiclient.Page) {
				if requests++; s.Name != "tickets" || requests%20 != 0 {
					return
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				switch {
				case records < tickets/4:
					first = max(first, m.HeapAlloc)
				case records >= tickets*3/4:
					last = max(last, m.HeapAlloc)
				}
			}}) {
				if err != nil {
					b.Fatal(s.Name, err)
				}
				records++
			}
			if s.Name == "tickets" && records != tickets {
				b.Fatalf("%d tickets, want %d", records, tickets)
			}
		}
	}
	b.ReportMetric(float64(requests), "requests")
	b.ReportMetric(float64(first)/(1<<20), "heap-first-MiB")
	b.ReportMetric(float64(last)/(1<<20), "heap-last-MiB")
	b.ReportMetric(peak(b, c.Process.Pid), "sandbox-peak-MiB")
	b.ReportMetric(peak(b, os.Getpid()), "peak-MiB")
}

// peak returns the largest resident size of a process so far, in MiB, 0 if the system does
// not tell.
func peak(b testing.TB, pid int) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}
