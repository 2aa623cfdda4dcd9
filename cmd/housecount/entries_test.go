package main

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web"
)

// An alert that the house switches off while it stands stays open in the log, and is cleared once it is over.
func TestAlertsThatAreOffAreLogged(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		h.serve("/shows", func(url.Values) any { return []object{} })
		h.read("{name: house, streams: [{name: shows, path: shows, paging: {style: bare}, gives: [event, ticket], records: empty}]}")
		e := entries{h.log.Records, h.figures}
		var back atomic.Bool
		screens := func() ([]web.ScreenAlert, bool) {
			if back.Load() {
				return nil, true
			}
			return []web.ScreenAlert{{ID: "foyer", Name: "Foyer", Since: time.Now()}}, true
		}
		ctx, cancel := context.WithCancel(h.t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.enterAlerts(ctx, time.Now, screens, slog.New(slog.DiscardHandler)) }()
		is := func(what string, want ...bool) {
			h.t.Helper()
			h.pass(5 * time.Minute)
			var cleared []bool
			for _, a := range h.figures.Snapshot().Alerts {
				cleared = append(cleared, !a.Cleared.IsZero())
			}
			if !slices.Equal(cleared, want) {
				h.t.Errorf("%s: cleared are %v, want %v", what, cleared, want)
			}
		}
		is("while a screen is silent", false)
		off := &record.Setting{Name: record.SettingAlertTold, Of: evening.AlertSilentScreen, Value: new(int64(figures.AlertOff)), At: time.Now(), By: "Ann"}
		if err := e.enter(h.t.Context(), time.Now(), off); err != nil {
			h.t.Fatal(err)
		}
		is("switched off", false)
		back.Store(true)
		is("once it is back", true)
		cancel()
		if err := <-ended; err != nil {
			h.t.Error(err)
		}
	})
}

// That alerts cannot be entered is logged when it begins, every ten minutes and when it ends.
func TestUnenteredAlertsAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		var failing store.Failing
		log := slog.New(slog.NewTextHandler(&out, nil))
		for _, c := range []struct {
			err  error
			runs int
			want int // lines, with all before
		}{{nil, 10, 0}, {errors.New("away"), 25 * 12, 3}, {nil, 10, 4}, {errors.New("away"), 1, 5}} {
			for range c.runs {
				noteEntering(&failing, log, 2, c.err)
				time.Sleep(alertInterval)
			}
			if got := strings.Count(out.String(), "\n"); got != c.want {
				t.Errorf("%d lines, want %d:\n%s", got, c.want, &out)
			}
		}
	})
}
