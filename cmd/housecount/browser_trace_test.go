package main

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"housecount/apiclient/record"
)

// TestBrowserTrace follows a ticket that is sold before the program starts and scanned while a page is open: the log has a
// line for each step, in their order and with times that do not go back, up to the page that shows it. What others sell
// leaves no line.
func TestBrowserTrace(t *testing.T) {
	ln := newListeners(t)
	if err := ln.redirect.Close(); err != nil {
		t.Fatal(err)
	}
	ln.redirect = nil
	public := "http://" + ln.pages.Addr().String()
	s := newService(t, loginAt(&front{Server: &httptest.Server{URL: public}}))
	h := &testHouse{t: t, demo: &demo{service: s.Sandbox, url: public, sandboxURL: s.url}}
	event := ""
	for id, e := range s.Truth().Events {
		if e.Status == record.EventOnSale && (event == "" || id > event) {
			event = id
		}
	}
	ticket := h.sell(event, 1).TicketIDs[0]
	c, err := serveCommandFor(t, nil, append(s.arguments(filepath.Join(t.TempDir(), "house.db")), "--public-url", public, "--oidc-client-id", sandboxClient,
		"--trace", ticket)[1:]...).validate()
	if err != nil {
		t.Fatal(err)
	}
	c.now = s.Now
	out := newOutput()
	p, err := newProgram(t.Context(), c, slog.New(slog.NewTextHandler(io.MultiWriter(out, t.Output()), nil)))
	if err != nil {
		t.Fatal(err)
	}
	running := start(func(ctx context.Context) error { return p.run(ctx, ln) }, "housecount", make(chan error, 1))
	t.Cleanup(func() {
		if err := running.stop(shutdownLimit); err != nil {
			t.Error(err)
		}
	})
	h.demo.program = p
	h.awaitFirstSync()
	tab := newBrowser(t).newTab(1440, 900)
	tab.login(h, "manager")
	tab.open(public + "/events/" + event)
	tab.live()
	h.sell(event, 2)
	h.control("void", map[string]any{"ticket_id": ticket}, nil)
	out.await(t, "step=shown")
	tab.quiet()

	// The first sync has read it, too, while nobody looked.
	lines := regexp.MustCompile(`msg=trace ticket=(\S+) step=(\w+) ms=(-?\d+)`).FindAllStringSubmatch(out.String(), -1)
	if len(lines) < 4 || lines[3][2] != "folded" {
		t.Fatalf("of the first sync: %s", lines)
	}
	last := 0
	lines = lines[4:]
	if len(lines) == 7 && lines[5][2] == "shown" { // the page was faster than the end of writing to all
		lines[5], lines[6] = lines[6], lines[5]
	}
	for i, want := range []string{"said", "seen", "appended", "folded", "rendered", "sent", "shown"} {
		if i >= len(lines) || lines[i][1] != ticket || lines[i][2] != want {
			t.Fatalf("line %d is not of %s: %s", i, want, lines)
		}
		ms, err := strconv.Atoi(lines[i][3])
		if err != nil || ms < last && want != "shown" {
			t.Errorf("%s after %d ms, and what is before it after %d", want, ms, last)
		}
		last = ms
	}
	if len(lines) != 7 {
		t.Errorf("%d lines: %s", len(lines), lines)
	}
}
