package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/cmd/housecount/load"
)

// BenchmarkEventPages is a minute of the whole program, in a process of its own: 994 pages are open, each of another performance,
// the service is asked each second, and 20 tickets are sold a second. It reports which part of a processor the program takes. What
// its pages get is printed. It takes two minutes, and is run once, however long benchmarks are to take.
func BenchmarkEventPages(b *testing.B) {
	const events, pages, minute = 3000, 994, time.Minute
	service, out, secret := newOutput(), newOutput(), strings.Repeat("s", 32)
	child(b, service, "sandbox", "--listen", "127.0.0.1:0", "--api-key", "sesame", "--client-secret", secret, "--events", fmt.Sprint(events), "--tickets", "60000")
	service.await(b, "login  admin")
	sandbox := regexp.MustCompile(`http://\S+`).FindString(service.String())
	ln := listen(b, "127.0.0.1:0")
	at, dir := ln.Addr().String(), b.TempDir()
	ln.Close()
	c := child(b, out, "serve", "--listen", at, "--public-url", "http://"+at, "--database", filepath.Join(dir, "housecount.db"), "--setup-file", filepath.Join(dir, "housecount.yaml"),
		"--api-url", sandbox, "--api-key", "sesame", "--requests-per-minute", "6000", "--page-size", "500", "--poll-busy", "1s", "--poll-on-sale", "1s", "--poll-idle", "1s",
		"--oidc-issuer", sandbox, "--oidc-client-id", sandboxClient, "--oidc-client-secret", secret, "--oidc-scopes", "openid,profile,email", "--role-claim", "roles")
	out.await(b, `msg="first sync ended" stream=planning`)
	ctx, stop := context.WithCancel(b.Context())
	var report bytes.Buffer
	watched := make(chan error, 1)
	go func() {
		watched <- load.Watch(ctx, load.Options{URL: "http://" + at, Watchers: pages, Topics: []string{"/events/*"}, For: time.Hour, User: "manager", Password: "manager-demo"}, &report)
	}()
	opened := regexp.MustCompile(`path=/events/(evt_\w+)`)
	var open [][]string
	for len(open) < pages {
		select {
		case err := <-watched:
			b.Fatal(err)
		case <-time.After(time.Second):
			open = opened.FindAllStringSubmatch(out.String(), -1)
		}
	}
	sell := func(n int, over time.Duration) {
		for i, due := 0, time.NewTicker(over/time.Duration(n)); i < n; i++ {
			<-due.C
			body := fmt.Sprintf(`{"event_id": %q, "quantity": 1}`, open[i*7%pages][1])
			answer, err := http.Post(sandbox+"/sandbox/sell", "application/json", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
	sell(200, 10*time.Second)
	used, minutes := processorTimeOf(b, c.Process.Pid), 0
	for ; b.Loop(); minutes++ {
		sell(20*60, minute)
	}
	b.ReportMetric(100*float64(processorTimeOf(b, c.Process.Pid)-used)/float64(minutes)/float64(minute), "%-of-a-core")
	stop()
	if err := <-watched; err != nil {
		b.Error(err)
	}
	b.ReportMetric(0, "ns/op")
	b.Log(report.String())
}

// processorTimeOf returns how much of the processors a process has used so far.
func processorTimeOf(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("the system does not say what a process uses: ", err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	sum := 0
	for _, field := range strings.Fields(rest)[11:13] { // in user mode and in the kernel, in hundredths of a second
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		sum += n
	}
	return time.Duration(sum) * 10 * time.Millisecond
}
