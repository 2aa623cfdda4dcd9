package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkFirstSync is the first sync of a house of 200,000 and of 1,000,000 tickets by the whole program, in a process of its own,
// from a sandbox in another one. It reports what a record takes of the processors, and the peak of the program's memory. It
// takes a minute or three.
func BenchmarkFirstSync(b *testing.B) {
	for _, tickets := range []int{200_000, 1_000_000} {
		b.Run(fmt.Sprint(tickets), func(b *testing.B) {
			service, secret := newOutput(), strings.Repeat("s", 32)
			child(b, service, "sandbox", "--listen", "127.0.0.1:0", "--api-key", "sesame", "--client-secret", secret, "--events", fmt.Sprint(tickets/200), "--tickets", fmt.Sprint(tickets))
			service.await(b, "login  admin")
			sandbox := regexp.MustCompile(`http://\S+`).FindString(service.String())
			records, most := 0, 0.0
			var used float64 // nanoseconds
			for b.Loop() {
				dir, out := b.TempDir(), newOutput()
				c := child(b, out, "serve", "--listen", "127.0.0.1:0", "--public-url", "http://127.0.0.1:1", "--database", filepath.Join(dir, "housecount.db"), "--setup-file", filepath.Join(dir, "housecount.yaml"),
					"--api-url", sandbox, "--api-key", "sesame", "--requests-per-minute", "1000000", "--page-size", "500",
					"--oidc-issuer", sandbox, "--oidc-client-id", sandboxClient, "--oidc-client-secret", secret, "--oidc-scopes", "openid,profile,email", "--role-claim", "roles")
				limit := time.After(20 * time.Minute)
				for !strings.Contains(out.String(), `msg="first sync ended" stream=planning`) {
					select {
					case <-out.more:
					case <-limit:
						b.Fatal(out)
					}
				}
				used += float64(processorTimeOf(b, c.Process.Pid).Nanoseconds())
				most = max(most, peak(b, c.Process.Pid))
				for _, n := range regexp.MustCompile(`msg="first sync ended" stream=\S+ rows=(\d+)`).FindAllStringSubmatch(out.String(), -1) {
					var rows int
					fmt.Sscan(n[1], &rows)
					records += rows
				}
				_ = c.Process.Signal(syscall.SIGTERM)
				_ = c.Wait()
			}
			b.ReportMetric(used/float64(records)/1e3, "µs-CPU/record")
			b.ReportMetric(float64(records)/float64(b.N), "records")
			b.ReportMetric(most, "peak-MiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}
