package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// BenchmarkFill appends a house to an empty log as its first sync does, in batches of 8,000 tickets whose ids come in no order,
// and reports what each takes of this process.
func BenchmarkFill(b *testing.B) {
	const batch = 8000
	for _, n := range []int{200_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var used, took time.Duration // for the appends alone
			for b.Loop() {
				l := openLog(b, filepath.Join(b.TempDir(), "house.db"))
				for at := 0; at < n; at += batch {
					records := make([]record.Record, batch)
					for i := range records {
						t := benchTicket(at+i, 0)
						t.ID = fmt.Sprintf("tkt_%012x", uint64(at+i)*0x9e3779b97f4a7c15>>16)
						records[i] = t
					}
					cpu, began := cpuTime(b), time.Now()
					if _, err := l.Append(b.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: records}); err != nil {
						b.Fatal(err)
					}
					used, took = used+cpuTime(b)-cpu, took+time.Since(began)
				}
			}
			perRecord(b, n, used, took)
		})
	}
}
