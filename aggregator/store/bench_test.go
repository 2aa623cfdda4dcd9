package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
)

// databases are those that benchmarks compare.
var databases = []struct {
	name  string
	fresh func(b *testing.B) string
}{
	{"sqlite", func(b *testing.B) string { return filepath.Join(b.TempDir(), "house.db") }},
	{"postgres", func(b *testing.B) string { return pgtest.New(b) }},
}

func benchTicket(id, minute int) *record.Ticket {
	r := ticket(fmt.Sprintf("tkt_%08d", id), minute, record.TicketValid)
	r.EventID, r.OrderID = fmt.Sprintf("evt_%d", id/300), fmt.Sprintf("ord_%08d", id/2)
	r.Type = record.TypeRef{ID: "tt_1", Name: "Rang 1"}
	r.Price = &record.Money{Amount: 2500, Currency: "EUR"}
	r.Channel = "web"
	r.CreatedAt, r.SoldAt = noon, noon
	r.Scans = []record.Scan{{At: noon, Gate: "Noord", Direction: record.Entry}}
	return r
}

// cpuTime returns what this process has used so far.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perRecord reports the time that one of n records took, and how much of it this process
// used, which is all with SQLite.
func perRecord(b *testing.B, n int, used, took time.Duration) {
	b.ReportMetric(float64(used)/float64(b.N*n), "cpu-ns/record")
	b.ReportMetric(float64(took)/float64(b.N*n), "ns/record")
}

func BenchmarkAppend(b *testing.B) {
	const page = 500
	for _, d := range databases {
		for _, c := range []struct {
			name             string
			size, newID, min int // of the log, and what each page adds to id and time
		}{
			{"new", 0, page, 0}, {"changed", 1000, 0, 1}, {"unchanged", 1000, 0, 0},
			{"changed of 100k", 100_000, 0, 1}, {"unchanged of 100k", 100_000, 0, 0},
		} {
			b.Run(c.name+"/"+d.name, func(b *testing.B) {
				l := openLog(b, d.fresh(b))
				for at := 0; at < c.size; at += 1000 {
					records := make([]record.Record, 1000)
					for i := range records {
						records[i] = benchTicket(at+i, 0)
					}
					l.append(b, records...)
				}
				id, minute := 0, 0
				step := max(1, c.size/page)
				if c.newID > 0 {
					step = 1
				}
				records := make([]record.Record, page)
				var used, took time.Duration // for the appends alone
				for b.Loop() {
					if minute += c.min; records[0] == nil || c.min+c.newID > 0 {
						for i := range records {
							records[i] = benchTicket(id+i*step, minute)
						}
					}
					id += c.newID
					cpu, began := cpuTime(b), time.Now()
					if _, err := l.Append(b.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: records}); err != nil {
						b.Fatal(err)
					}
					used, took = used+cpuTime(b)-cpu, took+time.Since(began)
				}
				perRecord(b, page, used, took)
			})
		}
	}
}

// BenchmarkReplay reads a log of a hundred thousand versions, beside a bare scan of the
// same rows.
func BenchmarkReplay(b *testing.B) {
	const n = 100_000
	for _, d := range databases {
		database := d.fresh(b)
		l := openLog(b, database)
		for at := 0; at < n; at += 1000 {
			records := make([]record.Record, 1000)
			for i := range records {
				records[i] = benchTicket(at+i, 0)
			}
			l.append(b, records...)
		}
		b.Run("versions/"+d.name, func(b *testing.B) {
			b.ReportAllocs()
			began := cpuTime(b)
			for b.Loop() {
				count := 0
				for _, err := range l.Versions(b.Context(), 0) {
					if err != nil {
						b.Fatal(err)
					}
					count++
				}
				if count != n {
					b.Fatal(count)
				}
			}
			perRecord(b, n, cpuTime(b)-began, b.Elapsed())
		})
		b.Run("scan/"+d.name, func(b *testing.B) {
			driver := map[string]string{"sqlite": "sqlite", "postgres": "pgx"}[d.name]
			db, err := sql.Open(driver, database)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			began := cpuTime(b)
			for b.Loop() {
				rows, err := db.QueryContext(b.Context(), `SELECT revision, kind, head, seen, body, memory FROM version ORDER BY revision`)
				if err != nil {
					b.Fatal(err)
				}
				var revision, kind, seen int64
				var head bool
				var body, memory sql.RawBytes
				for rows.Next() {
					if err := rows.Scan(&revision, &kind, &head, &seen, &body, &memory); err != nil {
						b.Fatal(err)
					}
				}
				if err := rows.Close(); err != nil {
					b.Fatal(err)
				}
			}
			perRecord(b, n, cpuTime(b)-began, b.Elapsed())
		})
	}
}
