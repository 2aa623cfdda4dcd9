package main

import (
	"context"
	"crypto/rand"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers"
)

// entries puts what staff enter into the log, and waits until it is shown, or until ctx ends: then it
// is shown later.
type entries struct {
	records *store.Records
	figures *aggregator.Figures
}

func (e entries) Acknowledge(ctx context.Context, a *figures.Alert, s figures.Seen) error {
	return e.enter(ctx, s.At, a.Acknowledgement(s))
}

func (e entries) Unacknowledge(ctx context.Context, a *figures.Alert, s figures.Seen) error {
	r := a.Acknowledgement(s)
	r.Undone = true
	return e.enter(ctx, s.At, r)
}

func (e entries) Message(ctx context.Context, m handlers.ScreenMessage) error {
	return e.enter(ctx, m.At, new(record.ScreenMessage(m)))
}

func (e entries) WalkIn(ctx context.Context, event, gate string, count int, by string, at time.Time) error {
	return e.enter(ctx, at, &record.WalkIn{ID: rand.Text(), EventID: event, Gate: gate, Count: count, At: at, By: by})
}

func (e entries) enter(ctx context.Context, at time.Time, r record.Record) error {
	revision, err := e.records.Enter(ctx, at, r)
	if err != nil {
		return err
	}
	_ = e.figures.Await(ctx, revision) // it is stored
	return nil
}
