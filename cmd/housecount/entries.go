package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/alertlog"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web"
)

// entries stores in the log what staff enter, and waits until the figures include it. If ctx ends first, it is
// shown later.
type entries struct {
	records *store.Records
	figures *aggregator.Figures
}

func (e entries) Acknowledge(ctx context.Context, a *evening.Alert, s evening.Seen) error {
	return e.enter(ctx, s.At, a.Acknowledgement(s))
}

func (e entries) Unacknowledge(ctx context.Context, a *evening.Alert, s evening.Seen) error {
	return e.enter(ctx, s.At, a.HandedBack(s)...)
}

func (e entries) Message(ctx context.Context, m *record.ScreenMessage) error {
	return e.enter(ctx, m.At, m)
}

func (e entries) WalkIn(ctx context.Context, w record.WalkIn) error {
	w.ID = rand.Text()
	return e.enter(ctx, w.At, &w)
}

func (e entries) Set(ctx context.Context, read int64, at time.Time, settings []*record.Setting, acts []store.Act) error {
	entered := make([]record.Record, len(settings))
	for i, s := range settings {
		entered[i] = s
	}
	revision, err := e.records.Replace(ctx, at, read, acts, entered...)
	if errors.Is(err, store.ErrChanged) {
		if p, failed := e.records.Position(ctx); failed == nil {
			_ = e.figures.Await(ctx, p.Revision)
		}
	}
	if err != nil {
		return err
	}
	_ = e.figures.Await(ctx, revision) // it is stored
	return nil
}

// alertInterval is how often it is looked which alerts were raised and have passed.
const alertInterval = 5 * time.Second

// noteEntering notes whether so many alerts could be entered.
func noteEntering(failing *store.Failing, log *slog.Logger, alerts int, err error) {
	switch since, toLog := failing.Note("alerts", err); {
	case !toLog:
	case err == nil:
		log.Info("alerts are in the log again", "after", time.Since(since).Round(time.Second).String())
	default:
		log.Warn("alerts are not in the log; they are entered once it takes them", "records", alerts, "error", err)
	}
}

// enterAlerts enters, until ctx ends, which alerts are raised, taken on and cleared, and undoes the acknowledgements of those
// that have passed. Every replica runs it; what two of them enter is stored once.
func (e entries) enterAlerts(ctx context.Context, now func() time.Time, screens func() ([]web.ScreenAlert, bool), log *slog.Logger) error {
	var alerts alertlog.Log
	var v *evening.Evening
	var failing store.Failing
	ticker := time.NewTicker(alertInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if !e.figures.Ready() {
			continue
		}
		at := now()
		v = evening.After(e.figures.Snapshot(), v, at)
		silent, known := screens()
		unknown := func(code string) bool {
			return (code == evening.AlertSilentScreen || code == evening.AlertCopiedScreen) && !known
		}
		entered := append(v.Passed(), alerts.Next(v, at, web.LoggedAlerts(v, web.Admin.Access(), silent), unknown)...)
		if len(entered) == 0 {
			continue
		}
		if _, err := e.records.Enter(ctx, at, entered...); ctx.Err() == nil {
			noteEntering(&failing, log, len(entered), err)
		}
	}
}

func (e entries) enter(ctx context.Context, at time.Time, all ...record.Record) error {
	revision, err := e.records.Enter(ctx, at, all...)
	if err != nil {
		return err
	}
	_ = e.figures.Await(ctx, revision) // it is stored
	return nil
}
