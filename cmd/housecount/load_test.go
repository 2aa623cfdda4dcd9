package main

import (
	"bytes"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// Forty sockets of two people, two of which read nothing, watch the pages of a house that sells.
func TestLoad(t *testing.T) {
	h := newTestHouse(t)
	var stdout, stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"load", "--url", h.demo.url, "--watchers", "40", "--stalled", "2", "--topics", "/tonight,/revenue,/events/*", "--for", "10s"},
			nil, &stdout, &stderr)
	}()
	event, code := h.grote(), -1
	for code < 0 {
		select {
		case code = <-ended:
		case <-time.After(200 * time.Millisecond):
			h.sell(event.Event.ID, 1)
		}
	}
	if code != exitOK {
		t.Fatalf("exit code %d: %s%s", code, &stdout, &stderr)
	}
	t.Log(stdout.String())
	value := func(name string) int {
		m := regexp.MustCompile(`(?m)^` + name + ` +(\d+)$`).FindStringSubmatch(stdout.String())
		if m == nil {
			t.Fatalf("it says nothing of %s", name)
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if value("sockets") != 40 || value("pages") < 20 || value("frames") == 0 || value("closed") != 0 || value("lost") != 0 || value("bytes, not compressed") == 0 {
		t.Error("want 40 sockets that stay, and lose nothing")
	}
	for name, args := range map[string][]string{
		"a wrong password": {"--url", h.demo.url, "--password", "x"}, "no such page": {"--url", h.demo.url, "--topics", "/attic"},
		"nobody there": {"--url", "http://127.0.0.1:1"}, "no watcher": {"--url", h.demo.url, "--watchers", "0"}, "nobody who reads": {"--url", h.demo.url, "--watchers", "5", "--stalled", "5"},
	} {
		if code := run(t.Context(), append([]string{"load", "--for", "1s"}, args...), nil, &stdout, &stderr); code == exitOK {
			t.Errorf("with %s it ends well", name)
		}
	}
}
